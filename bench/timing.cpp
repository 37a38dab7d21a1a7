#include "bench/timing.hpp"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <thread>

namespace hortus::bench {

double time_parts(std::size_t keys, unsigned threads, std::function<void(std::size_t, std::size_t)> const& work) {
  using clock = std::chrono::steady_clock;
  auto const do_part = [&](unsigned t) {
    auto const from = keys * t / threads;
    work(from, keys * (t + 1) / threads - from);
  };
  clock::time_point start;
  if (threads == 1) {
    start = clock::now();
    do_part(0);
  } else {
    std::barrier ready(threads, [&]() noexcept { start = clock::now(); });
    std::vector<std::jthread> others;
    for (unsigned t = 1; t < threads; ++t)
      others.emplace_back([&, t] {
        ready.arrive_and_wait();
        do_part(t);
      });
    ready.arrive_and_wait();
    do_part(0);
    others.clear();  // joins
  }
  return std::chrono::duration<double, std::nano>(clock::now() - start).count() /
         static_cast<double>(std::max<std::size_t>(keys, 1));
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? -1 : values[values.size() / 2];
}

}  // namespace hortus::bench
