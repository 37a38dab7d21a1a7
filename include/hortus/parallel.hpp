#pragma once
#include <algorithm>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <ranges>
#include <span>
#include <thread>
#include <vector>

#include <hortus/of_keys.hpp>
#include <hortus/ordered_insert.hpp>

/// Inserting with several threads. Not in of_keys.hpp, so that a program with one thread does not include <thread>.
namespace hortus {

/// Inserts the digests that fills[t] writes, in thread t; see insert_ordered. Each thread partitions its digests. When a part
/// of any thread is full, or no thread has more digests, each thread inserts the digests of all threads for its share of the
/// parts.
template <separately_placed F, class Fill>
void insert_ordered_by_threads(F& f, std::span<Fill> fills, std::size_t& in) {
  parts_of_filter const parts(f);
  auto const threads = fills.size();
  std::vector<dealing<Fill>> all;
  all.reserve(threads);
  for (auto& fill : fills) all.push_back({.fill = fill, .dealt = room_to_deal(f, parts, threads), .space = {}});
  auto const pending = [&] { return std::ranges::any_of(all, [](auto const& each) { return each.pending(); }); };

  struct alignas(memory::line_bytes) counter {
    std::size_t in = 0;
  };
  std::vector<counter> inserted(threads);
  auto const insert_share = [&](std::size_t t) noexcept {
    for (auto part = parts.count * t / threads; part < parts.count * (t + 1) / threads; ++part)
      for (auto& each : all) each.dealt.take(part, [&](auto xs) { inserted[t].in += insert_all(f, xs); });
  };
  bool go_on = pending();
  auto const next_round = [&]() noexcept {
    for (auto& each : all) each.dealt.start_again();
    go_on = pending();
  };
  std::barrier all_dealt(static_cast<std::ptrdiff_t>(threads));
  std::barrier all_inserted(static_cast<std::ptrdiff_t>(threads), next_round);
  {
    std::vector<std::jthread> running;
    for (std::size_t t = 0; t < threads; ++t)
      running.emplace_back([&, t] {
        while (go_on) {  // NOLINT(bugprone-infinite-loop): next_round ends it
          all[t].deal(f);
          all_dealt.arrive_and_wait();
          insert_share(t);
          all_inserted.arrive_and_wait();
        }
      });
  }
  for (auto const& each : inserted) in += each.in;
  for (auto const& each : all)
    if (each.failure) std::rethrow_exception(each.failure);
}

/// Writes the next digests of a share of the keys.
template <key_hash Hash, class Iterator>
struct share_of_keys {
  Hash const& hash;
  Iterator key;
  Iterator end;
  std::size_t operator()(std::span<digest> space) { return digests_of(hash, key, end, space); }
};

/// A friend of of_keys, for access to its family.
struct insert_by_threads {
  template <class Family, class Hash, class Keys>
  static std::size_t act(of_keys<Family, Hash>& filter, Keys const& keys, unsigned threads) {
    using share = share_of_keys<Hash, std::ranges::iterator_t<Keys const>>;
    noting<std::ranges::range_value_t<Keys const>> noted{.about = filter.about_, .in = 0, .known = true};
    std::uint64_t const size = number_of(keys);
    auto const at = [&](std::uint64_t i) {
      return std::ranges::next(std::ranges::begin(keys), static_cast<std::ranges::range_difference_t<Keys const>>(i));
    };
    std::vector<share> shares;
    for (unsigned t = 0; t < threads; ++t)
      shares.push_back({filter.hash_, at(size * t / threads), at(size * (t + 1) / threads)});
    insert_ordered_by_threads(filter.family_, std::span(shares), noted.in);
    return noted.in;
  }
};

/// The same as filter.insert(keys), with several threads, for filters that keep a key in one place (blocked, blocked_pair,
/// sectorized, split_block, register_blocked). The threads write to disjoint memory, so no atomics are needed, and the bytes
/// are those of one thread. Temporarily takes as much memory as the filter. Returns the number of keys inserted.
template <separately_placed Family, key_hash Hash, sized_key_range Keys>
requires std::ranges::random_access_range<Keys const> std::size_t insert_parallel(of_keys<Family, Hash>& filter,
                                                                                  Keys const& keys, unsigned threads) {
  return insert_by_threads::act(filter, keys, std::max(threads, 1U));
}

}  // namespace hortus
