#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "bench/bench.hpp"
#include "bench/subject.hpp"

namespace hortus::bench {

/// All times and sizes of one family. Its members are erased at the end, if it can.
[[nodiscard]] row measure(subject& it, unsigned threads, unsigned repetitions);

/// Fills `piece` with absent keys, from number `from` on. The numbers are the same for every family.
using absent_keys = std::function<void(std::uint64_t from, std::span<std::uint64_t> piece)>;

/// The rate of a filter of all members, measured with `queries` absent keys, which fill(from, space) makes piece by piece.
[[nodiscard]] double measured_fpr(subject_with<std::uint64_t>& it, std::size_t queries, absent_keys const& fill);

}  // namespace hortus::bench
