#pragma once
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <hortus/batch.hpp>
#include <hortus/bloom/scattered.hpp>
#include <hortus/cells/counter_array.hpp>
#include <hortus/map/lattice.hpp>
#include <hortus/maths/limits.hpp>

namespace hortus {

/// Cells that hold values of a lattice, of which a key has `probes`, scattered over all of them: the positions are those of a
/// Bloom filter with as many bits.
template <lattice_policy Lattice, index_policy Index>
class lattice_cells {
 public:
  static constexpr std::size_t block_keys = scattered<Index>::block_keys;

  lattice_cells() = default;
  lattice_cells(std::uint64_t cells, unsigned probes, Lattice values)
      : cells_(cells, values.bits()), probes_(probes), lattice_(values) {}

  /// Joins the value into all cells of the key. Pre: value <= max().
  void join(digest x, std::uint64_t value) noexcept {
    probing().for_each(x, [&](std::uint64_t i) { return cells_.put(i, lattice_.join(cells_.get(i), value)), true; });
  }
  /// The meet of the key's cells. Ends at the first one that makes it the bottom.
  [[nodiscard]] std::uint64_t meet(digest x) const noexcept {
    Index at(x, cells_.size());
    auto value = cells_.get(at.next());
    for (unsigned i = 1; i < probes_ && value != 0; ++i) value = lattice_.meet(value, cells_.get(at.next()));
    return value;
  }
  /// The same for a block of at most block_keys keys. In the cache, every key reads all its cells: that costs less than to
  /// mispredict where to stop. In a larger array keys go in rounds.
  void meet(std::span<digest const> xs, std::span<digest const> next, std::uint64_t* values) const noexcept {
    assert(xs.size() <= block_keys);
    if (cells_.size_bytes() > cached_bytes) return meet_in_rounds(xs, next, values);
    for (std::size_t i = 0; i < xs.size(); ++i) {
      Index at(xs[i], cells_.size());
      values[i] = cells_.get(at.next());
      for (unsigned probe = 1; probe < probes_; ++probe) values[i] = lattice_.meet(values[i], cells_.get(at.next()));
    }
  }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept { probing().prefetch(cells_, x); }
  [[gnu::always_inline]] void prefetch_all(digest x) const noexcept { probing().prefetch_all(cells_, x); }

  /// Joins cell by cell. Pre: size, width and lattice are equal.
  void join(lattice_cells const& other) noexcept {
    for (std::uint64_t i = 0; i < cells_.size(); ++i)
      if (auto const value = other.cells_.get(i); value != 0) cells_.put(i, lattice_.join(cells_.get(i), value));
  }
  /// Cell i is the join of cells i * by ... i * by + by - 1. Pre: `by` divides size().
  [[nodiscard]] lattice_cells folded(std::uint64_t by) const {
    lattice_cells small(cells_.size() / by, probes_, lattice_);
    for (std::uint64_t i = 0; i < cells_.size(); ++i)
      if (auto const value = cells_.get(i); value != 0)
        small.cells_.put(i / by, lattice_.join(small.cells_.get(i / by), value));
    return small;
  }

  /// The probability that an absent key gets a value. It does if some atom is below all its cells. So for one atom, numbers in
  /// their order, this is exact. For several it is at most the sum over them, and at most the probability that no cell is
  /// empty.
  [[nodiscard]] double rate() const noexcept {
    std::array<std::uint64_t, 64> cells{};  // for each atom, the cells that it is below
    std::uint64_t used = 0;
    for (std::uint64_t i = 0; i < cells_.size(); ++i) {
      auto const value = cells_.get(i);
      used += std::uint64_t{value != 0};
      auto const atoms = lattice_.atoms_of(value);
      for (unsigned atom = 0; atom < lattice_.atoms(); ++atom) cells[atom] += atoms >> atom & 1;
    }
    auto const chance = [&](std::uint64_t some) {
      return std::pow(static_cast<double>(some) / static_cast<double>(cells_.size()), probes_);
    };
    double sum = 0;
    for (unsigned atom = 0; atom < lattice_.atoms(); ++atom) sum += chance(cells[atom]);
    return std::min(sum, chance(used));
  }

  [[nodiscard]] std::uint64_t max() const noexcept { return cells_.max(); }
  [[nodiscard]] counter_array const& cells() const noexcept { return cells_; }
  [[nodiscard]] unsigned probes() const noexcept { return probes_; }
  [[nodiscard]] Lattice const& lattice() const noexcept { return lattice_; }
  void clear() noexcept { cells_.clear(); }
  bool operator==(lattice_cells const&) const = default;

  static void fields(auto& self, auto& io) {
    io.constant(Index::id, "index derivation");
    Lattice::fields(self.lattice_, io);
    io(self.probes_, self.cells_);
  }
  [[nodiscard]] bool valid() const noexcept {
    if constexpr (requires { lattice_.valid(); })
      if (!lattice_.valid()) return false;
    return cells_.valid() && cells_.size() >= 1 && cells_.width() == lattice_.bits() && probes_ >= 1 &&
           probes_ <= plan::max_probes;
  }

 private:
  [[nodiscard]] scattered<Index> probing() const noexcept { return {probes_, cells_.size(), 0}; }

  /// Round 1 reads the first cell of every key, round 2 the second cell of the keys that are not at the bottom yet, and so on.
  /// Each round prefetches all its cells before it reads one (the caller has prefetched those of round 1), so that many cache
  /// misses overlap.
  void meet_in_rounds(std::span<digest const> xs, std::span<digest const> next, std::uint64_t* values) const noexcept {
    struct lookup {
      lookup() noexcept {}  // leaves members uninitialised: they are written before they are read
      union {
        Index at;
      };
      std::uint64_t cell, value;
      std::size_t key;
    };
    static_assert(std::is_trivially_copyable_v<Index>);
    std::array<lookup, block_keys> alive;
    auto count = xs.size();
    for (std::size_t i = 0; i < count; ++i) {
      alive[i].at = Index(xs[i], cells_.size());
      alive[i].cell = alive[i].at.next();
      alive[i].key = i;
    }
    for (unsigned round = 1; count != 0; ++round) {
      std::size_t survivors = 0;
      for (std::size_t i = 0; i < count; ++i) {
        auto const content = cells_.get(alive[i].cell);
        alive[i].value = round == 1 ? content : lattice_.meet(alive[i].value, content);
        bool const stays = alive[i].value != 0;
        alive[survivors] = alive[i];
        survivors += std::size_t{stays};
      }
      count = survivors;
      if (round == probes_) break;
      for (std::size_t i = 0; i < count; ++i) cells_.prefetch(alive[i].cell = alive[i].at.next());
    }
    for (auto const x : next) prefetch(x);
    std::fill_n(values, xs.size(), 0);
    for (std::size_t i = 0; i < count; ++i) values[alive[i].key] = alive[i].value;
  }

  counter_array cells_ = counter_array(1, Lattice().bits());
  unsigned probes_ = 1;
  [[no_unique_address]] Lattice lattice_;
};

}  // namespace hortus
