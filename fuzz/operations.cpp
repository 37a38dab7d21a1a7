// A sequence of operations on two filters of one family. For each a std::map holds the keys that must be found and their
// minimum counts. The first byte chooses family and hash, the next ones the shape; then each operation is a byte and a key.
// A verb that the family lacks must be refused.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <hortus/any/any_filter.hpp>

#include "../tests/io/use_everything.hpp"

namespace {

using hortus::testing::require;

struct subject {
  hortus::any_filter filter;
  std::map<std::uint64_t, std::uint64_t> members = {};  // a key, and its count

  [[nodiscard]] bool has(hortus::verb v) const { return filter.family().has(v); }

  void put(std::uint64_t key) {
    if (!has(hortus::verb::insert)) return;
    if (filter.insert(key)) ++members[key];  // a full filter may refuse
  }

  void check() const {
    std::vector<std::uint64_t> all;
    for (auto const& entry : members) all.push_back(entry.first);
    auto const& family = hortus::family_named(filter.family().kind());
    bool const keeps_members =
        family.misses == hortus::false_negatives::never || family.misses == hortus::false_negatives::by_misuse;
    if (has(hortus::verb::may_contain) && keeps_members) {
      for (auto const key : all) require(filter.may_contain(key), "a member is missed");
      require(filter.may_contain(all).count() == all.size(), "a member is missed in a batch");
    }
    if (has(hortus::verb::count)) {
      auto const counts = filter.count(all);
      for (std::size_t i = 0; i < all.size(); ++i) {
        require(counts[i] == filter.count(all[i]), "a batch counts otherwise");
        // Families differ in their maximum count, but every member must count at least 1.
        require(!family.never_undercounts || counts[i] >= 1, "a member is not counted");
      }
    }
    if (has(hortus::verb::top)) {
      auto const top = filter.top(~std::uint64_t{0});
      std::uint64_t told = 0;
      for (auto const& key : top.keys) {
        auto const member = members.find(key.integer());
        require(member != members.end(), "a frequent key that never came");
        require(key.at_least() <= member->second && member->second <= key.count, "a count out of its bounds");
        ++told;
      }
      require(told == members.size() || top.others_at_most >= 1, "a key is missing and nothing was pushed out");
    }
    if (has(hortus::verb::fpr)) require(filter.fpr() >= 0 && filter.fpr() <= 1, "fpr");
    if (has(hortus::verb::estimate)) {
      auto const e = filter.estimate();
      require(e.low <= e.value && e.value <= e.high, "estimate");
    }
  }
};

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
  std::uint64_t key() { return byte() % 64 * 0x9e3779b97f4a7c15U >> byte() % 64; }

 private:
  std::span<std::uint8_t const> bytes_;
};

template <class Act>
bool fits(Act act) {
  try {
    act();
    return true;
  } catch (hortus::error const& e) {
    require(e.code() == hortus::errc::incompatible || e.code() == hortus::errc::bad_params ||
                e.code() == hortus::errc::unsupported || e.code() == hortus::errc::full,
            "refused for another reason");
    return false;
  }
}

void operate(subject& one, subject& other, input& in) {
  auto const operation = in.byte();
  switch (operation % 14) {
    case 0:
    case 1:
      one.put(in.key());
      break;
    case 2: {
      auto const key = in.key();
      if (!one.has(hortus::verb::insert_if_new)) break;
      bool const before = one.filter.may_contain(key);
      bool fresh = false;
      if (!fits([&] { fresh = one.filter.insert_if_new(key); })) break;  // it is full
      require(fresh != before, "insert_if_new tells what may_contain told");
      if (!before || one.has(hortus::verb::count)) ++one.members[key];  // a family that counts inserts it again
      break;
    }
    case 3: {
      std::vector<std::uint64_t> keys(in.byte() + in.byte());
      for (auto& key : keys) key = in.key();
      if (!one.has(hortus::verb::insert)) break;
      auto const copy = one.filter;
      if (one.filter.insert(keys) == keys.size()) {
        for (auto const key : keys) ++one.members[key];
      } else {  // full, and it is unknown which keys were refused: start again, one by one
        one.filter = copy;
        for (auto const key : keys) one.put(key);
      }
      break;
    }
    case 4:
      if (fits([&] { one.filter.merge(other.filter); }))
        for (auto const& entry : other.members) {
          auto& count = one.members[entry.first];
          count += std::min(entry.second, ~count);  // up to 2^64 - 1: two filters that are merged in turn double
        }
      break;
    case 5:
      if (fits([&] { one.filter.intersect(other.filter); }))
        std::erase_if(one.members, [&](auto const& entry) { return !other.members.contains(entry.first); });
      break;
    case 6:
      (void)fits([&] { one.filter.fold(in.byte() % 16); });
      break;
    case 7:
      (void)fits([&] { (void)one.filter.fold_to_fpr(in.byte() / 256.0); });
      break;
    case 11: {  // erases members only: anything else would be misuse
      auto const key = in.key();
      if (!one.has(hortus::verb::erase) || !one.members.contains(key)) break;
      bool const sure =
          one.has(hortus::verb::may_contain) || hortus::family_named(one.filter.family().kind()).never_undercounts;
      require(one.filter.erase(key) || !sure, "a member could not be erased");
      if (--one.members[key] == 0) one.members.erase(key);
      break;
    }
    case 12: {  // erasing a certainly absent key is refused and changes nothing
      auto const key = in.key();
      if (!one.has(hortus::verb::erase) || !one.has(hortus::verb::may_contain) || one.filter.may_contain(key)) break;
      auto const before = hortus::to_bytes(one.filter);
      require(!one.filter.erase(key) && hortus::to_bytes(one.filter) == before, "an absent key was erased");
      break;
    }
    case 8:
      one.filter.clear();
      one.members.clear();
      break;
    case 9: {
      auto const bytes = hortus::to_bytes(one.filter);
      one.filter = hortus::from_bytes(bytes);
      require(hortus::to_bytes(one.filter) == bytes, "saved and loaded");
      break;
    }
    case 10: {
      auto const bytes = hortus::to_bytes(one.filter);
      auto const seen = hortus::view(bytes);
      require(*seen == one.filter, "viewed");
      one.filter = *seen;
      break;
    }
    default:
      if (operation % 28 < 14)
        std::swap(one, other);
      else
        (void)fits([&] { one.filter.grow(); });
      break;
  }
  one.check();
}

/// An empty filter; for a family that is built at once, one of the next keys of the input, including duplicates.
subject planted(std::string_view family, hortus::request const& wish, hortus::xxh3 hash, input& in) {
  if (!hortus::family_named(family).has(hortus::verb::build)) return {hortus::make_filter(family, wish, hash)};
  std::vector<std::uint64_t> keys(in.byte() + in.byte());
  for (auto& key : keys) key = in.key();
  subject one{hortus::build_filter(family, keys, wish, hash)};
  for (auto const key : keys) ++one.members[key];
  return one;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  input in(std::span(data, size));
  auto const families = hortus::catalogue();
  auto const& family = families[in.byte() % families.size()];
  hortus::request const wish{.items = std::uint64_t{in.byte()} * in.byte(), .fpr = (in.byte() + 1) / 257.0, .settings = {}};
  hortus::xxh3 const hash(in.byte());
  auto one = planted(family.name, wish, hash, in);
  auto other = planted(family.name, wish, hash, in);
  for (int i = 0; i < 200 && !in.empty(); ++i) operate(one, other, in);
  one.check();
  other.check();
  return 0;
}
