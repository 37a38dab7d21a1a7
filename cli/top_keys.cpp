#include "cli/top_keys.hpp"

#include <algorithm>

namespace hortus::cli {
namespace {

/// Bytes that a counter takes: its node in the map (80, as malloc rounds them), its places in the table and the heap with room
/// to grow, and the key where it does not fit into the string itself.
std::uint64_t cost_of(std::string_view key) { return 128 + (key.size() > 15 ? key.size() + 24 : 0); }

constexpr auto later = [](auto const& a, auto const& b) { return a.count > b.count; };

}  // namespace

void top_keys::add(std::string_view key) {
  ++added_;
  if (auto const found = counters_.find(key); found != counters_.end()) {
    ++found->second.count;
    return;
  }
  auto const cost = cost_of(key);
  while (used_ + cost > budget_ && !counters_.empty()) push_out_least();
  // It may have been here before, and been pushed out: at most so often.
  auto const placed = counters_.emplace(key, counter{pushed_out_ + 1, pushed_out_}).first;
  used_ += cost;
  heap_.push_back({placed->second.count, &*placed});
  std::ranges::push_heap(heap_, later);
}

/// Counts in the heap are put right when they come to the top, not at every key: each such correction answers for at least one
/// key that was only counted, so a key costs a look into the map and a logarithm at most.
void top_keys::push_out_least() {
  for (;;) {
    std::ranges::pop_heap(heap_, later);
    auto& least = heap_.back();
    if (least.count == least.who->second.count) break;
    least.count = least.who->second.count;
    std::ranges::push_heap(heap_, later);
  }
  auto const gone = heap_.back();
  heap_.pop_back();
  pushed_out_ = std::max(pushed_out_, gone.count);
  used_ -= cost_of(gone.who->first);
  counters_.erase(counters_.find(gone.who->first));
}

std::vector<top_keys::entry> top_keys::largest(std::uint64_t wanted) const {
  std::vector<entry> all;
  all.reserve(counters_.size());
  for (auto const& one : counters_) all.push_back({one.first, one.second.count, one.second.count - one.second.error});
  auto const shown = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(wanted, all.size()));
  std::ranges::partial_sort(all, all.begin() + shown, [](entry const& a, entry const& b) {
    return a.count != b.count ? a.count > b.count : a.key < b.key;
  });
  all.resize(static_cast<std::size_t>(shown));
  return all;
}

}  // namespace hortus::cli
