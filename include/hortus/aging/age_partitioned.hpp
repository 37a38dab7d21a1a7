#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include <hortus/aging/slice_ring.hpp>
#include <hortus/batch.hpp>
#include <hortus/concepts.hpp>
#include <hortus/of_keys.hpp>
#include <hortus/plan/age_partitioned.hpp>

namespace hortus {

/// Age-partitioned Bloom filter: a ring of slices of bits. A key sets one bit in each of the youngest `probes` slices. With
/// every generation all slices grow older; the oldest is cleared and becomes the youngest. A key is found if its bits are set
/// in `probes` consecutive slices.
///
///     youngest  0   1   2   3   4   5   oldest           3 probes, 3 generations
///               #   #   #                                a key just inserted
///                           #   #   #                    three generations later; after one more only # # is left
///
/// Promise  no key of the window is missed, and the false-positive rate does not exceed fpr. The window is the last `items`
///          distinct keys; or, with distinct = 0, the last `items` inserts; or, with ticks, the last `ticks` of time before
///          the latest advance(now). For a window of time, at most `items` keys, evenly or in bursts, may come in any `ticks`
///          rounded up to whole generations; with more the rate rises.
/// Price    at a rate of 1 %, for each of the `items`: 40 bits for distinct keys, 21 for inserts, 27 for time. `probes` cache
///          misses for a member, about 5 for an absent key. More generations need less space and cost more misses.
/// Lacks    estimate and merge: the order of keys in two streams is not known.
/// Source   A. Shtul, C. Baquero, P. S. Almeida, "Age-partitioned Bloom filters", 2020. Windows of distinct keys are our own
///          addition; docs/maths.md says why they cost twice as much.
class age_partitioned {
 public:
  static constexpr std::string_view name = "age_partitioned";
  static constexpr std::string_view room = "aging";
  static constexpr std::string_view summary = "slices that grow old: a window of keys, inserts or time, at an even rate";
  static constexpr auto misses = false_negatives::by_age;
  static constexpr verb_set verbs = verb::insert | verb::insert_if_new | verb::advance | verb::may_contain;
  static constexpr verb_set kernels = verb::may_contain;
  static constexpr std::size_t block_keys = slice_ring::block_keys;

  struct goal {
    std::uint64_t items = 0;  ///< the window; with ticks, the most keys that come in it
    double fpr = 0.01;
    unsigned distinct = 1;     ///< 0: the window counts inserts, and repeated keys push others out; half the space
    std::uint64_t ticks = 0;   ///< not 0: the window is a time, in the unit of advance()
    unsigned generations = 0;  ///< 0: the plan chooses
    static void fields(auto& self, auto& io) {
      io("distinct", self.distinct,
         setting_note{
             "1: the window is of distinct keys; 0: of inserts, where repeated keys push others out, in half the space",
             "0 or 1", "0"});
      io("ticks", self.ticks,
         setting_note{"a window of time instead of keys, in the unit of advance(); in the command milliseconds, and --window "
                      "10min sets it",
                      "1 to 2^64 - 1", "3600000"});
      io("generations", self.generations,
         setting_note{
             "generations that are remembered besides the current one; by default few, where more would save little space",
             "1 to 63", "10"});
    }
  };
  struct params {
    std::uint64_t slice_bits = 0;
    unsigned probes = 0;
    unsigned generations = 0;            ///< remembered besides the current one
    unsigned young = 0;                  ///< a key found in one of the `young` youngest generations is not inserted again
    std::uint64_t generation_items = 0;  ///< with ticks: the most keys that come in a window
    std::uint64_t generation_ticks = 0;  ///< 0: a generation ends when its items are in
    bool operator==(params const&) const = default;
    static void fields(auto& self, auto& io) {
      io("slice_bits", self.slice_bits);
      io("probes", self.probes);
      io("generations", self.generations);
      io("young", self.young);
      io("generation_items", self.generation_items);
      io("generation_ticks", self.generation_ticks);
    }
  };

  static params plan(goal g) {
    if (g.distinct > 1) throw error(errc::bad_goal, "distinct is 1, for a window of distinct keys, or 0, for one of inserts");
    auto const what = g.ticks != 0      ? plan::window_of::time
                      : g.distinct == 1 ? plan::window_of::distinct_keys
                                        : plan::window_of::inserts;
    auto const shape = plan::age_partitioned({g.items, g.fpr}, what, g.generations);
    auto const ticks = g.ticks / shape.generations + (g.ticks % shape.generations != 0 ? 1 : 0);
    return {shape.slice_bits,       shape.probes, shape.generations, plan::young_generations(shape.generations, what),
            shape.generation_items, ticks};
  }
  /// The rate at the end of a generation, which it does not exceed, however long the stream.
  static double planned_fpr(params p, std::uint64_t) {
    return p.generation_ticks != 0 ? plan::age_partitioned_burst_fpr(layout(p)) : plan::age_partitioned_fpr(layout(p));
  }
  static std::uint64_t planned_bytes(params p) { return (p.slice_bits * (p.probes + p.generations) + 63) / 64 * 8; }
  static double lines_touched(params p) { return p.probes; }

  age_partitioned() = default;  ///< the smallest valid one: two slices of one bit
  explicit age_partitioned(params p)
      : ring_((plan::checked(layout(p)), p.slice_bits), p.probes, p.generations),
        young_(p.young),
        generation_items_(p.generation_items),
        generation_ticks_(p.generation_ticks) {
    if (!valid())
      throw error(errc::bad_params, "an age-partitioned filter has at least one young generation, and as many more as are not");
  }

  void insert(digest x) noexcept {
    if (ring_.generation_of(x, young_) == slice_ring::none) put(x);
  }
  bool insert_if_new(digest x) noexcept {
    auto const generation = ring_.generation_of(x, ring_.generations() + 1);
    if (generation >= young_) put(x);
    return generation == slice_ring::none;
  }
  [[nodiscard]] bool may_contain(digest x) const noexcept {
    return ring_.generation_of(x, ring_.generations() + 1) != slice_ring::none;
  }
  void may_contain(std::span<digest const> xs, std::span<digest const> next, std::uint64_t* hits) const noexcept {
    ring_.find(xs, hits, ring_.generations() + 1);
    for (auto const x : next) prefetch(x);
  }
  /// The answers that may_contain() would give after advance(now), without a change: for readers that may not write. Any number
  /// of keys.
  void may_contain_at(std::uint64_t now, std::span<digest const> xs, std::uint64_t* hits) const noexcept {
    auto const over = turns(now);
    auto const end = over > ring_.generations() ? 0 : ring_.generations() + 1 - static_cast<unsigned>(over);
    if (end == 0) return void(std::fill_n(hits, mask_words(xs.size()), 0));
    in_blocks<access::lookup>(*this, xs, [&](auto block, auto next) {
      ring_.find(block, hits, end);
      for (auto const x : next) prefetch(x);
      hits += mask_words(block.size());
    });
  }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept { ring_.prefetch(x); }
  [[gnu::always_inline]] void prefetch_all(digest x) const noexcept { ring_.prefetch_all(x); }

  /// Sets the time, in the unit of `ticks`; a filter starts at time 0. Ends the generations whose time is over. Keys count as
  /// inserted at the time set last. An earlier time than that is ignored. Throws errc::unsupported if the filter ages by its
  /// keys.
  void advance(std::uint64_t now) {
    if (generation_ticks_ == 0)
      throw error(errc::unsupported, "this filter ages by its keys: one that ages by time is planned with ticks");
    auto const over = turns(now);
    since_ += over * generation_ticks_;
    if (over >= ring_.slices() && ring_.bits().ones() == 0) return;  // empty, as at the first call: nothing to forget
    for (auto left = std::min<std::uint64_t>(over, ring_.slices()); left != 0; --left) next_generation();
  }

  [[nodiscard]] bool ages_by_time() const noexcept { return generation_ticks_ != 0; }
  [[nodiscard]] std::uint64_t time() const noexcept { return since_; }  ///< when the current generation began
  /// The number of generations that advance(now) would end. 0: it would change nothing.
  [[nodiscard]] std::uint64_t turns(std::uint64_t now) const noexcept {
    return generation_ticks_ == 0 || now < since_ ? 0 : (now - since_) / generation_ticks_;
  }

  [[nodiscard]] double fpr() const { return ring_.fpr(); }
  /// Have more generations ended than are remembered?
  [[nodiscard]] bool has_forgotten() const noexcept { return ended_ > ring_.generations(); }

  void clear() noexcept {
    ring_.clear();
    count_ = ended_ = since_ = 0;
  }
  [[nodiscard]] params shape() const noexcept {
    return {ring_.slice_bits(), ring_.probes(), ring_.generations(), young_, generation_items_, generation_ticks_};
  }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return ring_.bits().size_bytes(); }
  [[nodiscard]] memory const& cells() const noexcept { return ring_.bits().cells(); }
  bool operator==(age_partitioned const&) const = default;

  static void fields(auto& self, auto& io) {
    io(self.ring_, self.young_, self.generation_items_, self.generation_ticks_, self.count_, self.ended_, self.since_);
  }
  [[nodiscard]] bool valid() const noexcept {
    return ring_.valid() && young_ >= 1 && young_ <= ring_.generations() && generation_items_ >= 1 &&
           count_ <= generation_items_ && ended_ <= plan::max_slices;
  }

 private:
  static plan::age_partitioned_shape layout(params p) noexcept {
    return {p.slice_bits, p.probes, p.generations, p.generation_items};
  }
  void put(digest x) noexcept {
    if (count_ == generation_items_) next_generation();
    if (generation_ticks_ == 0) ++count_;
    ring_.mark(x);
  }
  void next_generation() noexcept {
    ring_.turn();
    count_ = 0;
    ended_ = std::min<std::uint64_t>(ended_ + 1, plan::max_slices);
  }

  slice_ring ring_;
  unsigned young_ = 1;
  std::uint64_t generation_items_ = 1;
  std::uint64_t generation_ticks_ = 0;
  std::uint64_t count_ = 0;  // keys put into the current generation; 0 where time ends it
  std::uint64_t ended_ = 0;  // generations that have ended; 64 means 64 or more
  std::uint64_t since_ = 0;  // when the current generation began
};

using age_partitioned_filter = of_keys<age_partitioned>;

}  // namespace hortus
