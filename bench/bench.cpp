#include "bench/bench.hpp"

#include <hortus/any/families.hpp>

#include "bench/measure.hpp"
#include "bench/packed_texts.hpp"

namespace hortus::bench {
namespace {

/// Keys 1, 2, 3, ... scrambled: distinct, and as random as a mixer makes them.
std::vector<std::uint64_t> scrambled(std::uint64_t first, std::uint64_t count) {
  std::vector<std::uint64_t> keys(count);
  for (std::uint64_t i = 0; i < count; ++i) keys[i] = mix64((first + i) * golden_ratio64);
  return keys;
}

/// `count` of the members, in random order.
template <class Key>
std::vector<Key> drawn(std::span<Key const> members, std::size_t count) {
  std::vector<Key> keys(members.empty() ? 0 : count);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = members[fastrange(mix64(i + 1), members.size())];
  return keys;
}

constexpr std::uint64_t absent_from = std::uint64_t{1} << 40;
constexpr std::size_t most_rate_queries = 20'000'000;

/// A rate is not measured well by a handful of hits: asks until some ten thousand are expected, or patience ends.
template <family F>
double measured_fpr(std::span<std::uint64_t const> members, double fpr) {
  typename F::goal goal;
  goal.items = members.size();
  goal.fpr = fpr;
  auto const f = filled<F>(members, goal).filter;
  auto const wanted = std::min(static_cast<std::size_t>(std::min(1e4 / fpr, 1e12)), most_rate_queries);
  std::size_t found = 0;
  std::size_t asked = 0;
  for (; asked < wanted; asked += std::size_t{1} << 20)
    found += found_among<F, std::uint64_t>(f, scrambled(2 * absent_from + asked, std::size_t{1} << 20));
  return asked == 0 ? 0 : static_cast<double>(found) / static_cast<double>(asked);
}

}  // namespace

void run(setup const& what, std::function<void(row const&)> const& each) {
  for (auto const items : what.items) {
    auto const members = scrambled(1, items);
    std::size_t const queries = items > 8'000'000 ? 4'000'000 : 1'000'000;
    auto const hits = drawn<std::uint64_t>(members, queries);
    auto const misses = scrambled(absent_from, queries);
    for (auto const fpr : what.fprs)
      families::for_each([&]<class F>() {
        if (!what.families.empty() && std::ranges::find(what.families, F::name) == what.families.end()) return;
        if constexpr (measurable<F>) {
          auto r = measure<F, std::uint64_t>({members, hits, misses}, fpr, what.threads, what.repetitions);
          r.fpr_measured = measured_fpr<F>(members, fpr);
          r.overhead = overhead_of(r);
          each(r);
        }
      });
  }
}

void run_on_text(std::span<std::string_view const> members, std::span<std::string_view const> absent, double fpr,
                 std::function<void(row const&)> const& each) {
  packed_texts const inserted(members);
  packed_texts const hits(drawn(members, absent.size()));
  packed_texts const misses(absent);
  families::for_each([&]<class F>() {
    if constexpr (measurable<F>) {
      auto r = measure<F, std::string_view>({inserted.texts(), hits.texts(), misses.texts()}, fpr, 1, 3);
      r.overhead = overhead_of(r);
      each(r);
    }
  });
}

}  // namespace hortus::bench
