#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hortus/batch.hpp>
#include <hortus/concepts.hpp>
#include <hortus/growing/undecided.hpp>
#include <hortus/plan/growing.hpp>

namespace hortus {

/// What tells one growing filter from another: how large each stage is and how strict.
template <class G>
concept growth_policy = std::equality_comparable<G> && requires(G const g, typename G::goal wish, std::uint64_t items) {
  { G::name } -> std::convertible_to<std::string_view>;
  { G::summary } -> std::convertible_to<std::string_view>;
  { G::keeps_fpr } -> std::convertible_to<bool>;     // for ever, however many keys come
  { G::of(wish) } -> std::same_as<G>;                // throws errc::bad_goal
  { g.first() } -> std::same_as<std::uint64_t>;      // keys that the first stage takes
  { g.next(items) } -> std::same_as<std::uint64_t>;  // and the one after a stage for so many
  { g.fpr_of(items) } -> std::same_as<double>;       // the rate of a stage that takes so many
  { g.is_stage(items) } -> std::same_as<bool>;       // is there a stage that does?
  { g.valid() } -> std::same_as<bool>;
};

/// What stages may be made of: filters that take every key and tell new ones.
template <class F>
concept stage_layer = noticing<F> && membership<F> && makeable<F> && storable<F> && std::equality_comparable<F> &&
    requires(F& f, digest x) {
  { f.insert(x) } -> std::same_as<void>;
};

/// What a layer counts with, if it counts.
template <class Layer>
struct count_of_layer {
  using type = std::uint64_t;
};
template <countable Layer>
struct count_of_layer<Layer> {
  using type = count_type<Layer>;
};

/// The verbs of every filter that grows by stages: when the newest stage has the keys it was planned for, a new key opens the
/// next one. Nothing is moved or hashed again, and there is never a stage without keys but the first. The families (scalable,
/// dynamic) differ by their Growth.
///
/// A key that some stage reports is not new: it takes no room, so that repeats open no stage. Where the Layer erases, it is
/// inserted again into the oldest stage that reports it, and erased from there. That is the right one, always: only the newest
/// stage gets cells above zero that were zero; what is closed only loses some. So a stage older than the one that x is in, and
/// that reports x now, did so when x came, and x would have gone there. (Guo et al. insert into the newest stage without asking
/// the others; then several may report x, and erasing must be refused. Merging two stages that are nearly empty, which they
/// allow, would give a closed stage new cells: not done here.) A stage goes with its last key.
template <growth_policy Growth, stage_layer Layer>
class in_stages {
  static constexpr bool erases = erasable<Layer>;
  using counted = typename count_of_layer<Layer>::type;

 public:
  static constexpr std::string_view name = Growth::name;
  static constexpr std::string_view room = "growing";
  static constexpr std::string_view summary = Growth::summary;
  static constexpr auto misses = Layer::misses;
  static constexpr verb_set verbs = verb::insert | verb::insert_if_new | verb::may_contain | verb::estimate |
                                    (erases ? verb::erase | verb::count : verb_set());
  static constexpr verb_set kernels =
      verb::insert | verb::insert_if_new | verb::may_contain | (erases ? verb::erase | verb::count : verb_set());
  static constexpr bool keeps_fpr = Growth::keeps_fpr;
  static constexpr bool never_undercounts = [] {
    if constexpr (countable<Layer>)
      return hortus::never_undercounts<Layer>;
    else
      return false;
  }();
  static constexpr bool erase_restores = [] {
    if constexpr (erases)
      return hortus::erase_restores<Layer>;
    else
      return false;
  }();
  /// Many, because each stage looks up those of a block that the ones before it left, and asks memory for them by itself.
  static constexpr std::size_t block_keys = 1024;
  /// Files have 256 sections, and a layer up to four. The last stage takes all further keys.
  static constexpr std::size_t max_stages = 64;

  using goal = typename Growth::goal;
  struct params {
    Growth growth = {};
    typename Layer::params first = {};  ///< of the first stage
    bool operator==(params const&) const = default;
    static void fields(auto& self, auto& io) {
      Growth::fields(self.growth, io);
      Layer::params::fields(self.first, io);
    }
  };

  static params plan(goal g) {
    auto const growth = Growth::of(g);
    return {growth, plan_layer(growth, growth.first())};
  }
  /// With so many distinct keys in as many stages as they open.
  static double planned_fpr(params p, std::uint64_t items) {
    plan::compound_fpr all;
    auto capacity = p.growth.first();
    for (std::uint64_t full = 0; items > capacity && full < max_stages - 1;) {
      auto const next = p.growth.next(capacity);
      auto const alike = next == capacity ? std::min((items - 1) / capacity, max_stages - 1 - full) : 1;
      all.add(Layer::planned_fpr(p.first, capacity), alike);
      full += alike;
      items -= alike * capacity;
      if (next != capacity) p.first = plan_layer(p.growth, next);
      capacity = next;
    }
    all.add(Layer::planned_fpr(p.first, items));
    return all.value();
  }
  static std::uint64_t planned_bytes(params p) { return Layer::planned_bytes(p.first); }
  static double lines_touched(params p) { return Layer::lines_touched(p.first); }  ///< while there is one stage

  in_stages() : stages_(1) { stages_.front().capacity = growth_.first(); }  ///< the smallest valid one
  explicit in_stages(params p) : growth_(p.growth) {
    stages_.push_back(stage{Layer(p.first), growth_.first()});
    if (!valid()) throw error(errc::bad_params, "the first stage of a " + std::string(name) + " filter must keep its rate");
  }

  /// May allocate: when a stage is opened, and where the Layer does. If that fails nothing has changed; errc::full when no
  /// larger stage is possible.
  void insert(digest x) { (void)insert_if_new(x); }
  bool insert_if_new(digest x) {
    if (auto const at = holder(x); at != stages_.size()) {
      if constexpr (erases) stages_[at].insert(x);
      return false;
    }
    if (space_left() != 0) {
      stages_.back().insert_new(x);
    } else {
      auto next = next_stage();
      next.insert_new(x);
      stages_.push_back(std::move(next));
    }
    return true;
  }
  [[nodiscard]] bool may_contain(digest x) const noexcept { return holder(x) != stages_.size(); }
  bool erase(digest x) noexcept requires erases {
    auto const at = holder(x);
    if (at == stages_.size() || !stages_[at].erase(x)) return false;
    if (stages_[at].copies == 0 && stages_.size() > 1) stages_.erase(stages_.begin() + static_cast<std::ptrdiff_t>(at));
    return true;
  }
  [[nodiscard]] counted count(digest x) const noexcept requires countable<Layer> {
    auto const at = holder(x);
    return at == stages_.size() ? counted{0} : stages_[at].filter.count(x);
  }

  std::size_t insert(std::span<digest const> xs, std::span<digest const>) {
    insert_block(xs, [](std::size_t, bool) {});
    return xs.size();
  }
  void insert_if_new(std::span<digest const> xs, std::span<digest const>, std::uint64_t* fresh) {
    std::fill_n(fresh, (xs.size() + 63) / 64, 0);
    insert_block(xs, [&](std::size_t place, bool is_new) { fresh[place / 64] |= std::uint64_t{is_new} << (place % 64); });
  }
  void may_contain(std::span<digest const> xs, std::span<digest const>, std::uint64_t* hits) const noexcept {
    std::fill_n(hits, (xs.size() + 63) / 64, 0);
    undecided<block_keys> rest(xs);
    for (std::size_t i = 0; i < stages_.size() && !rest.empty(); ++i) {
      bits found;
      may_contain_all(stages_[in_turn(i, stages_.size())].filter, rest.keys(), found.data());
      rest.decide(found, [&](std::size_t place, digest, std::size_t) { hits[place / 64] |= std::uint64_t{1} << (place % 64); });
    }
  }
  /// One by one, because each may change what the next one finds; but memory was asked for all of them before.
  std::size_t erase(std::span<digest const> xs, std::span<digest const> next) noexcept requires erases {
    bits found;
    may_contain(xs, next, found.data());
    std::size_t erased = 0;
    for (std::size_t i = 0; i < xs.size(); ++i)
      if ((found[i / 64] >> (i % 64) & 1) != 0) erased += erase(xs[i]) ? 1U : 0U;
    return erased;
  }
  void count(std::span<digest const> xs, std::span<digest const>, counted* counts) const noexcept requires countable<Layer> {
    std::fill_n(counts, xs.size(), 0);
    undecided<block_keys> rest(xs);
    for (std::size_t i = 0; i < stages_.size() && !rest.empty(); ++i) {
      std::array<counted, block_keys> here;
      bits found{};
      std::size_t k = 0;
      for_each_count(stages_[in_turn(i, stages_.size())].filter, rest.keys(), [&](auto c) {
        found[k / 64] |= std::uint64_t{c != 0} << (k % 64);
        here[k++] = c;
      });
      rest.decide(found, [&](std::size_t place, digest, std::size_t at) { counts[place] = here[at]; });
    }
  }

  [[nodiscard]] double fpr() const {
    plan::compound_fpr all;
    for (auto const& s : stages_) all.add(s.filter.fpr());
    return all.value();
  }
  [[nodiscard]] plan::estimate estimate() const requires estimating<Layer> {
    std::vector<plan::stage_content> contents;
    for (auto const& s : stages_) contents.push_back({s.filter.estimate(), s.filter.fpr()});
    return plan::stages_cardinality(contents);
  }
  /// Counters at their maximum: they no longer fall.
  [[nodiscard]] std::uint64_t saturations() const noexcept requires requires(Layer const& l) { l.saturations(); }
  {
    std::uint64_t counters = 0;
    for (auto const& s : stages_) counters += s.filter.saturations();
    return counters;
  }
  static constexpr std::uint64_t max_count() noexcept requires requires { Layer::max_count(); }
  { return Layer::max_count(); }
  [[nodiscard]] std::size_t stages() const noexcept { return stages_.size(); }

  /// Back to the first stage.
  void clear() {
    if (stages_.front().capacity == growth_.first())
      stages_.front().filter.clear();
    else
      stages_.front().filter = Layer(first_shape());
    stages_.front() = {std::move(stages_.front().filter), growth_.first()};
    stages_.erase(stages_.begin() + 1, stages_.end());
  }
  [[nodiscard]] params shape() const { return {growth_, first_shape()}; }
  [[nodiscard]] std::size_t size_bytes() const noexcept {
    std::size_t bytes = 0;
    for (auto const& s : stages_) bytes += s.filter.size_bytes();
    return bytes;
  }
  /// Of the newest stage.
  [[nodiscard]] memory const& cells() const noexcept requires requires(Layer const& l) { l.cells(); }
  { return stages_.back().filter.cells(); }
  bool operator==(in_stages const&) const = default;

  static void fields(auto& self, auto& io) {
    io.constant(name_id(Layer::name), "kind of filter for its stages");
    auto const nameless = [&](std::string_view, auto& field) { io(field); };
    Growth::fields(self.growth_, nameless);
    io.list(self.stages_, max_stages);
  }
  /// Plans are not made again to compare: another machine's logarithms may differ in the last digit. But a stage must be large
  /// enough for its keys, so that what a file claims does not make the next one out of proportion to what is there.
  [[nodiscard]] bool valid() const {
    if (!growth_.valid() || stages_.empty() || stages_.size() > max_stages) return false;
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      auto const& s = stages_[i];
      if (!s.filter.valid() || !growth_.is_stage(s.capacity) || !follows(i) || !keys_fit(i)) return false;
      bool const like_first = i != 0 && s.capacity == stages_.front().capacity;
      if (like_first ? s.filter.shape() != stages_.front().filter.shape() : !keeps_rate(s)) return false;
    }
    return true;
  }

 private:
  using bits = typename undecided<block_keys>::bits;

  struct stage {
    Layer filter;
    std::uint64_t capacity = 0;
    std::uint64_t keys = 0;    // distinct ones that it took
    std::uint64_t copies = 0;  // inserts minus erases, where the Layer erases
    bool operator==(stage const&) const = default;

    /// Past this nobody counts; a file may say so many, and numbers that wrapped around would be no file's.
    static constexpr std::uint64_t most = ~std::uint64_t{0} >> 1;
    void note(std::uint64_t new_keys, std::uint64_t inserts) noexcept {
      keys = std::min(keys + new_keys, most);
      if constexpr (erases) copies = std::min(copies + inserts, most);
    }
    void insert(digest x) {
      filter.insert(x);
      note(0, 1);
    }
    void insert_new(digest x) {
      filter.insert(x);
      note(1, 1);
    }
    /// A key that is taken for others is not counted as one when it comes, nor, as often, when it goes: `keys` keeps near the
    /// truth, and is never more than there are copies.
    bool erase(digest x) noexcept {
      if (!filter.erase(x)) return false;
      if (copies != 0) --copies;  // 0 only by misuse
      if (keys != 0 && !filter.may_contain(x)) --keys;
      keys = std::min(keys, copies);
      return true;
    }

    static void fields(auto& self, auto& io) {
      io(self.capacity, self.keys);
      if constexpr (erases) io(self.copies);
      io(self.filter);
    }
  };

  static typename Layer::params plan_layer(Growth const& growth, std::uint64_t capacity) {
    typename Layer::goal g;
    g.items = capacity;
    g.fpr = growth.fpr_of(capacity);
    return Layer::plan(g);
  }
  /// Equal stages have equal shapes.
  [[nodiscard]] typename Layer::params shape_for(std::uint64_t capacity) const {
    auto const& oldest = stages_.front();
    return capacity == oldest.capacity ? oldest.filter.shape() : plan_layer(growth_, capacity);
  }
  [[nodiscard]] typename Layer::params first_shape() const { return shape_for(growth_.first()); }
  /// Is stage i as large as one after stage i - 1? Where keys are erased there may have been others in between.
  [[nodiscard]] bool follows(std::size_t i) const {
    auto const least = i == 0 ? growth_.first() : growth_.next(stages_[i - 1].capacity);
    return erases ? stages_[i].capacity >= least : stages_[i].capacity == least;
  }
  /// Can stage i have so many keys? What never erases closes a stage when it is full. How many came is history, which cells
  /// do not tell, so a file is believed: it decides when a stage is opened or goes, and whatever it says all that is written
  /// later can be read again.
  [[nodiscard]] bool keys_fit(std::size_t i) const {
    auto const& s = stages_[i];
    bool const only = stages_.size() == 1;
    if (std::max(s.keys, s.copies) > stage::most) return false;
    if (erases) return s.keys <= s.copies && (only || s.copies != 0);
    if (i + 1 != stages_.size()) return s.keys == s.capacity;
    return (only || s.keys != 0) && (s.keys <= s.capacity || stages_.size() == max_stages);
  }
  /// Is it about as large as its keys need? Where the next stage is like it, that is nobody's harm.
  [[nodiscard]] bool keeps_rate(stage const& s) const {
    if (growth_.next(s.capacity) == s.capacity) return true;
    auto const shape = s.filter.shape();
    double const rate = growth_.fpr_of(s.capacity);
    // No filter does with fewer bits than log2(1/rate) a key: past that the rate is not worth computing.
    return 8 * static_cast<double>(Layer::planned_bytes(shape)) >= static_cast<double>(s.capacity) * -std::log2(rate) &&
           Layer::planned_fpr(shape, s.capacity) <= 1.01 * rate;
  }

  /// Where to look, in turn: oldest first where keys are erased from the oldest that has them; otherwise the newest first,
  /// which has the most.
  static constexpr std::size_t in_turn(std::size_t i, std::size_t all) noexcept { return erases ? i : all - 1 - i; }
  /// The first stage in turn that reports x, or stages_.size(). Memory is asked for all of them first: most will be looked at.
  [[nodiscard]] std::size_t holder(digest x) const noexcept {
    if (stages_.size() > 1)
      for (auto const& s : stages_) ask_for<access::lookup>(s.filter, x);
    for (std::size_t i = 0; i < stages_.size(); ++i)
      if (auto const at = in_turn(i, stages_.size()); stages_[at].filter.may_contain(x)) return at;
    return stages_.size();
  }

  /// How many new keys the newest stage takes.
  [[nodiscard]] std::uint64_t space_left() const noexcept {
    if (stages_.size() == max_stages) return ~std::uint64_t{0};
    auto const& newest = stages_.back();
    return newest.capacity - std::min(newest.capacity, newest.keys);
  }
  [[nodiscard]] stage next_stage() const {
    try {
      auto const capacity = growth_.next(stages_.back().capacity);
      return {Layer(shape_for(capacity)), capacity};
    } catch (error const& e) {
      throw error(errc::full, "the " + std::string(name) + " filter cannot grow any more: " + e.what());
    }
  }

  /// What insert_if_new does with each, tell(place, is it new?) for those that no closed stage has. Looking all up in a closed
  /// stage before any goes in is the same as one by one, for inserts do not change what a closed stage reports.
  void insert_block(std::span<digest const> xs, auto tell) {
    undecided<block_keys> rest(xs);
    auto const closed = stages_.size() - 1;
    for (std::size_t i = 0; i < closed && !rest.empty(); ++i) insert_again(stages_[in_turn(i, closed)], rest);
    for (rest.drop_decided(); !rest.empty(); rest.drop_decided()) {
      if (space_left() == 0) {
        insert_again(stages_.back(), rest);
        if (!rest.empty()) stages_.push_back(next_stage());
        continue;
      }
      auto const some = rest.keys().first(static_cast<std::size_t>(std::min<std::uint64_t>(space_left(), rest.keys().size())));
      auto& newest = stages_.back();
      newest.note(some.size(), some.size());  // before they go in: if memory fails it is too full, and not dropped too early
      bits fresh;
      insert_if_new_all(newest.filter, some, fresh.data());
      rest.decide_first(some.size(), fresh, [&](std::size_t place, bool is_new) {
        newest.keys -= is_new ? 0U : 1U;
        tell(place, is_new);
      });
    }
  }
  /// Decides those that the stage reports, and where it counts inserts them there.
  void insert_again(stage& s, undecided<block_keys>& rest) {
    bits found;
    may_contain_all(s.filter, rest.keys(), found.data());
    std::array<digest, erases ? block_keys : 1> again;
    std::size_t count = 0;
    rest.decide(found, [&](std::size_t, digest x, std::size_t) {
      if constexpr (erases) again[count++] = x;
    });
    if (count == 0) return;
    s.note(0, count);
    insert_all(s.filter, std::span<digest const>(again).first(count));
  }

  Growth growth_;
  memory_vector<stage> stages_;  // oldest first
};

}  // namespace hortus
