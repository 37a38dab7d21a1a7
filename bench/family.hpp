#pragma once
#include <cstdint>
#include <memory>
#include <string_view>

#include "bench/subject.hpp"

/// The functions that each family's own unit provides to the benchmarks: see any/families.def and measure_family.cpp.in.
namespace hortus::bench {

/// The functions are null if there is nothing to measure.
struct measured_family {
  std::string_view name;
  std::unique_ptr<subject_with<std::uint64_t>> (*numbers)(key_sets<std::uint64_t>, double fpr);
  std::unique_ptr<subject_with<std::string_view>> (*texts)(key_sets<std::string_view>, double fpr);
  bool wants_stream;    ///< members that occur as often as their rank allows, not once each: it tells the frequent ones
  bool only_estimates;  ///< it tells only how many distinct keys there are
  unsigned value_bits;  ///< of the values, in a map

  [[nodiscard]] bool rate_is_of_absent_keys() const noexcept { return !wants_stream && !only_estimates; }
};

}  // namespace hortus::bench
