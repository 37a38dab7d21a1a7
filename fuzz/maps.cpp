// A map of pairs, or a set of two lists, built of digests that the input chooses: progressions, which are as unlike the digests
// of a hash as digests can be. The first byte chooses the family, the next ones its goal; then each progression is its first
// digest, its step and its length. What was built must know every key, in batches and one by one, and from its bytes; a key
// with two values, or in both lists, must be refused.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <hortus/any/any_filter.hpp>
#include <hortus/part_source.hpp>

#include "../tests/io/use_everything.hpp"

namespace {

using hortus::digest;
using hortus::testing::require;

class input {
 public:
  explicit input(std::span<std::uint8_t const> bytes) : bytes_(bytes) {}
  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  std::uint8_t byte() {
    if (bytes_.empty()) return 0;
    auto const first = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return first;
  }
  /// A byte, shifted anywhere, is a number with many equal bits; eight bytes are any number.
  std::uint64_t number() {
    auto const how = byte();
    if (how < 128) return std::uint64_t{byte()} << how % 64;
    std::uint64_t all = 0;
    for (int i = 0; i < 8; ++i) all = all << 8 | byte();
    return all;
  }
  /// Several progressions, at most 2000 words.
  std::vector<std::uint64_t> words() {
    std::vector<std::uint64_t> all;
    for (auto progressions = byte() % 8; progressions-- != 0;) {
      auto word = number();
      auto const step = number();
      for (auto count = byte(); count-- != 0; word += step) all.push_back(word);
    }
    return all;
  }

 private:
  std::span<std::uint8_t const> bytes_;
};

std::vector<digest> digests(std::vector<std::uint64_t> const& words) { return {words.begin(), words.end()}; }

/// False if it was refused, for one of these reasons. Digests that are not random may have more equal signatures than a map
/// that changes has room for.
template <class Act>
bool fits(Act act) {
  try {
    act();
    return true;
  } catch (hortus::error const& e) {
    bool const expected = e.code() == hortus::errc::bad_goal || e.code() == hortus::errc::bad_params;
    require(expected || e.code() == hortus::errc::full, "refused for another reason");
    return false;
  }
}

/// Written and read again it is the same, and gives the same answers: calls act(family) for both.
template <class Act>
void as_built_and_as_read(hortus::any_family built, Act act) {
  hortus::any_filter const filter(std::move(built), hortus::any_hash(), hortus::envelope());
  act(filter.family());
  auto const bytes = hortus::to_bytes(filter);
  auto const again = hortus::from_bytes(bytes);
  require(hortus::to_bytes(again) == bytes, "what was written is what is read");
  act(again.family());
  hortus::testing::use_everything(again);
}

void try_map(hortus::family_info const& family, hortus::request wish, input& in) {
  auto const bits = in.byte() % 64 + 1;
  auto const value_of = [&](std::uint64_t word) { return (word ^ word >> 29) * 0x9e3779b97f4a7c15U >> (64 - bits); };
  auto words = in.words();
  auto const asked = digests(in.words());
  std::vector<std::uint64_t> values;
  values.reserve(words.size());
  for (auto const word : words) values.push_back(value_of(word));
  auto const build = [&] {
    auto const largest = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
    hortus::entries_in_memory const entries(hortus::distinct_entries(digests(words), values));
    return family.build_map(entries, largest, wish, hortus::one_part_after_the_other);
  };
  std::optional<hortus::any_family> built;
  if (!fits([&] { built = build(); })) return;
  std::vector<std::uint64_t> found(std::max(words.size(), asked.size()));
  std::vector<std::uint64_t> hits(found.size() / 64 + 1);
  as_built_and_as_read(*built, [&](hortus::any_family const& map) {
    hortus::find_all(map, digests(words), found.data(), hits.data());
    for (std::size_t i = 0; i < words.size(); ++i) {
      require((hits[i / 64] >> (i % 64) & 1) != 0, "a key is missed in a batch");
      require(found[i] == values[i], "a value is wrong in a batch");
      require(map.find(digest(words[i])) == values[i], "a value is wrong");
    }
    hortus::find_all(map, asked, found.data(), hits.data());
    for (std::size_t i = 0; i < asked.size(); ++i) {
      auto const value = map.find(asked[i]);
      require(value.has_value() == ((hits[i / 64] >> (i % 64) & 1) != 0), "a batch finds otherwise");
      require(found[i] == value.value_or(0), "a batch has another value");
    }
  });
  std::reverse(words.begin(), words.end());
  std::reverse(values.begin(), values.end());
  require(build() == *built, "another order of the same entries");
  if (words.empty()) return;
  words.push_back(words[in.byte() % words.size()]);
  values.push_back(~value_of(words.back()));
  require(!fits([&] { (void)build(); }), "two values for one key");
}

void try_set(hortus::family_info const& family, hortus::request const& wish, input& in) {
  auto const members = hortus::distinct_words(digests(in.words()));
  auto const others = hortus::distinct_words(digests(in.words()));
  std::vector<std::uint64_t> both;
  std::set_intersection(members.begin(), members.end(), others.begin(), others.end(), std::back_inserter(both));
  std::optional<hortus::any_family> built;
  bool const accepted = fits([&] {
    built = family.build_apart(hortus::words_in_memory(members), hortus::words_in_memory(others), wish,
                               hortus::one_part_after_the_other);
  });
  require(accepted == both.empty(), "a key in both lists");
  if (!accepted) return;
  as_built_and_as_read(*built, [&](hortus::any_family const& set) {
    for (bool const member : {true, false}) {
      auto const xs = digests(member ? members : others);
      std::vector<std::uint64_t> hits(xs.size() / 64 + 1);
      hortus::may_contain_all(set, xs, hits.data());
      for (std::size_t i = 0; i < xs.size(); ++i) {
        require(set.may_contain(xs[i]) == member, "a key of the lists is answered wrong");
        require(((hits[i / 64] >> (i % 64) & 1) != 0) == member, "a key of the lists is answered wrong in a batch");
      }
    }
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  input in(std::span(data, size));
  std::vector<hortus::family_info const*> maps;
  for (auto const& family : hortus::catalogue())
    if (family.build_map != nullptr || family.build_apart != nullptr) maps.push_back(&family);
  auto const& family = *maps[in.byte() % maps.size()];
  hortus::request wish{.items = 0, .fpr = (in.byte() + 1) / 257.0, .settings = {}};
  if (family.build_apart != nullptr) {
    if (in.byte() % 2 != 0) wish.fpr = 1;
    try_set(family, wish, in);
    return 0;
  }
  if (auto const how = in.byte() % 8; how < 4 && family.name == "bloomier_map") {
    if (how != 0) wish.settings.emplace_back("arity", how % 2 != 0 ? "3" : "4");
    if (how % 2 == 0) wish.settings.emplace_back("unchecked", "1");
  }
  try_map(family, wish, in);
  return 0;
}
