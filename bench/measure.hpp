#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <hortus/of_keys.hpp>

#include "bench/bench.hpp"
#include "bench/family.hpp"
#include "bench/limit.hpp"
#include "bench/timing.hpp"

namespace hortus::bench {

/// A family that can be measured.
template <class F>
concept measurable = plantable<F> &&(membership<F> || countable<F>);

/// A filter, and the number of keys that did not fit.
template <family F>
struct filled_filter {
  of_keys<F> filter;
  std::size_t refused = 0;
};

/// The filter of these keys: made and filled, or built at once.
template <plantable F, class Key>
filled_filter<F> filled(std::span<Key const> keys, typename F::goal goal) {
  if constexpr (makeable<F>) {
    filled_filter<F> made{of_keys<F>(goal)};
    made.refused = keys.size() - made.filter.insert(keys);
    return made;
  } else {
    return {of_keys<F>::build(keys, goal)};
  }
}

/// A lookup, or a count if the family has no lookup: counting an absent key is as wrong as finding it.
template <family F, class Key>
bool is_found(of_keys<F> const& f, Key const& key) {
  if constexpr (membership<F>)
    return f.may_contain(key);
  else
    return f.count(key) != 0;
}
template <family F, class Key>
std::size_t found_among(of_keys<F> const& f, std::span<Key const> keys) {
  if constexpr (membership<F>) {
    return f.may_contain(keys).count();
  } else {
    auto const counts = f.count(keys);
    return static_cast<std::size_t>(std::ranges::count_if(counts, [](auto count) { return count != 0; }));
  }
}

/// The share of absent keys that are found. Of a family that tells the most frequent keys: how much too high a count can be, as
/// a share of the stream, which is what its rate is about.
template <family F>
double measured_error(of_keys<F> const& f, double found, double asked) {
  if constexpr (topping<F>) {
    auto const top = f.top(~std::uint64_t{0});
    return top.inserted == 0 ? 0 : static_cast<double>(top.others_at_most) / static_cast<double>(top.inserted);
  } else {
    return asked == 0 ? 0 : found / asked;
  }
}

template <family F, class Key>
void keep_counts(of_keys<F> const& f, std::span<Key const> keys) {
  auto const counts = f.count(keys);
  keep(counts.data());
}

/// Times count() of members, for families that have both count and lookup.
template <family F, class Key>
void measure_counts(of_keys<F> const& f, std::span<Key const> keys, unsigned threads, unsigned repetitions, row& r) {
  if constexpr (countable<F> && membership<F>) {
    std::vector<double> singly, batches;
    for (unsigned i = 0; i < repetitions; ++i) {
      singly.push_back(time_per_key(keys, threads, [&](auto some) {
        std::uint64_t sum = 0;
        for (auto const& key : some) sum += static_cast<std::uint64_t>(f.count(key));
        keep(sum);
      }));
      batches.push_back(time_per_key(keys, threads, [&](auto some) { keep_counts(f, some); }));
    }
    r.count_ns = median(singly);
    r.batch_count_ns = median(batches);
  }
}

/// Times updates, alternating with the limit: changing `updates` random lines of `bytes` bytes of memory.
class update_times {
 public:
  update_times(std::size_t updates, std::uint64_t bytes)
      : keys_(updates), buffer_(std::max<std::uint64_t>(bytes, memory::line_bytes)) {
    for (std::size_t i = 0; i < updates; ++i) keys_[i] = mix64(i);
    std::memset(buffer_.data(), 1, buffer_.size());  // so that every page is mapped to its own memory
  }
  template <class Key>
  void batch(std::span<Key const> keys, auto work) {
    note(batches_, time_per_key(all(), 1, [&](auto some) { change_lines_ahead(buffer_, some); }), time_per_key(keys, 1, work));
  }
  template <class Key>
  void singly(std::span<Key const> keys, auto work) {
    note(singly_, time_per_key(all(), 1, [&](auto some) { change_lines(buffer_, some); }), time_per_key(keys, 1, work));
  }
  struct results {
    std::vector<double> limit, time, ratio;
  };
  [[nodiscard]] results const& in_batches() const { return batches_; }
  [[nodiscard]] results const& one_by_one() const { return singly_; }

 private:
  [[nodiscard]] std::span<std::uint64_t const> all() const { return keys_; }
  static void note(results& r, double limit, double time) {
    r.limit.push_back(limit);
    r.time.push_back(time);
    r.ratio.push_back(time / limit);
  }
  std::vector<std::uint64_t> keys_;
  memory buffer_;
  results batches_, singly_;
};

/// Erases these members and, except the last time, inserts them again.
template <family F, class Key>
void measure_erases(of_keys<F>& f, std::span<Key const> members, unsigned repetitions, row& r) {
  if constexpr (erasable<F>) {
    update_times times(members.size(), f.size_bytes());
    for (unsigned i = 0; i < repetitions; ++i) {
      times.batch(members, [&](auto some) { keep(f.erase(some)); });
      keep(f.insert(members));
      times.singly(members, [&](auto some) {
        for (auto const& key : some) keep(f.erase(key));
      });
      if (i + 1 < repetitions) keep(f.insert(members));
    }
    r.erase_ns = median(times.one_by_one().time);
    r.erase_ratio = median(times.one_by_one().ratio);
    r.batch_erase_ns = median(times.in_batches().time);
    r.batch_erase_ratio = median(times.in_batches().ratio);
  }
}

/// The last members. Only their inserts are timed: the filter then has its full size and nearly its full load, and the
/// measurement stays short.
template <class Key>
std::span<Key const> late(std::span<Key const> members) {
  return members.last(std::min(std::size_t{1} << 22, members.size()));
}

/// Times inserts one by one and in batches, `repetitions` times. Returns the filter.
template <makeable F, class Key>
of_keys<F> measure_inserts(std::span<Key const> members, typename F::goal goal, unsigned repetitions, row& r) {
  auto const early = members.first(members.size() - late(members).size());
  auto made = filled<F>(early, goal);
  auto& f = made.filter;
  update_times times(late(members).size(), f.size_bytes());
  for (unsigned i = 0; i < repetitions; ++i) {
    times.singly(late(members), [&](auto some) {
      for (auto const& key : some) (void)f.insert(key);
    });
    made = filled<F>(early, goal);
    times.batch(late(members), [&](auto some) { r.refused = made.refused + some.size() - f.insert(some); });
    if (i + 1 < repetitions) made = filled<F>(early, goal);
  }
  r.insert_ns = median(times.one_by_one().time);
  r.insert_ratio = median(times.one_by_one().ratio);
  r.single_update_limit_ns = median(times.one_by_one().limit);
  r.batch_insert_ns = median(times.in_batches().time);
  r.batch_insert_ratio = median(times.in_batches().ratio);
  r.update_limit_ns = median(times.in_batches().limit);
  return std::move(f);
}
template <buildable F, class Key>
of_keys<F> measure_inserts(std::span<Key const> members, typename F::goal goal, unsigned, row&) {
  return filled<F>(members, goal).filter;  // a family without insert
}

template <family F, class Key>
requires measurable<F> row measure(key_sets<Key> keys, double fpr, unsigned threads, unsigned repetitions) {
  typename F::goal goal;
  goal.items = keys.members.size();
  goal.fpr = fpr;
  unsigned const builds = keys.members.size() > 20'000'000 ? 1 : 3;

  row r{.family = std::string(F::name), .items = keys.members.size(), .fpr_target = fpr, .threads = threads};
  std::vector<double> build_ns;
  for (unsigned i = 0; i < builds; ++i)
    build_ns.push_back(time_per_key(keys.members, 1, [&](auto all) { keep(filled<F>(all, goal).filter.size_bytes()); }));
  r.build_ns = median(build_ns);
  auto f = measure_inserts<F>(keys.members, goal, builds, r);

  memory limit_buffer(std::max<std::uint64_t>(f.size_bytes(), memory::line_bytes));
  std::memset(limit_buffer.data(), 1, limit_buffer.size());  // so that every page is mapped to its own memory
  std::vector<std::uint64_t> limit_keys(keys.misses.size());
  for (std::size_t i = 0; i < limit_keys.size(); ++i) limit_keys[i] = mix64(i);

  std::vector<double> hit, miss, batch_hit, batch_miss, limit, ratio, single_limit, single_ratio;
  auto const one_by_one = [&](auto some) {
    std::size_t found = 0;
    for (auto const& key : some) found += std::size_t{is_found(f, key)};
    keep(found);
  };
  auto const in_batches = [&](auto some) {
    if constexpr (membership<F>)
      keep(f.may_contain(some).count());
    else
      keep_counts(f, some);
  };
  for (unsigned i = 0; i < repetitions; ++i) {
    limit.push_back(time_per_key(std::span<std::uint64_t const>(limit_keys), threads,
                                 [&](auto some) { keep(read_lines_ahead(limit_buffer, some)); }));
    batch_miss.push_back(time_per_key(keys.misses, threads, in_batches));
    batch_hit.push_back(time_per_key(keys.hits, threads, in_batches));
    single_limit.push_back(time_per_key(std::span<std::uint64_t const>(limit_keys), threads,
                                        [&](auto some) { keep(read_lines(limit_buffer, some)); }));
    miss.push_back(time_per_key(keys.misses, threads, one_by_one));
    hit.push_back(time_per_key(keys.hits, threads, one_by_one));
    ratio.push_back(batch_miss.back() / limit.back());
    single_ratio.push_back(miss.back() / single_limit.back());
  }
  if constexpr (membership<F>) {
    r.hit_ns = median(hit);
    r.miss_ns = median(miss);
    r.batch_hit_ns = median(batch_hit);
    r.batch_miss_ns = median(batch_miss);
  } else {
    r.count_ns = median(hit);
    r.batch_count_ns = median(batch_hit);
  }
  r.limit_ns = median(limit);
  r.batch_ratio = median(ratio);
  r.single_limit_ns = median(single_limit);
  r.single_ratio = median(single_ratio);
  r.fpr_measured = measured_error(f, static_cast<double>(found_among(f, keys.misses)), static_cast<double>(keys.misses.size()));
  r.size_bytes = static_cast<double>(f.size_bytes());
  r.bits_per_item = 8 * r.size_bytes / static_cast<double>(std::max<std::size_t>(keys.members.size(), 1));
  if constexpr (requires { f.family().cells(); }) r.huge_pages = 2 * huge_page_bytes(f.family().cells()) > f.size_bytes();
  measure_counts(f, keys.hits, threads, repetitions, r);
  measure_erases(f, late(keys.members), builds, r);  // last, because it removes members
  return r;
}

/// The rate of a filter of these members, measured with `queries` absent keys, which fill(from, space) makes piece by piece.
template <family F>
double measured_fpr(std::span<std::uint64_t const> members, double fpr, std::size_t queries, absent_keys const& fill) {
  typename F::goal goal;
  goal.items = members.size();
  goal.fpr = fpr;
  auto const f = filled<F>(members, goal).filter;
  std::vector<std::uint64_t> piece(std::size_t{1} << 20);
  std::size_t found = 0;
  std::size_t asked = 0;
  for (; asked < queries && !topping<F>; asked += piece.size()) {
    fill(asked, piece);
    found += found_among<F, std::uint64_t>(f, piece);
  }
  return measured_error(f, static_cast<double>(found), static_cast<double>(asked));
}

/// The measurements of F, for its unit: see any/families.def.
template <family F>
measured_family how_to_measure() {
  measured_family how{.name = F::name, .numbers = nullptr, .texts = nullptr, .fpr = nullptr, .wants_stream = topping<F>};
  if constexpr (measurable<F>) {
    how.numbers = measure<F, std::uint64_t>;
    how.texts = measure<F, std::string_view>;
    how.fpr = measured_fpr<F>;
  }
  return how;
}

}  // namespace hortus::bench
