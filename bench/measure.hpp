#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "bench/bench.hpp"
#include "bench/subject.hpp"

namespace hortus::bench {

/// All times and sizes of one family, or those of its build and lookups. Of the setup the threads and the repetitions count.
/// If updates are timed, members are erased at the end.
[[nodiscard]] row measure(subject& it, setup const& how);

/// Fills `piece` with absent keys, from number `from` on. The numbers are the same for every family.
using absent_keys = std::function<void(std::uint64_t from, std::span<std::uint64_t> piece)>;

/// The rate of a filter of all members, measured with `queries` absent keys, which fill(from, space) makes piece by piece.
[[nodiscard]] double measured_fpr(subject_with<std::uint64_t>& it, std::size_t queries, absent_keys const& fill);

}  // namespace hortus::bench
