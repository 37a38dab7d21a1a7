#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "bench/bench.hpp"

/// The functions that each family's own unit provides to the benchmarks: see any/families.def and measure_family.cpp.in.
namespace hortus::bench {

/// The keys of one measurement. `members` are inserted; lookups are timed with `hits` (members in random order) and `misses`.
template <class Key>
struct key_sets {
  std::span<Key const> members;
  std::span<Key const> hits;
  std::span<Key const> misses;
};

/// Fills `piece` with absent keys, from number `from` on. The numbers are the same for every family.
using absent_keys = std::function<void(std::uint64_t from, std::span<std::uint64_t> piece)>;

/// The functions are null if there is nothing to measure.
struct measured_family {
  std::string_view name;
  row (*numbers)(key_sets<std::uint64_t>, double fpr, unsigned threads, unsigned repetitions);
  row (*texts)(key_sets<std::string_view>, double fpr, unsigned threads, unsigned repetitions);
  double (*fpr)(std::span<std::uint64_t const> members, double fpr, std::size_t queries, absent_keys const&);
  bool wants_stream;  ///< members that occur as often as their rank allows, not once each: it tells the frequent ones
};

}  // namespace hortus::bench
