#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include <hortus/frozen/ribbon_cells.hpp>

namespace hortus {

/// Keys of a ribbon filter, in ascending order; or of a map, with a value for each. The columns of a key add up to its
/// fingerprint; in a map, to the exclusive or of its fingerprint and its value.
struct ribbon_keys {
  std::span<std::uint64_t const> words;
  std::span<std::uint64_t const> values = {};  ///< empty in a filter

  [[nodiscard]] std::size_t size() const noexcept { return words.size(); }
  [[nodiscard]] bool empty() const noexcept { return words.empty(); }
  [[nodiscard]] ribbon_keys first(std::size_t count) const noexcept {
    return {words.first(count), values.first(values.empty() ? 0 : count)};
  }
  [[nodiscard]] ribbon_keys last(std::size_t count) const noexcept { return from(size() - count); }
  [[nodiscard]] ribbon_keys from(std::size_t count) const noexcept {
    return {words.subspan(count), values.subspan(values.empty() ? 0 : count)};
  }
};

/// Keys for which there was no room.
struct ribbon_left {
  std::vector<std::uint64_t> words;
  std::vector<std::uint64_t> values;

  void append(ribbon_keys some) {
    words.insert(words.end(), some.words.begin(), some.words.end());
    values.insert(values.end(), some.values.begin(), some.values.end());
  }
  [[nodiscard]] ribbon_keys keys() const noexcept { return {words, values}; }
};

/// The keys of a range of blocks. `words << shift` is their place in it.
struct ribbon_strip {
  ribbon_range range;
  unsigned shift;
  ribbon_keys keys;
};

/// What to do with a key for which there is no room.
enum class ribbon_overflow {
  by_threshold,  ///< raise the threshold of its bucket: all keys below are left over
  one_by_one,    ///< leave this key over: the last layer has no thresholds
};

/// Solves the system of one strip or of four neighbouring ones: writes thresholds and columns, and appends the keys that are
/// left over to `left`. Takes time linear in the number of keys, whatever the keys are. Temporarily takes 16 bytes per slot.
void solve_strips(ribbon_cells& cells, std::span<ribbon_strip const> strips, ribbon_overflow mode, ribbon_left& left);

}  // namespace hortus
