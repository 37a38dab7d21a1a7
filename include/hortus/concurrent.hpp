#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include <hortus/cells/memory.hpp>
#include <hortus/of_keys.hpp>

namespace hortus {

/// A family whose inserts may run at the same time as each other and as lookups: it sets the same bits by atomic operations.
template <class F>
concept shareable = insertable<F> && membership<F> && requires(F& f, F const& c, digest x) {
  { f.insert_shared(x) } -> std::same_as<bool>;  // was it new? At least one thread is told
  { c.may_contain_shared(x) } -> std::same_as<bool>;
};

/// The family as lookups use it while other threads insert.
template <shareable Family>
class shared_lookups {
 public:
  static constexpr std::string_view name = Family::name;
  static constexpr std::string_view room = Family::room;
  static constexpr std::string_view summary = Family::summary;
  static constexpr auto misses = Family::misses;
  static constexpr std::size_t block_keys = hortus::block_keys<Family>;

  explicit shared_lookups(Family const& family) noexcept : family_(&family) {}
  [[nodiscard]] bool may_contain(digest x) const noexcept { return family_->may_contain_shared(x); }
  void prefetch(digest x) const noexcept requires prefetchable<Family> { family_->prefetch(x); }
  [[nodiscard]] double fpr() const { return family_->fpr(); }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return family_->size_bytes(); }
  void clear() noexcept {}  // the concept `family` requires it; never called here

 private:
  Family const* family_;
};

/// A filter that several threads insert into and query at the same time, for keys that arrive as a stream. For keys that are
/// all there already, insert_parallel (parallel.hpp) is faster because it needs no atomics.
///
///     concurrent seen(blocked_filter({.items = 1'000'000, .fpr = 0.01}));
///     ... seen.insert(key), seen.may_contain(key) in any thread ...
///     blocked_filter done = std::move(seen).take();       // when no thread uses it any more
///
/// Promise  no insert is lost, and the final bytes are those of the same inserts by one thread.
///          A key is found by every lookup that its insert happens before: in the same thread, or in another thread after a
///          join, a mutex, or a release and acquire by the caller. A lookup at the same time as the insert of its key may
///          return either answer. All operations are relaxed: finding a key does not order the inserting thread's other writes.
/// Price    an atomic OR for each word that changes, and a cache line that moves between cores; neither if the bits are set.
/// Lacks    merge, fold, files and the rate while other threads insert: take() the filter first.
template <class Filter>
class concurrent;

template <shareable Family, key_hash Hash>
class concurrent<of_keys<Family, Hash>> {
 public:
  using filter_type = of_keys<Family, Hash>;

  explicit concurrent(filter_type filter) : filter_(std::move(filter)) {}
  concurrent(concurrent const&) = delete;
  concurrent& operator=(concurrent const&) = delete;

  /// True if the key was certainly not there before. If several threads insert the same new key at the same time, at least
  /// one of them gets true, and all of them may.
  template <digestible Key>
  bool insert(Key const& key) {
    auto const x = filter_.digest_of(key);
    note<Key>(1);
    return filter_.family_.insert_shared(x);
  }
  template <key_range Keys>
  void insert(Keys const& keys) {
    in_key_blocks<access::update>(filter_.family_, filter_.hash_, keys, [&](auto block, auto next) {
      note<std::ranges::range_value_t<Keys const>>(block.size());
      for (std::size_t i = 0; i < block.size(); ++i) {
        if (i < next.size()) prefetch_for<access::update>(filter_.family_, next[i]);
        filter_.family_.insert_shared(block[i]);
      }
    });
  }
  template <digestible Key>
  [[nodiscard]] bool may_contain(Key const& key) const noexcept(hashes_nothrow<Hash, Key>) {
    return filter_.family_.may_contain_shared(filter_.digest_of(key));
  }
  /// Batches give the answers of single lookups, each at its own moment, and prefetch.
  [[nodiscard]] bitmask may_contain(key_range auto const& keys) const {
    return mask_of<access::lookup>(lookups(), filter_.hash_, keys, asking_block());
  }
  /// Writes into the caller's memory: see of_keys.
  void may_contain(sized_key_range auto const& keys, std::span<std::uint64_t> hits) const {
    mask_into<access::lookup>(lookups(), filter_.hash_, keys, hits, asking_block());
  }
  [[nodiscard]] std::size_t select(sized_key_range auto const& keys, std::span<std::uint32_t> positions) const {
    return select_into(lookups(), filter_.hash_, keys, positions);
  }

  /// Returns the filter. Pre: no other thread uses this object any more.
  [[nodiscard]] filter_type take() && {
    for (auto& each : inserted_) filter_.about_.items_inserted += each.count.exchange(0, std::memory_order_relaxed);
    filter_.about_.kinds = filter_.about_.kinds | static_cast<key_kind>(kinds_.load(std::memory_order_relaxed));
    return std::move(filter_);
  }

 private:
  [[nodiscard]] shared_lookups<Family> lookups() const noexcept { return shared_lookups<Family>(filter_.family_); }
  [[nodiscard]] auto asking_block() const {
    return [shared = lookups()](auto block, auto next, std::uint64_t* hits) { may_contain_block(shared, block, next, hits); };
  }

  template <class Key>
  void note(std::size_t inserts) noexcept {
    static thread_local char const here = 0;  // has a different address in every thread
    inserted_[reinterpret_cast<std::uintptr_t>(&here) / 4096 % inserted_.size()].count.fetch_add(inserts,
                                                                                                 std::memory_order_relaxed);
    auto const kind = static_cast<unsigned>(kind_of<Key>);
    if ((kinds_.load(std::memory_order_relaxed) & kind) != kind) kinds_.fetch_or(kind, std::memory_order_relaxed);
  }

  struct alignas(memory::line_bytes) counter {
    std::atomic<std::uint64_t> count = 0;
  };

  filter_type filter_;
  std::atomic<unsigned> kinds_ = 0;
  std::array<counter, 16> inserted_;  // most threads count on a cache line of their own
};

template <class Family, class Hash>
concurrent(of_keys<Family, Hash>) -> concurrent<of_keys<Family, Hash>>;

}  // namespace hortus
