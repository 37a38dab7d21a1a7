#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <hortus/any/card.hpp>
#include <hortus/cells/memory_source.hpp>
#include <hortus/facets/all.hpp>

namespace hortus {

/// A family chosen at run time. The only virtual functions in hortus are here and in the facets: a core that every family
/// has, and one interface for each ability that it may have (facets/facet.hpp). Like every family it works on digests;
/// of_keys makes it take keys: any_filter is of_keys<any_family, any_hash>. Batches cost one virtual call a block.
class any_family {
 public:
  static constexpr std::string_view name = "any";
  static constexpr std::string_view room = "any";
  static constexpr std::string_view summary = "a family chosen at run time";
  static constexpr auto misses = false_negatives::by_chance;  // the weakest promise of the families it may hold
  static constexpr std::size_t block_keys =
      1024;  // one virtual call for each block, which the family divides into blocks of its own

  template <class F>
  requires(!std::same_as<F, any_family>) && family<F>  // in this order: family<any_family> would depend on itself
      explicit any_family(F f) : any_family(wrapped(std::move(f))) {}
  any_family(any_family const& other) : any_family(other.self_->clone()) {}
  any_family(any_family&&) noexcept = default;
  any_family& operator=(any_family const& other) {
    *this = any_family(other);
    return *this;
  }
  any_family& operator=(any_family&&) noexcept = default;
  ~any_family() = default;

  [[nodiscard]] std::string_view kind() const noexcept { return self_->kind(); }
  [[nodiscard]] verb_set verbs() const noexcept { return self_->verbs(); }
  [[nodiscard]] bool has(verb v) const noexcept { return verbs().has(v); }
  [[nodiscard]] std::vector<named_value> params() const { return self_->params(); }
  [[nodiscard]] memory const* cells() const noexcept {
    return self_->cells();
  }  ///< its largest memory; null if the family does not offer it

  /// The family's facet of this type, or null.
  template <class Facet>
  [[nodiscard]] Facet* as() noexcept {
    return static_cast<Facet*>(self_->facet(&facets::identity<Facet>));
  }
  template <class Facet>
  [[nodiscard]] Facet const* as() const noexcept {
    return static_cast<Facet const*>(self_->facet(&facets::identity<Facet>));
  }

  [[nodiscard]] bool insert(digest x) { return inserting().insert({&x, 1}) == 1; }
  [[nodiscard]] std::size_t insert(std::span<digest const> xs, std::span<digest const>) { return inserting().insert(xs); }
  /// The same as `times` inserts. Throws errc::bad_params for a negative number where counts are not signed.
  void insert(digest x, std::int64_t times) { insert_times({&x, 1}, &times); }
  void insert_times(std::span<digest const> xs, std::int64_t const* times) {
    auto& inserting = need<facets::inserting_times>(verb::insert_times);
    if (!inserting.takes_negative()) check_times({times, xs.size()});
    inserting.insert(xs, times);
  }
  /// A family that keeps keys gets the key, the others only its digest.
  [[nodiscard]] bool insert(digest x, kept_key const& key) {
    if (keeping_ == nullptr) return insert(x);
    keeping_->insert(x, key, 1);
    return true;
  }
  void insert(digest x, kept_key const& key, std::int64_t times) {
    if (keeping_ == nullptr) return insert(x, times);
    check_times({&times, 1});
    keeping_->insert(x, key, static_cast<std::uint64_t>(times));
  }
  /// Can inserting a key throw? Then a batch that throws leaves some keys inserted, and does not tell which.
  [[nodiscard]] bool insert_can_throw() const noexcept {
    return keeping_ != nullptr || (inserting_ != nullptr && inserting_->can_throw());
  }
  [[nodiscard]] bool keeps_keys() const noexcept { return keeping_ != nullptr; }
  void prefetch_kept(digest x) const noexcept { keeping_->prefetch_kept(x); }  ///< Pre: keeps_keys()
  bool insert_if_new(digest x) { return need<facets::noticing>(verb::insert_if_new).insert_if_new(x); }
  void insert_if_new(std::span<digest const> xs, std::span<digest const>, std::uint64_t* fresh) {
    need<facets::noticing>(verb::insert_if_new).insert_if_new(xs, fresh);
  }
  [[nodiscard]] bool may_contain(digest x) const { return asking().may_contain(x); }
  void may_contain(std::span<digest const> xs, std::span<digest const>, std::uint64_t* hits) const {
    asking().may_contain(xs, hits);
  }
  [[nodiscard]] std::optional<std::uint64_t> find(digest x) const {
    std::uint64_t value = 0;
    std::uint64_t hit = 0;
    find({&x, 1}, {}, &value, &hit);
    return hit != 0 ? std::optional(value) : std::nullopt;
  }
  void find(std::span<digest const> xs, std::span<digest const>, std::uint64_t* values, std::uint64_t* hits) const {
    need<facets::finding>(verb::find).find(xs, values, hits);
  }
  /// The bits of the largest value that this map can hold.
  [[nodiscard]] unsigned value_bits() const { return need<facets::finding>(verb::find).value_bits(); }
  /// The texts that values stand for; empty if values are numbers.
  [[nodiscard]] label_table labels() const {
    auto const* const texts = need<facets::finding>(verb::find).labels();
    return texts == nullptr ? label_table() : *texts;
  }
  /// Throws errc::unsupported if the values of this family are numbers only.
  void set_labels(label_table labels) {
    auto& finding = need<facets::finding>(verb::find);
    if (finding.labels() == nullptr) throw error(errc::unsupported, "the values of " + one(kind()) + " are numbers");
    finding.set_labels(std::move(labels));
  }
  [[nodiscard]] bool put(digest x, std::uint64_t value) { return need<facets::putting>(verb::put).put(x, value); }
  bool assign(digest x, std::uint64_t value) { return need<facets::assigning>(verb::assign).assign(x, value); }
  [[nodiscard]] double fpr() const { return need<facets::asking>(verb::fpr).fpr(); }
  bool erase(digest x) { return need<facets::erasing>(verb::erase).erase({&x, 1}) == 1; }
  std::size_t erase(std::span<digest const> xs, std::span<digest const>) {
    return need<facets::erasing>(verb::erase).erase(xs);
  }

  /// Signed, because some families have signed counts; a count above 2^63 - 1 is returned as 2^63 - 1.
  [[nodiscard]] std::int64_t count(digest x) const {
    std::int64_t answer = 0;
    count({&x, 1}, {}, &answer);
    return answer;
  }
  void count(std::span<digest const> xs, std::span<digest const>, std::int64_t* counts) const {
    auto const& counting = need<facets::counting>(verb::count);
    counting.count(xs, reinterpret_cast<std::uint64_t*>(counts));
    if (counting.is_signed()) return;
    for (std::size_t i = 0; i < xs.size(); ++i)
      if (counts[i] < 0) counts[i] = std::numeric_limits<std::int64_t>::max();
  }
  /// The whole count, up to 2^64 - 1; where counts are signed, in two's complement.
  void whole_count(std::span<digest const> xs, std::uint64_t* counts) const {
    need<facets::counting>(verb::count).count(xs, counts);
  }
  [[nodiscard]] bool counts_are_signed() const noexcept {
    auto const* const counting = as<facets::counting>();
    return counting != nullptr && counting->is_signed();
  }
  [[nodiscard]] top_keys top(std::uint64_t most) const { return need<facets::topping>(verb::top).top(most); }
  /// The number of counters at their maximum, where they stay; 0 if the family has no such counters.
  [[nodiscard]] std::uint64_t saturations() const {
    auto const* const saturating = as<facets::saturating>();
    return saturating == nullptr ? 0 : saturating->saturations();
  }
  /// How many of these keys have all their counters at the maximum. Erasing such a key returns true, because it may be a
  /// member, and changes nothing. Erasing other keys does not change this number. It is 0 if saturations() is 0.
  [[nodiscard]] std::size_t stuck(std::span<digest const> xs) const {
    auto const* const saturating = as<facets::saturating>();
    return saturating == nullptr ? 0 : saturating->stuck(xs);
  }

  [[nodiscard]] plan::estimate estimate() const { return need<facets::estimating>(verb::estimate).estimate(); }
  [[nodiscard]] plan::overlap compare(any_family const& other) const {
    return need<facets::comparing>(verb::compare).compare(same(other));
  }
  /// The false-positive rate predicted for a filter of this shape with `items` keys.
  [[nodiscard]] double planned_fpr(std::uint64_t items) const { return self_->planned_fpr(items); }

  void merge(any_family const& other) { need<facets::merging>(verb::merge).merge(same(other)); }
  void intersect(any_family const& other) { need<facets::intersecting>(verb::intersect).intersect(same(other)); }
  void fold(std::uint64_t by) { need<facets::folding>(verb::fold).fold(by); }
  [[nodiscard]] std::uint64_t fold_width() const { return need<facets::folding>(verb::fold).fold_width(); }
  [[nodiscard]] double fpr_folded(std::uint64_t by) const { return need<facets::folding>(verb::fold).fpr_folded(by); }
  void grow() { need<facets::enlarging>(verb::grow).grow(); }

  /// Shards, for families that have the facet: see any/shards.hpp.
  void become_shard(any_family const& whole, std::uint64_t shards, std::uint64_t i) {
    sharded().become_shard(same(whole), shards, i);
  }
  void put_shard(any_family const& part, std::uint64_t shards, std::uint64_t i) { sharded().put_shard(same(part), shards, i); }

  /// False if the family does not forget by age.
  [[nodiscard]] bool has_forgotten() const {
    auto const* const forgetting = as<facets::forgetting>();
    return forgetting != nullptr && forgetting->has_forgotten();
  }
  void advance(std::uint64_t now) { need<facets::advancing>(verb::advance).advance(now); }
  [[nodiscard]] bool ages_by_time() const {  ///< false if the family cannot
    auto const* const advancing = as<facets::advancing>();
    return advancing != nullptr && advancing->ages_by_time();
  }
  [[nodiscard]] std::uint64_t time() const {  ///< 0 where it does not age by time
    return ages_by_time() ? as<facets::advancing>()->time() : 0;
  }
  [[nodiscard]] std::uint64_t turns(std::uint64_t now) const {  ///< 0 where it does not age by time
    return ages_by_time() ? as<facets::advancing>()->turns(now) : 0;
  }
  void may_contain_at(std::uint64_t now, std::span<digest const> xs, std::uint64_t* hits) const {
    need<facets::advancing>(verb::advance).may_contain_at(now, xs, hits);
  }
  [[nodiscard]] std::size_t stages() const noexcept {  ///< 1 where it does not grow
    auto const* const growing = as<facets::growing>();
    return growing == nullptr ? 1 : growing->stages();
  }

  /// Is a key in one place, as in the families of one cache line? Then prefetch() fetches that of each key.
  [[nodiscard]] bool in_one_place() const noexcept { return self_->in_one_place(); }
  void prefetch(std::span<digest const> xs) const noexcept { self_->prefetch(xs); }

  [[nodiscard]] std::size_t size_bytes() const noexcept { return self_->size_bytes(); }
  void clear() { self_->clear(); }
  bool operator==(any_family const& other) const { return kind() == other.kind() && self_->equals(other.self_->object()); }

  static void fields(any_family const& self, field_writer& out) { self.self_->write(out); }

 private:
  struct core;
  struct destroyer {
    void operator()(core* it) const noexcept { it->destroy(); }
  };
  using owner = std::unique_ptr<core, destroyer>;

  /// The functions that every family has.
  struct core {
    virtual void destroy() noexcept = 0;  // destroys the object and frees its memory
    [[nodiscard]] virtual owner clone() const = 0;
    [[nodiscard]] virtual std::string_view kind() const noexcept = 0;
    [[nodiscard]] virtual verb_set verbs() const noexcept = 0;
    [[nodiscard]] virtual std::vector<named_value> params() const = 0;
    [[nodiscard]] virtual double planned_fpr(std::uint64_t items) const = 0;
    [[nodiscard]] virtual memory const* cells() const noexcept = 0;
    [[nodiscard]] virtual bool in_one_place() const noexcept = 0;
    virtual void prefetch(std::span<digest const>) const noexcept = 0;
    [[nodiscard]] virtual std::size_t size_bytes() const noexcept = 0;
    virtual void clear() = 0;
    [[nodiscard]] virtual bool equals(void const* other) const = 0;  // `other` is a family object of the same type
    [[nodiscard]] virtual void const* object() const noexcept = 0;   // the family object
    virtual void write(field_writer&) const = 0;
    [[nodiscard]] virtual void* facet(char const* identity) noexcept = 0;
    [[nodiscard]] void const* facet(char const* identity) const noexcept { return const_cast<core*>(this)->facet(identity); }

   protected:
    ~core() = default;
  };

  template <family F>
  struct body;

  /// Allocated from the memory_source, as the cells are.
  template <class F>
  static owner wrapped(F f);

  explicit any_family(owner self)
      : self_(std::move(self)),
        inserting_(as<facets::inserting>()),
        asking_(as<facets::asking>()),
        keeping_(as<facets::keeping>()) {}

  template <class Facet>
  [[nodiscard]] Facet& need(verb v) {
    auto* const found = as<Facet>();
    if (found == nullptr) lacks(kind(), v);
    return *found;
  }
  template <class Facet>
  [[nodiscard]] Facet const& need(verb v) const {
    auto const* const found = as<Facet>();
    if (found == nullptr) lacks(kind(), v);
    return *found;
  }
  [[nodiscard]] facets::inserting& inserting() {
    if (inserting_ == nullptr) lacks(kind(), verb::insert);
    return *inserting_;
  }
  [[nodiscard]] facets::asking const& asking() const {
    if (asking_ == nullptr) lacks(kind(), verb::may_contain);
    return *asking_;
  }

  [[nodiscard]] facets::sharding& sharded() {
    auto* const found = as<facets::sharding>();
    if (found == nullptr) lacks_shards(kind());
    return *found;
  }

  void check_times(std::span<std::int64_t const> times) const {
    for (auto const each : times)
      if (each < 0) throw error(errc::bad_params, one(kind()) + " takes a key 0 times or more, not " + std::to_string(each));
  }

  /// The family object of `other`. Throws unless it is of the same family.
  [[nodiscard]] void const* same(any_family const& other) const {
    if (kind() != other.kind()) throw error(errc::incompatible, one(kind()) + " does not combine with " + one(other.kind()));
    return other.self_->object();
  }

  owner self_;
  facets::inserting* inserting_;  // cached: single keys need these three, and a search takes as long as the answer
  facets::asking* asking_;
  facets::keeping* keeping_;
};

/// A family and its facets, which refer to it: so neither may move.
template <family F>
struct any_family::body final : any_family::core {
  body(F family, memory_allocator<body> from) : from_(from), f_(std::move(family)), parts_(facets_of(facets::all())) {}
  body(body const&) = delete;
  body& operator=(body const&) = delete;

  void destroy() noexcept override {
    auto from = from_;
    std::destroy_at(this);
    from.deallocate(this, 1);
  }
  [[nodiscard]] owner clone() const override { return wrapped(f_); }
  [[nodiscard]] std::string_view kind() const noexcept override { return F::name; }
  [[nodiscard]] verb_set verbs() const noexcept override { return verbs_of<F>(); }
  [[nodiscard]] std::vector<named_value> params() const override {
    if constexpr (plannable<F>)
      return values_of(f_.shape());
    else
      return {};
  }
  [[nodiscard]] double planned_fpr([[maybe_unused]] std::uint64_t items) const override {
    if constexpr (plannable<F>)
      return F::planned_fpr(f_.shape(), items);
    else
      return 1;
  }
  [[nodiscard]] memory const* cells() const noexcept override {
    if constexpr (requires { f_.cells(); })
      return &f_.cells();
    else
      return nullptr;
  }
  [[nodiscard]] bool in_one_place() const noexcept override { return hortus::in_one_place(f_); }
  void prefetch(std::span<digest const> xs) const noexcept override {
    for (auto const x : xs) prefetch_for<access::lookup>(f_, x);
  }
  [[nodiscard]] std::size_t size_bytes() const noexcept override { return f_.size_bytes(); }
  void clear() override { f_.clear(); }
  [[nodiscard]] bool equals(void const* other) const override { return f_ == *static_cast<F const*>(other); }
  [[nodiscard]] void const* object() const noexcept override { return &f_; }
  void write(field_writer& out) const override { F::fields(f_, out); }
  [[nodiscard]] void* facet(char const* identity) noexcept override { return found(identity, facets::all()); }

 private:
  template <class Facet>
  struct absent {
    explicit absent(F&) noexcept {}
  };
  template <class Facet>
  using part = std::conditional_t<Facet::template fits<F>, typename Facet::template over<F>, absent<Facet>>;
  using tuple = facets::all::tuple<part>;

  template <class... Facets>
  tuple facets_of(facets::list<Facets...>) {
    return tuple(part<Facets>(f_)...);
  }
  template <class... Facets>
  void* found(char const* identity, facets::list<Facets...>) noexcept {
    void* it = nullptr;
    auto const look = [&]<class Facet>(facets::list<Facet>) {
      if constexpr (Facet::template fits<F>)
        if (identity == &facets::identity<Facet>) it = static_cast<Facet*>(&std::get<part<Facet>>(parts_));
    };
    (look(facets::list<Facets>()), ...);
    return it;
  }

  memory_allocator<body> from_;
  F f_;
  tuple parts_;
};

template <class F>
any_family::owner any_family::wrapped(F f) {
  memory_allocator<body<F>> from;
  auto* const space = from.allocate(1);
  try {
    return owner(std::construct_at(space, std::move(f), from));
  } catch (...) {
    from.deallocate(space, 1);
    throw;
  }
}

inline std::string family_name(any_family const& f) { return std::string(f.kind()); }

}  // namespace hortus
