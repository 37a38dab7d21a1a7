#pragma once
#include <atomic>
#include <cstdint>

/// Words that several threads read and set bits in at once. All of it is relaxed: bits are only ever set, so no order between
/// words can make an answer wrong, and whoever needs an order has one of their own (a join, a mutex, a queue).
namespace hortus {

inline std::uint64_t load_shared(std::uint64_t const& word) noexcept {
  return std::atomic_ref<std::uint64_t>(const_cast<std::uint64_t&>(word)).load(std::memory_order_relaxed);  // only reads
}

/// Sets the bits; which of them were not set before. Looks first: in a filter that fills up most bits are there already, and a
/// read leaves the line shared where a write would take it away from every other core.
inline std::uint64_t set_shared(std::uint64_t& word, std::uint64_t bits) noexcept {
  auto const missing = bits & ~load_shared(word);
  return missing == 0 ? 0 : missing & ~std::atomic_ref<std::uint64_t>(word).fetch_or(missing, std::memory_order_relaxed);
}

}  // namespace hortus
