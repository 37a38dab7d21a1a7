#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hortus/message/lane_kernels.hpp>

namespace hortus::message {

/// The gaps between ones of independent bits, as symbols of a range ANS. A gap is divided by a power of two: quotients are
/// geometric with a mean of at most 16 and coded; remainders are nearly uniform and written as they are. A quotient of `escape`
/// or more is the symbol `escape`, and then what is left of it: a geometric variable has no memory, so that costs nothing.
/// Frequencies follow from the number of ones by integer arithmetic.
struct gap_model {
  static constexpr unsigned precision = 14;
  static constexpr std::uint32_t total = std::uint32_t{1} << precision;
  static constexpr std::uint32_t most_escape = 63;

  unsigned remainder_bits = 0;
  std::uint32_t escape = 0;
  std::array<std::uint16_t, most_escape + 2> begin{};  // slots of the symbols

  /// Pre: 1 <= ones <= bits <= 2^31.
  gap_model(std::uint64_t ones, std::uint64_t bits) noexcept;
};

/// Lanes of the coder: with few ones, the states would be as long as the code.
[[nodiscard]] constexpr std::size_t gap_lanes(std::uint64_t ones) noexcept { return ones < 4096 ? 1 : 4; }

/// Codes the ones, or with `full` the zeros, of an array. Its memory is used again.
class gap_encoder {
 public:
  /// Appends to `out`. Pre: there are `ones` of them, at least 1, and at most 2^31 bits.
  void encode(std::span<std::byte const> array, bool full, std::uint64_t ones, std::vector<std::byte>& out);

 private:
  std::vector<std::uint32_t> positions_;  // of the ones
  std::vector<std::uint8_t> symbols_;
  std::vector<std::byte> remainders_;
  std::vector<std::uint16_t> words_;
};

class gap_decoder {
 public:
  /// Throws errc::corrupt unless `in` is exactly the code of an array of that size.
  void decode(std::span<std::byte const> in, bool full, std::span<std::byte> array);

 private:
  std::array<std::uint8_t, gap_model::total> symbol_of_slot_{};
  std::vector<std::uint16_t> words_;
};

}  // namespace hortus::message
