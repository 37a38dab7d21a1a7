#include "bench/measure.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include <hortus/cells/memory.hpp>
#include <hortus/hash/mix64.hpp>

#include "bench/limit.hpp"
#include "bench/peak_memory.hpp"
#include "bench/timing.hpp"

namespace hortus::bench {
namespace {

using work = std::function<void(std::size_t from, std::size_t count)>;

std::vector<std::uint64_t> random_keys(std::size_t count) {
  std::vector<std::uint64_t> keys(count);
  for (std::size_t i = 0; i < count; ++i) keys[i] = mix64(i);
  return keys;
}
/// As much memory as a filter has.
memory as_large(std::uint64_t bytes) {
  memory buffer(std::max<std::uint64_t>(bytes, memory::line_bytes));
  std::memset(buffer.data(), 1, buffer.size());  // so that every page is mapped to its own memory
  return buffer;
}

/// Times updates of the last members, alternating with the limit: changing as many random lines of `bytes` bytes of memory.
/// Only these are timed: the filter then has its full size and nearly its full load, and the measurement stays short.
class update_times {
 public:
  update_times(std::size_t first, std::size_t updates, std::uint64_t bytes)
      : first_(first), keys_(random_keys(updates)), buffer_(as_large(bytes)) {}

  void batch(work const& update) {
    note(batches_, update, [&](auto some) { change_lines_ahead(buffer_, some); });
  }
  void batch_of_new(work const& update) {
    note(batches_of_new_, update, [&](auto some) { change_lines_ahead(buffer_, some); });
  }
  void singly(work const& update) {
    note(singly_, update, [&](auto some) { change_lines(buffer_, some); });
  }
  struct results {
    std::vector<double> limit, time, ratio;
  };
  [[nodiscard]] results const& in_batches() const { return batches_; }
  [[nodiscard]] results const& in_batches_of_new() const { return batches_of_new_; }
  [[nodiscard]] results const& one_by_one() const { return singly_; }

 private:
  /// The update comes first: the limit's buffer would drive a small filter out of the cache.
  void note(results& r, work const& update, auto limit_work) {
    auto const time = time_parts(keys_.size(), 1, [&](std::size_t from, std::size_t count) { update(first_ + from, count); });
    auto const limit = time_per_key(std::span<std::uint64_t const>(keys_), 1, limit_work);
    r.limit.push_back(limit);
    r.time.push_back(time);
    r.ratio.push_back(time / limit);
  }
  std::size_t first_;
  std::vector<std::uint64_t> keys_;
  memory buffer_;
  results batches_, batches_of_new_, singly_;
};

/// The number of members whose updates are timed, the last ones.
std::size_t late(subject const& it) { return std::min(std::size_t{1} << 22, it.members()); }

/// Times inserts one by one and in batches, `repetitions` times, if the family has them. All members are in the filter then.
void measure_inserts(subject& it, unsigned repetitions, row& r) {
  if (!it.has().insert) return;
  auto const early = it.members() - late(it);
  it.fill(early);
  update_times times(early, late(it), it.size_bytes());
  for (unsigned i = 0; i < repetitions; ++i) {
    times.singly([&](std::size_t from, std::size_t count) { it.insert_singly(from, count); });
    it.fill(early);
    if (it.has().insert_if_new) {
      times.batch_of_new([&](std::size_t from, std::size_t count) { it.insert_new_batch(from, count); });
      it.fill(early);
    }
    times.batch([&](std::size_t from, std::size_t count) { it.insert_batch(from, count); });
    r.refused = it.refused();
    if (i + 1 < repetitions) it.fill(early);
  }
  r.insert_ns = median(times.one_by_one().time);
  r.insert_ratio = median(times.one_by_one().ratio);
  r.single_update_limit_ns = median(times.one_by_one().limit);
  r.batch_insert_ns = median(times.in_batches().time);
  r.batch_insert_ratio = median(times.in_batches().ratio);
  r.update_limit_ns = median(times.in_batches().limit);
  if (it.has().insert_if_new) r.batch_new_ns = median(times.in_batches_of_new().time);
}

/// Erases the last members and, except the last time, inserts them again.
void measure_erases(subject& it, unsigned repetitions, row& r) {
  auto const early = it.members() - late(it);
  update_times times(early, late(it), it.size_bytes());
  for (unsigned i = 0; i < repetitions; ++i) {
    times.batch([&](std::size_t from, std::size_t count) { it.erase_batch(from, count); });
    it.insert_batch(early, late(it));
    times.singly([&](std::size_t from, std::size_t count) { it.erase_singly(from, count); });
    if (i + 1 < repetitions) it.insert_batch(early, late(it));
  }
  r.erase_ns = median(times.one_by_one().time);
  r.erase_ratio = median(times.one_by_one().ratio);
  r.batch_erase_ns = median(times.in_batches().time);
  r.batch_erase_ratio = median(times.in_batches().ratio);
}

void measure_lookups(subject const& it, unsigned threads, unsigned repetitions, row& r) {
  auto const limit_buffer = as_large(it.size_bytes());
  auto const random = random_keys(it.size_of(subject::set::misses));
  std::span<std::uint64_t const> const limit_keys(random);

  auto const one_by_one = [&](subject::set which) {
    return time_parts(it.size_of(which), threads,
                      [&](std::size_t from, std::size_t count) { it.ask_singly(which, from, count); });
  };
  auto const in_batches = [&](subject::set which) {
    return time_parts(it.size_of(which), threads,
                      [&](std::size_t from, std::size_t count) { it.ask_batch(which, from, count); });
  };
  std::vector<double> hit, miss, batch_hit, batch_miss, limit, ratio, single_limit, single_ratio;
  for (unsigned i = 0; i < repetitions; ++i) {
    limit.push_back(time_per_key(limit_keys, threads, [&](auto some) { keep(read_lines_ahead(limit_buffer, some)); }));
    batch_miss.push_back(in_batches(subject::set::misses));
    batch_hit.push_back(in_batches(subject::set::hits));
    single_limit.push_back(time_per_key(limit_keys, threads, [&](auto some) { keep(read_lines(limit_buffer, some)); }));
    miss.push_back(one_by_one(subject::set::misses));
    hit.push_back(one_by_one(subject::set::hits));
    ratio.push_back(batch_miss.back() / limit.back());
    single_ratio.push_back(miss.back() / single_limit.back());
  }
  if (it.has().look_up) {
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
}

/// Times count() of members, for families that have both count and lookup.
void measure_counts(subject const& it, unsigned threads, unsigned repetitions, row& r) {
  constexpr auto hits = subject::set::hits;
  std::vector<double> singly, batches;
  for (unsigned i = 0; i < repetitions; ++i) {
    singly.push_back(time_parts(it.size_of(hits), threads,
                                [&](std::size_t from, std::size_t count) { it.count_singly(hits, from, count); }));
    batches.push_back(
        time_parts(it.size_of(hits), threads, [&](std::size_t from, std::size_t count) { it.count_batch(hits, from, count); }));
  }
  r.count_ns = median(singly);
  r.batch_count_ns = median(batches);
}

}  // namespace

row measure(subject& it, setup const& how) {
  auto const threads = how.threads;
  auto const repetitions = how.repetitions;
  row r{.family = std::string(it.name()), .items = it.members(), .fpr_target = it.fpr(), .threads = threads};
  unsigned const builds = it.members() > 20'000'000 ? 1 : 3;
  std::vector<double> build_ns;
  auto const items = static_cast<double>(std::max<std::size_t>(it.members(), 1));
  peak_memory const peak;
  for (unsigned i = 1; i < builds; ++i)
    build_ns.push_back(time_parts(it.members(), 1, [&](std::size_t, std::size_t) { it.build(); }));
  build_ns.push_back(time_parts(it.members(), 1, [&](std::size_t, std::size_t) { it.fill(it.members()); }));  // and keeps it
  if (auto const bytes = peak.growth()) r.peak_bits_per_item = 8 * static_cast<double>(*bytes) / items;
  r.build_ns = median(build_ns);
  r.refused = it.refused();
  if (!how.lookups_only) measure_inserts(it, builds, r);
  if (it.has().ask()) measure_lookups(it, threads, repetitions, r);

  r.fpr_measured = it.error(static_cast<double>(it.found_misses()), static_cast<double>(it.size_of(subject::set::misses)));
  r.size_bytes = static_cast<double>(it.size_bytes());
  r.bits_per_item = 8 * r.size_bytes / items;
  r.load = it.load();
  r.huge_pages = it.huge_pages();
  if (it.has().count && it.has().look_up) measure_counts(it, threads, repetitions, r);
  if (it.has().erase && !how.lookups_only) measure_erases(it, builds, r);  // last, because it removes members
  return r;
}

double measured_fpr(subject_with<std::uint64_t>& it, std::size_t queries, absent_keys const& fill) {
  it.fill(it.members());
  std::vector<std::uint64_t> piece(std::size_t{1} << 20);
  std::size_t found = 0;
  std::size_t asked = 0;
  for (; asked < queries; asked += piece.size()) {
    fill(asked, piece);
    it.set_misses(piece);
    found += it.found_misses();
  }
  it.set_misses({});
  return it.error(static_cast<double>(found), static_cast<double>(asked));
}

}  // namespace hortus::bench
