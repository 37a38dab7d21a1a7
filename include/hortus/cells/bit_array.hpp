#pragma once
#include <cstddef>
#include <cstdint>

#include <hortus/cells/memory.hpp>
#include <hortus/cells/shared_word.hpp>

namespace hortus {

/// Bits in 64-bit words: bit i is bit i % 64 of word i / 64. The bits past size() in the last word are always zero, so that
/// equal arrays have equal bytes.
class bit_array {
 public:
  static constexpr std::uint64_t max_bits = std::uint64_t{1} << 42;

  bit_array() = default;
  explicit bit_array(std::uint64_t bits);  ///< all zero; throws errc::bad_params past max_bits

  void set(std::uint64_t i) noexcept { words()[i / 64] |= std::uint64_t{1} << (i % 64); }
  [[nodiscard]] bool test(std::uint64_t i) const noexcept { return (words()[i / 64] >> (i % 64) & 1) != 0; }
  /// Safe while other threads call these two. set_shared returns true if the bit was not set before.
  bool set_shared(std::uint64_t i) noexcept { return hortus::set_shared(words()[i / 64], std::uint64_t{1} << (i % 64)) != 0; }
  [[nodiscard]] bool test_shared(std::uint64_t i) const noexcept { return (load_shared(words()[i / 64]) >> (i % 64) & 1) != 0; }
  [[gnu::always_inline]] void prefetch(std::uint64_t i) const noexcept { __builtin_prefetch(words() + i / 64); }
  void clear() noexcept { memory_.clear(); }
  void clear(std::uint64_t first, std::uint64_t last) noexcept;  ///< the bits in [first, last)

  [[nodiscard]] std::uint64_t size() const noexcept { return bits_; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return memory_.size(); }
  [[nodiscard]] memory const& cells() const noexcept { return memory_; }

  [[nodiscard]] std::uint64_t ones() const noexcept { return ones(0, bits_); }
  [[nodiscard]] std::uint64_t ones(std::uint64_t first, std::uint64_t last) const noexcept;  ///< in [first, last)

  /// The number of bits that are set here or in `other`. Pre: size() == other.size().
  [[nodiscard]] std::uint64_t ones_of_either(bit_array const& other) const noexcept;

  /// Pre: size() == other.size().
  bit_array& operator|=(bit_array const& other) noexcept;
  bit_array& operator&=(bit_array const& other) noexcept;

  /// Bit i of the result is the OR of bits i * by ... i * by + by - 1. Pre: `by` divides size().
  [[nodiscard]] bit_array folded(std::uint64_t by) const;

  bool operator==(bit_array const&) const = default;

  static void fields(auto& self, auto& io) { io(self.bits_, self.memory_); }
  [[nodiscard]] bool valid() const noexcept {
    return bits_ <= max_bits && memory_.size() == words_for(bits_) * sizeof(std::uint64_t) &&
           (bits_ % 64 == 0 || words()[bits_ / 64] >> (bits_ % 64) == 0);
  }

 private:
  static constexpr std::uint64_t words_for(std::uint64_t bits) noexcept { return bits / 64 + (bits % 64 != 0 ? 1 : 0); }
  [[nodiscard]] std::uint64_t* words() noexcept { return reinterpret_cast<std::uint64_t*>(memory_.data()); }
  [[nodiscard]] std::uint64_t const* words() const noexcept { return reinterpret_cast<std::uint64_t const*>(memory_.data()); }
  [[nodiscard]] bit_array halved() const;

  std::uint64_t bits_ = 0;
  memory memory_;
};

}  // namespace hortus
