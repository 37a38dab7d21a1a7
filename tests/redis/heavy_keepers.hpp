#pragma once
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "redis/redisbloom/heavy_keeper.hpp"

/// What the tests of HeavyKeepers share.
namespace hortus::redisbloom {

inline heavy_keeper keeper_of(std::uint64_t items, std::uint64_t width, std::uint64_t depth, double decay) {
  return heavy_keeper({.items = items, .width = width, .depth = depth, .decay = decay});
}

struct added {
  bool changed;
  std::string expelled;  // "-" if none was
};
inline added add(heavy_keeper& keeper, std::string_view item, std::uint32_t by = 1) {
  added result;
  keeper.add(
      1,
      [&](std::size_t) {
        return heavy_keeper::addition{item, by};
      },
      [&](heavy_keeper::outcome const& its) {
        result = {its.changed, its.expelled ? std::string(its.expelled.view()) : "-"};
      });
  return result;
}

using listed = std::vector<std::pair<std::string, std::uint32_t>>;
inline listed list_of(heavy_keeper const& keeper) {
  listed found;
  for (auto const place : keeper.list().by_count())
    found.emplace_back(keeper.list().item(place).view(), keeper.list().count(place));
  return found;
}

/// Everything that is stored.
inline std::string bytes_of(heavy_keeper const& keeper) {
  auto const buckets = keeper.buckets().bytes();
  auto const records = keeper.list().records().bytes();
  std::string all(buckets.begin(), buckets.end());
  all.append(records.begin(), records.end());
  for (std::uint64_t place = 0; place < keeper.list().places(); ++place) all += keeper.list().item(place).stored();
  return all;
}

inline heavy_keeper restored(heavy_keeper::shape const& its, std::span<char const> buckets, std::span<char const> records,
                             std::vector<std::string> const& items) {
  heavy_keeper made(its);
  made.restore(buckets, records, [&, next = items.begin()]() mutable { return std::string_view(*next++); });
  return made;
}
inline heavy_keeper stored_and_restored(heavy_keeper const& keeper) {
  std::vector<std::string> items;
  for (std::uint64_t place = 0; place < keeper.list().places(); ++place) items.emplace_back(keeper.list().item(place).stored());
  return restored(keeper.dimensions(), keeper.buckets().bytes(), keeper.list().records().bytes(), items);
}

inline std::vector<std::string> zipf(int count, unsigned seed) {
  std::vector<double> weights;
  for (int i = 1; i <= 2000; ++i) weights.push_back(1.0 / i);
  std::discrete_distribution<int> rank(weights.begin(), weights.end());
  std::mt19937_64 random(seed);
  std::vector<std::string> items;
  for (int i = 0; i < count; ++i) items.push_back("z" + std::to_string(rank(random)));
  return items;
}

}  // namespace hortus::redisbloom
