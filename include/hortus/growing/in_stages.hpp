#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <hortus/batch.hpp>
#include <hortus/bitmask.hpp>
#include <hortus/concepts.hpp>
#include <hortus/growing/growth_policy.hpp>
#include <hortus/growing/stage.hpp>
#include <hortus/growing/undecided.hpp>
#include <hortus/growing/valid_stages.hpp>
#include <hortus/maths/stages.hpp>

namespace hortus {

/// The verbs of every filter that grows by stages. When the newest stage has the keys it was planned for, the next new key
/// opens another one. Keys are never moved or hashed again, and only the first stage can be empty. The families (scalable,
/// dynamic) differ by their Growth.
///
/// A key that some stage reports is not new and takes no room, so repeats open no stage. If the Layer can erase, a repeat is
/// inserted into the oldest stage that reports it, and erased from there.
///
/// Invariant: a closed stage never sets a cell that was zero. Hence, if a stage older than x's own reports x now, it already
/// reported x when x was inserted, and x would have been put there. So the oldest stage that reports x is the one that holds
/// it. (Guo et al. insert into the newest stage without asking the others. Then several stages may report x, and erasing must
/// be refused. They also merge two nearly empty stages, which would set cells of a closed one: not done here.) A stage is
/// dropped with its last key.
template <growth_policy Growth, stage_layer Layer>
class in_stages {
  static constexpr bool erases = erasable<Layer>;
  using counted = typename count_of_layer<Layer>::type;
  using rate_of_all = std::conditional_t<stages_disjoint<Layer>, plan::disjoint_fpr, plan::compound_fpr>;

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
  /// Large, because each stage looks up only the keys that the stages before it left undecided, as a batch with its own
  /// prefetches.
  static constexpr std::size_t block_keys = 1024;
  static constexpr std::size_t max_stages = hortus::max_stages;

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
    return {growth, plan_layer<Layer>(growth, growth.first())};
  }
  /// The rate with `items` distinct keys, in the stages that they open.
  static double planned_fpr(params p, std::uint64_t items) {
    rate_of_all all;
    auto capacity = p.growth.first();
    for (std::uint64_t full = 0; items > capacity && full < max_stages - 1;) {
      auto const next = p.growth.next(capacity);
      auto const alike = next == capacity ? std::min((items - 1) / capacity, max_stages - 1 - full) : 1;
      all.add(Layer::planned_fpr(p.first, capacity), alike);
      full += alike;
      items -= alike * capacity;
      if (next != capacity) p.first = plan_layer<Layer>(p.growth, next);
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

  /// May allocate, when it opens a stage and where the Layer does. If that fails, nothing has changed. Throws errc::full if no
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
    insert_block(xs, nullptr);
    return xs.size();
  }
  void insert_if_new(std::span<digest const> xs, std::span<digest const>, std::uint64_t* fresh) {
    std::fill_n(fresh, mask_words(xs.size()), 0);
    insert_block(xs, fresh);
  }
  void may_contain(std::span<digest const> xs, std::span<digest const>, std::uint64_t* hits) const noexcept {
    may_contain_all(stages_[in_turn(0, stages_.size())].filter, xs, hits);
    if (stages_.size() == 1) return;
    undecided<block_keys> rest(xs, hits);
    for (std::size_t i = 1; i < stages_.size() && !rest.empty(); ++i) {
      bits found;
      may_contain_all(stages_[in_turn(i, stages_.size())].filter, rest.keys(), found.data());
      rest.decide(found, [&](std::size_t place, digest, std::size_t) { hits[place / 64] |= std::uint64_t{1} << (place % 64); });
    }
  }
  /// Erases one key after the other, because each erase may change the answer for the next. The lookup of the whole block
  /// before has brought its cells into the cache.
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
    rate_of_all all;
    for (auto const& s : stages_) all.add(s.filter.fpr());
    return all.value();
  }
  [[nodiscard]] plan::estimate estimate() const requires estimating<Layer> {
    std::vector<plan::stage_content> contents;
    for (auto const& s : stages_) contents.push_back({s.filter.estimate(), s.filter.fpr()});
    return plan::stages_cardinality<rate_of_all>(contents);
  }
  /// The number of counters at their maximum, which erase() no longer lowers.
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
  /// The cells of the newest stage.
  [[nodiscard]] memory const& cells() const noexcept requires requires(Layer const& l) { l.cells(); }
  { return stages_.back().filter.cells(); }
  bool operator==(in_stages const&) const = default;

  static void fields(auto& self, auto& io) {
    io.constant(name_id(Layer::name), "kind of filter for its stages");
    auto const nameless = [&](std::string_view, auto& field) { io(field); };
    Growth::fields(self.growth_, nameless);
    io.list(self.stages_, max_stages);
  }
  [[nodiscard]] bool valid() const { return valid_stages<Layer>(growth_, stages_); }

 private:
  using bits = typename undecided<block_keys>::bits;
  using stage = hortus::stage<Layer>;

  /// Takes the shape of the oldest stage if its capacity is the same, so that equal stages have equal shapes.
  [[nodiscard]] typename Layer::params shape_for(std::uint64_t capacity) const {
    auto const& oldest = stages_.front();
    return capacity == oldest.capacity ? oldest.filter.shape() : plan_layer<Layer>(growth_, capacity);
  }
  [[nodiscard]] typename Layer::params first_shape() const { return shape_for(growth_.first()); }
  /// The order in which stages are searched. If the Layer can erase, the oldest stage comes first, because keys are erased from
  /// the oldest stage that reports them. Otherwise the newest comes first, because it has the most keys.
  static constexpr std::size_t in_turn(std::size_t i, std::size_t all) noexcept { return erases ? i : all - 1 - i; }
  /// The first stage in that order that reports x, or stages_.size(). Prefetches from all stages first, because most will be
  /// searched.
  [[nodiscard]] std::size_t holder(digest x) const noexcept {
    if (stages_.size() > 1)
      for (auto const& s : stages_) prefetch_for<access::lookup>(s.filter, x);
    for (std::size_t i = 0; i < stages_.size(); ++i)
      if (auto const at = in_turn(i, stages_.size()); stages_[at].filter.may_contain(x)) return at;
    return stages_.size();
  }

  /// How many more new keys the newest stage takes.
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

  /// insert_if_new for each key. Sets the bits of `fresh`, unless it is null, for the keys that are new. All keys may be looked
  /// up in a closed stage before any is inserted, because inserts do not change what a closed stage reports.
  void insert_block(std::span<digest const> xs, std::uint64_t* fresh) {
    bits are_new;
    if (stages_.size() == 1 && space_left() >= xs.size()) {
      insert_in_newest(xs, are_new);
      if (fresh != nullptr) std::copy_n(are_new.data(), mask_words(xs.size()), fresh);
      return;
    }
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
      insert_in_newest(some, are_new);
      if (fresh != nullptr)
        rest.for_each_place(some.size(), are_new, [=](std::size_t i) { fresh[i / 64] |= std::uint64_t{1} << (i % 64); });
      rest.decide_first(some.size());
    }
  }
  /// Inserts keys that no other stage reports. Pre: the newest stage takes that many new keys.
  void insert_in_newest(std::span<digest const> xs, bits& are_new) {
    auto& newest = stages_.back();
    newest.note(xs.size(), xs.size());  // before inserting: if memory fails, the numbers are too high, never too low
    insert_if_new_all(newest.filter, xs, are_new.data());
    newest.keys -= xs.size();
    for (std::size_t word = 0; word < mask_words(xs.size()); ++word)
      newest.keys += static_cast<std::uint64_t>(std::popcount(are_new[word]));
  }
  /// Decides the keys that the stage reports and, if the Layer can erase, inserts them there once more.
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
