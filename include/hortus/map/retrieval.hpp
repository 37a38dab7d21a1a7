#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <hortus/cells/map_entry.hpp>
#include <hortus/frozen/fuse_values.hpp>
#include <hortus/frozen/ribbon_values.hpp>
#include <hortus/plan/bloomier_map.hpp>

namespace hortus {

/// Values of known keys, and bits that check keys: on ribbons, or in a binary fuse table.
class retrieval {
 public:
  static constexpr std::size_t block_keys = ribbon_values::block_keys;

  retrieval() = default;  ///< without keys

  [[nodiscard]] std::optional<std::uint64_t> find(digest x) const noexcept {
    if (shape_.arity != 0) return fuse_.find(x);
    auto value = lower_.find(x);
    if (shape_.upper_bits() != 0 && value) *value |= upper_.find(x).value_or(0) << shape_.lower_bits();
    return value;
  }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept {
    if (shape_.arity != 0) return fuse_.prefetch(x);
    lower_.prefetch(x);
    if (shape_.upper_bits() != 0) upper_.prefetch(x);
  }
  void find(std::span<digest const> xs, std::span<digest const> next, bool far, std::uint64_t* values,
            std::uint64_t* hits) const noexcept {
    if (shape_.arity != 0) return fuse_.find(xs, next, values, hits);
    lower_.find(xs, next, far, values, hits);
    if (shape_.upper_bits() == 0) return;
    std::array<std::uint64_t, block_keys> high;
    std::array<std::uint64_t, block_keys / 64> all;
    upper_.find(xs, next, far, high.data(), all.data());
    for (std::size_t i = 0; i < xs.size(); ++i)
      if ((hits[i / 64] >> (i % 64) & 1) != 0) values[i] |= high[i] << shape_.lower_bits();
  }

  [[nodiscard]] plan::bloomier_shape const& shape() const noexcept { return shape_; }
  [[nodiscard]] double fpr() const noexcept {
    if (shape_.items == 0) return 0;
    return shape_.arity != 0 ? fuse_.fpr() : lower_.fpr();
  }
  [[nodiscard]] memory const& cells() const noexcept {
    return shape_.arity != 0 ? fuse_.table().slots().cells() : lower_.cells().bits();
  }
  void clear() noexcept {
    lower_.clear();
    upper_.clear();
    fuse_.clear();
  }
  [[nodiscard]] std::size_t size_bytes() const noexcept {
    return shape_.arity != 0 ? fuse_.size_bytes() : lower_.size_bytes() + upper_.size_bytes();
  }
  bool operator==(retrieval const&) const = default;

  static void fields(auto& self, auto& io) {
    auto& s = self.shape_;
    io(s.items, s.value_bits, s.check_bits, s.wide_blocks, s.arity);
    if (s.arity != 0)
      io(self.fuse_);
    else
      io(self.lower_, self.upper_);
  }
  [[nodiscard]] bool valid() const noexcept {
    if (shape_.value_bits > 64 || shape_.check_bits > 64 || shape_.check_bits + (shape_.wide_blocks != 0 ? 1 : 0) > 64)
      return false;
    if (shape_.arity != 0)
      return fuse_.valid() && fuse_.value_bits() == shape_.value_bits && fuse_.table().shape().arity == shape_.arity &&
             fuse_.table().shape().slot_bits == std::max(1U, shape_.value_bits + shape_.check_bits);
    auto const fits = [](ribbon_values const& on, unsigned bits, unsigned columns, std::uint64_t wide_blocks) {
      if (on.cells().layers() == 0) return on.valid();
      return on.valid() && on.value_bits() == bits && on.cells().columns() == columns &&
             on.cells().wide_blocks() == wide_blocks;
    };
    return fits(lower_, shape_.lower_bits(), shape_.lower_bits() + shape_.check_bits, shape_.wide_blocks) &&
           fits(upper_, shape_.upper_bits(), shape_.upper_bits(), 0);
  }

  /// Builds it of entries that are given in parts: see parts.hpp. Words without values have the value 0.
  class builder {
   public:
    /// Pre: as many parts as the shape's ribbons have.
    builder(plan::bloomier_shape const& shape, std::span<std::uint64_t const> words_per_part) : shape_(shape) {
      if (shape.arity == 0) {
        lower_.emplace(shape.lower(), words_per_part);
        if (shape.upper_bits() != 0) upper_.emplace(shape.upper(), words_per_part);
      } else {
        fuse_ = fuse_table(words_per_part, shape.fuse());
        bumped_.resize(words_per_part.size());
      }
    }
    /// May run in several threads at once for different parts.
    void build_part(std::uint64_t part, std::span<std::uint64_t const> words) { build(part, words, {}); }
    void build_part(std::uint64_t part, std::span<map_entry const> entries) {
      memory space(entries.size_bytes());  // on huge pages
      auto* const words = reinterpret_cast<std::uint64_t*>(space.data());
      auto* const values = words + entries.size();
      for (std::size_t i = 0; i < entries.size(); ++i) words[i] = entries[i].word, values[i] = entries[i].value;
      build(part, {words, entries.size()}, {values, entries.size()});
    }
    retrieval finish() && {
      retrieval made;
      made.shape_ = shape_;
      if (shape_.arity != 0) {
        made.fuse_ = fuse_values(shape_.value_bits, std::move(fuse_), bumped_);
        return made;
      }
      made.lower_ = ribbon_values(shape_.lower_bits(), std::move(*lower_).finish());
      if (upper_) made.upper_ = ribbon_values(shape_.upper_bits(), std::move(*upper_).finish());
      return made;
    }

   private:
    void build(std::uint64_t part, std::span<std::uint64_t const> words, std::span<std::uint64_t const> values) {
      if (shape_.arity != 0) {
        fuse_part space;
        return fuse_.fill_part(part, {words, values}, space, bumped_[part]);
      }
      if (!upper_) return lower_->build_part(part, {words, values});
      auto const bits = shape_.lower_bits();
      std::vector<std::uint64_t> half(values.size());
      std::transform(values.begin(), values.end(), half.begin(),
                     [=](auto value) { return bits == 0 ? 0 : value & ~std::uint64_t{0} >> (64 - bits); });
      lower_->build_part(part, {words, half});
      std::transform(values.begin(), values.end(), half.begin(), [=](auto value) { return value >> bits; });
      upper_->build_part(part, {words, half});
    }

    plan::bloomier_shape shape_;
    std::optional<ribbon_cells_builder> lower_;
    std::optional<ribbon_cells_builder> upper_;
    fuse_table fuse_;
    std::vector<fuse_bumped> bumped_;  // for each part
  };

 private:
  plan::bloomier_shape shape_;
  ribbon_values lower_;
  ribbon_values upper_;
  fuse_values fuse_;
};

}  // namespace hortus
