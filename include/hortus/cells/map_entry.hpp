#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <hortus/digest.hpp>
#include <hortus/error.hpp>

namespace hortus {

/// A key of a map, as the bits of its digest, and its value.
struct map_entry {
  std::uint64_t value;
  std::uint64_t word;
  constexpr bool operator==(map_entry const&) const = default;
};

[[nodiscard]] constexpr std::uint64_t word_of(map_entry const& entry) noexcept { return entry.word; }
[[nodiscard]] constexpr std::uint64_t word_of(std::uint64_t word) noexcept { return word; }

/// Sorts by word, then by value, with vector instructions (Highway's sort). Temporarily takes 16 bytes per entry.
void sort_entries(std::span<map_entry> entries);

/// Thrown if a key has two values. The digests are equal, so it may also be two keys: with another seed of the hash they would
/// hardly collide again.
class conflicting_values : public error {
 public:
  conflicting_values(std::uint64_t word, std::uint64_t one_value, std::uint64_t other_value)
      : error(errc::bad_params, "a key has two values, " + std::to_string(one_value) + " and " + std::to_string(other_value) +
                                    "; or two keys have the same digest, and another seed of the hash would tell them apart"),
        word_(word) {}
  conflicting_values(std::uint64_t word, std::string const& what) : error(errc::bad_params, what), word_(word) {}
  [[nodiscard]] std::uint64_t word() const noexcept { return word_; }  ///< the bits of the digest

 private:
  std::uint64_t word_;
};

/// Removes equal entries from sorted ones; returns how many are left, at the front. Throws conflicting_values.
inline std::size_t without_duplicates(std::span<map_entry> entries) {
  auto const end = std::unique(entries.begin(), entries.end());
  auto const twice = std::adjacent_find(entries.begin(), end, [](auto const& a, auto const& b) { return a.word == b.word; });
  if (twice != end) throw conflicting_values(twice->word, twice[0].value, twice[1].value);
  return static_cast<std::size_t>(end - entries.begin());
}

/// Sorts the entries and removes equal ones; returns how many are left, at the front. Throws conflicting_values.
inline std::size_t sort_distinct(std::span<map_entry> entries) {
  sort_entries(entries);
  return without_duplicates(entries);
}

/// The entries of a map of these keys and values in ascending order, each once. Throws conflicting_values, which then says at
/// which positions the two are, and errc::bad_params unless there are as many values as keys. Takes 16 bytes per key.
std::vector<map_entry> distinct_entries(std::span<digest const> keys, std::span<std::uint64_t const> values);

/// The bits that a value needs.
[[nodiscard]] constexpr unsigned bits_of_value(std::uint64_t value) noexcept {
  return static_cast<unsigned>(std::bit_width(value));
}

/// How many bits the values of a map have: as many as wished, or as the largest one needs if 0 were. Throws errc::bad_params if
/// the largest one needs more.
[[nodiscard]] inline unsigned checked_value_bits(unsigned wished, std::uint64_t largest) {
  auto const needed = bits_of_value(largest);
  if (wished == 0) return needed;
  if (wished > 64) throw error(errc::bad_goal, "values have at most 64 bits, not " + std::to_string(wished));
  if (needed > wished)
    throw error(errc::bad_params, "the value " + std::to_string(largest) + " needs " + std::to_string(needed) +
                                      " bits, and value_bits is " + std::to_string(wished));
  return wished;
}

/// The same for a map of F. In a map that numbers its keys, 0 bits mean numbers, so values have at least 1.
template <class F>
unsigned value_bits_of(unsigned wished, std::uint64_t largest) {
  auto bits = checked_value_bits(wished, largest);
  if constexpr (requires { F::ranks_keys; }) bits = std::max(bits, 1U);
  return bits;
}

}  // namespace hortus
