#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <hortus/message/piece_code.hpp>

#include "src/piece_models.hpp"

namespace hortus::message {

using histogram = std::array<std::uint32_t, 256>;

[[nodiscard]] inline std::uint8_t const* raw(std::span<std::byte const> bytes) {
  return reinterpret_cast<std::uint8_t const*>(bytes.data());
}

/// What the bytes of a piece are.
struct census {
  std::array<histogram, byte_model::most_contexts> by_place{};  // modulo 8
  histogram all{};
  std::array<std::uint64_t, byte_classes> classes{};
  std::uint64_t ones = 0;

  void take(std::span<std::byte const> piece) {
    *this = {};
    auto const* at = raw(piece);
    std::size_t i = 0;
    for (; i + 8 <= piece.size(); i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, at + i, 8);
      if (i % 64 == 0 && i + 64 <= piece.size() && empty(at + i)) {  // skipped in sparse pieces, counted below
        i += 56;
        continue;
      }
      for (std::size_t place = 0; place < 8; ++place) ++by_place[place][word >> 8 * place & 0xff];
    }
    for (; i < piece.size(); ++i) ++by_place[i % 8][at[i]];
    for (std::size_t place = 0; place < by_place.size(); ++place) {
      by_place[place][0] = 0;
      std::uint32_t others = 0;
      for (auto const count : by_place[place]) others += count;
      by_place[place][0] = static_cast<std::uint32_t>((piece.size() + 7 - place) / 8) - others;
      for (std::size_t x = 0; x < 256; ++x) all[x] += by_place[place][x];
    }
    for (std::size_t x = 0; x < 256; ++x) classes[static_cast<std::size_t>(std::popcount(x))] += all[x];
    for (std::size_t j = 1; j < byte_classes; ++j) ones += j * classes[j];
  }

  static bool empty(std::uint8_t const* line) {
    std::array<std::uint64_t, 8> words;
    std::memcpy(words.data(), line, 64);
    std::uint64_t any = 0;
    for (auto const word : words) any |= word;
    return any == 0;
  }

  [[nodiscard]] histogram of_context(std::size_t context, std::size_t contexts) const {
    histogram sum{};
    for (std::size_t place = context; place < by_place.size(); place += contexts)
      for (std::size_t x = 0; x < 256; ++x) sum[x] += by_place[place][x];
    return sum;
  }
};

/// The frequencies with which these bytes are coded.
[[nodiscard]] byte_frequencies frequencies_of(histogram const& counts);
[[nodiscard]] class_frequencies frequencies_of(std::array<std::uint64_t, byte_classes> const& counts, std::uint64_t all);

/// The way to code a piece that makes it shortest, and what that way needs to know.
struct piece_choice {
  piece_kind kind = piece_kind::raw;
  std::size_t contexts = 1;        ///< of kind bytes
  class_frequencies of_classes{};  ///< of kind classes
  bool full = false;               ///< more ones than zeros
  std::uint64_t rare = 0;          ///< bits that are ones, or zeros if `full`
};
/// `inside` a piece of kind nonzero that kind is not allowed. Pre: the piece has ones and zeros.
[[nodiscard]] piece_choice choose(census const& seen, std::size_t size, bool inside);

}  // namespace hortus::message
