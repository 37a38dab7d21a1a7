#pragma once
#include <cstddef>
#include <cstdint>

#include <hortus/cells/wide_slots.hpp>
#include <hortus/digest.hpp>
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
        second_(shape.items, shape.second_bits()) {}

  /// Independent of the place of the key: remixed digests are.
  [[nodiscard]] std::uint64_t signature(digest x) const noexcept {
    constexpr std::uint64_t salt = 0x7369676e61747572;  // "signatur"
    return signature_bits_ == 0 ? 0 : x.remixed(salt).bits() >> (64 - signature_bits_);
  }
  /// Is this the signature of number i? Sets `value`, if it is.
  [[nodiscard]] bool find(std::uint64_t i, std::uint64_t signature, std::uint64_t& value) const noexcept {
    auto const slot = first_.get(i);
    if (((slot ^ signature) & signature_mask()) != 0) return false;
    value = !in_one_slot() ? second_.get(i) : value_bits_ == 0 ? 0 : slot >> signature_bits_;
    return true;
  }
  [[nodiscard]] bool matches(std::uint64_t i, std::uint64_t signature) const noexcept {
    return ((first_.get(i) ^ signature) & signature_mask()) == 0;
  }
  /// Pre: value <= max_value().
  void put(std::uint64_t i, std::uint64_t signature, std::uint64_t value) noexcept {
    if (in_one_slot()) return first_.put(i, value_bits_ == 0 ? signature : signature | value << signature_bits_);
    first_.put(i, signature);
    second_.put(i, value);
  }
  /// Must be inlined: see batch.hpp.
  [[gnu::always_inline]] void prefetch(std::uint64_t i) const noexcept {
    first_.prefetch(i);
    if (!in_one_slot()) second_.prefetch(i);
  }
  /// Slots at the ends of a range: to put one of them reads and writes bytes that have slots outside the range. Other slots
  /// may be put while another thread puts slots of neighbouring ranges.
  static constexpr bool at_an_end(std::uint64_t i, std::uint64_t first, std::uint64_t end) noexcept {
    constexpr std::uint64_t in_a_byte = 8, in_nine_bytes = 72;
    return i - first < in_a_byte || end - i <= in_nine_bytes;
  }

  [[nodiscard]] unsigned signature_bits() const noexcept { return signature_bits_; }
  [[nodiscard]] unsigned value_bits() const noexcept { return value_bits_; }
  [[nodiscard]] std::uint64_t max_value() const noexcept {
    return value_bits_ == 0 ? 0 : ~std::uint64_t{0} >> (64 - value_bits_);
  }
  [[nodiscard]] bool holds(std::uint64_t items) const noexcept { return first_.holds(items) && second_.holds(items); }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return first_.size_bytes() + second_.size_bytes(); }
  [[nodiscard]] memory const& cells() const noexcept { return first_.cells(); }
  void clear() noexcept {
    first_.clear();
    second_.clear();
  }
  bool operator==(signed_values const&) const = default;

  static void fields(auto& self, auto& io) { io(self.signature_bits_, self.value_bits_, self.first_, self.second_); }
  /// Slots may have any content.
  [[nodiscard]] bool valid() const noexcept {
    plan::perfect_hash_map_shape const shape{0, signature_bits_, value_bits_};
    return shape.possible() && first_.valid() && second_.valid() && first_.width() == shape.first_bits() &&
           second_.width() == shape.second_bits();
  }

 private:
  [[nodiscard]] bool in_one_slot() const noexcept { return signature_bits_ + value_bits_ <= 64; }
  [[nodiscard]] std::uint64_t signature_mask() const noexcept {
    return signature_bits_ == 0 ? 0 : ~std::uint64_t{0} >> (64 - signature_bits_);
  }

  unsigned signature_bits_ = 0;
  unsigned value_bits_ = 0;
  wide_slots first_, second_;
};

}  // namespace hortus
