#include "cli/top_keys.hpp"

#include <algorithm>

namespace hortus::cli {
namespace {

/// Bytes that a counter takes: its node in the map (80, as malloc rounds them), its places in the tables with room to grow, and
/// the key where it does not fit into the string itself.
std::uint64_t cost_of(std::string_view key) { return 128 + (key.size() > 15 ? key.size() + 24 : 0); }

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
  by_count_[pushed_out_ + 1].push_back(&*placed);
}

/// A counter that grew moves up only when its turn comes, not at every key: each such move answers for at least one key that
/// was merely counted, so a key costs a look into the map and little more.
void top_keys::push_out_least() {
  for (;;) {
    auto const least = by_count_.begin();
    auto const count = least->first;
    auto const* const who = least->second.back();
    least->second.pop_back();
    if (least->second.empty()) by_count_.erase(least);
    if (who->second.count == count) {
      pushed_out_ = std::max(pushed_out_, count);
      used_ -= cost_of(who->first);
      counters_.erase(counters_.find(who->first));
      return;
    }
    by_count_[who->second.count].push_back(who);
  }
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
