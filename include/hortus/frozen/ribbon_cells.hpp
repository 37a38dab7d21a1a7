#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <hortus/cells/memory.hpp>
#include <hortus/hash/mix64.hpp>
#include <hortus/index/fastrange.hpp>
#include <hortus/plan/ribbon.hpp>

namespace hortus {

/// The row of a key: the slots start ... start + 63 whose bit is set in `slots`. In column j the bits of these slots add up to
/// bit j of `fingerprint` (modulo 2).
struct ribbon_row {
  std::uint64_t slots;
  std::uint64_t fingerprint;

  /// The two halves of one product. The lower one alone would be weak in its lowest bits, the upper one is that of the start in
  /// its highest bits.
  [[gnu::always_inline]] static constexpr ribbon_row of(std::uint64_t word) noexcept {
    __extension__ using wide = unsigned __int128;
    auto const product = static_cast<wide>(word) * golden_ratio64;
    auto const upper = static_cast<std::uint64_t>(product >> 64);
    return {(static_cast<std::uint64_t>(product) ^ upper) | 1, upper};
  }
};

/// The row of a key in a filter of long rows: the slots start ... start + 127.
struct ribbon_long_row {
  std::uint64_t low;   ///< which of the first 64 slots
  std::uint64_t high;  ///< which of the others
  std::uint64_t fingerprint;

  [[gnu::always_inline]] static constexpr ribbon_long_row of(std::uint64_t word) noexcept {
    auto const row = ribbon_row::of(word);
    return {row.slots, mix64(word), row.fingerprint};
  }
};

/// What depends on the length of rows, which is that of so many blocks.
template <unsigned RowBlocks>
struct ribbon_rows;

/// The keys of a bucket of 128 slots whose rows start below its threshold are not in the layer, but in a later one. Four
/// thresholds are possible.
template <>
struct ribbon_rows<1> {
  static constexpr std::uint64_t slots = 128;
  static constexpr std::array<std::uint16_t, 4> thresholds{0, 19, 38, 128};
  /// The same as a number whose bytes are the thresholds, which is faster than a table.
  static constexpr std::uint64_t threshold(unsigned code) noexcept { return 0x80261300U >> 8 * code & 0xff; }
  /// A range's two ends get the keys of so many slots more: otherwise the slots there, which fewer rows can reach, would stay
  /// empty more often than others (22 slots a strip instead of 14).
  static constexpr std::uint64_t before = 14, after = 16;
};
template <>
struct ribbon_rows<2> {
  static constexpr std::uint64_t slots = 512;
  static constexpr std::array<std::uint16_t, 4> thresholds{0, 40, 96, 512};
  static constexpr std::uint64_t threshold(unsigned code) noexcept { return 0x0200'0060'0028'0000U >> 16 * code & 0xffff; }
  static constexpr std::uint64_t before = 36, after = 40;  // 28 slots a strip stay empty instead of 53
};
using ribbon_bucket = ribbon_rows<1>;

/// A range of blocks in which the rows of some keys lie.
struct ribbon_range {
  std::uint64_t first;  ///< block
  std::uint64_t end;

  /// Where the row of a word starts. Rows do not leave the range.
  template <unsigned RowBlocks = 1>
  [[nodiscard]] constexpr std::uint64_t start(std::uint64_t word) const noexcept {
    constexpr auto before = ribbon_rows<RowBlocks>::before, after = ribbon_rows<RowBlocks>::after;
    auto const last = (end - first - RowBlocks) * plan::ribbon_shape::block_slots;
    auto const place = fastrange(word, last + 1 + before + after);
    return first * plan::ribbon_shape::block_slots + std::min(std::max(place, before) - before, last);
  }
};

/// The word of a key in the next layer.
constexpr std::uint64_t next_layer(std::uint64_t word) noexcept { return mix64(word + golden_ratio64); }

/// What a ribbon filter stores.
///
///     columns      blocks of 64 slots, each with a word for every column; layer after layer
///     thresholds   2 bits for every 128 slots, or 512 if rows are long
///     boundaries   the blocks at which the strips of the first layer and the other layers end
///     kept         words, in ascending order, of the keys for which even the last layer had no room
class ribbon_cells {
 public:
  ribbon_cells() = default;
  /// Pre: `ends` is ascending: the ends of the strips of the first layer, then of the other layers.
  ribbon_cells(unsigned columns, std::uint64_t wide_blocks, std::uint64_t strips, std::span<std::uint64_t const> ends,
               unsigned row_blocks = 1)
      : columns_(columns),
        row_blocks_(row_blocks),
        strips_log2_(static_cast<unsigned>(std::countr_zero(strips))),
        layers_(ends.size() - strips + 1),
        wide_blocks_(wide_blocks),
        blocks_(ends.back()) {
    auto const s = shape();
    bits_ = memory(s.column_bytes());
    thresholds_ = memory(s.threshold_bytes());
    boundaries_ = memory(s.boundary_bytes());
    for (std::size_t i = 0; i < ends.size(); ++i) put_boundary(i + 1, ends[i]);
  }

  [[nodiscard]] std::uint64_t layers() const noexcept { return layers_; }
  [[nodiscard]] unsigned columns() const noexcept { return columns_; }
  [[nodiscard]] std::uint64_t blocks() const noexcept { return blocks_; }
  [[nodiscard]] std::uint64_t wide_blocks() const noexcept { return wide_blocks_; }
  [[nodiscard]] unsigned strips_log2() const noexcept { return strips_log2_; }
  [[nodiscard]] bool long_rows() const noexcept { return row_blocks_ == 2; }
  [[nodiscard]] plan::ribbon_shape shape() const noexcept {
    return {blocks_, columns_, wide_blocks_, std::uint64_t{1} << strips_log2_, layers_, row_blocks_};
  }

  [[nodiscard]] ribbon_range strip(std::uint64_t strip) const noexcept {
    std::uint64_t both = 0;  // one load for the two boundaries
    std::memcpy(&both, boundaries_.data() + strip * 4, sizeof both);
    return {both & 0xffff'ffff, both >> 32};
  }
  [[nodiscard]] ribbon_range layer(std::uint64_t layer) const noexcept {  ///< not the first one
    auto const at = (std::uint64_t{1} << strips_log2_) + layer - 1;
    return strip(at);
  }
  /// Where the row of a word starts in a layer.
  template <unsigned RowBlocks = 1>
  [[nodiscard]] std::uint64_t start_in_first(std::uint64_t word) const noexcept {
    return strip(word >> 1 >> (63 - strips_log2_)).start<RowBlocks>(word << strips_log2_);
  }
  template <unsigned RowBlocks = 1>
  [[nodiscard]] std::uint64_t start(std::uint64_t in_layer, std::uint64_t word) const noexcept {
    return in_layer == 0 ? start_in_first<RowBlocks>(word) : layer(in_layer).start<RowBlocks>(word);
  }
  /// Is a row that starts there in a later layer?
  template <unsigned RowBlocks = 1>
  [[nodiscard]] bool bumped(std::uint64_t start) const noexcept {
    using rows = ribbon_rows<RowBlocks>;
    return start % rows::slots < rows::threshold(code_of(start / rows::slots));
  }
  [[nodiscard]] unsigned code_of(std::uint64_t bucket) const noexcept {
    return static_cast<unsigned>(thresholds()[bucket / 4]) >> (bucket % 4 * 2) & 3;
  }
  /// Where the words of a block begin.
  [[nodiscard]] std::uint64_t word_of(std::uint64_t block) const noexcept {
    return block * columns_ + std::min(block, wide_blocks_);
  }
  /// A row has the columns of the block in which it ends.
  template <unsigned RowBlocks = 1>
  [[nodiscard]] unsigned columns_of_row(std::uint64_t start) const noexcept {
    return columns_ + static_cast<unsigned>(end_block<RowBlocks>(start) < wide_blocks_);
  }
  template <unsigned RowBlocks = 1>
  static constexpr std::uint64_t end_block(std::uint64_t start) noexcept {
    return (start + 64 * RowBlocks - 1) / 64;
  }

  /// Prefetches the two blocks of a row, or three. Only prefetches, so it must be inlined: see batch.hpp.
  template <unsigned RowBlocks = 1>
  [[gnu::always_inline]] void prefetch(std::uint64_t start) const noexcept {
    auto const* const first = bits_.data() + word_of(start / 64) * 8;
    auto const bytes = 8 * (RowBlocks + 1) * columns_of_row<RowBlocks>(start);
    for (unsigned at = 0; at < bytes; at += memory::line_bytes) __builtin_prefetch(first + at);
    __builtin_prefetch(first + bytes - 1);  // the blocks begin anywhere in a line, and may end in one more
  }

  [[nodiscard]] std::uint64_t const* words() const noexcept { return reinterpret_cast<std::uint64_t const*>(bits_.data()); }
  [[nodiscard]] std::uint64_t* words() noexcept { return reinterpret_cast<std::uint64_t*>(bits_.data()); }
  [[nodiscard]] std::byte const* thresholds() const noexcept { return thresholds_.data(); }
  [[nodiscard]] std::byte* thresholds() noexcept { return thresholds_.data(); }
  [[nodiscard]] memory const& bits() const noexcept { return bits_; }
  [[nodiscard]] std::span<std::uint64_t const> kept() const noexcept {
    return {reinterpret_cast<std::uint64_t const*>(kept_.data()), kept_.size() / 8};
  }
  [[nodiscard]] bool keeps(std::uint64_t word) const noexcept { return std::binary_search(kept().begin(), kept().end(), word); }
  /// The position of a kept word; kept().size() if the word is not kept.
  [[nodiscard]] std::size_t kept_at(std::uint64_t word) const noexcept {
    auto const words = kept();
    auto const found = std::lower_bound(words.begin(), words.end(), word);
    return found != words.end() && *found == word ? static_cast<std::size_t>(found - words.begin()) : words.size();
  }
  /// Pre: `words` is ascending.
  void keep(std::span<std::uint64_t const> words) {
    memory kept(words.size_bytes());
    if (!words.empty()) std::memcpy(kept.data(), words.data(), words.size_bytes());
    kept_ = std::move(kept);
    kept_words_ = words.size();
  }

  /// The probability that an absent key is found, if rows had `most` columns at most: for every layer the starts that are in
  /// it, each with the probability that 2^columns fingerprints are equal by chance.
  [[nodiscard]] double fpr(unsigned most) const noexcept {
    double rate = 0;
    double reached = 1;
    for (std::uint64_t i = 0; i < layers_; ++i) {
      double later = 0;
      auto const ranges = i == 0 ? std::uint64_t{1} << strips_log2_ : 1;
      for (std::uint64_t j = 0; j < ranges; ++j) {
        auto const range = i == 0 ? strip(j) : layer(i);
        auto const found = long_rows() ? found_in<2>(range, most) : found_in<1>(range, most);
        rate += reached / static_cast<double>(ranges) * found.rate;
        later += reached / static_cast<double>(ranges) * found.later;
      }
      reached = later;
    }
    return rate;
  }

  /// Sets where a strip of the first layer ends. Pre: it and the next one keep a block.
  void end_strip(std::uint64_t strip, std::uint64_t block) noexcept { put_boundary(strip + 1, block); }

  /// The same layers before `layer`, and from there on layers of other sizes, all empty.
  [[nodiscard]] ribbon_cells with_layers(std::uint64_t layer, std::span<std::uint64_t const> sizes) const {
    std::vector<std::uint64_t> ends;
    auto const kept = (std::uint64_t{1} << strips_log2_) + layer - 1;
    for (std::uint64_t i = 0; i < kept; ++i) ends.push_back(boundary(i + 1));
    auto const same = ends.back();
    for (auto const blocks : sizes) ends.push_back(ends.back() + blocks);
    ribbon_cells other(columns_, wide_blocks_, std::uint64_t{1} << strips_log2_, ends, row_blocks_);
    std::copy_n(words(), word_of(same), other.words());
    auto const blocks_per_byte = shape().blocks_per_threshold_byte();
    std::copy_n(thresholds(), (same + blocks_per_byte - 1) / blocks_per_byte, other.thresholds());
    return other;
  }

  /// Keeps the first columns only.
  void keep_columns(unsigned columns) {
    memory fewer(blocks_ * columns * 8);
    auto* const to = reinterpret_cast<std::uint64_t*>(fewer.data());
    for (std::uint64_t block = 0; block < blocks_; ++block)
      std::copy_n(words() + word_of(block), columns, to + block * columns);
    bits_ = std::move(fewer);
    columns_ = columns;
    wide_blocks_ = 0;
  }

  /// Every key is bumped out of every layer, and none was kept.
  void clear() noexcept {
    bits_.clear();
    std::fill_n(thresholds_.data(), thresholds_.size(), std::byte{0xff});
    kept_ = memory();
    kept_words_ = 0;
  }
  [[nodiscard]] std::size_t size_bytes() const noexcept {
    return bits_.size() + thresholds_.size() + boundaries_.size() + kept_.size();
  }
  bool operator==(ribbon_cells const&) const = default;

  static void fields(ribbon_cells const& self, auto& out) {
    auto const columns = self.columns_ + (self.long_rows() ? long_rows_flag : 0);
    out(columns, self.wide_blocks_, self.strips_log2_, self.layers_, self.blocks_, self.kept_words_, self.bits_,
        self.thresholds_, self.boundaries_, self.kept_);
  }
  static void fields(ribbon_cells& self, auto& in) {
    in(self.columns_, self.wide_blocks_, self.strips_log2_, self.layers_, self.blocks_, self.kept_words_, self.bits_,
       self.thresholds_, self.boundaries_, self.kept_);
    self.row_blocks_ = self.columns_ < long_rows_flag ? 1 : 2;
    self.columns_ -= self.long_rows() ? long_rows_flag : 0;
  }
  [[nodiscard]] bool valid() const noexcept {
    using shape_type = plan::ribbon_shape;
    if (columns_ > shape_type::max_columns || wide_blocks_ > blocks_ ||
        (columns_ == shape_type::max_columns && wide_blocks_ != 0) || blocks_ > shape_type::max_blocks || strips_log2_ > 32 ||
        layers_ > plan::ribbon_max_layers || kept_words_ != kept_.size() / 8 || kept_.size() % 8 != 0)
      return false;
    auto const words = kept();
    if (std::adjacent_find(words.begin(), words.end(), std::greater_equal<>()) != words.end()) return false;
    auto const s = shape();
    if (bits_.size() != s.column_bytes() || thresholds_.size() != s.threshold_bytes() ||
        boundaries_.size() != s.boundary_bytes())
      return false;
    if (layers_ == 0) return blocks_ == 0 && strips_log2_ == 0 && !long_rows();
    auto const ends = s.strips + layers_;
    for (std::uint64_t i = 1; i < ends; ++i)
      if (boundary(i) < boundary(i - 1) + row_blocks_) return false;  // a range has room for a row
    return boundary(0) == 0 && boundary(ends - 1) == blocks_;
  }

 private:
  static constexpr unsigned long_rows_flag = 128;  // added to the columns in a file

  struct shares {
    double rate;
    double later;
  };
  template <unsigned RowBlocks>
  [[nodiscard]] shares found_in(ribbon_range range, unsigned most) const noexcept {
    using rows = ribbon_rows<RowBlocks>;
    constexpr auto slots = plan::ribbon_shape::block_slots;
    auto const first = range.first * slots;
    auto const last = (range.end - RowBlocks) * slots;  // the last start
    auto const all = static_cast<double>(last - first + 1 + rows::before + rows::after);
    double const narrow = std::ldexp(1.0, -static_cast<int>(std::min(columns_, most)));
    double const wide = std::ldexp(1.0, -static_cast<int>(std::min(columns_ + 1, most)));
    // Starts below `wide_end` have rows with a column more.
    auto const wide_end = wide_blocks_ < RowBlocks ? 0 : (wide_blocks_ - RowBlocks) * slots + 1;
    auto const at_end = [&](std::uint64_t start, double extra) {  // the keys that the ends get in addition
      if (bumped<RowBlocks>(start)) return shares{0, extra};
      return shares{extra * (start < wide_end ? wide : narrow), 0};
    };
    auto const front = at_end(first, rows::before);
    auto const back = at_end(last, rows::after);
    shares sum{front.rate + back.rate, front.later + back.later};
    for (auto start = first; start <= last;) {
      auto const bucket = start / rows::slots;
      auto const end = std::min((bucket + 1) * rows::slots, last + 1);
      auto const in = std::clamp(bucket * rows::slots + rows::threshold(code_of(bucket)), start, end);
      auto const change = std::clamp(wide_end, in, end);
      sum.later += static_cast<double>(in - start);
      sum.rate += static_cast<double>(change - in) * wide + static_cast<double>(end - change) * narrow;
      start = end;
    }
    return {sum.rate / all, sum.later / all};
  }
  [[nodiscard]] std::uint64_t boundary(std::uint64_t i) const noexcept {
    std::uint32_t block = 0;
    std::memcpy(&block, boundaries_.data() + i * sizeof block, sizeof block);
    return block;
  }
  void put_boundary(std::uint64_t i, std::uint64_t at) noexcept {
    auto const block = static_cast<std::uint32_t>(at);
    std::memcpy(boundaries_.data() + i * sizeof block, &block, sizeof block);
  }

  unsigned columns_ = 0;
  unsigned row_blocks_ = 1;
  unsigned strips_log2_ = 0;
  std::uint64_t layers_ = 0;
  std::uint64_t wide_blocks_ = 0;
  std::uint64_t blocks_ = 0;
  std::uint64_t kept_words_ = 0;
  memory bits_;
  memory thresholds_;
  memory boundaries_;
  memory kept_;
};

}  // namespace hortus
