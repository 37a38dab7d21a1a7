#pragma once
#include <atomic>
#include <cstdint>

/// Words in which several threads read and set bits at once, by relaxed atomics. Bits are only ever set, so no order between
/// words can make an answer wrong. A caller that needs an order has its own synchronisation (a join, a mutex, a queue).
namespace hortus {

inline std::uint64_t load_shared(std::uint64_t const& word) noexcept {
  return std::atomic_ref<std::uint64_t>(const_cast<std::uint64_t&>(word)).load(std::memory_order_relaxed);  // only reads
}

/// Sets the bits and returns those that were not set before. Reads first: in a filter that fills up most bits are already set,
/// and a read keeps the cache line shared, where a write would take it away from every other core.
inline std::uint64_t set_shared(std::uint64_t& word, std::uint64_t bits) noexcept {
  auto const missing = bits & ~load_shared(word);
  return missing == 0 ? 0 : missing & ~std::atomic_ref<std::uint64_t>(word).fetch_or(missing, std::memory_order_relaxed);
}

}  // namespace hortus
