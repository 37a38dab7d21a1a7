// A filter built and asked by several threads, and one that threads fill and ask as keys arrive.
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

#include <hortus/bloom/blocked.hpp>
#include <hortus/concurrent.hpp>
#include <hortus/parallel.hpp>

int main() {
  std::vector<std::uint64_t> keys(1'000'000);
  for (std::uint64_t i = 0; i < keys.size(); ++i) keys[i] = i;

  // All keys are there: threads share no memory that they write to, so there is no atomic.
  hortus::blocked_filter by_one({.items = keys.size(), .fpr = 0.01});
  by_one.insert(keys);
  hortus::blocked_filter by_four({.items = keys.size(), .fpr = 0.01});
  hortus::insert_parallel(by_four, keys, 4);
  std::printf("the same bytes by four threads: %s\n", by_four == by_one ? "yes" : "no");
  std::printf("found by four threads: %zu of %zu\n", hortus::may_contain_parallel(by_four, keys, 4).count(), keys.size());

  // Keys arrive in several threads.
  hortus::concurrent shared(hortus::blocked_filter({.items = keys.size(), .fpr = 0.01}));
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (std::size_t i = t; i < keys.size(); i += 4) shared.insert(keys[i]);
      });
  }
  std::printf("found in a batch: %zu of %zu\n", shared.may_contain(keys).count(), keys.size());
  std::printf("the same bytes again: %s\n", std::move(shared).take() == by_one ? "yes" : "no");
}
