#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace hortus::bench {

/// Keeps a result from being optimised away.
template <class T>
void keep(T const& value) {
  asm volatile("" : : "g"(value) : "memory");
}

/// Nanoseconds per key of work(from, count) on `keys` keys, divided among `threads` threads. Not a template: it is called once
/// per measurement, and compiled once for all families.
[[nodiscard]] double time_parts(std::size_t keys, unsigned threads, std::function<void(std::size_t, std::size_t)> const& work);

/// The same with work(some of the keys).
template <class Key, class Work>
double time_per_key(std::span<Key const> keys, unsigned threads, Work work) {
  return time_parts(keys.size(), threads, [&](std::size_t from, std::size_t count) { work(keys.subspan(from, count)); });
}

[[nodiscard]] double median(std::vector<double> values);  ///< -1 if there are no values

}  // namespace hortus::bench
