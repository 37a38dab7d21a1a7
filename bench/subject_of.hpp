#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include <hortus/of_keys.hpp>

#include "bench/family.hpp"
#include "bench/subject.hpp"
#include "bench/timing.hpp"

namespace hortus::bench {

/// A family that can be measured.
template <class F>
concept measurable = plantable<F> &&(membership<F> || countable<F> || estimating<F>);

/// Puts a key into a map; did it fit?
template <class Filter, class Key>
bool put(Filter& map, Key const& key, std::uint64_t value) {
  if constexpr (std::is_void_v<decltype(map.put(key, value))>)
    return map.put(key, value), true;
  else
    return map.put(key, value);
}

/// A filter, and the number of keys that did not fit.
template <family F>
struct filled_filter {
  of_keys<F> filter;
  std::size_t refused = 0;
};

/// The values in maps that are measured, and their bits.
inline constexpr unsigned value_bits = 8;
constexpr std::uint64_t value_of(std::size_t member) noexcept { return 1 + member % 255; }

/// The filter of these keys: made and filled, or built at once. In a map keys have values of 8 bits.
template <plantable F, class Key>
filled_filter<F> filled(std::span<Key const> keys, typename F::goal goal) {
  if constexpr (map_buildable<F>) {
    goal.value_bits = value_bits;
    if constexpr (putting<F>) goal.capacity = goal.items;  // room for the members that are put later
    std::vector<std::uint64_t> values(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) values[i] = value_of(i);
    return {of_keys<F>::build(keys, values, goal)};
  } else if constexpr (putting<F>) {
    goal.value_bits = value_bits;
    filled_filter<F> made{of_keys<F>(goal)};
    for (std::size_t i = 0; i < keys.size(); ++i) made.refused += std::size_t{!put(made.filter, keys[i], value_of(i))};
    return made;
  } else if constexpr (makeable<F>) {
    filled_filter<F> made{of_keys<F>(goal)};
    made.refused = keys.size() - made.filter.insert(keys);
    return made;
  } else {
    return {of_keys<F>::build(keys, goal)};
  }
}

/// The subject of a family. A verb that the family lacks does nothing.
template <measurable F, class Key>
class subject_of final : public subject_with<Key> {
  using base = subject_with<Key>;
  using base::all, base::keys_;
  using typename base::set;

  static constexpr bool tells_new = makeable<F> && noticing<F> && !can_refuse<F>;  // one that is full would throw

 public:
  subject_of(key_sets<Key> keys, double fpr) : base(keys) {
    goal_.items = keys.members.size();
    goal_.fpr = fpr;
  }

  [[nodiscard]] std::string_view name() const override { return F::name; }
  [[nodiscard]] subject::verbs has() const override {
    return {makeable<F>, tells_new, membership<F>, countable<F>, erasable<F>};
  }
  [[nodiscard]] double fpr() const override { return goal_.fpr; }

  void build() const override { keep(filled<F>(keys_.members, goal_).filter.size_bytes()); }
  void fill(std::size_t members) override {
    made_ = filled<F>(makeable<F> ? keys_.members.first(members) : keys_.members, goal_);
    refused_ = made_->refused;
  }
  [[nodiscard]] std::uint64_t refused() const override { return refused_; }

  void insert_singly(std::size_t from, std::size_t count) override {
    if constexpr (putting<F>)
      for (auto i = from; i < from + count; ++i) keep(put(made_->filter, keys_.members[i], value_of(i)));
    else if constexpr (makeable<F>)
      for (auto& f = made_->filter; auto const& key : keys_.members.subspan(from, count)) (void)f.insert(key);
  }
  void insert_batch(std::size_t from, std::size_t count) override {
    if constexpr (putting<F>)
      insert_singly(from, count);
    else if constexpr (makeable<F>)
      refused_ = made_->refused + count - made_->filter.insert(keys_.members.subspan(from, count));
  }
  void insert_new_batch(std::size_t from, std::size_t count) override {
    if constexpr (tells_new) keep(made_->filter.insert_if_new(keys_.members.subspan(from, count)).size());
  }
  void erase_singly(std::size_t from, std::size_t count) override {
    if constexpr (erasable<F>)
      for (auto& f = made_->filter; auto const& key : keys_.members.subspan(from, count)) keep(f.erase(key));
  }
  void erase_batch(std::size_t from, std::size_t count) override {
    if constexpr (erasable<F>) keep(made_->filter.erase(keys_.members.subspan(from, count)));
  }

  void ask_singly(set which, std::size_t from, std::size_t count) const override {
    auto const& f = made_->filter;
    std::size_t found = 0;
    for (auto const& key : all(which).subspan(from, count)) {
      if constexpr (finding<F>)
        found += f.find(key).value_or(0);
      else if constexpr (membership<F>)
        found += std::size_t{f.may_contain(key)};
      else if constexpr (countable<F>)
        found += std::size_t{f.count(key) != 0};  // counting an absent key is as wrong as finding it
    }
    keep(found);
  }
  void ask_batch(set which, std::size_t from, std::size_t count) const override {
    if constexpr (finding<F>)
      find_batch(all(which).subspan(from, count));
    else if constexpr (membership<F>)
      keep(made_->filter.may_contain(all(which).subspan(from, count)).count());
    else
      count_batch(which, from, count);
  }
  void count_singly(set which, std::size_t from, std::size_t count) const override {
    if constexpr (countable<F>) {
      auto const& f = made_->filter;
      std::uint64_t sum = 0;
      for (auto const& key : all(which).subspan(from, count)) sum += static_cast<std::uint64_t>(f.count(key));
      keep(sum);
    }
  }
  void count_batch(set which, std::size_t from, std::size_t count) const override {
    if constexpr (countable<F>) {
      auto const counts = made_->filter.count(all(which).subspan(from, count));
      keep(counts.data());
    }
  }

  [[nodiscard]] std::size_t found_misses() const override {
    if constexpr (membership<F>) {
      return made_->filter.may_contain(keys_.misses).count();
    } else if constexpr (!countable<F>) {
      return 0;
    } else {
      auto const counts = made_->filter.count(keys_.misses);
      return static_cast<std::size_t>(std::ranges::count_if(counts, [](auto count) { return count != 0; }));
    }
  }
  [[nodiscard]] double error(double found, double asked) const override {
    if constexpr (topping<F>) {
      auto const top = made_->filter.top(~std::uint64_t{0});
      return top.inserted == 0 ? 0 : static_cast<double>(top.others_at_most) / static_cast<double>(top.inserted);
    } else if constexpr (!membership<F> && !countable<F>) {
      auto const members = static_cast<double>(keys_.members.size());
      return members == 0 ? 0 : std::abs(made_->filter.estimate().value / members - 1);
    } else {
      return asked == 0 ? 0 : found / asked;
    }
  }
  [[nodiscard]] std::uint64_t size_bytes() const override { return made_->filter.size_bytes(); }
  [[nodiscard]] double load() const override {
    if constexpr (requires { made_->filter.family().load(); })
      return made_->filter.family().load();
    else
      return -1;
  }
  [[nodiscard]] bool huge_pages() const override {
    if constexpr (requires { made_->filter.family().cells(); })
      return 2 * huge_page_bytes(made_->filter.family().cells()) > size_bytes();
    else
      return false;
  }

 private:
  /// Into a small buffer, as a program does that looks up millions of keys: new memory for all values would take more time than
  /// the lookups.
  void find_batch(std::span<Key const> keys) const requires finding<F> {
    std::array<std::uint64_t, 4096> values;
    std::array<std::uint64_t, values.size() / 64> hits;
    for (; !keys.empty(); keys = keys.subspan(std::min(keys.size(), values.size()))) {
      auto const some = keys.first(std::min(keys.size(), values.size()));
      made_->filter.find(some, std::span(values).first(some.size()), std::span(hits).first((some.size() + 63) / 64));
      keep(values[0]);
    }
  }

  typename F::goal goal_;
  std::optional<filled_filter<F>> made_;
  std::uint64_t refused_ = 0;
};

/// The measurements of F, for its unit: see any/families.def.
template <family F>
measured_family how_to_measure() {
  measured_family how{.name = F::name,
                      .numbers = nullptr,
                      .texts = nullptr,
                      .wants_stream = topping<F>,
                      .only_estimates = !membership<F> && !countable<F>,
                      .value_bits = finding<F> ? value_bits : 0};
  if constexpr (measurable<F>) {
    how.numbers = [](key_sets<std::uint64_t> keys, double fpr) -> std::unique_ptr<subject_with<std::uint64_t>> {
      return std::make_unique<subject_of<F, std::uint64_t>>(keys, fpr);
    };
    how.texts = [](key_sets<std::string_view> keys, double fpr) -> std::unique_ptr<subject_with<std::string_view>> {
      return std::make_unique<subject_of<F, std::string_view>>(keys, fpr);
    };
  }
  return how;
}

}  // namespace hortus::bench
