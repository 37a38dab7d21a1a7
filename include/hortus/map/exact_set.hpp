#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <hortus/batch.hpp>
#include <hortus/cells/distinct_words.hpp>
#include <hortus/concepts.hpp>
#include <hortus/frozen/ribbon.hpp>
#include <hortus/map/retrieval.hpp>
#include <hortus/of_keys.hpp>
#include <hortus/part_source.hpp>
#include <hortus/plan/exact_set.hpp>

namespace hortus {

/// Exact set: membership without errors for all keys of a known universe, as revocation lists need it. Members and all other
/// keys are given when it is built.
///
///     key --> ribbon filter of the members --no--> no member
///                        |
///                       yes: also one other key in so many
///                        v
///             a bit of this very key, from a map --> member or not
///
/// Promise  the answer is right for every key of the two lists. A key of neither list is found with probability fpr(). The
///          bytes do not depend on the order of the keys. A build never fails, unless a key is in both lists.
/// Price    for n members of u keys about n (log2(u / n) + 1.9) bits, at most 15 % above the least possible. Where there are
///          more members than others, the others are stored. A lookup reads two lines, and four if it passes the filter.
/// Lacks    insert: it is built of all keys at once. Anything about keys that were not given.
/// Source   J. Larisch et al., "CRLite", 2017 (filters level by level); J. Schanck, "Clubcards for the WebPKI", 2025 (a filter
///          and one level of bits).
class exact_set {
 public:
  static constexpr std::string_view name = "exact_set";
  static constexpr std::string_view room = "map";
  static constexpr std::string_view summary = "no error at all for keys of two known lists, those in and those not in";
  static constexpr auto misses = false_negatives::never;
  static constexpr verb_set verbs = verb::build | verb::may_contain;
  static constexpr std::size_t block_keys = ribbon::block_keys;
  static constexpr verb_set kernels = verb::may_contain;
  static constexpr bool plans_exactly = false;  // how many other keys pass the filter is not known before

  struct goal {
    std::uint64_t items = 0;   ///< members; only a hint: build() counts the keys
    double fpr = 1;            ///< highest probability that a key of neither list is found
    std::uint64_t absent = 0;  ///< other keys; only a hint
    static void fields(auto& self, auto& io) {
      io("absent", self.absent,
         setting_note{"keys that must be answered no, for plan; build counts them", "1 to 2^64 - 1", "1000000"});
    }
  };
  struct params {
    std::uint64_t items = 0;
    std::uint64_t absent = 0;
    double filter_fpr = 1;
    unsigned inverted = 0;  ///< 1: the other keys are stored
    bool operator==(params const&) const = default;
    static void fields(auto& self, auto& io) {
      io("items", self.items);
      io("absent", self.absent);
      io("filter_fpr", self.filter_fpr);
      io("inverted", self.inverted);
    }
  };
  static params plan(goal g) {
    if (g.fpr != 1) plan::checked_fpr(g.fpr);
    bool const inverted = g.fpr >= 1 && g.absent < g.items;
    auto const stored = inverted ? g.absent : g.items, others = inverted ? g.items : g.absent;
    if (g.items == 0 && g.absent == 0) return {0, 0, g.fpr, 0};  // planned as if keys came
    return {g.items, g.absent, plan::exact_set(stored, others, g.fpr).filter_fpr, inverted ? 1U : 0U};
  }
  /// Of keys of neither list.
  static double planned_fpr(params p, std::uint64_t) {
    auto const s = to_shape(p);
    double const stored = s.items == 0 && s.others != 0 ? 0 : s.filter_fpr * (s.survivors() == 0 ? 1 : 0.5);
    return p.inverted != 0 ? 1 - stored : stored;
  }
  static std::uint64_t planned_bytes(params p) { return to_shape(p).bytes(); }
  static double lines_touched(params p) { return p.filter_fpr < 1 ? 5 : 3; }

  static exact_set build(std::span<digest const> members, std::span<digest const> others, goal g) {
    return build(words_in_memory(distinct_words(members)), words_in_memory(distinct_words(others)), g);
  }
  /// Without other keys: a ribbon filter of this rate.
  static exact_set build(std::span<digest const> members, goal g) { return build(members, {}, g); }
  /// The same from words that need not be in memory all at once. Holds 12 bytes for each member, and the filter.
  /// Throws conflicting_values if a key is in both lists.
  static exact_set build(word_source const& members, word_source const& others, goal g,
                         part_loop const& for_each = one_part_after_the_other) {
    exact_set made;
    if (members.size() == 0 && others.size() == 0) return made;
    made.shape_ = plan({members.size(), g.fpr, others.size()});
    auto const& stored = made.shape_.inverted != 0 ? others : members;
    auto const& rest = made.shape_.inverted != 0 ? members : others;
    if (stored.size() == 0) return made;
    if (made.shape_.filter_fpr < 1)
      made.filter_ = build_from<ribbon>(stored, {stored.size(), made.shape_.filter_fpr}, for_each);
    made.build_bits(stored, rest, for_each);
    return made;
  }

  exact_set() = default;  ///< without members

  [[nodiscard]] bool may_contain(digest x) const noexcept { return stores(x) != (shape_.inverted != 0); }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept {
    if (shape_.filter_fpr < 1) return filter_.prefetch(x);
    bits_.prefetch(x);
  }
  /// The kernel for a block: the keys that pass the filter become a smaller block.
  void may_contain(std::span<digest const> xs, std::span<digest const> next, std::uint64_t* hits) const noexcept {
    std::array<digest, block_keys> passed;
    std::array<std::uint16_t, block_keys> place;
    std::array<std::uint64_t, block_keys> bit;
    std::array<std::uint64_t, block_keys / 64> all;
    bool const filtered = shape_.filter_fpr < 1;
    if (filtered) filter_.may_contain(xs, next, hits);
    std::size_t count = 0;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      passed[count] = xs[i];
      place[count] = static_cast<std::uint16_t>(i);
      count += std::size_t{!filtered || (hits[i / 64] >> (i % 64) & 1) != 0};
    }
    if (bits_.shape().items != 0)
      bits_.find(std::span<digest const>(passed).first(count), {}, worth_prefetching(*this), bit.data(), all.data());
    else
      std::fill_n(bit.data(), count, stored_items() != 0 ? 1 : 0);
    std::fill_n(hits, mask_words(xs.size()), 0);
    for (std::size_t i = 0; i < count; ++i) hits[place[i] / 64] |= bit[i] << (place[i] % 64);
    if (shape_.inverted == 0) return;
    for (std::size_t i = 0; i < xs.size(); i += 64)
      hits[i / 64] = ~hits[i / 64] & (xs.size() - i < 64 ? (std::uint64_t{1} << (xs.size() - i)) - 1 : ~std::uint64_t{0});
  }

  /// Of keys of neither list.
  [[nodiscard]] double fpr() const noexcept {
    double stored = stored_items() == 0 ? 0 : shape_.filter_fpr < 1 ? filter_.fpr() : 1;
    if (bits_.shape().items != 0) stored /= 2;
    return shape_.inverted != 0 ? 1 - stored : stored;
  }
  void clear() noexcept { *this = exact_set(); }
  [[nodiscard]] params shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return filter_.size_bytes() + bits_.size_bytes(); }
  bool operator==(exact_set const&) const = default;

  static void fields(auto& self, auto& io) {
    auto& s = self.shape_;
    io(s.items, s.absent, s.filter_fpr, s.inverted, self.filter_, self.bits_);
  }
  [[nodiscard]] bool valid() const noexcept {
    return filter_.valid() && bits_.valid() && shape_.inverted <= 1 && shape_.filter_fpr >= 0 && shape_.filter_fpr <= 1 &&
           (bits_.shape().items == 0 || bits_.shape().value_bits == 1);
  }

 private:
  [[nodiscard]] std::uint64_t stored_items() const noexcept { return shape_.inverted != 0 ? shape_.absent : shape_.items; }
  static plan::exact_set_shape to_shape(params const& p) noexcept {
    return {p.inverted != 0 ? p.absent : p.items, p.inverted != 0 ? p.items : p.absent, p.filter_fpr};
  }
  [[nodiscard]] bool stores(digest x) const noexcept {
    if (stored_items() == 0 || (shape_.filter_fpr < 1 && !filter_.may_contain(x))) return false;
    return bits_.shape().items == 0 || bits_.find(x).value_or(0) != 0;
  }

  /// A bit for each stored key, 1, and for each other key that passes the filter, 0.
  void build_bits(word_source const& stored, word_source const& rest, part_loop const& for_each) {
    std::vector<std::vector<std::uint64_t>> passing;  // of each part
    auto const rest_parts = word_parts::of_at_most(rest.size(), std::uint64_t{1} << 20);
    passing.resize(rest_parts.count());
    for_each(rest_parts.count(), [&](std::uint64_t part) {
      auto const words = rest.of_part(rest_parts, part);
      std::vector<std::uint64_t> hits(mask_words(words.size()), ~std::uint64_t{0});
      if (shape_.filter_fpr < 1) may_contain_all(filter_, as_digests(words), hits.data());
      for (std::size_t i = 0; i < words.size(); ++i)
        if ((hits[i / 64] >> (i % 64) & 1) != 0) passing[part].push_back(words[i]);
    });
    std::vector<std::uint64_t> survivors;
    for (auto& some : passing) {
      survivors.insert(survivors.end(), some.begin(), some.end());
      some = {};
    }
    if (survivors.empty()) return;
    plan::bloomier_shape const shape{stored.size() + survivors.size(), 1, 0, 0, 0};
    word_parts const parts{plan::ribbon_log2_parts(shape.items)};
    auto const others = split(parts, survivors);
    auto sizes = stored.sizes(parts);
    for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] += others[i].size();
    retrieval::builder making(shape, sizes);
    for_each(parts.count(), [&](std::uint64_t part) {
      std::vector<map_entry> entries;
      entries.reserve(sizes[part]);
      for (auto const word : stored.of_part(parts, part)) entries.push_back({1, word});
      for (auto const word : others[part]) entries.push_back({0, word});
      if (sort_distinct(entries) != entries.size()) return;  // never: both are distinct, and a key in both lists throws
      making.build_part(part, std::span<map_entry const>(entries));
    });
    bits_ = std::move(making).finish();
  }

  params shape_;
  ribbon filter_;
  retrieval bits_;
};

using exact_set_filter = of_keys<exact_set>;

}  // namespace hortus
