#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Speed and size of every family, measured in the same way. Absolute times mean little on a shared machine. So batches of
/// lookups alternate with a measurement of the machine's own limit, on memory of the same size and kind of pages, and the
/// median of the ratios is reported.
namespace hortus::bench {

/// One family at one size and rate. Times are nanoseconds per key; a verb that the family lacks has a negative time.
struct row {
  std::string family;
  std::uint64_t items = 0;
  double fpr_target = 0;
  double fpr_measured = 0;  ///< without may_contain: the share of absent keys that are counted; with top: see measured_error
  double bits_per_item = 0;
  std::uint64_t refused = 0;       ///< members that did not fit
  double overhead = 0;             ///< bits per item / (log2(1 / fpr_measured) + bits of a value, in a map)
  double load = -1;                ///< share of its slots, or of its bits, in use when all keys are in; negative: it has none
  double build_ns = -1;            ///< all in all: allocation, page faults and all inserts in batches; or build(keys)
  double peak_bits_per_item = -1;  ///< most memory while building, without the keys: see peak_memory; negative: not known
  double insert_ns = -1;
  double hit_ns = -1;
  double miss_ns = -1;
  double batch_insert_ns = -1;
  double batch_new_ns = -1;  ///< insert_if_new, of keys that are new but for false positives
  double batch_hit_ns = -1;
  double batch_miss_ns = -1;
  double erase_ns = -1;  ///< of members, until the timed part of them is erased
  double batch_erase_ns = -1;
  double count_ns = -1;  ///< of members; a family without may_contain is timed by count instead, for hits and misses
  double batch_count_ns = -1;
  double limit_ns = -1;         ///< a prefetched random read of a cache line in as much memory
  double batch_ratio = -1;      ///< median of batch_miss (or of counting absent keys) / limit, repetition by repetition
  double single_limit_ns = -1;  ///< a random read of a cache line without prefetch
  double single_ratio = -1;     ///< median of miss / single_limit
  double update_limit_ns = -1;  ///< reading, changing and writing a prefetched random cache line in as much memory
  double batch_insert_ratio = -1;
  double batch_erase_ratio = -1;
  double single_update_limit_ns = -1;  ///< the same without prefetch
  double insert_ratio = -1;
  double erase_ratio = -1;
  bool huge_pages = false;  ///< the system granted them for most of the filter
  unsigned threads = 1;     ///< number of threads that share the lookups; one thread inserts
  double size_bytes = 0;
};

struct setup {
  std::vector<std::string> families{};  ///< empty: all
  std::vector<std::uint64_t> items{};
  std::vector<double> fprs{};
  unsigned threads = 1;
  unsigned repetitions = 7;
  std::uint64_t queries = 0;  ///< number of lookups in a repetition; 0: a million, or four for large filters
  bool lookups_only = false;  ///< a build and lookups are timed, and no updates: for large filters, which take long to fill
};

/// Measures with 64-bit keys. Calls each(row) as soon as a row is complete.
void run(setup const& what, std::function<void(row const&)> const& each);

/// The same with text keys: members, and keys that are absent. One row per family. The texts are copied, so that those of
/// inserts, hits and misses have the same layout in memory: see packed_texts.
void run_on_text(std::span<std::string_view const> members, std::span<std::string_view const> absent, double fpr,
                 std::function<void(row const&)> const& each);

}  // namespace hortus::bench
