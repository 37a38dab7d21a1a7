#pragma once
#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <ranges>
#include <span>
#include <thread>
#include <vector>

#include <hortus/bitmask.hpp>
#include <hortus/key_batches.hpp>
#include <hortus/of_keys.hpp>
#include <hortus/ordered_insert.hpp>
#include <hortus/part_threads.hpp>

/// Inserts and lookups with several threads. Not in of_keys.hpp, so that a program with one thread does not include <thread>.
namespace hortus {

/// Inserts the digests that fills[t] writes, in thread t; see insert_ordered. Each thread partitions its digests. When a part
/// of any thread is full, or no thread has more digests, the threads take the parts in turn, and insert the digests of all
/// threads for a part. So no thread waits long for a slower one.
template <separable F, class Fill>
void insert_ordered_by_threads(F& f, std::span<Fill> fills, std::size_t& in) {
  if (fills.size() == 1) return insert_ordered(f, fills.front(), in);
  parts_of_filter const parts(f);
  auto const threads = fills.size();
  std::vector<dealing<F, Fill>> all;
  all.reserve(threads);
  for (auto& fill : fills) all.push_back({.fill = fill, .dealt = room_to_deal(f, parts, threads), .space = {}});
  auto const pending = [&] { return std::ranges::any_of(all, [](auto const& each) { return each.pending(); }); };

  struct alignas(memory::line_bytes) counter {
    std::size_t in = 0;
  };
  std::vector<counter> inserted(threads);
  std::atomic<bool> one_is_full = false;
  auto const deal = [&](std::size_t t) noexcept {
    while (!one_is_full.load(std::memory_order_relaxed) && all[t].deal_some(f, parts)) {
    }
    if (all[t].dealt.full()) one_is_full.store(true, std::memory_order_relaxed);
  };
  std::atomic<std::size_t> next_part = 0;
  auto const insert_parts = [&](std::size_t t) noexcept {
    for (auto part = next_part++; part < parts.count; part = next_part++)
      for (auto& each : all) inserted[t].in += each.insert_part(f, parts, part);
  };
  bool too_few_threads = false;
  bool go_on = pending();
  auto const next_round = [&]() noexcept {
    for (auto& each : all) each.dealt.start_again();
    one_is_full = false;
    next_part = 0;
    go_on = pending() && !too_few_threads;
  };
  std::barrier all_dealt(static_cast<std::ptrdiff_t>(threads));
  std::barrier all_inserted(static_cast<std::ptrdiff_t>(threads), next_round);
  {
    std::vector<std::jthread> running;
    auto const run = [&](std::size_t t) {
      while (go_on) {  // NOLINT(bugprone-infinite-loop): next_round ends it
        deal(t);
        all_dealt.arrive_and_wait();
        insert_parts(t);
        all_inserted.arrive_and_wait();
      }
    };
    try {
      for (std::size_t t = 0; t < threads; ++t) running.emplace_back(run, t);
    } catch (...) {  // the system has no more threads: those that run must not wait for the others
      too_few_threads = true;
      for (auto t = running.size(); t < threads; ++t) {
        (void)all_dealt.arrive_and_drop();
        (void)all_inserted.arrive_and_drop();
      }
      running.clear();
      throw;
    }
  }
  for (auto const& each : inserted) in += each.in;
  if (scattering<F>)
    for (auto const& each : all) in += each.keys;
  for (auto const& each : all)
    if (each.failure) std::rethrow_exception(each.failure);
}

/// Writes the digests of keys that no other thread has taken.
template <key_hash Hash, class Iterator>
struct keys_in_turn {
  Hash const& hash;
  Iterator first;
  std::uint64_t count;
  std::atomic<std::uint64_t>& taken;
  std::size_t operator()(std::span<digest> space) {
    auto const from = std::min(taken.fetch_add(space.size(), std::memory_order_relaxed), count);
    auto const to = std::min(from + space.size(), count);
    auto key = first + static_cast<std::iter_difference_t<Iterator>>(from);
    return digests_of(hash, key, first + static_cast<std::iter_difference_t<Iterator>>(to), space);
  }
};

/// A friend of of_keys, for access to its family.
struct insert_by_threads {
  template <class Family, class Hash, class Keys>
  static std::size_t act(of_keys<Family, Hash>& filter, Keys const& keys, unsigned threads) {
    using next_keys = keys_in_turn<Hash, std::ranges::iterator_t<Keys const>>;
    noting<std::ranges::range_value_t<Keys const>> noted{.about = filter.about_, .in = 0, .known = true};
    std::atomic<std::uint64_t> taken = 0;
    std::vector<next_keys> fills(threads, {filter.hash_, std::ranges::begin(keys), number_of(keys), taken});
    insert_ordered_by_threads(filter.family_, std::span(fills), noted.in);
    return noted.in;
  }
};

/// The same as filter.insert(keys), with several threads, for filters that keep a key in one place (blocked, blocked_pair,
/// sectorized, split_block, register_blocked) or set its bits one by one (bloom, partitioned). The threads write to disjoint
/// memory, so no atomics are needed, and the bytes are those of one thread. Temporarily takes as much memory as the filter.
/// Returns the number of keys inserted.
template <separable Family, key_hash Hash, sized_key_range Keys>
requires std::ranges::random_access_range<Keys const> std::size_t insert_parallel(of_keys<Family, Hash>& filter,
                                                                                  Keys const& keys, unsigned threads) {
  return insert_by_threads::act(filter, keys, std::max(threads, 1U));
}

/// Some of the keys of a range. Like std::ranges::subrange, which clang 14 does not compile with the library of g++ 12.
template <std::random_access_iterator Iterator>
class some_keys {
 public:
  some_keys(Iterator first, std::iter_difference_t<Iterator> count) : first_(first), count_(count) {}
  [[nodiscard]] Iterator begin() const { return first_; }
  [[nodiscard]] Iterator end() const { return first_ + count_; }
  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(count_); }

 private:
  Iterator first_;
  std::iter_difference_t<Iterator> count_;
};

/// A filter, view or any_filter that answers batches into the caller's memory.
template <class Filter, class Keys>
concept answers_into = sized_key_range<Keys> && std::ranges::random_access_range<Keys const> &&
    requires(Filter const& filter, Keys const& keys, std::span<std::uint64_t> hits) {
  filter.may_contain(keys, hits);
};

/// The same as filter.may_contain(keys, hits), with several threads. Any filter will do, because lookups change nothing. Each
/// thread takes the next piece of the batch when it is done with one.
template <class Keys, answers_into<Keys> Filter>
void may_contain_parallel(Filter const& filter, Keys const& keys, std::span<std::uint64_t> hits, unsigned threads) {
  constexpr std::size_t piece = 64 * 1024;  // keys: whole words of answers, and enough of them to be worth the turn
  auto const size = number_of(keys);
  check_room(size, hits.size(), mask_words(size), "words of 64 bits");
  in_threads(std::max(threads, 1U))((size + piece - 1) / piece, [&](std::uint64_t i) {
    auto const from = static_cast<std::size_t>(i) * piece;
    auto const count = std::min(piece, size - from);
    using distance = std::ranges::range_difference_t<Keys const>;
    some_keys const mine(std::ranges::begin(keys) + static_cast<distance>(from), static_cast<distance>(count));
    filter.may_contain(mine, hits.subspan(from / 64, mask_words(count)));
  });
}
template <class Keys, answers_into<Keys> Filter>
[[nodiscard]] bitmask may_contain_parallel(Filter const& filter, Keys const& keys, unsigned threads) {
  bitmask hits(number_of(keys));
  may_contain_parallel(filter, keys, std::span(hits.data(), mask_words(hits.size())), threads);
  return hits;
}

}  // namespace hortus
