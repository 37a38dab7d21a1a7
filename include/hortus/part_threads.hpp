#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include <hortus/part_source.hpp>

/// Building the parts of a filter with several threads. Not in part_source.hpp, so that a program with one thread does not
/// include <thread>.
namespace hortus {

/// A loop over parts that is shared by `threads` threads, each taking the next part when it is done with one. If a part throws,
/// no further one is begun, and the first exception is thrown when all threads have stopped.
[[nodiscard]] inline part_loop in_threads(unsigned threads) {
  return [threads](std::uint64_t count, std::function<void(std::uint64_t)> const& act) {
    std::atomic<std::uint64_t> next = 0;
    std::exception_ptr failure;
    std::mutex failing;
    auto const work = [&] {
      try {
        for (std::uint64_t part = next++; part < count; part = next++) act(part);
      } catch (...) {
        std::scoped_lock const alone(failing);
        if (!failure) failure = std::current_exception();
        next = count;
      }
    };
    {
      std::vector<std::jthread> others;
      auto const needed = std::min<std::uint64_t>(threads, count);
      for (std::uint64_t i = 1; i < needed; ++i) others.emplace_back(work);
      work();
    }
    if (failure) std::rethrow_exception(failure);
  };
}

}  // namespace hortus
