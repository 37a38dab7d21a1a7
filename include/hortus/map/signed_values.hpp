#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <hortus/cells/wide_slots.hpp>
#include <hortus/digest.hpp>
#include <hortus/hash/mix64.hpp>
#include <hortus/plan/perfect_hash_map.hpp>

namespace hortus {

/// A signature and a value for each number of a perfect hash. In one slot, the signature in the low bits, if both fit a word;
/// in two arrays otherwise.
class signed_values {
 public:
  signed_values() = default;
  explicit signed_values(plan::perfect_hash_map_shape shape)
      : signature_bits_(shape.signature_bits),
        value_bits_(shape.value_bits),
        first_(shape.items, shape.first_bits()),
        second_(shape.items, shape.second_bits()) {
    set_up();
  }

  /// Its low bits are the signature of a key; those above are not zero. Few instructions, because a core overlaps as many
  /// lookups as it has room for. Signature and slot are products of the digest with different constants.
  [[nodiscard]] std::uint64_t signature(digest x) const noexcept {
    return ((x.bits() ^ x.bits() >> 32) * mix64_first) >> signature_shift_;
  }
  /// act(slots), where slots.prefetch(i) prefetches the slot of number i, slots.matches(i, signature) says whether it has
  /// this signature, and slots.value(i) is its value. Made for the width of the slots, once for a block of keys.
  decltype(auto) with_slots(auto act) const noexcept {
    return first_.with_reader([&](auto read) { return act(slots_by<decltype(read)>{*this, read}); });
  }
  /// Pre: value has at most value_bits() bits.
  void put(std::uint64_t i, std::uint64_t signature, std::uint64_t value) noexcept {
    signature &= signature_mask_;
    first_.put(i, in_one_slot() && value_bits_ != 0 ? signature | value << signature_bits_ : signature);
    second_.put(i, value);
  }
  /// Slots at the ends of a range: to put one of them reads and writes bytes that have slots outside the range. Other slots
  /// may be put while another thread puts slots of neighbouring ranges.
  static constexpr bool at_an_end(std::uint64_t i, std::uint64_t first, std::uint64_t end) noexcept {
    constexpr std::uint64_t in_a_byte = 8, in_nine_bytes = 72;
    return i - first < in_a_byte || end - i <= in_nine_bytes;
  }

  [[nodiscard]] unsigned signature_bits() const noexcept { return signature_bits_; }
  [[nodiscard]] unsigned value_bits() const noexcept { return value_bits_; }
  [[nodiscard]] bool holds(std::uint64_t items) const noexcept { return first_.holds(items) && second_.holds(items); }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return first_.size_bytes() + second_.size_bytes(); }
  [[nodiscard]] memory const& cells() const noexcept { return first_.cells(); }
  void clear() noexcept {
    first_.clear();
    second_.clear();
  }
  bool operator==(signed_values const&) const = default;

  static void fields(signed_values const& self, auto& out) { list(self, out); }
  static void fields(signed_values& self, auto& in) {
    list(self, in);
    if (self.valid()) self.set_up();
  }
  /// Slots may have any content.
  [[nodiscard]] bool valid() const noexcept {
    plan::perfect_hash_map_shape const shape{0, signature_bits_, value_bits_};
    return shape.possible() && first_.valid() && second_.valid() && first_.width() == shape.first_bits() &&
           second_.width() == shape.second_bits();
  }

 private:
  static void list(auto& self, auto& io) { io(self.signature_bits_, self.value_bits_, self.first_, self.second_); }
  static constexpr std::uint64_t low(unsigned bits) noexcept { return bits == 0 ? 0 : ~std::uint64_t{0} >> (64 - bits); }
  [[nodiscard]] bool in_one_slot() const noexcept { return signature_bits_ + value_bits_ <= 64; }
  void set_up() noexcept {
    signature_shift_ = std::min(63U, 64 - signature_bits_);
    signature_mask_ = low(signature_bits_);
    max_value_ = low(value_bits_);
    value_shift_ = std::min(63U, signature_bits_);
  }
  template <class Reader>
  struct slots_by {
    signed_values const& all;
    Reader read;

    [[gnu::always_inline]] void prefetch(std::uint64_t i) const noexcept {
      read.prefetch(i);
      if (!all.in_one_slot()) all.second_.with_reader([&](auto other) __attribute__((always_inline)) { other.prefetch(i); });
    }
    [[nodiscard]] bool matches(std::uint64_t i, std::uint64_t signature) const noexcept {
      return ((read(i) ^ signature) & all.signature_mask_) == 0;
    }
    [[nodiscard]] std::uint64_t value(std::uint64_t i) const noexcept {
      return all.in_one_slot() ? read(i) >> all.value_shift_ & all.max_value_ : all.second_.get(i);
    }
  };

  unsigned signature_bits_ = 0;
  unsigned value_bits_ = 0;
  wide_slots first_, second_;
  unsigned signature_shift_ = 63, value_shift_ = 0;
  std::uint64_t signature_mask_ = 0, max_value_ = 0;
};

}  // namespace hortus
