#pragma once
#include <cstdint>
#include <optional>

namespace hortus::bench {

/// The most memory that the process used at once since this object was made, beyond what it used then. It is the peak of the
/// resident size, which the system keeps, so every kind of memory counts: cells, temporary vectors, stacks of threads. A count
/// of allocations would miss some of them, and would count memory that was never touched.
///
/// Linux only: its peak can be reset. One object at a time, because there is one peak.
class peak_memory {
 public:
  /// The system counts pages in batches, one for each core. Less growth than this would be mostly such errors.
  static constexpr std::uint64_t least_bytes = std::uint64_t{1} << 20;

  /// Returns free memory of the heap to the system first, because memory that is used again would not be counted.
  peak_memory();

  /// Nothing if it is less than least_bytes, or if the system does not tell.
  [[nodiscard]] std::optional<std::uint64_t> growth() const;

 private:
  std::optional<std::uint64_t> before_;
};

}  // namespace hortus::bench
