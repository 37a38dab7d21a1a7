#pragma once
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <hortus/hash/mix64.hpp>

/// Realistic keys: random, and in patterns that a weak hash turns into collisions. make(i) is key number i. Members and absent
/// keys have different numbers.
namespace hortus::testing {

inline constexpr std::uint64_t absent = std::uint64_t{1} << 30;  ///< numbers from here on are never inserted

struct random_keys {
  static constexpr char const* name = "random";
  static std::uint64_t make(std::uint64_t i) { return mix64(i * golden_ratio64 + 1); }
};
struct sequential_keys {
  static constexpr char const* name = "sequential";
  static std::uint64_t make(std::uint64_t i) { return i; }
};
struct multiples_of_2_32 {
  static constexpr char const* name = "multiples of 2^32";
  static std::uint64_t make(std::uint64_t i) { return i << 32; }
};
struct common_prefix_keys {
  static constexpr char const* name = "common prefix";
  static std::string make(std::uint64_t i) {
    return "https://example.org/a/path/that/all/the/keys/of/this/set/share/" + std::to_string(i);
  }
};

/// act.operator()<Keys>() for each key set.
template <class Act>
void for_each_key_set(Act act) {
  act.template operator()<random_keys>();
  act.template operator()<sequential_keys>();
  act.template operator()<multiples_of_2_32>();
  act.template operator()<common_prefix_keys>();
}

template <class Keys>
auto keys(std::uint64_t from, std::uint64_t count) {
  std::vector<decltype(Keys::make(0))> all;
  all.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) all.push_back(Keys::make(from + i));
  return all;
}

}  // namespace hortus::testing
