#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hortus/any/settings.hpp>
#include <hortus/batch.hpp>
#include <hortus/concepts.hpp>
#include <hortus/ordered_insert.hpp>

namespace hortus {

/// The verbs a family has, by the names of the vocabulary, in its order.
template <family F>
std::vector<std::string_view> verbs_of() {
  std::vector<std::string_view> verbs;
  auto add = [&](bool has, std::string_view verb) {
    if (has) verbs.push_back(verb);
  };
  add(buildable<F>, "build");
  add(insertable<F>, "insert");
  add(noticing<F>, "insert_if_new");
  add(advancing<F>, "advance");
  add(membership<F>, "may_contain");
  add(erasable<F>, "erase");
  add(countable<F>, "count");
  add(estimating<F>, "estimate");
  add(membership<F>, "fpr");
  add(mergeable<F>, "merge");
  add(intersectable<F>, "intersect");
  add(foldable<F>, "fold");
  add(true, "clear");
  add(true, "size_bytes");
  return verbs;
}

/// "a bloom filter", "an active_active filter", "a count_min sketch": what people call one.
[[nodiscard]] std::string one(std::string_view family);

/// A verb that a family lacks was asked for at run time. Names the families that have it.
[[noreturn]] void lacks(std::string_view family, std::string_view verb);

/// A family chosen at run time. The only virtual functions in hortus are in here. Like every family it works on digests; with
/// the front it takes keys: any_filter is of_keys<any_family, any_hash>. Batches cost one virtual call a block.
class any_family {
 public:
  static constexpr std::string_view name = "any";
  static constexpr std::string_view room = "any";
  static constexpr std::string_view summary = "a family chosen at run time";
  static constexpr auto misses = false_negatives::by_age;  // the weakest promise of those it may hold
  static constexpr std::size_t block_keys = 1024;          // a virtual call each, and room for the family's own blocks

  template <class F>
  requires(!std::same_as<F, any_family>) && family<F>  // in this order: family<any_family> would ask itself
      explicit any_family(F f) : self_(std::make_unique<body<F>>(std::move(f))) {}
  any_family(any_family const& other) : self_(other.self_->clone()) {}
  any_family(any_family&&) noexcept = default;
  any_family& operator=(any_family other) noexcept {
    self_ = std::move(other.self_);
    return *this;
  }
  ~any_family() = default;

  [[nodiscard]] std::string_view kind() const noexcept { return self_->kind(); }
  [[nodiscard]] std::vector<std::string_view> verbs() const { return self_->verbs(); }
  [[nodiscard]] bool has(std::string_view verb) const {
    auto const all = verbs();
    return std::ranges::find(all, verb) != all.end();
  }
  [[nodiscard]] std::vector<named_value> params() const { return self_->params(); }
  [[nodiscard]] memory const* cells() const noexcept {
    return self_->cells();
  }  ///< its largest memory; null if it does not tell

  [[nodiscard]] bool insert(digest x) { return self_->insert({&x, 1}) == 1; }
  [[nodiscard]] std::size_t insert(std::span<digest const> xs, std::span<digest const>) { return self_->insert(xs); }
  bool insert_if_new(digest x) { return self_->insert_if_new(x); }
  void insert_if_new(std::span<digest const> xs, std::span<digest const>, std::uint64_t* fresh) {
    self_->insert_if_new(xs, fresh);
  }
  /// Never, if the family does not forget by age.
  [[nodiscard]] bool has_forgotten() const { return self_->has_forgotten(); }
  void advance(std::uint64_t now) { self_->advance(now); }
  [[nodiscard]] bool ages_by_time() const { return self_->ages_by_time(); }      ///< false where it cannot
  [[nodiscard]] std::uint64_t time() const { return self_->time(); }             ///< 0 where it does not
  [[nodiscard]] std::size_t stages() const noexcept { return self_->stages(); }  ///< 1 where it does not grow
  [[nodiscard]] bool may_contain(digest x) const { return self_->may_contain(x); }
  void may_contain(std::span<digest const> xs, std::span<digest const>, std::uint64_t* hits) const {
    self_->may_contain(xs, hits);
  }
  bool erase(digest x) { return self_->erase({&x, 1}) == 1; }
  std::size_t erase(std::span<digest const> xs, std::span<digest const>) { return self_->erase(xs); }
  /// Signed, for some are; a count past 2^63 - 1 says 2^63 - 1.
  [[nodiscard]] std::int64_t count(digest x) const {
    std::int64_t answer = 0;
    count({&x, 1}, {}, &answer);
    return answer;
  }
  void count(std::span<digest const> xs, std::span<digest const>, std::int64_t* counts) const {
    self_->count(xs, reinterpret_cast<std::uint64_t*>(counts));
    if (counts_are_signed()) return;
    for (std::size_t i = 0; i < xs.size(); ++i)
      if (counts[i] < 0) counts[i] = std::numeric_limits<std::int64_t>::max();
  }
  /// The whole count, to 2^64 - 1; where counts are signed, in two's complement.
  void whole_count(std::span<digest const> xs, std::uint64_t* counts) const { self_->count(xs, counts); }
  [[nodiscard]] bool counts_are_signed() const noexcept { return self_->counts_are_signed(); }
  [[nodiscard]] double fpr() const { return self_->fpr(); }
  [[nodiscard]] plan::estimate estimate() const { return self_->estimate(); }
  /// What the filter, shaped as it is, promises with so many keys.
  [[nodiscard]] double planned_fpr(std::uint64_t items) const { return self_->planned_fpr(items); }
  /// Counters at their maximum, where they stay; 0 if the family does not tell.
  [[nodiscard]] std::uint64_t saturations() const { return self_->saturations(); }
  /// How many of these keys have all their counters there: erasing one says true, for it may be a member, and changes nothing.
  /// Erasing others makes it neither more nor less. None if saturations() is 0.
  [[nodiscard]] std::size_t stuck(std::span<digest const> xs) const { return self_->stuck(xs); }
  void merge(any_family const& other) { self_->merge(*other.self_); }
  void intersect(any_family const& other) { self_->intersect(*other.self_); }
  void fold(std::uint64_t by) { self_->fold(by); }
  [[nodiscard]] std::uint64_t fold_width() const { return self_->fold_width(); }
  [[nodiscard]] double fpr_folded(std::uint64_t by) const { return self_->fpr_folded(by); }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return self_->size_bytes(); }
  void clear() { self_->clear(); }
  bool operator==(any_family const& other) const { return self_->equals(*other.self_); }

  static void fields(any_family const& self, field_writer& out) { self.self_->write(out); }

 private:
  struct face {
    virtual ~face() = default;
    [[nodiscard]] virtual std::unique_ptr<face> clone() const = 0;
    [[nodiscard]] virtual std::string_view kind() const noexcept = 0;
    [[nodiscard]] virtual std::vector<std::string_view> verbs() const = 0;
    [[nodiscard]] virtual std::vector<named_value> params() const = 0;
    [[nodiscard]] virtual memory const* cells() const noexcept = 0;
    virtual std::size_t insert(std::span<digest const>) = 0;
    virtual bool insert_if_new(digest) = 0;
    virtual void insert_if_new(std::span<digest const>, std::uint64_t*) = 0;
    [[nodiscard]] virtual bool has_forgotten() const = 0;
    virtual void advance(std::uint64_t) = 0;
    [[nodiscard]] virtual bool ages_by_time() const = 0;
    [[nodiscard]] virtual std::uint64_t time() const = 0;
    [[nodiscard]] virtual std::size_t stages() const noexcept = 0;
    [[nodiscard]] virtual bool may_contain(digest) const = 0;
    virtual void may_contain(std::span<digest const>, std::uint64_t*) const = 0;
    virtual std::size_t erase(std::span<digest const>) = 0;
    virtual void count(std::span<digest const>, std::uint64_t*) const = 0;
    [[nodiscard]] virtual bool counts_are_signed() const noexcept = 0;
    [[nodiscard]] virtual double fpr() const = 0;
    [[nodiscard]] virtual plan::estimate estimate() const = 0;
    [[nodiscard]] virtual double planned_fpr(std::uint64_t) const = 0;
    [[nodiscard]] virtual std::uint64_t saturations() const = 0;
    [[nodiscard]] virtual std::size_t stuck(std::span<digest const>) const = 0;
    virtual void merge(face const&) = 0;
    virtual void intersect(face const&) = 0;
    virtual void fold(std::uint64_t) = 0;
    [[nodiscard]] virtual std::uint64_t fold_width() const = 0;
    [[nodiscard]] virtual double fpr_folded(std::uint64_t) const = 0;
    [[nodiscard]] virtual std::size_t size_bytes() const noexcept = 0;
    virtual void clear() = 0;
    [[nodiscard]] virtual bool equals(face const&) const = 0;
    virtual void write(field_writer&) const = 0;
  };

  template <family F>
  struct body;

  std::unique_ptr<face> self_;
};

/// One line a verb: the family's own, or lacks().
template <family F>
struct any_family::body final : any_family::face {
  explicit body(F family) : f(std::move(family)) {}
  [[nodiscard]] std::unique_ptr<face> clone() const override { return std::make_unique<body>(f); }
  [[nodiscard]] std::string_view kind() const noexcept override { return F::name; }
  [[nodiscard]] std::vector<std::string_view> verbs() const override { return verbs_of<F>(); }
  [[nodiscard]] std::vector<named_value> params() const override {
    if constexpr (plannable<F>)
      return values_of(f.shape());
    else
      return {};
  }
  [[nodiscard]] memory const* cells() const noexcept override {
    if constexpr (requires { f.cells(); })
      return &f.cells();
    else
      return nullptr;
  }
  std::size_t insert([[maybe_unused]] std::span<digest const> xs) override {
    if constexpr (insertable<F>)
      return insert_many(f, xs);
    else
      lacks(F::name, "insert");
  }
  bool insert_if_new([[maybe_unused]] digest x) override {
    if constexpr (noticing<F>)
      return f.insert_if_new(x);
    else
      lacks(F::name, "insert_if_new");
  }
  void insert_if_new([[maybe_unused]] std::span<digest const> xs, [[maybe_unused]] std::uint64_t* fresh) override {
    if constexpr (noticing<F>)
      insert_if_new_all(f, xs, fresh);
    else
      lacks(F::name, "insert_if_new");
  }
  [[nodiscard]] bool has_forgotten() const override {
    if constexpr (forgetting<F>)
      return f.has_forgotten();
    else
      return false;
  }
  void advance([[maybe_unused]] std::uint64_t now) override {
    if constexpr (advancing<F>)
      f.advance(now);
    else
      lacks(F::name, "advance");
  }
  [[nodiscard]] bool ages_by_time() const override {
    if constexpr (advancing<F>)
      return f.ages_by_time();
    else
      return false;
  }
  [[nodiscard]] std::uint64_t time() const override {
    if constexpr (advancing<F>)
      return f.ages_by_time() ? f.time() : 0;
    else
      return 0;
  }
  [[nodiscard]] std::size_t stages() const noexcept override {
    if constexpr (growing<F>)
      return f.stages();
    else
      return 1;
  }
  [[nodiscard]] bool may_contain([[maybe_unused]] digest x) const override {
    if constexpr (membership<F>)
      return f.may_contain(x);
    else
      lacks(F::name, "may_contain");
  }
  void may_contain([[maybe_unused]] std::span<digest const> xs, [[maybe_unused]] std::uint64_t* hits) const override {
    if constexpr (membership<F>)
      may_contain_all(f, xs, hits);
    else
      lacks(F::name, "may_contain");
  }
  std::size_t erase([[maybe_unused]] std::span<digest const> xs) override {
    if constexpr (erasable<F>)
      return erase_all(f, xs);
    else
      lacks(F::name, "erase");
  }
  void count([[maybe_unused]] std::span<digest const> xs, [[maybe_unused]] std::uint64_t* counts) const override {
    if constexpr (countable<F>)
      for_each_count(f, xs, [&](auto c) { *counts++ = static_cast<std::uint64_t>(c); });
    else
      lacks(F::name, "count");
  }
  [[nodiscard]] bool counts_are_signed() const noexcept override {
    if constexpr (countable<F>)
      return std::signed_integral<count_type<F>>;
    else
      return false;
  }
  [[nodiscard]] double fpr() const override {
    if constexpr (membership<F>)
      return f.fpr();
    else
      lacks(F::name, "fpr");
  }
  [[nodiscard]] double planned_fpr([[maybe_unused]] std::uint64_t items) const override {
    if constexpr (plannable<F>)
      return F::planned_fpr(f.shape(), items);
    else
      return 1;
  }
  [[nodiscard]] plan::estimate estimate() const override {
    if constexpr (estimating<F>)
      return f.estimate();
    else
      lacks(F::name, "estimate");
  }
  [[nodiscard]] std::uint64_t saturations() const override {
    if constexpr (requires { f.saturations(); })
      return f.saturations();
    else
      return 0;
  }
  [[nodiscard]] std::size_t stuck([[maybe_unused]] std::span<digest const> xs) const override {
    std::size_t keys = 0;
    if constexpr (requires { f.saturations(), f.max_count(), f.count(digest()); })
      for_each_count(f, xs, [&](auto c) { keys += c == f.max_count() ? 1U : 0U; });
    return keys;
  }
  void merge(face const& other) override {
    if constexpr (mergeable<F>)
      f.merge(same(other).f);
    else
      lacks(F::name, "merge");
  }
  void intersect(face const& other) override {
    if constexpr (intersectable<F>)
      f.intersect(same(other).f);
    else
      lacks(F::name, "intersect");
  }
  void fold([[maybe_unused]] std::uint64_t by) override {
    if constexpr (foldable<F>)
      f.fold(by);
    else
      lacks(F::name, "fold");
  }
  [[nodiscard]] std::uint64_t fold_width() const override {
    if constexpr (foldable<F>)
      return f.fold_width();
    else
      lacks(F::name, "fold");
  }
  [[nodiscard]] double fpr_folded([[maybe_unused]] std::uint64_t by) const override {
    if constexpr (foldable<F>)
      return f.fpr_folded(by);
    else
      lacks(F::name, "fold");
  }
  [[nodiscard]] std::size_t size_bytes() const noexcept override { return f.size_bytes(); }
  void clear() override { f.clear(); }
  [[nodiscard]] bool equals(face const& other) const override { return kind() == other.kind() && f == same(other).f; }
  void write(field_writer& out) const override { F::fields(f, out); }

  /// The other one as one of this family, which it must be.
  static body const& same(face const& other) {
    if (other.kind() != F::name) throw error(errc::incompatible, one(F::name) + " does not combine with " + one(other.kind()));
    return static_cast<body const&>(other);
  }

  F f;
};

inline std::string family_name(any_family const& f) { return std::string(f.kind()); }

}  // namespace hortus
