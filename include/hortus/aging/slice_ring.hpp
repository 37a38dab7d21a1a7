#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>

#include <hortus/batch.hpp>
#include <hortus/cells/bit_array.hpp>
#include <hortus/digest.hpp>
#include <hortus/index/multiply_chain.hpp>
#include <hortus/plan/age_partitioned.hpp>

namespace hortus {

/// The ring of slices of age_partitioned, numbered from the youngest. A key has one bit in every slice. mark() sets its bits in
/// the first `probes` slices. turn() clears the oldest slice and makes it the youngest; only the numbers change, bits stay in
/// place. A key that was marked n turns ago is found in slices n .. n + probes - 1: it is of generation n.
class slice_ring {
 public:
  static constexpr std::size_t block_keys = 256;  // for rounds, as in bloom/scattered.hpp
  static constexpr unsigned none = std::numeric_limits<unsigned>::max();

  slice_ring() = default;
  slice_ring(std::uint64_t slice_bits, unsigned probes, unsigned generations)  ///< `generations` besides the current one
      : slice_bits_(slice_bits), probes_(probes), generations_(generations), bits_(slice_bits * (probes + generations)) {}

  void mark(digest x) noexcept {
    for (unsigned i = 0; i < probes_; ++i) bits_.set(place(x, i));
  }
  /// The youngest of the first `end` generations that contains x, or `none`.
  [[nodiscard]] unsigned generation_of(digest x, unsigned end) const noexcept {
    search at(probes_);
    while (!at.step(bits_.test(place(x, at.slice - 1)), probes_, end)) {
    }
    return at.generation < end ? at.generation : none;
  }
  /// Bit i of `hits`: does one of the first `end` generations contain xs[i]? At most block_keys keys, in rounds: every key
  /// reads one slice, then every undecided key its next one, and so on. Each round prefetches for the next round, and the last
  /// one for `next`.
  void find(std::span<digest const> xs, std::span<digest const> next, std::uint64_t* hits, unsigned end) const noexcept;
  [[gnu::always_inline]] void prefetch(digest x) const noexcept {
    bits_.prefetch(place(x, probes_ - 1));
  }  // the first bit that a search reads
  [[gnu::always_inline]] void prefetch_all(digest x) const noexcept {
    for (unsigned i = 0; i < probes_; ++i) bits_.prefetch(place(x, i));
  }

  void turn() noexcept {
    first_ = first_ != 0 ? first_ - 1 : slices() - 1;
    bits_.clear(slot(0) * slice_bits_, (slot(0) + 1) * slice_bits_);
  }
  void clear() noexcept {
    bits_.clear();
    first_ = 0;
  }

  /// Probability that an absent key is found at the slices' actual fill.
  [[nodiscard]] double fpr() const {
    std::array<double, plan::max_slices> fill{};
    for (unsigned i = 0; i < slices(); ++i)
      fill[i] = static_cast<double>(bits_.ones(slot(i) * slice_bits_, (slot(i) + 1) * slice_bits_)) /
                static_cast<double>(slice_bits_);
    return plan::row_chance({fill.data(), slices()}, probes_);
  }

  [[nodiscard]] std::uint64_t slice_bits() const noexcept { return slice_bits_; }
  [[nodiscard]] unsigned probes() const noexcept { return probes_; }
  [[nodiscard]] unsigned generations() const noexcept { return generations_; }
  [[nodiscard]] unsigned slices() const noexcept { return probes_ + generations_; }
  [[nodiscard]] bit_array const& bits() const noexcept { return bits_; }
  [[nodiscard]] bool empty() const noexcept { return bits_.ones() == 0; }
  [[nodiscard]] memory const& cells() const noexcept { return bits_.cells(); }
  bool operator==(slice_ring const&) const = default;

  static void fields(auto& self, auto& io) {
    io.constant(multiply_chain::id, "index derivation");
    io(self.slice_bits_, self.probes_, self.generations_, self.first_, self.bits_);
  }
  [[nodiscard]] bool valid() const noexcept {
    return probes_ >= 1 && generations_ >= 1 && probes_ <= plan::max_slices && generations_ <= plan::max_slices - probes_ &&
           slice_bits_ >= 1 && slice_bits_ <= plan::max_bits / slices() && bits_.valid() &&
           bits_.size() == slice_bits_ * slices() && first_ < slices();
  }

 private:
  /// Reads the slices of a generation from the oldest to the youngest. A slice without the key rules out every generation that
  /// includes it, so these are skipped. No slice is read twice.
  struct search {
    unsigned generation = 0;
    unsigned known = 0;  ///< slices of this generation below `known` were read before and have the key
    unsigned slice = 0;  ///< the next slice to read is slice - 1

    search() noexcept = default;
    explicit search(unsigned probes) noexcept : slice(probes) {}
    /// `seen`: does slice - 1 have the key? Returns true when the search is over: the key is of `generation`, or absent if that
    /// is not below `end`.
    bool step(bool seen, unsigned probes, unsigned end) noexcept {
      --slice;
      if (seen) return slice == known;
      known = generation + probes;
      generation = slice + 1;
      slice = generation + probes;
      return generation >= end;
    }
  };

  /// The position of slice i in memory order.
  [[nodiscard]] unsigned slot(unsigned i) const noexcept { return first_ + i < slices() ? first_ + i : first_ + i - slices(); }
  [[nodiscard]] std::uint64_t place(digest x, unsigned i) const noexcept {
    return slot(i) * slice_bits_ + multiply_chain::at(x, slice_bits_, slot(i));
  }

  std::uint64_t slice_bits_ = 1;
  unsigned probes_ = 1;
  unsigned generations_ = 1;
  unsigned first_ = 0;  // slot of the youngest slice
  bit_array bits_ = bit_array(2);
};

inline void slice_ring::find(std::span<digest const> xs, std::span<digest const> next, std::uint64_t* hits,
                             unsigned end) const noexcept {
  std::fill_n(hits, (xs.size() + 63) / 64, 0);
  if (bits_.size_bytes() <= cached_bytes) {
    for (std::size_t i = 0; i < xs.size(); ++i) hits[i / 64] |= std::uint64_t{generation_of(xs[i], end) != none} << (i % 64);
    return;  // it is in the cache: nothing to prefetch
  }
  struct lookup {
    digest x;
    search at;
    std::uint32_t key = 0;
  };
  std::array<lookup, block_keys> alive;
  auto count = xs.size();
  for (std::size_t i = 0; i < count; ++i) alive[i] = {xs[i], search(probes_), static_cast<std::uint32_t>(i)};
  while (count != 0) {
    std::size_t left = 0;
    for (std::size_t i = 0; i < count; ++i) {
      auto one = alive[i];
      if (one.at.step(bits_.test(place(one.x, one.at.slice - 1)), probes_, end)) {
        hits[one.key / 64] |= std::uint64_t{one.at.generation < end} << (one.key % 64);
      } else {
        bits_.prefetch(place(one.x, one.at.slice - 1));
        alive[left++] = one;
      }
    }
    count = left;
  }
  for (auto const x : next) prefetch(x);
}

}  // namespace hortus
