#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include <hortus/error.hpp>
#include <hortus/maths/limits.hpp>
#include <hortus/plan/goal.hpp>

namespace hortus::plan {

/// The shape of a binary fuse filter: 2^part_bits parts with keys of their own. A part has 2^segment_bits segments in which
/// keys begin, and arity - 1 more in which the last ones end. All segments of a part have the same length, which fits its keys.
struct binary_fuse_shape {
  static constexpr unsigned max_slot_bits = 57;
  static constexpr unsigned max_segment_bits = 10;
  static constexpr std::uint64_t max_part_items = std::uint64_t{1} << 22;  ///< on average
  static constexpr std::uint64_t max_length = std::uint64_t{1} << 21;      ///< of a segment

  std::uint64_t items = 0;
  unsigned slot_bits = 1;
  unsigned arity = 4;
  unsigned part_bits = 0;
  unsigned segment_bits = 0;

  [[nodiscard]] std::uint64_t parts() const noexcept { return std::uint64_t{1} << part_bits; }
  [[nodiscard]] std::uint64_t segments() const noexcept { return (std::uint64_t{1} << segment_bits) + arity - 1; }
  /// Slots of a part with segments of this length, up to the next whole byte: threads fill parts side by side.
  [[nodiscard]] std::uint64_t part_slots(std::uint64_t length) const noexcept { return (segments() * length + 7) / 8 * 8; }
  [[nodiscard]] bool possible() const noexcept {
    return (arity == 3 || arity == 4) && slot_bits >= 1 && slot_bits <= max_slot_bits && part_bits <= 32 &&
           segment_bits <= max_segment_bits;
  }
  bool operator==(binary_fuse_shape const&) const = default;
};

/// How parts with 2^k to 2^(k+1) keys are made, k being the place in the list.
struct binary_fuse_row {
  unsigned segment_bits = 0;
  std::uint64_t begin = 0;   ///< slots per 4096 keys at 2^k keys
  std::uint64_t end = 0;     ///< at 2^(k+1); between them the number of slots is linear
  std::uint64_t bumped = 0;  ///< keys in 65536 that are bumped, roughly
};

/// By simulation: the segments, and about the fewest slots, with which slots and bumped keys together take the least space, for
/// slots of 8 bits. A little more than the fewest, because lookups pay for bumped keys, too. docs/performance-history.md has
/// the figures. Integers, so that a filter has the same bytes wherever it is built.
inline constexpr std::array<binary_fuse_row, 22> binary_fuse_of_three{
    {{0, 12288, 12288, 0}, {0, 12288, 10650, 3932}, {0, 10650, 7782, 3932}, {0, 7782, 6554, 2621}, {0, 6554, 5898, 1311},
     {0, 5898, 5571, 786}, {0, 5571, 5386, 524},    {0, 5386, 5280, 229},   {0, 5280, 5161, 131},  {0, 5161, 5112, 98},
     {0, 5112, 5088, 52},  {0, 5088, 5063, 39},     {5, 4964, 4862, 177},   {6, 4818, 4769, 229},  {6, 4769, 4719, 131},
     {6, 4719, 4682, 118}, {7, 4672, 4627, 79},     {7, 4627, 4601, 59},    {8, 4579, 4566, 66},   {8, 4566, 4547, 33},
     {8, 4547, 4532, 20},  {9, 4528, 4506, 39}}};
inline constexpr std::array<binary_fuse_row, 22> binary_fuse_of_four{
    {{0, 16384, 16384, 0}, {0, 16384, 12288, 3932}, {0, 12288, 8192, 3932}, {0, 8192, 7168, 2621}, {0, 7168, 6349, 1311},
     {0, 6349, 5888, 786}, {0, 5888, 5734, 328},    {0, 5734, 5591, 164},   {0, 5591, 5472, 98},   {0, 5472, 5427, 66},
     {5, 5180, 4970, 295}, {5, 4970, 4830, 262},    {5, 4830, 4731, 197},   {6, 4690, 4606, 197},  {6, 4606, 4526, 164},
     {7, 4503, 4462, 131}, {7, 4462, 4413, 72},     {7, 4413, 4370, 52},    {8, 4350, 4326, 59},   {8, 4326, 4305, 26},
     {9, 4305, 4283, 23},  {10, 4283, 4260, 29}}};

[[nodiscard]] inline binary_fuse_row binary_fuse_row_for(unsigned arity, std::uint64_t part_items) noexcept {
  auto const row =
      std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(std::max<std::uint64_t>(part_items, 1))) - 1, 21);
  return arity == 3 ? binary_fuse_of_three[row] : binary_fuse_of_four[row];
}

/// Parts of 2^21 to 2^22 keys, or one. Larger ones would need less space by a few tenths of a percent, and more memory to
/// build.
[[nodiscard]] inline unsigned binary_fuse_part_bits(std::uint64_t items) noexcept {
  unsigned bits = 0;
  while (items >> bits > binary_fuse_shape::max_part_items) ++bits;
  return bits;
}

/// The length of the segments of a part with so many words. It is at least 1, and for keys that crowd into one part at most
/// max_length: the words that find no room are bumped.
[[nodiscard]] inline std::uint64_t binary_fuse_length(binary_fuse_shape shape, std::uint64_t words) noexcept {
  if (words >= binary_fuse_shape::max_length << binary_fuse_shape::max_segment_bits) return binary_fuse_shape::max_length;
  auto const row = binary_fuse_row_for(shape.arity, words);
  auto const step = std::min(std::bit_floor(std::max<std::uint64_t>(words, 1)), binary_fuse_shape::max_part_items / 2);
  auto const beyond = std::min(words - std::min(words, step), step);  // from 2^22 words on, as at 2^22
  auto const per_4096 = row.begin - (row.begin - row.end) * beyond / step;
  auto const slots = (words * per_4096 + 4095) / 4096;
  return std::clamp<std::uint64_t>((slots + shape.segments() - 1) / shape.segments(), 1, binary_fuse_shape::max_length);
}

/// The shape of a filter with so many items.
[[nodiscard]] inline binary_fuse_shape binary_fuse_shape_of(std::uint64_t items, unsigned slot_bits, unsigned arity) noexcept {
  auto const part_bits = binary_fuse_part_bits(items);
  return {items, slot_bits, arity, part_bits, binary_fuse_row_for(arity, items >> part_bits).segment_bits};
}

/// Slots of all parts, if each has its share of the keys.
[[nodiscard]] inline std::uint64_t binary_fuse_slots(binary_fuse_shape shape) noexcept {
  auto const share = shape.items >> shape.part_bits, more = shape.items & (shape.parts() - 1);
  return (shape.parts() - more) * shape.part_slots(binary_fuse_length(shape, share)) +
         more * shape.part_slots(binary_fuse_length(shape, share + 1));
}

/// About how many keys will be bumped.
[[nodiscard]] inline std::uint64_t binary_fuse_bumped(binary_fuse_shape shape) noexcept {
  auto const share = binary_fuse_row_for(shape.arity, shape.items >> shape.part_bits).bumped;
  return static_cast<std::uint64_t>(static_cast<double>(shape.items) * static_cast<double>(share) / 65536);
}

/// Cache lines per slot read: a slot that is not 8, 16 or 32 bits wide may cross into a second one.
[[nodiscard]] inline double binary_fuse_lines_per_slot(unsigned slot_bits) noexcept {
  return 512 % slot_bits == 0 ? 1 : 1 + (slot_bits - 1) / 512.0;
}

/// The shape with the fewest bits that keeps the rate. An arity of 0 takes less space: 4 slots per key, or 3 below 2048 keys.
[[nodiscard]] inline binary_fuse_shape binary_fuse(goal g, unsigned arity) {
  constexpr std::uint64_t few_items = 2048;
  if (arity != 0 && arity != 3 && arity != 4) throw error(errc::bad_goal, "a key has 3 or 4 slots in a binary_fuse filter");
  if (checked_fpr(g.fpr) < std::ldexp(1.0, -int{binary_fuse_shape::max_slot_bits}))
    throw error(errc::bad_goal, "a binary_fuse filter has a rate of at least 2^-57 (7e-18)");
  // The exponent is exact, as the logarithm need not be: fpr = fraction * 2^exponent, 0.5 <= fraction < 1.
  int exponent = 0;
  (void)std::frexp(g.fpr, &exponent);
  auto const slot_bits = static_cast<unsigned>(std::max(1, 1 - exponent));
  checked_bits(1.3 * static_cast<double>(g.items) * slot_bits, "a binary_fuse filter for that goal");
  return binary_fuse_shape_of(g.items, slot_bits, arity != 0 ? arity : g.items < few_items ? 3 : 4);
}

}  // namespace hortus::plan
