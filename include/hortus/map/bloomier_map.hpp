#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <hortus/batch.hpp>
#include <hortus/cells/distinct_words.hpp>
#include <hortus/cells/label_table.hpp>
#include <hortus/concepts.hpp>
#include <hortus/map/map_goal.hpp>
#include <hortus/map/retrieval.hpp>
#include <hortus/of_keys.hpp>
#include <hortus/parts.hpp>

namespace hortus {

/// Bloomier filter: the values of known keys, without the keys.
///
///     columns of the value   1 0 1 1 0 1 0 0 1 1     digest --> the row of a key, as in ribbon
///     columns of checks      0 1 1 0 0 0 1 0 1 0     in each column its slots add up to a bit of the value, or of zeros,
///                                ^-- row --^         which an absent key gets only by chance
///
/// Promise  the value of a key is always right. An absent key gets some value with probability fpr(), and otherwise none.
///          Entries come in any order and may occur several times: the bytes are those of the map. A build never fails,
///          whatever the keys are; but two values for one key are an error.
/// Price    as many bits per key as a value has, and log2(1/fpr), and 1 % more at most from 100,000 keys on. A lookup reads two
///          neighbouring stretches of so many words each. Building takes 16 bytes per key.
/// Lacks    put, assign, erase: it is built of all entries at once (perfect_hash_map changes values in place,
///          dynamic_bloomier_map takes keys one by one). Values that are mostly equal take as much space as others.
/// Source   B. Chazelle, J. Kilian, R. Rubinfeld, A. Tal, "The Bloomier filter", SODA 2004; ribbon.hpp, binary_fuse.hpp.
class bloomier {
 public:
  static constexpr std::string_view name = "bloomier_map";
  static constexpr std::string_view room = "map";
  static constexpr std::string_view summary = "values of known keys, without the keys: value bits + log2(1/fpr) per key";
  static constexpr auto misses = false_negatives::never;
  static constexpr verb_set verbs = verb::build | verb::may_contain | verb::find;
  static constexpr std::size_t block_keys = retrieval::block_keys;
  static constexpr verb_set kernels = verb::may_contain | verb::find;
  static constexpr bool plans_exactly = false;  // the keys that are bumped from a binary fuse table are not known before

  struct goal {
    std::uint64_t items = 0;  ///< only a hint: build() counts the keys
    double fpr = 0.01;        ///< probability that an absent key gets a value
    unsigned value_bits = 0;  ///< 0: as many as the largest value needs
    unsigned unchecked = 0;
    unsigned arity = 0;  ///< 0: on ribbons
    static void fields(auto& self, auto& io) {
      io("value_bits", self.value_bits, value_bits_note);
      io("unchecked", self.unchecked, unchecked_note);
      io("arity", self.arity,
         setting_note{"slots of a key in a binary fuse table, instead of ribbons: larger, faster to read for wide values",
                      "3 or 4", "3"});
    }
  };
  struct params {
    plan::bloomier_shape shape;
    bool operator==(params const&) const = default;
    static void fields(auto& self, auto& io) {
      io("items", self.shape.items);
      io("value_bits", self.shape.value_bits);
      io("check_bits", self.shape.check_bits);
      io("wide_blocks", self.shape.wide_blocks);
      io("arity", self.shape.arity);
    }
  };

  static params plan(goal g) { return {plan::bloomier_map({g.items, g.fpr}, g.value_bits, g.unchecked, g.arity)}; }
  static double planned_fpr(params p, std::uint64_t items) { return items == 0 ? 0 : p.shape.fpr(); }
  static std::uint64_t planned_bytes(params p) {
    if (p.shape.items == 0) return 0;
    if (p.shape.arity == 0) return p.shape.lower().bytes() + p.shape.upper().bytes();
    return fuse_table::bytes_for(p.shape.fuse(), plan::binary_fuse_slots(p.shape.fuse()));
  }
  static double lines_touched(params p) {
    auto const bits = p.shape.value_bits + p.shape.check_bits;
    if (p.shape.arity != 0) return p.shape.arity * plan::binary_fuse_lines_per_slot(std::max(1U, bits));
    return 1 + std::max(2.0, bits / 4.0);
  }

  static constexpr unsigned max_value_bits() noexcept { return plan::bloomier_shape::max_value_bits; }
  static word_parts parts(std::uint64_t items) noexcept { return {plan::ribbon_log2_parts(items)}; }
  class builder {
   public:
    /// Pre: g.value_bits is enough for every value.
    builder(goal g, std::span<std::uint64_t const> words_per_part)
        : making_(plan({fuse_table::items_in(words_per_part), g.fpr, g.value_bits, g.unchecked, g.arity}).shape,
                  words_per_part) {}
    void build_part(std::uint64_t part, std::span<std::uint64_t const> words) { making_.build_part(part, words); }
    void build_part(std::uint64_t part, std::span<map_entry const> entries) { making_.build_part(part, entries); }
    bloomier finish() && { return bloomier(std::move(making_).finish()); }

   private:
    retrieval::builder making_;
  };
  static bloomier build(std::span<digest const> keys, goal g) { return build_of_words<bloomier>(distinct_words(keys), g); }
  static bloomier build(std::span<digest const> keys, std::span<std::uint64_t const> values, goal g) {
    return build_of_entries<bloomier>(distinct_entries(keys, values), g);
  }

  bloomier() = default;  ///< without keys

  [[nodiscard]] std::optional<std::uint64_t> find(digest x) const noexcept {
    auto const value = values_.find(x);
    return value && !labels_.allow(*value) ? std::nullopt : value;
  }
  void find(std::span<digest const> xs, std::span<digest const> next, std::uint64_t* values,
            std::uint64_t* hits) const noexcept {
    values_.find(xs, next, worth_prefetching(*this), values, hits);
    labels_.drop_unknown(xs.size(), values, hits);
  }
  [[nodiscard]] bool may_contain(digest x) const noexcept { return find(x).has_value(); }
  void may_contain(std::span<digest const> xs, std::span<digest const> next, std::uint64_t* hits) const noexcept {
    std::array<std::uint64_t, block_keys> values;
    find(xs, next, values.data(), hits);
  }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept { values_.prefetch(x); }

  [[nodiscard]] double fpr() const noexcept { return values_.fpr(); }
  [[nodiscard]] unsigned value_bits() const noexcept { return values_.shape().value_bits; }
  [[nodiscard]] label_table const& labels() const noexcept { return labels_; }  ///< empty: values are numbers
  void set_labels(label_table labels) noexcept { labels_ = std::move(labels); }

  void clear() noexcept { values_.clear(); }
  [[nodiscard]] params shape() const noexcept { return {values_.shape()}; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return values_.size_bytes() + labels_.size_bytes(); }
  [[nodiscard]] memory const& cells() const noexcept { return values_.cells(); }
  bool operator==(bloomier const&) const = default;

  static void fields(auto& self, auto& io) { io(self.values_, self.labels_); }
  [[nodiscard]] bool valid() const noexcept { return values_.valid() && labels_.valid(); }

 private:
  explicit bloomier(retrieval values) noexcept : values_(std::move(values)) {}

  retrieval values_;
  label_table labels_;
};

using bloomier_map = of_keys<bloomier>;

}  // namespace hortus
