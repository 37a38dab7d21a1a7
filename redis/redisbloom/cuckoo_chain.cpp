#include "redis/redisbloom/cuckoo_chain.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "redis/redisbloom/murmur.hpp"
#include "redis/redisbloom/wire.hpp"

namespace hortus::redisbloom {
namespace {

constexpr std::uint8_t no_print = 0;

std::uint8_t print_of(std::uint64_t hash) noexcept { return static_cast<std::uint8_t>(hash % 255 + 1); }
/// From one bucket of a fingerprint to the other, and back; reduced modulo a power of two.
std::uint64_t other(std::uint64_t bucket, std::uint8_t print) noexcept { return bucket ^ print * std::uint64_t{0x5bd1e995}; }

/// The first slot of a bucket with this fingerprint, or null. Most buckets have 2 or 4 slots: a call would cost more.
template <class Slot>
Slot* find(Slot* bucket, unsigned slots, std::uint8_t print) noexcept {
  if (slots > 8) return static_cast<Slot*>(std::memchr(bucket, print, slots));
  for (unsigned i = 0; i < slots; ++i)
    if (bucket[i] == print) return bucket + i;
  return nullptr;
}

}  // namespace

/// The offsets of an item's two buckets.
struct cuckoo_chain::key {
  std::uint64_t first;
  std::uint64_t second;
};

cuckoo_chain::key cuckoo_chain::key_in(std::uint32_t filter, std::uint64_t first, std::uint8_t print) const noexcept {
  // Sub-filter i has buckets * expansion^i buckets, all powers of two; load and grow keep that.
  auto const shift = filter == 0 ? 0U : filter * static_cast<unsigned>(std::countr_zero(expansion_));
  auto const mask = (buckets_ << shift) - 1;
  return {(first & mask) * bucket_slots_, (other(first, print) & mask) * bucket_slots_};
}

std::uint64_t cuckoo_chain::hash(std::string_view item) noexcept { return murmur64(item, 0); }

obstacle cuckoo_chain::make(goal const& wanted, chain_limits limits, cuckoo_chain& made) {
  if (wanted.bucket_slots < 1 || wanted.capacity < 2 * std::uint64_t{wanted.bucket_slots} || wanted.expansion > 32768)
    return obstacle::impossible;
  if (wanted.capacity > most_slots) return obstacle::too_large;
  cuckoo_chain fresh;
  fresh.buckets_ = std::bit_ceil(wanted.capacity / wanted.bucket_slots);
  fresh.bucket_slots_ = wanted.bucket_slots;
  fresh.iterations_ = wanted.iterations;
  fresh.expansion_ = wanted.expansion == 0 ? std::uint16_t{0} : std::bit_ceil(wanted.expansion);
  auto const why = fresh.grow(limits);
  if (why == obstacle::none) made = std::move(fresh);
  return why;
}

obstacle cuckoo_chain::grow(chain_limits limits) {
  auto slots = buckets_ * bucket_slots_;
  if (filters_.size() != 0) {
    if (expansion_ == 0 || filters_.size() >= most_filters) return obstacle::too_large;
    slots = filters_.last().store.size() * expansion_;  // at most 2^32 times 2^15
  }
  auto const used = cell_bytes();
  if (slots > most_slots || used > limits.bytes || slots > limits.bytes - used) return obstacle::too_large;
  filters_.add({cells(slots), 0});
  return obstacle::none;
}

bool cuckoo_chain::contains(std::uint64_t hash) const noexcept {
  auto const print = print_of(hash);
  for (std::uint32_t i = 0; i < filters_.size(); ++i) {
    auto const* const slots = filters_[i].store.data();
    auto const at = key_in(i, hash, print);
    for (auto const* const bucket : {slots + at.first, slots + at.second})
      if (find(bucket, bucket_slots_, print) != nullptr) return true;
  }
  return false;
}

std::uint64_t cuckoo_chain::count(std::uint64_t hash) const noexcept {
  auto const print = print_of(hash);
  std::uint64_t found = 0;
  for (std::uint32_t i = 0; i < filters_.size(); ++i) {
    auto const* const slots = filters_[i].store.data();
    auto const at = key_in(i, hash, print);
    // If both buckets are the same one, RedisBloom counts it twice.
    for (auto const* const bucket : {slots + at.first, slots + at.second})
      found += static_cast<std::uint64_t>(std::count(bucket, bucket + bucket_slots_, print));
  }
  return found;
}

void cuckoo_chain::prefetch(std::uint64_t hash) const noexcept {
  auto const print = print_of(hash);
  for (std::uint32_t i = 0; i < filters_.size(); ++i) {
    if (filters_[i].store.size() < cached_bytes) continue;
    auto const at = key_in(i, hash, print);
    __builtin_prefetch(filters_[i].store.data() + at.first);
    __builtin_prefetch(filters_[i].store.data() + at.second);
  }
}

std::uint8_t* cuckoo_chain::free_slot(std::uint32_t filter, std::uint64_t first, std::uint8_t print) noexcept {
  auto& its = filters_[filter];
  if (its.used == its.store.size()) return nullptr;
  auto const at = key_in(filter, first, print);
  if (auto* const slot = find(its.store.data() + at.first, bucket_slots_, no_print)) return slot;
  return find(its.store.data() + at.second, bucket_slots_, no_print);
}

insertion cuckoo_chain::insert(std::uint64_t hash) noexcept {
  auto const print = print_of(hash);
  for (auto i = filters_.size(); i-- != 0;)
    if (auto* const slot = free_slot(i, hash, print)) {
      *slot = print;
      ++filters_[i].used;
      ++items_;
      return insertion::inserted;
    }
  if (evict(hash, print)) {
    ++filters_.last().used;
    ++items_;
    return insertion::inserted;
  }
  return expansion_ == 0 ? insertion::full : insertion::must_grow;
}

/// Puts the fingerprint into its first bucket of the newest sub-filter, and what was there into its other bucket, and so on. If
/// none had a free slot after so many iterations, the same way back restores all slots.
bool cuckoo_chain::evict(std::uint64_t first, std::uint8_t print) noexcept {
  auto& newest = filters_.last();
  auto const buckets = newest.store.size() / bucket_slots_;
  auto const bucket_at = [&](std::uint64_t bucket) { return newest.store.data() + bucket * bucket_slots_; };
  std::uint64_t at = first & (buckets - 1);
  unsigned victim = 0;
  for (unsigned i = 0; i < iterations_; ++i) {
    std::swap(bucket_at(at)[victim], print);
    at = other(at, print) & (buckets - 1);
    if (auto* const slot = find(bucket_at(at), bucket_slots_, no_print)) {
      *slot = print;
      return true;
    }
    victim = victim + 1 == bucket_slots_ ? 0 : victim + 1;
  }
  for (unsigned i = 0; i < iterations_; ++i) {
    victim = victim == 0 ? bucket_slots_ - 1U : victim - 1;
    at = other(at, print) & (buckets - 1);
    std::swap(bucket_at(at)[victim], print);
  }
  return false;
}

bool cuckoo_chain::erase(std::uint64_t hash) noexcept {
  auto const print = print_of(hash);
  for (auto i = filters_.size(); i-- != 0;) {
    auto& its = filters_[i];
    auto const at = key_in(i, hash, print);
    auto* slot = find(its.store.data() + at.first, bucket_slots_, print);
    if (slot == nullptr) slot = find(its.store.data() + at.second, bucket_slots_, print);
    if (slot == nullptr) continue;
    *slot = no_print;
    --its.used;
    if (items_ != 0) --items_;  // a chunk can bring more slots than its header said
    ++deletes_;
    if (filters_.size() > 1 && static_cast<double>(deletes_) > static_cast<double>(items_) * 0.10) compact(false);
    return true;
  }
  return false;
}

std::uint64_t cuckoo_chain::cell_bytes() const noexcept {
  std::uint64_t sum = 0;
  for (auto const& each : filters_) sum += each.store.size();
  return sum;
}

std::uint64_t cuckoo_chain::reported_bytes() const noexcept { return 40 + 16 * std::uint64_t{filters_.size()} + cell_bytes(); }

// -- saved chains ------------------------------------------------------------------------------------------------------------

void cuckoo_chain::check_head(std::uint64_t filters) const {
  if (filters < 1 || filters > most_filters) refuse_saved("the number of sub-filters is not 1 to 65535");
  if (!std::has_single_bit(buckets_) || buckets_ > most_slots)
    refuse_saved("the number of buckets is no power of two, up to 2^32");
  if (bucket_slots_ < 1 || bucket_slots_ > 255) refuse_saved("the bucket size is not 1 to 255");
  if (iterations_ < 1) refuse_saved("it has no iterations");
  if (expansion_ != 0 && (!std::has_single_bit(expansion_) || expansion_ > 32768))
    refuse_saved("the expansion is no power of two, up to 32768");
  if (expansion_ == 0 && filters != 1) refuse_saved("it does not expand, but has more than one sub-filter");
}

std::uint64_t cuckoo_chain::checked_slots(std::uint32_t filter, chain_limits& left) const {
  auto const slots = filter == 0 ? buckets_ * bucket_slots_ : filters_[filter - 1].store.size() * expansion_;
  if (slots > most_slots) refuse_saved("a sub-filter has more than 2^32 slots");
  if (slots > left.bytes) refuse_saved("it is larger than max-object-bytes");
  left.bytes -= slots;
  return slots;
}

void cuckoo_chain::write_header(char* to) const noexcept {
  packer(to)
      .put(items_)
      .put(buckets_)
      .put(deletes_)
      .put(std::uint64_t{filters_.size()})
      .put(bucket_slots_)
      .put(iterations_)
      .put(expansion_);
}

cuckoo_chain cuckoo_chain::from_header(std::string_view header, chain_limits limits) {
  if (header.size() != header_bytes) refuse_saved("the header has another length");
  unpacker in(header);
  cuckoo_chain made;
  made.items_ = in.take<std::uint64_t>();
  made.buckets_ = in.take<std::uint64_t>();
  made.deletes_ = in.take<std::uint64_t>();
  auto const filters = in.take<std::uint64_t>();
  made.bucket_slots_ = in.take<std::uint16_t>();
  made.iterations_ = in.take<std::uint16_t>();
  made.expansion_ = in.take<std::uint16_t>();
  made.check_head(filters);
  made.filters_ = short_list<sub_cuckoo>(static_cast<std::uint32_t>(filters));
  for (std::uint32_t i = 0; i < filters; ++i) made.filters_.add({cells(made.checked_slots(i, limits)), 0});
  return made;
}

chunk_fault cuckoo_chain::write_chunk(long long iterator, std::span<std::uint8_t const> bytes) noexcept {
  auto const [fault, filter, to] = chunk_target(filters_, iterator, bytes.size());
  if (fault != chunk_fault::none) return fault;
  filter->used -= used_slots({to, bytes.size()});
  std::ranges::copy(bytes, to);
  filter->used += used_slots(bytes);
  return fault;
}

}  // namespace hortus::redisbloom
