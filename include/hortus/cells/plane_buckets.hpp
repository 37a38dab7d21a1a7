#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include <hortus/cells/bit_array.hpp>
#include <hortus/cells/memory.hpp>
#include <hortus/error.hpp>

namespace hortus {

/// Buckets of eight cells. A cell is a tag of `tag_bits` bits, 0 if the cell is empty, and a counter of two bits.
///
///     bucket, tags of 5 bits      byte 0  1 1 0 1 0 0 0 0      lowest bits of the eight tags
///                                 byte 1  0 1 1 1 0 0 0 0      their next bits
///                                 ...
///                                 byte 6  0 0 1 0 0 0 0 0      high bits of the counters
///
/// The bits are stored in planes, not cell by cell. So eight cells of b bits fill exactly b bytes, for any b, and all are
/// compared with a tag at once, eight planes in a 64-bit word, without shifts or vector instructions. The cells in use are
/// always the first ones, so that comparing the used() masks of two buckets compares their loads.
class plane_buckets {
 public:
  static constexpr unsigned cells_in_bucket = 8;
  static constexpr unsigned counter_bits = 2;
  static constexpr unsigned max_tag_bits = 62;  // with the counters a bucket is then one cache line

  /// A tag spread over the planes, computed once and compared with several buckets.
  using pattern = std::array<std::uint64_t, 8>;

  plane_buckets() : plane_buckets(1, 1) {}
  plane_buckets(std::uint64_t buckets, unsigned tag_bits) : buckets_(buckets), tag_bits_(tag_bits) {
    if (!possible()) throw error(errc::bad_params, "buckets have tags of 1 to 62 bits, and 2^42 bits in all");
    memory_ = memory(bytes(buckets, tag_bits));
  }

  /// Eight bytes more than the cells take, because whole words are read.
  static constexpr std::uint64_t bytes(std::uint64_t buckets, unsigned tag_bits) noexcept {
    return buckets * (tag_bits + counter_bits) + sizeof(std::uint64_t);
  }

  [[nodiscard]] pattern spread(std::uint64_t tag) const noexcept {
    pattern p;
    for (unsigned w = 0; w < words(); ++w, tag >>= 8) p[w] = spread_byte(tag & 0xff);
    return p;
  }

  /// A bit mask of the cells in use with that tag.
  [[nodiscard]] unsigned matches(std::uint64_t bucket, pattern const& p) const noexcept {
    return 0xff & ~any_plane(bucket, [&](unsigned w, std::uint64_t word) { return word ^ p[w]; });
  }
  /// A bit mask of the cells in use: 0, 1, 3, 7 ... 255.
  [[nodiscard]] unsigned used(std::uint64_t bucket) const noexcept {
    return any_plane(bucket, [](unsigned, std::uint64_t word) { return word; });
  }
  /// The number of cells in use in all buckets.
  [[nodiscard]] std::uint64_t used() const noexcept {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < buckets_; ++i) sum += static_cast<std::uint64_t>(std::bit_width(used(i)));
    return sum;
  }
  [[nodiscard]] std::uint64_t tag(std::uint64_t bucket, unsigned cell) const noexcept {
    std::uint64_t tag = 0;
    for (unsigned i = 0; i < tag_bits_; ++i) tag |= std::uint64_t{plane_bit(bucket, i, cell)} << i;
    return tag;
  }
  [[nodiscard]] unsigned counter(std::uint64_t bucket, unsigned cell) const noexcept {
    return plane_bit(bucket, tag_bits_, cell) | plane_bit(bucket, tag_bits_ + 1, cell) << 1;
  }
  /// The number of counters at their maximum in all buckets.
  [[nodiscard]] std::uint64_t saturated() const noexcept {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < buckets_; ++i) {
      auto const* const counters = memory_.data() + place(i) + tag_bits_;
      sum += static_cast<std::uint64_t>(std::popcount(std::to_integer<unsigned>(counters[0] & counters[1])));
    }
    return sum;
  }
  void set_counter(std::uint64_t bucket, unsigned cell, unsigned value) noexcept {
    for (unsigned i = 0; i < counter_bits; ++i) {
      auto& plane = memory_.data()[place(bucket) + tag_bits_ + i];
      plane = (plane & ~(std::byte{1} << cell)) | std::byte{(value >> i & 1) != 0} << cell;
    }
  }

  /// Puts the tag into a cell, with counter 0. Pre: the cell is the first one not in use.
  void put(std::uint64_t bucket, unsigned cell, pattern const& p) noexcept {
    for_each_word(bucket, [&](unsigned w, std::uint64_t word) { return (word & ~lane(cell)) | (p[w] & lane(cell)); });
  }
  /// Empties a cell in use by moving the last cell in use there.
  void take(std::uint64_t bucket, unsigned cell) noexcept {
    auto const last = static_cast<unsigned>(std::bit_width(used(bucket))) - 1;
    for_each_word(bucket, [&](unsigned, std::uint64_t word) {
      auto const moved = (word >> last & lane(0)) << cell;
      return cell == last ? word & ~lane(last) : (word & ~lane(cell) & ~lane(last)) | moved;
    });
  }
  /// Prefetches the bucket's first cache line, and its last if it spans two. Must be inlined: see batch.hpp.
  [[gnu::always_inline]] void prefetch(std::uint64_t bucket) const noexcept {
    __builtin_prefetch(memory_.data() + place(bucket));
    __builtin_prefetch(memory_.data() + place(bucket + 1) - 1);
  }
  void clear() noexcept { memory_.clear(); }

  [[nodiscard]] std::uint64_t size() const noexcept { return buckets_; }
  [[nodiscard]] unsigned tag_bits() const noexcept { return tag_bits_; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return memory_.size(); }
  [[nodiscard]] memory const& cells() const noexcept { return memory_; }
  bool operator==(plane_buckets const&) const = default;

  static void fields(auto& self, auto& io) { io(self.buckets_, self.tag_bits_, self.memory_); }
  /// Cells may have any content. An empty cell before one in use is never used again, which does no harm.
  [[nodiscard]] bool valid() const noexcept {
    return possible() && memory_.size() == bytes(buckets_, tag_bits_) && load(place(buckets_)) == 0;
  }

 private:
  [[nodiscard]] bool possible() const noexcept {
    return tag_bits_ >= 1 && tag_bits_ <= max_tag_bits && buckets_ <= bit_array::max_bits / 8 / (tag_bits_ + counter_bits);
  }

  /// Copies bit i of a byte to all bits of byte i.
  static constexpr std::uint64_t spread_byte(std::uint64_t byte) noexcept {
    auto const one_each = byte * lane(0) & 0x8040201008040201U;  // bit i stays in byte i
    return ((one_each + 0x7f * lane(0)) >> 7 & lane(0)) * 0xff;
  }
  /// Bit `cell` of every byte: one cell in eight planes.
  static constexpr std::uint64_t lane(unsigned cell) noexcept { return std::uint64_t{0x0101010101010101} << cell; }
  /// The first n bytes of a word, n from 1 to 8.
  static constexpr std::uint64_t first_bytes(unsigned n) noexcept { return ~std::uint64_t{0} >> (64 - 8 * n); }

  [[nodiscard]] unsigned words() const noexcept { return (tag_bits_ + counter_bits + 7) / 8; }
  [[nodiscard]] std::uint64_t place(std::uint64_t bucket) const noexcept { return bucket * (tag_bits_ + counter_bits); }
  [[nodiscard]] std::uint64_t load(std::uint64_t at) const noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, memory_.data() + at, sizeof word);
    return word;
  }
  [[nodiscard]] unsigned plane_bit(std::uint64_t bucket, unsigned plane, unsigned cell) const noexcept {
    return std::to_integer<unsigned>(memory_.data()[place(bucket) + plane]) >> cell & 1;
  }

  /// Bit i: does cell i have a bit set in any plane of its tag, after f(word number, word)?
  [[nodiscard]] unsigned any_plane(std::uint64_t bucket, auto f) const noexcept {
    std::uint64_t any = 0;
    unsigned w = 0;
    auto at = place(bucket);
    for (; 8 * (w + 1) < tag_bits_; ++w, at += 8) any |= f(w, load(at));
    any |= f(w, load(at)) & first_bytes(tag_bits_ - 8 * w);
    any |= any >> 32;
    any |= any >> 16;
    any |= any >> 8;
    return static_cast<unsigned>(any & 0xff);
  }
  /// word = f(word number, word) for the words of a bucket, without changing bytes past its end.
  void for_each_word(std::uint64_t bucket, auto f) noexcept {
    auto at = place(bucket);
    auto const end = place(bucket + 1);
    for (unsigned w = 0; at < end; ++w, at += 8) {
      auto const mine = first_bytes(static_cast<unsigned>(std::min<std::uint64_t>(end - at, 8)));
      auto const word = load(at);
      auto const changed = (word & ~mine) | (f(w, word) & mine);
      std::memcpy(memory_.data() + at, &changed, sizeof changed);
    }
  }

  std::uint64_t buckets_;
  unsigned tag_bits_;
  memory memory_;
};

}  // namespace hortus
