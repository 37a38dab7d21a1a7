#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <hortus/batch.hpp>
#include <hortus/cells/label_table.hpp>
#include <hortus/map/map_goal.hpp>
#include <hortus/map/perfect_hash.hpp>
#include <hortus/map/perfect_hash_map_builder.hpp>
#include <hortus/map/signed_values.hpp>
#include <hortus/of_keys.hpp>
#include <hortus/parts.hpp>
#include <hortus/plan/perfect_hash_map.hpp>

namespace hortus {

/// Map by perfect hashing: a perfect hash numbers the keys, and an array has a signature and a value for each number.
///
///     digest -- perfect hash --> 3      number     0     1     2     3
///     digest --> signature 9            slots    |7 v0|2 v1|4 v2|9 v3|   the signatures are equal: the value is v3
///
/// Promise  every key is found, with its value. An absent key has a value with probability fpr(), exactly 2^-signature_bits.
///          Keys come in any order and may occur several times with the same value: the bytes are those of the map. A build
///          never fails, whatever the keys are. Without values, the value of a key is its rank: a number below the number of
///          keys that no other key has. assign() changes the value of a key and no other.
/// Price    log2(1/fpr) + value_bits + 2.03 bits per key. A rate is rounded down to a power of two; a slot of 58 to 63 bits
///          takes 64. A lookup reads two cache lines, one after the other.
/// Lacks    insert and erase: it is built of all keys at once. assign() of an absent key changes nothing, but with probability
///          fpr() it changes the value of a key of the map.
/// Source   the idea: D. Belazzougui, P. Boldi, R. Pagh, S. Vigna, "Monotone minimal perfect hashing", 2009, among others; see
///          perfect_hash for the hash.
class perfect_hashed {
 public:
  static constexpr std::string_view name = "perfect_hash_map";
  static constexpr std::string_view room = "map";
  static constexpr std::string_view summary =
      "known keys with values that can change: 2 bits a key beside signature and value; numbers keys without gaps";
  static constexpr auto misses = false_negatives::never;
  static constexpr verb_set verbs = verb::build | verb::may_contain | verb::find | verb::assign | verb::estimate;
  static constexpr verb_set kernels = verb::may_contain | verb::find;
  static constexpr bool ranks_keys = true;
  static constexpr bool plans_exactly = false;  // the keys that a level leaves over are not known before

  struct goal {
    std::uint64_t items = 0;  ///< only a hint: build() counts the keys
    double fpr = 0.01;        ///< probability that an absent key has a value
    unsigned value_bits = 0;  ///< 0: as many as the largest value needs; without values, a key's value is its rank
    unsigned unchecked = 0;
    static void fields(auto& self, auto& io) {
      io("value_bits", self.value_bits, value_bits_note);
      io("unchecked", self.unchecked, unchecked_note);
    }
    [[nodiscard]] double checked_fpr() const { return unchecked != 0 ? 1 : plan::checked_fpr(fpr); }
  };
  struct params {
    std::uint64_t items = 0;
    unsigned signature_bits = 0;
    unsigned value_bits = 0;
    bool operator==(params const&) const = default;
    static void fields(auto& self, auto& io) {
      io("items", self.items);
      io("signature_bits", self.signature_bits);
      io("value_bits", self.value_bits);
    }
  };

  static params plan(goal g) {
    if (g.unchecked > 1) throw error(errc::bad_goal, "unchecked is 0 or 1, not " + std::to_string(g.unchecked));
    auto const shape = plan::perfect_hash_map({g.items, g.checked_fpr()}, g.value_bits);
    return {shape.items, shape.signature_bits, shape.value_bits};
  }
  static double planned_fpr(params p, std::uint64_t items) { return layout({items, p.signature_bits, p.value_bits}).fpr(); }
  static std::uint64_t planned_bytes(params p) { return plan::perfect_hash_map_bytes(layout(p)); }
  static double lines_touched(params p) { return 1 + plan::perfect_hash_map_lines(layout(p)); }

  static word_parts parts(std::uint64_t items) noexcept { return perfect_hash::parts(items); }

  static constexpr unsigned max_value_bits() noexcept { return 64; }
  /// Makes a map of keys, or of entries, that are given in parts: see parts.hpp.
  class builder : public perfect_hash_map_builder {
   public:
    builder(goal g, std::span<std::uint64_t const> words_per_part)
        : perfect_hash_map_builder(g.checked_fpr(), g.value_bits, words_per_part) {}
    perfect_hashed finish() && { return perfect_hashed(std::move(*this).finished()); }
  };

  /// Of keys alone. With value_bits, all values are 0 and can be assigned later.
  static perfect_hashed build(std::span<digest const> keys, goal g) {
    return build_of_words<perfect_hashed>(distinct_words(keys), g);
  }
  static perfect_hashed build(std::span<digest const> keys, std::span<std::uint64_t const> values, goal g) {
    return build_of_entries<perfect_hashed>(distinct_entries(keys, values), g);
  }

  perfect_hashed() = default;  ///< of no keys

  [[nodiscard]] std::optional<std::uint64_t> find(digest x) const noexcept {
    if (hash_.size() == 0) return std::nullopt;
    auto const number = hash_.rank(x);
    return slots_.with_slots([&](auto slots) -> std::optional<std::uint64_t> {
      if (!slots.matches(number, slots_.signature(x))) return std::nullopt;
      auto const value = slots_.value_bits() == 0 ? number : slots.value(number);
      return labels_.allow(value) ? std::optional(value) : std::nullopt;
    });
  }
  [[nodiscard]] bool may_contain(digest x) const noexcept { return find(x).has_value(); }
  /// Changes the value of a key. False: it is certainly absent, and nothing changed. Throws if the value has too many bits.
  bool assign(digest x, std::uint64_t value) {
    if (slots_.value_bits() == 0) throw error(errc::bad_params, "this map has no values: it was built of keys alone");
    check_value(value, slots_.value_bits(), labels_);
    if (!may_contain(x)) return false;
    slots_.put(hash_.rank(x), slots_.signature(x), value);
    return true;
  }
  /// A number below size(): for each key a different one, for an absent key any.
  [[nodiscard]] std::uint64_t rank(digest x) const noexcept { return hash_.rank(x); }
  [[nodiscard]] std::uint64_t size() const noexcept { return hash_.size(); }

  [[gnu::always_inline]] void prefetch(digest x) const noexcept { hash_.prefetch(x); }
  /// The kernels for a block. First all numbers, whose slots are prefetched; then the slots, while the seeds of the next block
  /// are prefetched. So either loop waits for what the other one has requested.
  void find(std::span<digest const> xs, std::span<digest const> next, std::uint64_t* values,
            std::uint64_t* hits) const noexcept {
    bool const ranks = slots_.value_bits() == 0;
    *hits = for_each(xs, next, [&](std::size_t i, std::uint64_t number, auto slots, std::uint64_t found) {
      // Without a branch, which could not be predicted.
      values[i] = (ranks ? number : slots.value(number)) & (0 - found);
    });
    if (hash_.size() == 0) std::fill_n(values, xs.size(), 0);
    labels_.drop_unknown(xs.size(), values, hits);
  }
  void may_contain(std::span<digest const> xs, std::span<digest const> next, std::uint64_t* hits) const noexcept {
    if (labels_.empty()) {
      *hits = for_each(xs, next, [](std::size_t, std::uint64_t, auto, std::uint64_t) {});
    } else {
      std::array<std::uint64_t, perfect_hash::block_keys> values;
      find(xs, next, values.data(), hits);
    }
  }

  [[nodiscard]] unsigned value_bits() const noexcept { return slots_.value_bits(); }  ///< 0: values are ranks
  [[nodiscard]] label_table const& labels() const noexcept { return labels_; }        ///< empty: values are numbers
  void set_labels(label_table labels) noexcept { labels_ = std::move(labels); }
  [[nodiscard]] double fpr() const noexcept { return planned_fpr(shape(), hash_.size()); }
  /// Exact: the keys were counted.
  [[nodiscard]] plan::estimate estimate() const noexcept {
    auto const items = static_cast<double>(hash_.size());
    return {items, items, items, false};
  }
  void clear() noexcept {
    hash_.clear();
    slots_.clear();
  }
  [[nodiscard]] params shape() const noexcept { return {hash_.size(), slots_.signature_bits(), slots_.value_bits()}; }
  [[nodiscard]] std::size_t size_bytes() const noexcept {
    return hash_.size_bytes() + slots_.size_bytes() + labels_.size_bytes();
  }
  [[nodiscard]] memory const& cells() const noexcept { return slots_.cells(); }
  [[nodiscard]] perfect_hash const& hash() const noexcept { return hash_; }
  bool operator==(perfect_hashed const&) const = default;

  static void fields(auto& self, auto& io) { io(self.hash_, self.slots_, self.labels_); }
  [[nodiscard]] bool valid() const noexcept {
    return hash_.valid() && slots_.valid() && labels_.valid() && (hash_.size() == 0 || slots_.holds(hash_.size()));
  }

 private:
  explicit perfect_hashed(std::pair<perfect_hash, signed_values> made) noexcept
      : hash_(std::move(made.first)), slots_(std::move(made.second)) {}
  static plan::perfect_hash_map_shape layout(params p) noexcept { return {p.items, p.signature_bits, p.value_bits}; }
  /// act(i, number, slots, 1 if key i is found) for each key of a block; returns which are found.
  std::uint64_t for_each(std::span<digest const> xs, std::span<digest const> next, auto act) const noexcept {
    if (hash_.size() == 0) return 0;
    return slots_.with_slots([&](auto slots) {
      std::array<std::uint64_t, perfect_hash::block_keys> number;
      for (std::size_t i = 0; i < xs.size(); ++i) {
        number[i] = hash_.rank(xs[i]);
        slots.prefetch(number[i]);
      }
      std::uint64_t hits = 0;
      for (std::size_t i = 0; i < xs.size(); ++i) {
        if (i < next.size()) hash_.prefetch(next[i]);
        std::uint64_t const found{slots.matches(number[i], slots_.signature(xs[i]))};
        act(i, number[i], slots, found);
        hits |= found << i;
      }
      return hits;
    });
  }

  perfect_hash hash_;
  signed_values slots_;
  label_table labels_;
};

using perfect_hash_map = of_keys<perfect_hashed>;

}  // namespace hortus
