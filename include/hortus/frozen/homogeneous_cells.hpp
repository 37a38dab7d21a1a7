#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <hortus/cells/memory.hpp>
#include <hortus/hash/mix64.hpp>
#include <hortus/index/fastrange.hpp>
#include <hortus/plan/homogeneous_ribbon.hpp>

namespace hortus {

/// The row of a key: slots of the block in which it starts, from the start on, and slots of the next block.
struct homogeneous_row {
  std::uint64_t low;
  std::uint64_t high;

  /// Few instructions: they limit how many lookups a core has under way.
  [[gnu::always_inline]] static constexpr homogeneous_row of(std::uint64_t word, std::uint64_t start) noexcept {
    __extension__ using wide = unsigned __int128;
    constexpr std::uint64_t high_multiplier = 0x6659fd93;  // 31 bits fit into the instruction
    auto const product = static_cast<wide>(word) * golden_ratio64;
    // The lower half alone would be weak in its lowest bits, the upper one is that of the start in its highest bits.
    auto const folded = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    // The lowest bits of a product are nearly sums of bits of its factor; those of the word keep `high` from being a sum of
    // `low`.
    return {folded << (start % 64), folded * high_multiplier ^ word};
  }
};

/// What a homogeneous ribbon filter stores.
///
///     columns   blocks of 64 slots, each with a word for every column; strip after strip, layer after layer
///     chances   for each layer: the sum, over all starts, of the probability that an absent row adds up to 0, times 2^16
class homogeneous_cells {
 public:
  static constexpr std::uint64_t certain = 1 << 16;  ///< the probability 1, in chances()

  homogeneous_cells() = default;
  explicit homogeneous_cells(plan::homogeneous_shape const& s)
      : items_(s.items),
        layers_(s.layers),
        columns_(s.columns),
        strips_log2_(static_cast<unsigned>(std::countr_zero(s.strips))),
        starts_(s.layer_starts()),
        narrow_blocks_(s.layer_blocks() - s.wide_blocks),
        bits_(s.layers * s.layer_words() * 8),
        chances_(s.layers * 8) {
    derive();
  }

  [[nodiscard]] std::uint64_t items() const noexcept { return items_; }
  [[nodiscard]] unsigned layers() const noexcept { return layers_; }
  [[nodiscard]] unsigned columns() const noexcept { return columns_; }
  [[nodiscard]] unsigned strips_log2() const noexcept { return strips_log2_; }
  [[nodiscard]] std::uint64_t narrow_blocks() const noexcept { return narrow_blocks_; }
  /// Blocks below this number have eight columns: a cache line. They are a case of their own in lookups.
  [[nodiscard]] std::uint64_t blocks_of_eight() const noexcept { return blocks_of_eight_; }
  [[nodiscard]] std::uint64_t start_blocks() const noexcept { return starts_ / 64 >> strips_log2_; }
  [[nodiscard]] std::uint64_t layer_blocks() const noexcept { return starts_ / 64 + (std::uint64_t{1} << strips_log2_); }
  [[nodiscard]] std::uint64_t layer_words() const noexcept {
    return layer_blocks() * columns_ + (layer_blocks() - narrow_blocks_);
  }
  [[nodiscard]] plan::homogeneous_shape shape() const noexcept {
    if (layers_ == 0) return {};
    return {items_, layers_, columns_, std::uint64_t{1} << strips_log2_, start_blocks(), layer_blocks() - narrow_blocks_};
  }

  /// The word of a key in a layer. It has the same strip in all of them, so that a part of the keys needs only a part of each.
  [[nodiscard]] std::uint64_t word_in(unsigned layer, std::uint64_t word) const noexcept {
    if (layer == 0) return word;
    return (word & strip_mask_) | mix64(word + layer * golden_ratio64) >> strips_log2_;
  }
  /// Where its row starts among the starts of the layer; modulo 64, in its block.
  [[nodiscard]] std::uint64_t start(std::uint64_t word) const noexcept { return fastrange(word, starts_); }
  /// The block of a start. Every strip before has a block more, in which no row starts.
  [[nodiscard]] std::uint64_t block(std::uint64_t word, std::uint64_t start) const noexcept { return start / 64 + strip(word); }
  [[nodiscard]] std::uint64_t strip(std::uint64_t word) const noexcept { return word >> 1 >> (63 - strips_log2_); }
  /// The bits of a word that are its strip.
  [[nodiscard]] std::uint64_t const& strip_mask() const noexcept { return strip_mask_; }
  /// Where the words of a block begin, in its layer.
  [[nodiscard]] std::uint64_t word_of(std::uint64_t block) const noexcept {
    return block * columns_ + std::max(block, narrow_blocks_) - narrow_blocks_;
  }
  [[nodiscard]] unsigned columns_of(std::uint64_t block) const noexcept {
    return columns_ + static_cast<unsigned>(block >= narrow_blocks_);
  }
  /// What slots hold that no row needs: bits of this word, in place. They look random, so that absent rows add up to random
  /// bits.
  [[nodiscard]] std::uint64_t free_bits(unsigned layer, std::uint64_t block, unsigned column) const noexcept {
    return mix64((layer * layer_blocks() + block) * 64 + column + golden_ratio64);
  }

  /// Prefetches the two blocks of a row of the first layer, to the second cache: see kernels. Only prefetches, so it must be
  /// inlined: see batch.hpp.
  [[gnu::always_inline]] void prefetch(std::uint64_t word) const noexcept {
    if (layers_ != 0) prefetch(words(), word);
  }
  [[gnu::always_inline]] void prefetch(std::uint64_t const* layer, std::uint64_t word) const noexcept {
    auto const in = block(word, start(word));
    auto const* const first = reinterpret_cast<std::byte const*>(layer + word_of(in));
    auto const bytes = 16 * columns_of(in);
    for (unsigned at = 0; at < bytes; at += memory::line_bytes) __builtin_prefetch(first + at, 0, 2);
    __builtin_prefetch(first + bytes - 1, 0, 2);  // the blocks begin anywhere in a line, and may end in one more
  }

  [[nodiscard]] std::uint64_t const* words() const noexcept { return reinterpret_cast<std::uint64_t const*>(bits_.data()); }
  [[nodiscard]] std::uint64_t* words() noexcept { return reinterpret_cast<std::uint64_t*>(bits_.data()); }
  [[nodiscard]] memory const& bits() const noexcept { return bits_; }
  [[nodiscard]] std::span<std::uint64_t const> chances() const noexcept {
    return {reinterpret_cast<std::uint64_t const*>(chances_.data()), layers_};
  }
  void put_chances(unsigned layer, std::uint64_t sum) noexcept {
    reinterpret_cast<std::uint64_t*>(chances_.data())[layer] = sum;
  }
  /// The rate of a layer with these chances.
  [[nodiscard]] double rate(std::uint64_t chances) const noexcept {
    return static_cast<double>(chances) / static_cast<double>(starts_) / static_cast<double>(certain);
  }

  /// The first columns of the first layers, without chances. The blocks with a column more keep it if all columns are kept.
  [[nodiscard]] homogeneous_cells kept(unsigned layers, unsigned columns) const {
    auto s = shape();
    s.layers = layers;
    if (columns < columns_) s.wide_blocks = 0;
    s.columns = columns;
    homogeneous_cells fewer(s);
    for (unsigned layer = 0; layer < layers; ++layer)
      for (std::uint64_t block = 0; block < layer_blocks(); ++block)
        std::copy_n(words() + layer * layer_words() + word_of(block), fewer.columns_of(block),
                    fewer.words() + layer * fewer.layer_words() + fewer.word_of(block));
    return fewer;
  }

  [[nodiscard]] std::size_t size_bytes() const noexcept { return bits_.size() + chances_.size(); }
  bool operator==(homogeneous_cells const&) const = default;

  static void fields(auto& self, auto& io) {
    io(self.items_, self.layers_, self.columns_, self.strips_log2_, self.starts_, self.narrow_blocks_, self.bits_,
       self.chances_);
    if constexpr (!std::is_const_v<std::remove_reference_t<decltype(self)>>) self.derive();
  }
  [[nodiscard]] bool valid() const noexcept {
    using shape_type = plan::homogeneous_shape;
    if (layers_ == 0) return *this == homogeneous_cells();
    constexpr auto max_starts = std::uint64_t{1} << 42;
    if (items_ == 0 || layers_ > shape_type::max_layers || columns_ > shape_type::max_columns + 1 || strips_log2_ > 32 ||
        starts_ == 0 || starts_ > max_starts || starts_ % (std::uint64_t{64} << strips_log2_) != 0 ||
        narrow_blocks_ > layer_blocks() || bits_.size() != layers_ * layer_words() * 8 || chances_.size() != layers_ * 8)
      return false;
    return std::ranges::all_of(chances(), [&](auto sum) { return sum <= starts_ * certain; });
  }

 private:
  /// What lookups would otherwise compute again and again.
  void derive() noexcept {
    strip_mask_ = ~(~std::uint64_t{0} >> strips_log2_ % 64);
    blocks_of_eight_ = columns_ == 8 ? narrow_blocks_ : 0;
  }

  std::uint64_t items_ = 0;
  unsigned layers_ = 0;
  unsigned columns_ = 0;
  unsigned strips_log2_ = 0;
  std::uint64_t starts_ = 0;
  std::uint64_t narrow_blocks_ = 0;
  std::uint64_t strip_mask_ = 0;
  std::uint64_t blocks_of_eight_ = 0;
  memory bits_;
  memory chances_;
};

}  // namespace hortus
