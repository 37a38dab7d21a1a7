#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>

#include <hortus/cells/memory.hpp>
#include <hortus/digest.hpp>
#include <hortus/error.hpp>
#include <hortus/frozen/golomb_kernels.hpp>
#include <hortus/frozen/golomb_writer.hpp>
#include <hortus/index/fastrange.hpp>
#include <hortus/io/believed.hpp>
#include <hortus/plan/golomb_set.hpp>

namespace hortus {

/// Sorted values in blocks of Golomb codes, and the index of the blocks.
///
/// A line of the index has the position of its first block, in bits, and a field for each of its blocks: how far the block's
/// end deviates from (blocks up to it) * mean_bits. Blocks have equal ranges of values, so no value is stored in the index, and
/// a lookup computes the number of its block.
class golomb_blocks {
 public:
  struct place {
    std::uint64_t line = 0;
    std::uint64_t number = 0;  ///< of the block in the line
    std::uint64_t value = 0;   ///< in the block
  };
  struct stretch {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };

  /// Of no values.
  explicit golomb_blocks(plan::golomb_set_shape shape)
      : shape_(plan::checked(shape)),
        code_(shape.divisor),
        line_bytes_(shape.line_bytes()),
        index_(shape.index_bytes()),
        codes_(shape.code_bytes()) {}
  /// Of the blocks that the writers have, one after the other. Values that are no random ones may need more room than the shape
  /// has: then it becomes larger.
  golomb_blocks(plan::golomb_set_shape shape, std::span<golomb_writer const> parts) : golomb_blocks(shape) {
    for (auto const& part : parts) {
      used_bits_ += part.bits();
      values_ += part.values();
    }
    if (used_bits_ > plan::max_bits) throw error(errc::full, "the codes of a golomb_set have at most 2^42 bits");
    shape_.code_words = std::max(shape_.code_words, (used_bits_ + 63) / 64);
    mean_bits_ = (used_bits_ + shape_.blocks() / 2) / shape_.blocks();
    while (!positions_fit(parts)) ++shape_.field_bits;
    line_bytes_ = shape_.line_bytes();
    index_ = memory(shape_.index_bytes());
    codes_ = memory(shape_.code_bytes());
    for_each_block(parts, [&](std::uint64_t line, std::uint64_t number, std::uint64_t begin, std::int64_t deviation) {
      auto* const at = index_.data() + line * line_bytes_;
      if (number == 0) std::memcpy(at, &begin, sizeof begin);
      put_field(at, number, static_cast<std::uint64_t>(deviation));
    });
    std::uint64_t at = 0;
    for (auto const& part : parts) {
      part.copy(reinterpret_cast<std::uint64_t*>(codes_.data()) + 1, at);
      at += part.bits();
    }
  }

  [[nodiscard]] place place_of(digest x) const noexcept { return place_of(x.bits(), shape_); }
  /// Ascending words have ascending places. The low half of each product is how far into its line, or block, a word is.
  static place place_of(std::uint64_t word, plan::golomb_set_shape const& shape) noexcept {
    auto const in_line = word * shape.lines;
    return {fastrange(word, shape.lines), fastrange(in_line, shape.line_blocks),
            fastrange(in_line * shape.line_blocks, shape.block_range)};
  }
  [[nodiscard]] bool contains(place at) const noexcept {
    auto const codes = where(at);
    return kernels::golomb_find_one(code_, words(), codes.begin, codes.end, at.value);
  }

  /// Up to 64 keys: bit i of the answer is that of xs[i]. All lines of the index are read first, then the codes, in lanes.
  /// Lanes work for as long as one of them has gaps to decode, so keys at similar places in their blocks are put together.
  /// Prefetches the index of `next`.
  [[nodiscard]] std::uint64_t contains(std::span<digest const> xs, std::span<digest const> next) const noexcept {
    if (xs.empty()) return 0;
    std::array<std::uint8_t, 17> sixteenth{};
    for (auto const x : xs) ++sixteenth[sixteenth_of(x) + 1];
    std::partial_sum(sixteenth.begin(), sixteenth.end(), sixteenth.begin());
    kernels::golomb_lookups all;
    std::array<std::uint8_t, kernels::golomb_lookups::most> order;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      auto const at = place_of(xs[i]);
      auto const codes = where(at);
      auto const to = sixteenth[sixteenth_of(xs[i])]++;
      order[i] = to;
      all.begins[to] = codes.begin;
      all.ends[to] = codes.end;
      all.values[to] = at.value;
      prefetch(codes);
      if (i < next.size()) prefetch_index(next[i]);
    }
    auto const found = kernels::golomb_find(code_, words(), all, xs.size());
    std::uint64_t hits = 0;
    for (std::size_t i = 0; i < xs.size(); ++i) hits |= (found >> order[i] & 1) << i;
    return hits;
  }

  /// Where the codes of a block are. Empty if the index is damaged and says that they are somewhere else.
  [[nodiscard]] stretch where(place const& block) const noexcept {
    auto const said = indexed(block);
    return said.begin <= said.end && said.end <= used_bits_ ? said : stretch{};
  }
  [[gnu::always_inline]] void prefetch_index(digest x) const noexcept {
    __builtin_prefetch(index_.data() + fastrange(x.bits(), shape_.lines) * line_bytes_);
  }
  [[gnu::always_inline]] void prefetch(stretch codes) const noexcept {
    __builtin_prefetch(words() + codes.begin / 64);
    __builtin_prefetch(words() + codes.end / 64);
  }

  /// Calls act(value in the block) for one value after another until it returns true.
  bool scan(std::uint64_t block, auto act) const {
    auto const codes = where({block / shape_.line_blocks, block % shape_.line_blocks, 0});
    return code_.scan(words(), codes.begin, codes.end, act);
  }
  /// Do the index and all codes fit together?
  [[nodiscard]] bool consistent() const noexcept {
    std::uint64_t values = 0;
    return lines_fit(0, shape_.lines, values) && values == values_ && padding_is_zero();
  }

  void clear() noexcept {
    index_.clear();
    codes_.clear();
    mean_bits_ = used_bits_ = values_ = 0;
  }
  [[nodiscard]] plan::golomb_set_shape const& shape() const noexcept { return shape_; }
  [[nodiscard]] golomb_code const& code() const noexcept { return code_; }
  [[nodiscard]] std::uint64_t values() const noexcept { return values_; }
  [[nodiscard]] std::uint64_t code_bits() const noexcept { return used_bits_; }  ///< without the room after them
  [[nodiscard]] std::size_t size_bytes() const noexcept { return index_.size() + codes_.size(); }
  /// Bit 0 of the codes is the lowest bit of the first.
  [[nodiscard]] std::uint64_t const* words() const noexcept {
    return reinterpret_cast<std::uint64_t const*>(codes_.data()) + 1;
  }
  [[nodiscard]] memory const& index() const noexcept { return index_; }
  [[nodiscard]] memory const& codes() const noexcept { return codes_; }
  bool operator==(golomb_blocks const& other) const noexcept {
    return shape_ == other.shape_ && mean_bits_ == other.mean_bits_ && used_bits_ == other.used_bits_ &&
           values_ == other.values_ && index_ == other.index_ && codes_ == other.codes_;
  }

  static void fields(golomb_blocks const& self, auto& out) {
    auto const values = self.values_believed_.yes ? self.counted() : self.values_;
    out(self.shape_.lines, self.shape_.line_blocks, self.shape_.block_range, self.shape_.divisor, self.shape_.field_bits,
        self.shape_.code_words, self.mean_bits_, self.used_bits_, values, self.index_, self.codes_);
  }
  static void fields(golomb_blocks& self, auto& in) {
    in(self.shape_.lines, self.shape_.line_blocks, self.shape_.block_range, self.shape_.divisor, self.shape_.field_bits,
       self.shape_.code_words, self.mean_bits_, self.used_bits_, self.values_, self.index_, self.codes_);
    if (!self.shape_.possible()) throw error(errc::corrupt, "no golomb_set has this shape");
    self.code_ = golomb_code(self.shape_.divisor);
    self.line_bytes_ = self.shape_.line_bytes();
    self.values_believed_.yes = !in.verifies();
    if (!self.valid() || !(in.verifies() ? self.consistent() : self.sample_fits()))
      throw error(errc::corrupt, "its codes do not fit together");
  }
  /// What keeps lookups within memory; consistent() says more, but reads everything.
  [[nodiscard]] bool valid() const noexcept {
    return shape_.possible() && index_.size() == shape_.index_bytes() && codes_.size() == shape_.code_bytes() &&
           used_bits_ <= shape_.code_words * 64 && values_ <= used_bits_ && mean_bits_ <= used_bits_ &&
           values_ <= shape_.range();
  }

 private:
  static constexpr std::uint64_t sampled_lines = 32;

  /// The lines from `line` up to `last`: are their codes and positions right, and where those of the line after them begin?
  [[nodiscard]] bool lines_fit(std::uint64_t line, std::uint64_t last, std::uint64_t& values) const noexcept {
    auto at = line == 0 ? 0 : indexed({line, 0, 0}).begin;
    for (; line < last; ++line)
      for (std::uint64_t number = 0; number < shape_.line_blocks; ++number) {
        auto const codes = indexed({line, number, 0});
        if (codes.begin != at || codes.end < at || codes.end > used_bits_) return false;
        std::uint64_t next = 0, bits = 0;
        bool const wrong = code_.scan(words(), codes.begin, codes.end, [&](std::uint64_t value) {
          if (value < next || value >= shape_.block_range) return true;
          bits += code_.bits(value - next);
          next = value + 1;
          ++values;
          return false;
        });
        if (wrong || bits != codes.end - codes.begin) return false;
        at = codes.end;
      }
    return at == (last == shape_.lines ? used_bits_ : indexed({last, 0, 0}).begin);
  }
  /// Of a mapped file only the first and last lines are looked at, with their codes: enough to notice numbers that are not
  /// those of this index, and of a small file all.
  [[nodiscard]] bool sample_fits() const noexcept {
    if (shape_.lines <= 2 * sampled_lines) return consistent();
    std::uint64_t values = 0;
    return lines_fit(0, sampled_lines, values) && lines_fit(shape_.lines - sampled_lines, shape_.lines, values);
  }
  [[nodiscard]] stretch indexed(place const& block) const noexcept {
    auto const* const at = index_.data() + block.line * line_bytes_;
    std::uint64_t first = 0;
    std::memcpy(&first, at, sizeof first);
    auto const begin = block.number == 0 ? first : first + block.number * mean_bits_ + field(at, block.number - 1);
    return {begin, first + (block.number + 1) * mean_bits_ + field(at, block.number)};
  }
  /// The bits after the last field of each line, and those before and after the codes.
  [[nodiscard]] bool padding_is_zero() const noexcept {
    auto const bits = plan::golomb_set_shape::position_bits + std::uint64_t{shape_.line_blocks} * shape_.field_bits;
    for (std::uint64_t line = 0; line < shape_.lines && bits % 64 != 0; ++line) {
      std::uint64_t word = 0;
      std::memcpy(&word, index_.data() + (line + 1) * line_bytes_ - 8, sizeof word);
      if (word >> bits % 64 != 0) return false;
    }
    auto const* const all = words();
    if (all[-1] != 0 || (used_bits_ % 64 != 0 && all[used_bits_ / 64] >> used_bits_ % 64 != 0)) return false;
    return std::all_of(all + (used_bits_ + 63) / 64, all + shape_.code_words + 1, [](auto word) { return word == 0; });
  }
  /// In which sixteenth of its block a key is: about as many of the block's gaps are decoded.
  [[nodiscard]] std::size_t sixteenth_of(digest x) const noexcept {
    return static_cast<std::size_t>(x.bits() * shape_.lines * shape_.line_blocks >> 60);
  }
  [[nodiscard]] std::uint64_t counted() const noexcept {
    std::uint64_t values = 0;
    for (std::uint64_t block = 0; block < shape_.blocks(); ++block) scan(block, [&](auto) { return ++values, false; });
    return values;
  }
  /// Where field `number` of a line is: the byte of a word that has all of it, not beyond the line, and its lowest bit there.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> field_at(std::uint64_t number) const noexcept {
    auto const bit = plan::golomb_set_shape::position_bits + number * shape_.field_bits;
    auto const byte = std::min<std::uint64_t>(bit / 8, line_bytes_ - 8);
    return {byte, bit - 8 * byte};
  }
  /// The field, a signed number.
  [[nodiscard]] std::uint64_t field(std::byte const* line, std::uint64_t number) const noexcept {
    auto const [byte, shift] = field_at(number);
    std::uint64_t word = 0;
    std::memcpy(&word, line + byte, sizeof word);
    auto const unused = 64 - shape_.field_bits;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(word >> shift << unused) >> unused);
  }
  void put_field(std::byte* line, std::uint64_t number, std::uint64_t value) noexcept {
    auto const [byte, shift] = field_at(number);
    std::uint64_t word = 0;
    std::memcpy(&word, line + byte, sizeof word);
    word |= (value & (~std::uint64_t{0} >> (64 - shape_.field_bits))) << shift;
    std::memcpy(line + byte, &word, sizeof word);
  }

  /// act(line, number of the block in it, begin, deviation of its end) for each block.
  void for_each_block(std::span<golomb_writer const> parts, auto act) const {
    std::uint64_t line = 0, number = 0, at = 0, first = 0;
    for (auto const& part : parts)
      for (auto const length : part.lengths()) {
        if (number == 0) first = at;
        act(line, number, at, static_cast<std::int64_t>(at + length - first - (number + 1) * mean_bits_));
        at += length;
        if (++number == shape_.line_blocks) ++line, number = 0;
      }
  }
  [[nodiscard]] bool positions_fit(std::span<golomb_writer const> parts) const {
    bool fit = true;
    auto const limit = std::int64_t{1} << (shape_.field_bits - 1);
    for_each_block(parts, [&](std::uint64_t, std::uint64_t, std::uint64_t, std::int64_t deviation) {
      fit = fit && deviation >= -limit && deviation < limit;
    });
    return fit;
  }

  plan::golomb_set_shape shape_;
  golomb_code code_;
  std::uint64_t line_bytes_ = 0;
  memory index_;
  memory codes_;
  std::uint64_t mean_bits_ = 0;  // of a block, rounded
  std::uint64_t used_bits_ = 0;
  std::uint64_t values_ = 0;
  believed values_believed_;
};

}  // namespace hortus
