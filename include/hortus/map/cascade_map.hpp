#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <hortus/cells/label_table.hpp>
#include <hortus/cells/map_entry.hpp>
#include <hortus/concepts.hpp>
#include <hortus/map/cascade.hpp>
#include <hortus/map/map_goal.hpp>
#include <hortus/of_keys.hpp>
#include <hortus/plan/cascade_map.hpp>

namespace hortus {

/// Cascade map: for each bit of the values a cascade of pairs of Bloom filters, A of the keys whose bit is 0 and B of those
/// whose bit is 1.
///
///     level 0   A0 and B0    all keys                only A0 reports the key: 0     only B0: 1
///     level 1   A1 and B1    keys that both report   neither: it is absent          both: look at the next level
///     ...                                            after the last level: a few digests, exactly
///
/// Promise  find(x) is right for every key. An absent key gets a value only if all cascades answer, with a probability of at
///          most plan::cascade_map_fpr(). Pairs come in any order: the bytes are those of the set.
/// Price    11.1 bits per key for values of one bit at 1 %, 26.5 for 8 bits. bloomier_map takes 7.7 and 14.7, and one or
///          two cache misses for a lookup: here each bit takes a number of probes. It is the first Bloomier filter of the
///          textbooks, to study and to compare with, and for readers that have nothing but Bloom filters: it is built
///          without solving equations, a bit of a value is found without the others, and most absent keys are known by the
///          first bit.
/// Lacks    put, assign, erase: it is built of all keys at once (dynamic_bloomier_map has them). An insert into a finished
///          filter could make it report an earlier key, which would then be missing from the next level. merge.
/// Source   B. Chazelle, J. Kilian, R. Rubinfeld, A. Tal, "The Bloomier filter", SODA 2004.
class cascaded {
 public:
  static constexpr std::string_view name = "cascade_map";
  static constexpr std::string_view room = "map";
  static constexpr std::string_view summary = "values of known keys by pairs of Bloom filters; bloomier_map is smaller";
  static constexpr auto misses = false_negatives::never;
  static constexpr verb_set verbs = verb::build | verb::may_contain | verb::find;
  static constexpr verb_set kernels = {};
  static constexpr bool plans_exactly = false;

  struct goal {
    std::uint64_t items = 0;  ///< only a hint: build() counts the keys
    double fpr = 0.01;        ///< probability that an absent key gets a value
    unsigned value_bits = 0;  ///< 0: as many as the largest value has
    double filter_fpr = 0;    ///< 0: what `fpr` needs
    static void fields(auto& self, auto& io) {
      io("value_bits", self.value_bits, value_bits_note);
      io("filter_fpr", self.filter_fpr,
         setting_note{"rate of each Bloom filter, instead of what the rate of the map needs", "above 0, below 1", "0.1"});
    }
  };
  struct params {
    std::uint64_t items = 0;
    unsigned value_bits = 0;
    double filter_fpr = 0.01;
    bool operator==(params const&) const = default;
    static void fields(auto& self, auto& io) {
      io("items", self.items);
      io("value_bits", self.value_bits);
      io("filter_fpr", self.filter_fpr);
    }
  };

  static params plan(goal g) { return of_shape(plan::cascade_map({g.items, g.fpr}, g.value_bits, g.filter_fpr)); }
  /// Does not depend on the number of keys.
  static double planned_fpr(params p, std::uint64_t) { return plan::cascade_map_fpr(to_shape(p)); }
  static std::uint64_t planned_bytes(params p) { return static_cast<std::uint64_t>(plan::cascade_bytes(to_shape(p))); }
  /// Of a member, for each bit and level: all probes of one filter, and two of the other.
  static double lines_touched(params p) {
    return std::max(p.value_bits, 1U) * (2 + std::max(1.0, -std::log2(p.filter_fpr))) / (1 - p.filter_fpr);
  }

  static constexpr unsigned max_value_bits() noexcept { return 64; }
  cascaded() : cascades_(1) {}  ///< without keys

  /// Throws errc::bad_params if a key has two values, if a value has more than value_bits, or if there are not as many values
  /// as keys; errc::bad_goal if filters of so high a rate do not tell keys apart.
  static cascaded build(std::span<digest const> keys, std::span<std::uint64_t const> values, goal g) {
    auto const entries = distinct_entries(keys, values);
    std::uint64_t largest = 0;
    for (auto const& each : entries) largest = std::max(largest, each.value);
    if (!entries.empty()) g.value_bits = checked_value_bits(g.value_bits, largest);
    g.items = entries.size();
    cascaded made;
    made.shape_ = plan(g);
    made.cascades_.clear();
    for (unsigned bit = 0; bit < std::max(g.value_bits, 1U); ++bit)
      made.cascades_.emplace_back(entries, bit, made.shape_.filter_fpr);
    return made;
  }
  /// Keys without values: find() gives 0.
  static cascaded build(std::span<digest const> keys, goal g) {
    return build(keys, std::vector<std::uint64_t>(keys.size()), g);
  }

  [[nodiscard]] std::optional<std::uint64_t> find(digest x) const noexcept {
    std::uint64_t value = 0;
    for (unsigned bit = 0; bit < cascades_.size(); ++bit) {
      auto const found = cascades_[bit].find(x, bit);
      if (!found) return std::nullopt;
      value |= std::uint64_t{*found} << bit;
    }
    return labels_.allow(value) ? std::optional(value) : std::nullopt;
  }
  [[nodiscard]] bool may_contain(digest x) const noexcept { return find(x).has_value(); }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept { cascades_[0].prefetch(x, 0); }

  [[nodiscard]] double fpr() const noexcept {
    double product = 1;
    for (auto const& one : cascades_) product *= one.fpr();
    return product;
  }
  [[nodiscard]] unsigned value_bits() const noexcept { return shape_.value_bits; }
  [[nodiscard]] label_table const& labels() const noexcept { return labels_; }  ///< empty: values are numbers
  void set_labels(label_table labels) noexcept { labels_ = std::move(labels); }
  /// The cascade of a bit, for reports.
  [[nodiscard]] cascade const& of_bit(unsigned bit) const { return cascades_.at(bit); }

  void clear() noexcept {
    for (auto& one : cascades_) one.clear();
  }
  [[nodiscard]] params shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t size_bytes() const noexcept {
    std::size_t sum = labels_.size_bytes();
    for (auto const& one : cascades_) sum += one.size_bytes();
    return sum;
  }
  bool operator==(cascaded const&) const = default;

  static void fields(auto& self, auto& io) {
    io(self.shape_.items, self.shape_.value_bits, self.shape_.filter_fpr);
    io.list(self.cascades_, 64);
    io(self.labels_);
  }
  [[nodiscard]] bool valid() const noexcept {
    return labels_.valid() && shape_.value_bits <= 64 && shape_.filter_fpr >= plan::min_fpr && shape_.filter_fpr < 1 &&
           cascades_.size() == std::max(shape_.value_bits, 1U) &&
           std::all_of(cascades_.begin(), cascades_.end(),
                       [&](auto const& one) { return one.valid() && one.kept() <= shape_.items; });
  }

 private:
  static params of_shape(plan::cascade_shape const& s) noexcept { return {s.items, s.value_bits, s.filter_fpr}; }
  static plan::cascade_shape to_shape(params const& p) noexcept { return {p.items, p.value_bits, p.filter_fpr}; }

  params shape_;
  memory_vector<cascade> cascades_;  // one for each bit of a value; one without values
  label_table labels_;
};

using cascade_map = of_keys<cascaded>;

}  // namespace hortus
