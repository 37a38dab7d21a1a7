#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>

#include <hortus/aging/age_kernels.hpp>
#include <hortus/cells/block_array.hpp>
#include <hortus/digest.hpp>
#include <hortus/index/block_pattern.hpp>
#include <hortus/plan/blocked_aging.hpp>

namespace hortus {

/// The bit of a key in a lane of its block, 0 to 31: the top five bits of a half of the pattern times a salt. Neighbouring
/// lanes have different halves.
[[nodiscard]] constexpr unsigned age_bit(digest x, unsigned lane) noexcept {
  return (static_cast<std::uint32_t>(pattern_bits(x) >> (lane % 2 * 32)) * split_salts[lane / 2]) >> 27;
}

/// The ring of slices of blocked_aging: as slice_ring, but every slice has one lane of 32 bits in each block, and a key has its
/// bits of all slices in one block.
class block_ring {
 public:
  static constexpr std::size_t block_keys = 64;
  static constexpr unsigned none = std::numeric_limits<unsigned>::max();

  block_ring() = default;
  block_ring(std::uint64_t blocks, unsigned probes) : probes_(probes), blocks_(blocks) {}

  void mark(digest x) noexcept {
    auto const youngest = (1U << probes_) - 1;
    kernels::mark_in_lanes(blocks_[block_of(x)], x, (youngest << first_ | youngest << first_ >> slices()) & 0xffff);
  }
  /// The youngest of the first `end` generations that contains x, or `none`.
  [[nodiscard]] unsigned generation_of(digest x, unsigned end) const noexcept {
    auto const seen = kernels::by_age(kernels::seen_in_lanes(blocks_[block_of(x)], x), first_);
    auto const rows = kernels::rows_of(seen, probes_) & ((1U << end) - 1);
    return rows != 0 ? static_cast<unsigned>(std::countr_zero(rows)) : none;
  }
  /// Bit i of `hits`: does one of the first `end` generations contain xs[i]? At most block_keys keys.
  void find(std::span<digest const> xs, std::span<digest const> next, std::uint64_t* hits, unsigned end) const noexcept {
    *hits = kernels::in_ages(blocks_[0], blocks_.size(), {first_, probes_, end}, xs, next);
  }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept { blocks_.prefetch(block_of(x)); }

  void turn() noexcept {
    first_ = (first_ + slices() - 1) % slices();
    auto const kept = ~(std::uint64_t{0xffffffff} << (first_ % 2 * 32));
    auto* word = blocks_[0] + first_ / 2;
    for (std::uint64_t i = 0; i < blocks_.size(); ++i) word[i * 8] &= kept;
  }
  void clear() noexcept {
    blocks_.clear();
    first_ = 0;
  }

  /// Probability that an absent key is found at the actual fill: the mean over blocks, or over some 65,536 of them, evenly
  /// spaced, which are enough for a mean that is good to 1 %.
  [[nodiscard]] double fpr() const {
    auto const step = std::max<std::uint64_t>(blocks_.size() >> 16, 1);
    double sum = 0;
    double count = 0;
    for (std::uint64_t block = 0; block < blocks_.size(); block += step, ++count) {
      std::array<double, plan::block_slices> fill{};
      for (unsigned i = 0; i < slices(); ++i) fill[i] = std::popcount(lane(block, (first_ + i) % slices())) / 32.0;
      sum += plan::row_chance(fill, probes_);
    }
    return sum / count;
  }

  [[nodiscard]] std::uint64_t blocks() const noexcept { return blocks_.size(); }
  [[nodiscard]] unsigned probes() const noexcept { return probes_; }
  [[nodiscard]] unsigned generations() const noexcept { return slices() - probes_; }
  [[nodiscard]] static constexpr unsigned slices() noexcept { return plan::block_slices; }
  [[nodiscard]] bool empty() const noexcept { return blocks_.ones() == 0; }
  [[nodiscard]] memory const& cells() const noexcept { return blocks_.cells(); }
  [[nodiscard]] std::uint32_t lane(std::uint64_t block, unsigned i) const noexcept {
    return static_cast<std::uint32_t>(blocks_[block][i / 2] >> (i % 2 * 32));
  }
  [[nodiscard]] std::uint64_t block_of(digest x) const noexcept { return fastrange(x.bits(), blocks_.size()); }
  bool operator==(block_ring const&) const = default;

  static void fields(auto& self, auto& io) { io(self.probes_, self.first_, self.blocks_); }
  [[nodiscard]] bool valid() const noexcept {
    return probes_ >= 1 && probes_ < slices() && first_ < slices() && blocks_.valid() && blocks_.size() >= 1;
  }

 private:
  unsigned probes_ = 1;
  unsigned first_ = 0;  // lane of the youngest slice
  block_array<8> blocks_ = block_array<8>(1);
};

}  // namespace hortus
