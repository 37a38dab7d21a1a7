#include <hortus/cells/counter_array.hpp>

#include <bit>
#include <string>

#include <hortus/error.hpp>

namespace hortus {
namespace {

/// SIMD within a word: each cell is a lane, and carries never cross into the next lane.
struct lanes {
  unsigned width;  ///< divides 64
  std::uint64_t low, high;

  explicit constexpr lanes(unsigned bits) noexcept
      : width(bits), low(~std::uint64_t{0} / (~std::uint64_t{0} >> (64 - bits))), high(low << (bits - 1)) {}

  /// The high bit of every lane that is not 0.
  [[nodiscard]] constexpr std::uint64_t nonzero(std::uint64_t x) const noexcept { return (((x & ~high) + ~high) | x) & high; }

  /// Lane by lane a + b, or all ones where that overflows.
  [[nodiscard]] constexpr std::uint64_t sum(std::uint64_t a, std::uint64_t b) const noexcept {
    auto const added = ((a & ~high) + (b & ~high)) ^ ((a ^ b) & high);
    auto const over = ((a & b) | ((a | b) & ~added)) & high;  // the carry out of each lane
    return added | over | (over - (over >> (width - 1)));
  }
};

/// The low halves of lanes of 2 * width bits, packed into the low half of the word.
constexpr std::uint64_t together(std::uint64_t x, unsigned width) noexcept {
  for (; width < 32; width *= 2) x = (x | x >> width) & ~std::uint64_t{0} / ((std::uint64_t{1} << 2 * width) + 1);
  return x;
}

std::uint64_t ones(std::uint64_t x) noexcept { return static_cast<std::uint64_t>(std::popcount(x)); }

}  // namespace

counter_array::counter_array(std::uint64_t cells, unsigned width) : cells_(cells), width_(width) {
  if (width < 1 || width > max_width) throw error(errc::bad_params, "a counter has 1 to 64 bits, not " + std::to_string(width));
  if (cells > max_bits / width)
    throw error(errc::bad_params,
                "a filter has at most 2^42 bits, not " + std::to_string(cells) + " counters of " + std::to_string(width));
  memory_ = memory(bytes_for(cells, width));
}

void counter_array::lower(std::uint64_t first, std::uint64_t last) noexcept {
  if (first >= last) return;
  if (!whole_in_words()) {
    for (; first < last; ++first)
      if (auto const value = get(first); value != 0) put(first, value - 1);
    return;
  }
  lanes const lane(width_);
  auto const from = first * width_;
  auto const to = last * width_;  // from here on in bits, not cells
  for (auto w = from / 64; w * 64 < to; ++w) {
    auto mine = lane.low;
    if (w == from / 64) mine &= ~std::uint64_t{0} << from % 64;
    if (to - w * 64 < 64) mine &= ~(~std::uint64_t{0} << to % 64);
    auto& word = words()[w];
    word -= lane.nonzero(word) >> (width_ - 1) & mine;  // a lane that is not 0 does not borrow from the next
  }
}

std::uint64_t counter_array::nonzero() const noexcept {
  std::uint64_t count = 0;
  if (whole_in_words()) {
    lanes const lane(width_);
    for (std::uint64_t w = 0; w < words_used(); ++w) count += ones(lane.nonzero(words()[w]));
  } else {
    for (std::uint64_t i = 0; i < cells_; ++i) count += std::uint64_t{test(i)};
  }
  return count;
}

std::uint64_t counter_array::saturated() const noexcept {
  std::uint64_t count = 0;
  if (whole_in_words()) {
    lanes const lane(width_);
    for (std::uint64_t w = 0; w < words_used(); ++w) count += ones(~lane.nonzero(~words()[w]) & lane.high);
  } else {
    for (std::uint64_t i = 0; i < cells_; ++i) count += std::uint64_t{get(i) == max()};
  }
  return count;
}

bit_array counter_array::nonzero_bits() const {
  bit_array bits(cells_);
  if (whole_in_words()) {
    lanes const lane(width_);
    for (std::uint64_t w = 0; w < words_used(); ++w)
      for (auto set = lane.nonzero(words()[w]); set != 0; set &= set - 1)
        bits.set((w * 64 + static_cast<unsigned>(std::countr_zero(set))) / width_);
  } else {
    for (std::uint64_t i = 0; i < cells_; ++i)
      if (test(i)) bits.set(i);
  }
  return bits;
}

counter_array& counter_array::operator+=(counter_array const& other) noexcept {
  if (whole_in_words()) {
    lanes const lane(width_);
    for (std::uint64_t w = 0; w < words_used(); ++w) words()[w] = lane.sum(words()[w], other.words()[w]);
  } else {
    for (std::uint64_t i = 0; i < cells_; ++i) add(i, other.get(i));
  }
  return *this;
}

/// Adds adjacent cells, a word at a time. Pre: width_ divides 32.
counter_array counter_array::halved() const {
  counter_array half(cells_ / 2, width_);
  lanes const pair(2 * width_);
  auto const evens = pair.low * max();
  for (std::uint64_t w = 0; w < words_used(); ++w) {
    auto const sums = (words()[w] & evens) + (words()[w] >> width_ & evens);  // width_ + 1 bits, in lanes of 2 * width_
    auto const over = sums >> width_ & pair.low;
    half.words()[w / 2] |= together((sums | over * max()) & evens, width_) << 32 * (w % 2);
  }
  return half;
}

counter_array counter_array::folded(std::uint64_t by) const {
  if (by == 1) return *this;
  if (by % 2 == 0 && 32 % width_ == 0) return halved().folded(by / 2);
  counter_array small(cells_ / by, width_);
  for (std::uint64_t i = 0; i < small.cells_; ++i)
    for (std::uint64_t j = i * by; j < i * by + by; ++j) small.add(i, get(j));
  return small;
}

}  // namespace hortus
