#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Speed and size of every family, measured alike. A time means little on a machine that others share; so every batch of
/// lookups is timed in turn with the machine's own limit on memory of the same size and the same kind of pages, and what is
/// reported is the median of the ratios.
namespace hortus::bench {

/// One family at one size and rate. Times are nanoseconds a key; a verb the family lacks has a negative time.
struct row {
  std::string family;
  std::uint64_t items = 0;
  double fpr_target = 0;
  double fpr_measured = 0;  ///< without may_contain: how many of the absent keys are counted; with top: see measured_error
  double bits_per_item = 0;
  std::uint64_t refused = 0;  ///< members that did not fit
  double overhead = 0;        ///< bits an item / log2(1 / fpr_measured)
  double build_ns = -1;       ///< from nothing: memory, page faults and all inserts in batches; or build(keys)
  double insert_ns = -1;
  double hit_ns = -1;
  double miss_ns = -1;
  double batch_insert_ns = -1;
  double batch_hit_ns = -1;
  double batch_miss_ns = -1;
  double erase_ns = -1;  ///< of members, until the timed part of them is gone
  double batch_erase_ns = -1;
  double count_ns = -1;  ///< of members; a family without may_contain is asked this instead, for hits and misses
  double batch_count_ns = -1;
  double limit_ns = -1;         ///< a prefetched random read of a cache line in as much memory
  double batch_ratio = -1;      ///< median of batch_miss (or of counting absent keys) / limit, repetition by repetition
  double single_limit_ns = -1;  ///< a random read of a cache line without asking ahead
  double single_ratio = -1;     ///< median of miss / single_limit
  double update_limit_ns = -1;  ///< a prefetched random line is read, changed and written, in as much memory
  double batch_insert_ratio = -1;
  double batch_erase_ratio = -1;
  double single_update_limit_ns = -1;  ///< the same without asking ahead
  double insert_ratio = -1;
  double erase_ratio = -1;
  bool huge_pages = false;  ///< the system granted them for most of the filter
  unsigned threads = 1;     ///< that share the lookups; inserts are by one
  double size_bytes = 0;
};

struct setup {
  std::vector<std::string> families;  ///< empty: all
  std::vector<std::uint64_t> items;
  std::vector<double> fprs;
  unsigned threads = 1;
  unsigned repetitions = 7;
};

/// Measures 64-bit keys; tells `each` a row as soon as it is there.
void run(setup const& what, std::function<void(row const&)> const& each);

/// The same on text: the members given, against keys that are not among them. One row a family. The texts are copied, so that
/// those of inserts, hits and misses lie in memory alike: see packed_texts.
void run_on_text(std::span<std::string_view const> members, std::span<std::string_view const> absent, double fpr,
                 std::function<void(row const&)> const& each);

}  // namespace hortus::bench
