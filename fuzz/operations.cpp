// A sequence of operations on two filters of one family, each with a std::set beside it that says what must be found. The first
// byte chooses family and hash, the next ones the shape, then each operation is a byte and a key.
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <hortus/any/any_filter.hpp>

#include "../tests/io/use_everything.hpp"

namespace {

using hortus::testing::require;

struct subject {
  hortus::any_filter filter;
  std::set<std::uint64_t> members = {};

  void check() const {
    for (auto const key : members) require(filter.may_contain(key), "a member is missed");
    std::vector<std::uint64_t> const all(members.begin(), members.end());
    require(filter.may_contain(all).count() == all.size(), "a member is missed in a batch");
    require(filter.fpr() >= 0 && filter.fpr() <= 1, "fpr");
    auto const e = filter.estimate();
    require(e.low <= e.value && e.value <= e.high, "estimate");
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
    require(e.code() == hortus::errc::incompatible || e.code() == hortus::errc::bad_params, "refused for another reason");
    return false;
  }
}

void operate(subject& one, subject& other, input& in) {
  switch (in.byte() % 12) {
    case 0:
    case 1: {
      auto const key = in.key();
      one.filter.insert(key);
      one.members.insert(key);
      break;
    }
    case 2: {
      auto const key = in.key();
      bool const before = one.filter.may_contain(key);
      require(one.filter.insert_if_new(key) != before, "insert_if_new tells what may_contain told");
      one.members.insert(key);
      break;
    }
    case 3: {
      std::vector<std::uint64_t> keys(in.byte() + in.byte());
      for (auto& key : keys) key = in.key();
      require(one.filter.insert(keys) == keys.size(), "all of a batch went in");
      one.members.insert(keys.begin(), keys.end());
      break;
    }
    case 4:
      if (fits([&] { one.filter.merge(other.filter); })) one.members.insert(other.members.begin(), other.members.end());
      break;
    case 5:
      if (fits([&] { one.filter.intersect(other.filter); }))
        std::erase_if(one.members, [&](auto key) { return !other.members.contains(key); });
      break;
    case 6:
      (void)fits([&] { one.filter.fold(in.byte() % 16); });
      break;
    case 7:
      (void)one.filter.fold_to_fpr(in.byte() / 256.0);
      break;
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
      std::swap(one, other);
      break;
  }
  one.check();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  input in(std::span(data, size));
  auto const families = hortus::catalogue();
  auto const& family = families[in.byte() % families.size()];
  hortus::request const wish{.items = std::uint64_t{in.byte()} * in.byte(), .fpr = (in.byte() + 1) / 257.0, .settings = {}};
  hortus::xxh3 const hash(in.byte());
  subject one{hortus::make_filter(family.name, wish, hash)};
  subject other{hortus::make_filter(family.name, wish, hash)};
  for (int i = 0; i < 200 && !in.empty(); ++i) operate(one, other, in);
  one.check();
  other.check();
  return 0;
}
