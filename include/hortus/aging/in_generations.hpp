#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include <hortus/batch.hpp>
#include <hortus/concepts.hpp>
#include <hortus/plan/age_partitioned.hpp>

namespace hortus {

/// The goal of a filter with generations.
template <setting_note const& AboutGenerations>
struct window_goal {
  std::uint64_t items = 0;  ///< the window; with ticks, the most keys that come in it
  double fpr = 0.01;
  unsigned distinct = 1;     ///< 0: the window counts inserts, and repeated keys push others out; half the space
  std::uint64_t ticks = 0;   ///< not 0: the window is a time, in the unit of advance()
  unsigned generations = 0;  ///< 0: the plan chooses

  static void fields(auto& self, auto& io) {
    io("distinct", self.distinct,
       setting_note{"1: the window is of distinct keys; 0: of inserts, where repeated keys push others out, in half the space",
                    "0 or 1", "0"});
    io("ticks", self.ticks,
       setting_note{"a window of time instead of keys, in the unit of advance(); in the command milliseconds, and --window "
                    "10min sets it",
                    "1 to 2^64 - 1", "3600000"});
    io("generations", self.generations, AboutGenerations);
  }
  [[nodiscard]] plan::window_of window() const {
    if (distinct > 1) throw error(errc::bad_goal, "distinct is 1, for a window of distinct keys, or 0, for one of inserts");
    return ticks != 0 ? plan::window_of::time : distinct == 1 ? plan::window_of::distinct_keys : plan::window_of::inserts;
  }
  [[nodiscard]] std::uint64_t ticks_of(unsigned of_generations) const noexcept {  ///< of a generation
    return ticks / of_generations + (ticks % of_generations != 0 ? 1 : 0);
  }
};

/// The verbs of every filter that remembers keys by generations. The ring holds the slices of bits: a key is marked in the
/// youngest ones, and all grow older by a turn. The families (age_partitioned, blocked_aging) differ by their Ring.
template <class Ring>
class in_generations {
 public:
  static constexpr std::string_view name = Ring::name;
  static constexpr std::string_view room = "aging";
  static constexpr std::string_view summary = Ring::summary;
  static constexpr auto misses = false_negatives::by_age;
  static constexpr verb_set verbs = verb::insert | verb::insert_if_new | verb::advance | verb::may_contain;
  static constexpr verb_set kernels = verb::may_contain;
  static constexpr std::size_t block_keys = Ring::block_keys;

  using goal = window_goal<Ring::about_generations>;
  using params = typename Ring::params;

  static params plan(goal g) { return Ring::plan(g); }
  /// The rate at the end of a generation, which it does not exceed, however long the stream.
  static double planned_fpr(params p, std::uint64_t) { return Ring::planned_fpr(p); }
  static std::uint64_t planned_bytes(params p) { return Ring::planned_bytes(p); }
  static double lines_touched(params p) { return Ring::lines_touched(p); }

  in_generations() = default;  ///< the smallest valid one
  explicit in_generations(params p)
      : ring_(p), young_(p.young), generation_items_(p.generation_items), generation_ticks_(p.generation_ticks) {
    if (!valid())
      throw error(errc::bad_params, "an age-partitioned filter has at least one young generation, and as many more as are not");
  }

  void insert(digest x) noexcept {
    if (ring_.generation_of(x, young_) == Ring::none) put(x);
  }
  bool insert_if_new(digest x) noexcept {
    auto const generation = ring_.generation_of(x, ring_.generations() + 1);
    if (generation >= young_) put(x);
    return generation == Ring::none;
  }
  [[nodiscard]] bool may_contain(digest x) const noexcept {
    return ring_.generation_of(x, ring_.generations() + 1) != Ring::none;
  }
  void may_contain(std::span<digest const> xs, std::span<digest const> next, std::uint64_t* hits) const noexcept {
    ring_.find(xs, next, hits, ring_.generations() + 1);
  }
  /// The answers that may_contain() would give after advance(now), without a change: for readers that may not write. Any number
  /// of keys.
  void may_contain_at(std::uint64_t now, std::span<digest const> xs, std::uint64_t* hits) const noexcept {
    auto const over = turns(now);
    auto const end = over > ring_.generations() ? 0 : ring_.generations() + 1 - static_cast<unsigned>(over);
    if (end == 0) return void(std::fill_n(hits, mask_words(xs.size()), 0));
    in_blocks<access::lookup>(*this, xs, [&](auto block, auto next) {
      ring_.find(block, next, hits, end);
      hits += mask_words(block.size());
    });
  }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept { ring_.prefetch(x); }
  [[gnu::always_inline]] void prefetch_all(digest x) const noexcept requires requires(Ring const& ring) {
    ring.prefetch_all(x);
  }
  { ring_.prefetch_all(x); }

  /// Sets the time, in the unit of `ticks`; a filter starts at time 0. Ends the generations whose time is over. Keys count as
  /// inserted at the time set last. An earlier time than that is ignored. Throws errc::unsupported if the filter ages by its
  /// keys.
  void advance(std::uint64_t now) {
    if (generation_ticks_ == 0)
      throw error(errc::unsupported, "this filter ages by its keys: one that ages by time is planned with ticks");
    auto const over = turns(now);
    since_ += over * generation_ticks_;
    if (over >= ring_.slices() && ring_.empty()) return;  // as at the first call: nothing to forget
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
  [[nodiscard]] params shape() const noexcept { return ring_.shape(young_, generation_items_, generation_ticks_); }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return ring_.cells().size(); }
  [[nodiscard]] memory const& cells() const noexcept { return ring_.cells(); }
  bool operator==(in_generations const&) const = default;

  static void fields(auto& self, auto& io) {
    io(self.ring_, self.young_, self.generation_items_, self.generation_ticks_, self.count_, self.ended_, self.since_);
  }
  [[nodiscard]] bool valid() const noexcept {
    return ring_.valid() && young_ >= 1 && young_ <= ring_.generations() && generation_items_ >= 1 &&
           count_ <= generation_items_ && ended_ <= plan::max_slices;
  }

 private:
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

  Ring ring_;
  unsigned young_ = 1;
  std::uint64_t generation_items_ = 1;
  std::uint64_t generation_ticks_ = 0;
  std::uint64_t count_ = 0;  // keys put into the current generation; 0 where time ends it
  std::uint64_t ended_ = 0;  // generations that have ended; 64 means 64 or more
  std::uint64_t since_ = 0;  // when the current generation began
};

}  // namespace hortus
