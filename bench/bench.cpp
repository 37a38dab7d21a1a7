#include "bench/bench.hpp"

#include <algorithm>
#include <cmath>

#include <hortus/hash/mix64.hpp>
#include <hortus/index/fastrange.hpp>

#include "bench/family.hpp"
#include "bench/measure.hpp"
#include "bench/packed_texts.hpp"

namespace hortus::bench {

#define HORTUS_FAMILY(name, ...) measured_family measured_##name();
#include "compiled_families.def"
#undef HORTUS_FAMILY

namespace {

/// The families that can be measured, in the order of the list.
std::vector<measured_family> const& all_measured() {
#define HORTUS_FAMILY(name, ...) measured_##name(),
  static std::vector<measured_family> const all = [] {
    std::vector<measured_family> some{
#include "compiled_families.def"
    };
    std::erase_if(some, [](measured_family const& f) { return f.numbers == nullptr; });
    return some;
  }();
#undef HORTUS_FAMILY
  return all;
}

/// Keys 1, 2, 3, ... through a mixer: distinct, and random enough.
void scramble(std::uint64_t first, std::span<std::uint64_t> keys) {
  for (auto& key : keys) key = mix64(first++ * golden_ratio64);
}
std::vector<std::uint64_t> scrambled(std::uint64_t first, std::uint64_t count) {
  std::vector<std::uint64_t> keys(count);
  scramble(first, keys);
  return keys;
}

/// `count` of the members, in random order.
template <class Key>
std::vector<Key> drawn(std::span<Key const> members, std::size_t count) {
  std::vector<Key> keys(members.empty() ? 0 : count);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = members[fastrange(mix64(i + 1), members.size())];
  return keys;
}

/// As many keys as there are members, drawn from them by Zipf's law: member number r comes as often as 1/r says.
template <class Key>
std::vector<Key> zipf_stream(std::span<Key const> members) {
  std::vector<Key> keys(members.size());
  auto const log_size = std::log(static_cast<double>(members.size()));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    auto const rank = std::exp(static_cast<double>(mix64(~i) >> 11) * 0x1p-53 * log_size);  // from 1 up to all
    keys[i] = members[std::min(static_cast<std::size_t>(rank), members.size()) - 1];
  }
  return keys;
}

bool is_wanted(setup const& what, measured_family const& family) {
  return what.families.empty() || std::ranges::find(what.families, family.name) != what.families.end();
}

constexpr std::uint64_t absent_from = std::uint64_t{1} << 40;

/// The number of lookups to measure a rate: enough to expect ten thousand hits, but at most `most`.
std::size_t rate_queries(double fpr) {
  constexpr std::size_t most = 20'000'000;
  return std::min(static_cast<std::size_t>(std::min(1e4 / fpr, 1e12)), most);
}
void absent_for_rates(std::uint64_t from, std::span<std::uint64_t> piece) { scramble(2 * absent_from + from, piece); }

/// Bits per item / (log2(1/fpr) + bits of a value, in a map). 0 if no absent key was found, or if all were, and for families
/// whose rate is not one of absent keys.
double overhead_of(measured_family const& family, row const& r) {
  if (!family.rate_is_of_absent_keys() || r.fpr_measured <= 0 || r.fpr_measured >= 1) return 0;
  return r.bits_per_item / (family.value_bits - std::log2(r.fpr_measured));
}

}  // namespace

void run(setup const& what, std::function<void(row const&)> const& each) {
  for (auto const items : what.items) {
    auto const members = scrambled(1, items);
    std::size_t const queries = what.queries != 0 ? what.queries : items > 8'000'000 ? 4'000'000 : 1'000'000;
    auto const hits = drawn<std::uint64_t>(members, queries);
    auto const misses = scrambled(absent_from, queries);
    std::vector<std::uint64_t> stream;
    for (auto const fpr : what.fprs)
      for (auto const& family : all_measured()) {
        if (!is_wanted(what, family)) continue;
        if (family.wants_stream && stream.empty()) stream = zipf_stream<std::uint64_t>(members);
        auto const& inserted = family.wants_stream ? stream : members;
        auto r = measure(*family.numbers({inserted, hits, misses}, fpr), what);
        auto const queries_for_rate = family.rate_is_of_absent_keys() ? rate_queries(fpr) : 0;
        if (!what.lookups_only)  // else the rate among the misses will do
          r.fpr_measured = measured_fpr(*family.numbers({inserted, {}, {}}, fpr), queries_for_rate, absent_for_rates);
        r.overhead = overhead_of(family, r);
        each(r);
      }
  }
}

void run_on_text(std::span<std::string_view const> members, std::span<std::string_view const> absent, double fpr,
                 std::function<void(row const&)> const& each) {
  packed_texts const once(members);
  packed_texts const stream(zipf_stream(members));
  packed_texts const hits(drawn(members, absent.size()));
  packed_texts const misses(absent);
  for (auto const& family : all_measured()) {
    auto const& inserted = family.wants_stream ? stream : once;
    auto r = measure(*family.texts({inserted.texts(), hits.texts(), misses.texts()}, fpr), {.repetitions = 3});
    r.overhead = overhead_of(family, r);
    each(r);
  }
}

}  // namespace hortus::bench
