#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

/// The loops of the message coder: range ANS (J. Duda, "Asymmetric numeral systems", 2013) over bytes, in 32 lanes. Byte i of a
/// step of 32 bytes is coded by lane i. Lanes share one stack of 16-bit words: the encoder goes through the array backwards and
/// pushes, the decoder goes forward and pops. The bytes of a message do not depend on the vector instructions that made it.
namespace hortus::kernels {

inline constexpr std::size_t coder_lanes = 32;
inline constexpr unsigned state_low_bits = 15;  ///< between two steps a state is at least 2^15 and below 2^31
inline constexpr std::uint32_t state_low = std::uint32_t{1} << state_low_bits;
inline constexpr std::size_t word_padding = 64;  ///< words that must be readable on both sides of a stack

using lane_states = std::array<std::uint32_t, coder_lanes>;

/// Bytes in the order of their class, the number of ones in a byte.
inline constexpr std::size_t byte_classes = 9;
inline constexpr std::array<std::uint16_t, byte_classes> class_sizes{1, 8, 28, 56, 70, 56, 28, 8, 1};
inline constexpr std::array<std::uint16_t, byte_classes> class_begins{0, 1, 9, 37, 93, 163, 219, 247, 255};

/// All bytes of a class have the same frequency, so that 9 numbers are the whole model. Frequencies of all bytes add up to
/// 2^15.
struct class_model {
  static constexpr unsigned precision = 15;
  static constexpr std::uint32_t total = std::uint32_t{1} << precision;

  std::array<std::uint16_t, 16> frequency{};   // of each byte of the class; vectors load 16
  std::array<std::uint16_t, 16> begin{};       // of the slots of the class
  std::array<std::uint16_t, 16> offset{};      // the slots of the byte with rank r begin at offset + r * frequency, modulo 2^16
  std::array<std::uint16_t, 16> reciprocal{};  // 2^16 / frequency, at most 2^16 - 1
  std::array<std::uint32_t, 16> reciprocal32{};  // 2^32 / frequency, at most 2^32 - 1

  class_model() = default;
  /// Pre: each frequency is at least 1, and with class_sizes they add up to `total`.
  explicit class_model(std::array<std::uint16_t, byte_classes> const& of_class) noexcept {
    std::uint32_t slot = 0;
    for (std::size_t j = 0; j < byte_classes; ++j) {
      std::uint32_t const f = of_class[j];
      frequency[j] = of_class[j];
      begin[j] = static_cast<std::uint16_t>(slot);
      offset[j] = static_cast<std::uint16_t>(slot - class_begins[j] * f);
      reciprocal[j] = static_cast<std::uint16_t>(std::min<std::uint32_t>(0xffff, 0x10000 / f));
      reciprocal32[j] = static_cast<std::uint32_t>(std::min<std::uint64_t>(0xffffffff, 0x100000000 / f));
      slot += class_sizes[j] * f;
    }
  }
};

/// Any frequencies of bytes, which add up to 2^12; in each of `contexts` contexts others. The context of a byte is its place
/// modulo their number: the bytes of counters of several bytes differ.
struct byte_model {
  static constexpr unsigned precision = 12;
  static constexpr std::uint32_t total = std::uint32_t{1} << precision;
  static constexpr std::size_t most_contexts = 8;

  std::uint32_t contexts = 1;  // 1, 2, 4 or 8
  /// Of a byte, for the encoder: frequency and 2^16 * its first slot; 2^32 / frequency, at most 2^32 - 1.
  std::array<std::uint32_t, most_contexts * 256> coded{};
  std::array<std::uint32_t, most_contexts * 256> reciprocal{};
  /// Of a slot, for the decoder: byte, 2^8 * (slot - first slot), 2^20 * (frequency - 1).
  std::array<std::uint32_t, most_contexts * total> slots{};
};

/// Codes 32 * steps bytes. Returns the number of words pushed on `words`, which has room for 32 * steps + word_padding. Every
/// byte has a frequency.
std::size_t encode_classes(class_model const& model, std::uint8_t const* bytes, std::size_t steps, std::uint16_t* words,
                           lane_states& states) noexcept;
std::size_t encode_bytes(byte_model const& model, std::uint8_t const* bytes, std::size_t steps, std::uint16_t* words,
                         lane_states& states) noexcept;

/// Decodes 32 * steps bytes. Returns false if they need not exactly the words from `begin` to `end`, whatever these are.
/// Pre: word_padding words before begin and after end are readable.
bool decode_classes(class_model const& model, std::uint16_t const* begin, std::uint16_t const* end, lane_states& states,
                    std::uint8_t* bytes, std::size_t steps) noexcept;
bool decode_bytes(byte_model const& model, std::uint16_t const* begin, std::uint16_t const* end, lane_states& states,
                  std::uint8_t* bytes, std::size_t steps) noexcept;

/// Writes the places of all ones, or with `full` of all zeros, in ascending order. `places` has room for 4 more.
void places_of_ones(std::uint8_t const* bytes, std::size_t size, bool full, std::uint32_t* places) noexcept;

}  // namespace hortus::kernels
