#include <algorithm>
#include <cstdint>

#include "redis/redisbloom/cuckoo_chain.hpp"

/// Compaction moves items from newer sub-filters to free slots of older ones. RedisBloom does it all in one command, which can
/// take seconds. A chain whose compaction takes about a millisecond behaves as RedisBloom's does; a larger one does a step with
/// each erased item. The place of a step follows from numbers that are saved anyway, so a replica, a reloaded server and an
/// append-only file come to the same slots without a word about it.
namespace hortus::redisbloom {
namespace {

// In buckets looked at. Those of a small chain are in the caches, 1 ns each; those of a large one are not, 60 ns each.
constexpr std::uint64_t most_small_cost = std::uint64_t{1} << 20;
constexpr std::uint64_t most_step_cost = std::uint64_t{1} << 14;

}  // namespace

/// What it costs, at most, to move one slot of a sub-filter: a look into two buckets of all older ones.
std::uint64_t cuckoo_chain::slot_cost(std::uint32_t filter) const noexcept {
  return 2 * std::uint64_t{filter} * (1 + bucket_slots_ / 32U);
}

bool cuckoo_chain::small() const noexcept {
  std::uint64_t cost = 0;
  for (std::uint32_t i = 1; i < filters_.size() && cost <= most_small_cost; ++i)
    cost += filters_[i].store.size() * slot_cost(i);  // at most 2^32 * 2^17 * 2^3
  return cost <= most_small_cost;
}

/// Moves what it can of these slots to older sub-filters. Returns whether they are all free then.
bool cuckoo_chain::sweep(std::uint32_t filter, std::uint64_t from, std::uint64_t to) noexcept {
  auto& its = filters_[filter];
  auto* const slots = its.store.data();
  bool emptied = true;
  auto bucket = from / bucket_slots_;
  auto in_bucket = from % bucket_slots_;
  for (auto at = from; at < to; ++at) {
    if (auto const print = slots[at]; print != 0) {
      // Older sub-filters have no more buckets, so the number of the bucket says enough about the hash.
      std::uint8_t* found = nullptr;
      std::uint32_t older = 0;
      while (older < filter && (found = free_slot(older, bucket, print)) == nullptr) ++older;
      if (found != nullptr) {
        *found = print;
        ++filters_[older].used;
        slots[at] = 0;
        --its.used;
      } else {
        emptied = false;
      }
    }
    if (++in_bucket == bucket_slots_) {
      in_bucket = 0;
      ++bucket;
    }
  }
  return emptied;
}

void cuckoo_chain::drop_empty() noexcept {
  while (filters_.size() > 1 && filters_.last().used == 0) filters_.remove_last();
}

void cuckoo_chain::compact_whole(bool beyond_newest) noexcept {
  for (auto i = filters_.size(); --i != 0;) {
    bool const emptied = sweep(i, 0, filters_[i].store.size());
    if (emptied && i == filters_.size() - 1) filters_.remove_last();
    if (!emptied && !beyond_newest) break;
  }
  deletes_ = 0;
}

/// A pass begins when the erased items are a tenth of the rest, and goes on with each further one. So their number beyond a
/// tenth is the number of the step. It grows by 1 or 2, because the tenth falls too: a step covers what two have to.
void cuckoo_chain::compact_step(bool beyond_newest) noexcept {
  auto step = deletes_ > items_ / 10 ? deletes_ - items_ / 10 - 1 : 0;
  auto const before = filters_.size();
  bool done = true;
  for (auto i = filters_.size() - 1; i != 0; --i) {
    auto const slots = filters_[i].store.size();
    auto const slots_a_step = std::max<std::uint64_t>(1, most_step_cost / slot_cost(i) / 2);
    auto const steps = (slots + slots_a_step - 1) / slots_a_step;
    bool const last = i == 1 || !beyond_newest;
    if (step < steps) {
      auto const from = step * slots_a_step;
      static_cast<void>(sweep(i, from, std::min(slots, from + 2 * slots_a_step)));
      done = last && step + 1 == steps;
      break;
    }
    if (last) break;
    step -= steps;
  }
  drop_empty();
  if (done || filters_.size() != before) deletes_ = 0;
}

void cuckoo_chain::compact(bool beyond_newest) noexcept {
  if (small())
    compact_whole(beyond_newest);
  else
    compact_step(beyond_newest);
}

void cuckoo_chain::compact() noexcept {
  // The command's own steps are counted like erased items.
  if (!small()) deletes_ = std::max(deletes_ + 1, items_ / 10 + 1);
  compact(true);
}

}  // namespace hortus::redisbloom
