#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

#include <hortus/cells/counted_keys.hpp>
#include <hortus/concepts.hpp>
#include <hortus/hash/kept_key.hpp>
#include <hortus/of_keys.hpp>
#include <hortus/plan/goal.hpp>
#include <hortus/plan/space_saving.hpp>
#include <hortus/top_keys.hpp>

namespace hortus {

/// Space-Saving: the most frequent keys of a stream, with their counts. It has as many counters as fit a given number of bytes.
/// A key without a counter replaces the one with the least count, and inherits that count as its possible error.
///
///     ada 41   eve 17   bob 9 (3 too high)   kim 5 (4 too high)     joe comes: kim's counter becomes joe 6 (5 too high)
///
/// Promise  every key that makes up more than 1/counters of the stream has a counter. A count is never below the true count,
///          and above it by at most its error; no error is more than 1/counters of the stream. A key without a counter was
///          inserted at most as often as the count of the last evicted key, and that is its count. Exact while all keys have a
///          counter. All of this also holds after merge, whose sketch is as good as one of the whole stream, and for every
///          stream. The only exception is two keys with the same 64-bit digest, because keys are compared by digest.
/// Price    a counter takes 74 bytes and 10 more for each 8-byte word of the key. Of a key longer than key_bytes only
///          the first key_bytes and the length are kept; it is counted as usual and shown as cut. The space is planned for keys
///          of key_bytes; shorter keys leave space for more counters. One or two cache misses a key.
/// Lacks    counts of rare keys (count_min has them), erase (count_min), may_contain (counting).
/// Source   A. Metwally, D. Agrawal, A. El Abbadi, "Efficient computation of frequent and top-k elements in data streams",
///          ICDT 2005; merge by P. Agarwal, G. Cormode, Z. Huang, J. Phillips, Z. Wei, K. Yi, "Mergeable summaries", PODS 2012.
///
/// If several counters have the least count, the first in the array is evicted, and the new key takes its place. The search
/// continues from the last evicted counter. A pass over the array ends when no counter is as low any more. By then at least
/// as many keys were inserted as there are counters, so a key costs a constant number of steps on average, without lists or
/// heaps to keep in order.
class space_saving {
 public:
  static constexpr std::string_view name = "space_saving";
  static constexpr std::string_view room = "sketch";
  static constexpr std::string_view summary = "the most frequent keys themselves, with counts that are never too low";
  static constexpr auto misses = false_negatives::never;
  static constexpr verb_set verbs = verb::insert | verb::insert_times | verb::count | verb::top | verb::merge;
  static constexpr verb_set kernels = {};
  static constexpr bool never_undercounts = true;
  static constexpr bool keeps_fpr = true;        ///< for any length of the stream and any number of keys
  static constexpr bool merge_is_union = false;  ///< the merged sketch keeps the promise, but may have other counters

  struct goal {
    std::uint64_t items = 0;  ///< only a hint: any number of distinct keys is possible
    double fpr = 0.01;        ///< how much too high a count may be, as a share of the stream
    std::uint64_t key_bytes = 256;
    static void fields(auto& self, auto& io) {
      io("key_bytes", self.key_bytes,
         setting_note{"bytes that are kept of a key at most; longer keys are counted as usual, and shown cut", "8 to 1048576",
                      "1024"});
    }
  };
  using params_base = plan::space_saving_shape;
  struct params : params_base {
    static void fields(auto& self, auto& io) {
      io("counters", plan::counters_in(self));  // at least; more if keys are shorter
      io("key_bytes", self.key_bytes);
    }
    bool operator==(params const&) const = default;
  };

  static params plan(goal g) { return {plan::space_saving(g.items, g.fpr, g.key_bytes)}; }
  static double planned_fpr(params p, std::uint64_t) { return plan::space_saving_error(p); }
  static std::uint64_t planned_bytes(params p) { return p.room; }
  static double lines_touched(params) { return 2; }

  space_saving()
      : space_saving(params{{plan::counter_bytes(plan::least_key_bytes), plan::least_key_bytes}}) {}  ///< one counter
  explicit space_saving(params p) : shape_{plan::checked(p)} {}

  void insert(digest x) { insert(x, kept_key(), 1); }
  void insert(digest x, std::uint64_t times) { insert(x, kept_key(), times); }  ///< the same as `times` inserts
  /// The same for a key whose bytes are known. The bytes that are kept are those given when the key got its counter.
  void insert(digest x, kept_key const& key, std::uint64_t times = 1) {
    if (times == 0) return;
    if (auto* const found = counters_.find(x); found != nullptr) {
      found->count = sum(found->count, times);
    } else {
      auto const part = part_of(key);
      auto const cost = plan::counter_bytes(part.bytes.size());
      counters_.reserve(part.bytes.size());  // the last call that may throw
      auto* const place = push_out_for(cost);
      // The key may have had a counter before, and been evicted: then its count was at most pushed_out_.
      counted_keys::entry const fresh{x.bits(), sum(pushed_out_, times), pushed_out_, part};
      place != nullptr ? counters_.replace(place, fresh) : counters_.insert(fresh);
      used_ += cost;
    }
    inserted_ = sum(inserted_, times);
  }
  static constexpr bool keeps_keys() noexcept { return true; }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept { counters_.prefetch(x); }
  [[gnu::always_inline]] void prefetch_kept(digest x) const noexcept { prefetch(x); }

  /// For a key without a counter, the largest count that it can have.
  [[nodiscard]] std::uint64_t count(digest x) const noexcept {
    auto const* const found = counters_.find(x);
    return found == nullptr ? pushed_out_ : found->count;
  }
  /// The `wanted` keys with the largest counts, the largest first.
  [[nodiscard]] top_keys top(std::uint64_t wanted) const;

  [[nodiscard]] std::uint64_t inserted() const noexcept { return inserted_; }          ///< the length of the stream
  [[nodiscard]] std::uint64_t others_at_most() const noexcept { return pushed_out_; }  ///< no error is larger
  [[nodiscard]] std::uint64_t counters() const noexcept { return counters_.size(); }   ///< in use

  /// As if the other's stream had followed this one. Throws errc::incompatible and changes nothing if the shapes differ.
  void merge(space_saving const& other);

  void clear() noexcept { *this = space_saving(shape_); }
  [[nodiscard]] params shape() const noexcept { return shape_; }
  /// The most that it may take, besides the key being inserted. It takes less while there are few counters.
  [[nodiscard]] std::size_t size_bytes() const noexcept { return shape_.room; }
  [[nodiscard]] std::size_t allocated_bytes() const noexcept { return counters_.allocated_bytes(); }
  bool operator==(space_saving const& other) const noexcept {
    return shape_ == other.shape_ && pushed_out_ == other.pushed_out_ && inserted_ == other.inserted_ &&
           counters_ == other.counters_;
  }

  static void fields(space_saving const& self, auto& out) {
    out(self.shape_.room, self.shape_.key_bytes, self.pushed_out_, self.inserted_);
    out.made(self.counters_.counters_in_order());
    out.made(self.counters_.keys_in_order());
  }
  static void fields(space_saving& self, auto& in) {
    memory counters;
    memory keys;
    in(self.shape_.room, self.shape_.key_bytes, self.pushed_out_, self.inserted_, counters, keys);
    self.restore(counters, keys);
  }
  [[nodiscard]] bool valid() const noexcept { return plan::is_valid(shape_) && used_ <= shape_.room; }

 private:
  static constexpr std::uint64_t sum(std::uint64_t a, std::uint64_t b) noexcept {
    return a + std::min(b, std::numeric_limits<std::uint64_t>::max() - a);
  }
  [[nodiscard]] counted_keys::key_part part_of(kept_key const& key) const noexcept {
    return {key.bytes.first(std::min<std::size_t>(key.bytes.size(), shape_.key_bytes)),
            std::min<std::uint64_t>(key.bytes.size(), counted_keys::max_length), key.kind};
  }
  [[nodiscard]] counted_keys::counter* push_out_for(std::uint64_t cost) noexcept;
  [[nodiscard]] counted_keys::counter* least() noexcept;
  void restore(memory const& counters, memory const& keys);

  params shape_;
  std::uint64_t pushed_out_ = 0;  ///< the largest evicted count; no counter is below it
  std::uint64_t inserted_ = 0;
  std::uint64_t used_ = 0;  ///< bytes of the room
  std::uint64_t hand_ = 0;  ///< no counter before this number has the count pushed_out_; not stored in files, 0 is valid
  counted_keys counters_;
};

using space_saving_sketch = of_keys<space_saving>;

}  // namespace hortus
