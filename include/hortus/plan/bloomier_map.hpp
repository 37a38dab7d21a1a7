#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include <hortus/error.hpp>
#include <hortus/plan/binary_fuse.hpp>
#include <hortus/plan/ribbon.hpp>

namespace hortus::plan {

/// The shape of a Bloomier map: how many bits hold the value of a key, and how many check that it is one.
struct bloomier_shape {
  static constexpr unsigned max_value_bits = 64;

  std::uint64_t items = 0;
  unsigned value_bits = 0;
  unsigned check_bits = 0;
  std::uint64_t wide_blocks = 0;  ///< of a ribbon: with one more column of checks
  unsigned arity = 0;             ///< of a binary fuse table; 0: on ribbons
  bool operator==(bloomier_shape const&) const = default;

  /// A ribbon has at most 64 columns. Those of the checks and as many bits of the values as there is room for are in the first
  /// one; the other bits of the values are in a second one.
  [[nodiscard]] unsigned lower_bits() const noexcept {
    return std::min(value_bits, ribbon_shape::max_columns - check_bits - (wide_blocks != 0 ? 1 : 0));
  }
  [[nodiscard]] unsigned upper_bits() const noexcept { return value_bits - lower_bits(); }
  [[nodiscard]] ribbon_shape lower() const { return on_ribbon(check_bits + lower_bits(), wide_blocks); }
  [[nodiscard]] ribbon_shape upper() const { return on_ribbon(upper_bits(), 0); }
  /// As many parts as ribbons have.
  [[nodiscard]] binary_fuse_shape fuse() const noexcept {
    auto const part_bits = ribbon_log2_parts(items);
    return {items, std::max(1U, value_bits + check_bits), arity, part_bits,
            binary_fuse_row_for(arity, items >> part_bits).segment_bits};
  }
  [[nodiscard]] double fpr() const {
    if (arity != 0 || wide_blocks == 0) return std::ldexp(1.0, -static_cast<int>(check_bits));
    return ribbon_fpr(on_ribbon(check_bits, wide_blocks));
  }

 private:
  [[nodiscard]] ribbon_shape on_ribbon(unsigned columns, std::uint64_t wide) const {
    ribbon_shape s;
    if (columns == 0 && wide == 0) return s;
    auto const layers = ribbon_layers(items);
    for (auto const blocks : layers) s.blocks += blocks;
    s.columns = columns;
    s.wide_blocks = wide;
    s.strips = std::uint64_t{1} << ribbon_log2_strips(items);
    s.layers = layers.size();
    return s;
  }
};

/// The smallest map in which an absent key gets a value with probability fpr, or always if it is unchecked.
inline bloomier_shape bloomier_map(goal g, unsigned value_bits, unsigned unchecked, unsigned arity) {
  if (unchecked > 1) throw error(errc::bad_goal, "unchecked is 0 or 1, not " + std::to_string(unchecked));
  if (value_bits > bloomier_shape::max_value_bits)
    throw error(errc::bad_goal, "values have at most 64 bits, not " + std::to_string(value_bits));
  if (arity != 0 && arity != 3 && arity != 4) throw error(errc::bad_goal, "a key has 3 or 4 slots in a binary fuse table");
  bloomier_shape s{g.items, value_bits, 0, 0, arity};
  auto const on_ribbon = ribbon_of_rows({g.items, unchecked == 1 ? 0.5 : checked_fpr(g.fpr)}, 1);  // checks the limits
  if (unchecked == 0 && arity == 0) {
    s.check_bits = on_ribbon.columns;
    s.wide_blocks = on_ribbon.wide_blocks;
  } else if (unchecked == 0) {
    s.check_bits = binary_fuse({g.items, g.fpr}, arity).slot_bits;
    if (value_bits + s.check_bits > binary_fuse_shape::max_slot_bits)
      throw error(errc::bad_goal, "a slot of a binary fuse table has at most 57 bits, and value and checks have " +
                                      std::to_string(value_bits + s.check_bits) + "; without arity, on ribbons, they may");
  }
  if (arity != 0 && value_bits > binary_fuse_shape::max_slot_bits)
    throw error(errc::bad_goal, "a slot of a binary fuse table has at most 57 bits; without arity, on ribbons, values have 64");
  checked_bits(1.3 * static_cast<double>(g.items) * (value_bits + s.check_bits + 1),
               "a map of " + std::to_string(g.items) + " keys");
  return s;
}

}  // namespace hortus::plan
