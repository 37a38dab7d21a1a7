#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string_view>
#include <type_traits>

#include <hortus/hash/little_endian.hpp>
#include <hortus/index/fastrange.hpp>
#include <hortus/near/metric.hpp>

namespace hortus {

/// A string of bits: bit i is bit i % 8 of byte i / 8.
struct bit_string {
  std::span<std::byte const> bytes;
  std::uint64_t bits = 0;  ///< at most 8 * bytes.size()
};

/// Hamming distance: the share of bits in which two strings of the same length differ. A hash is one bit, at a position that is
/// drawn. Positions are drawn with replacement: without, the probability that all samples are equal is not (1 - d)^samples,
/// but less.
///
/// Source   P. Indyk, R. Motwani, "Approximate nearest neighbors: towards removing the curse of dimensionality", 1998.
struct hamming {
  static constexpr std::string_view name = "hamming";
  static constexpr std::uint64_t number = 1;
  [[nodiscard]] static std::string_view dimension_unit() noexcept { return "bits"; }
  static constexpr std::uint64_t max_dimension = std::uint64_t{1} << 32;

  class key {
   public:
    explicit key(bit_string text) : bytes_(text.bytes.data()), bits_(checked(text)) {}
    key(std::uint64_t word, std::uint64_t bits) noexcept : word_(word), bits_(bits) {}
    [[nodiscard]] std::uint64_t dimension() const noexcept { return bits_; }
    [[nodiscard]] std::uint64_t sample(std::uint64_t draw) const noexcept {
      auto const at = fastrange(draw, bits_);
      return bytes_ == nullptr ? word_ >> at & 1 : std::to_integer<std::uint64_t>(bytes_[at / 8]) >> (at % 8) & 1;
    }

   private:
    static std::uint64_t checked(bit_string text) {
      if (text.bits == 0 || text.bits > max_dimension || (text.bits + 7) / 8 > text.bytes.size())
        throw error(errc::bad_params, "a string of bits has 1 to 2^32 bits, and bytes for all of them");
      return text.bits;
    }

    std::byte const* bytes_ = nullptr;  // null: the bits of word_
    std::uint64_t word_ = 0;
    std::uint64_t bits_;
  };

  [[nodiscard]] key prepared(bit_string text, auto const&) const { return key(text); }
  /// Bytes, 8 bits each.
  template <std::ranges::contiguous_range Row>
  requires(sizeof(std::ranges::range_value_t<Row>) == 1 && std::is_trivially_copyable_v<std::ranges::range_value_t<Row>>)
      [[nodiscard]] key prepared(Row const& row, auto const&) const {
    auto const bytes = std::as_bytes(std::span(std::ranges::data(row), std::ranges::size(row)));
    return key(bit_string{bytes, std::uint64_t{8} * bytes.size()});
  }
  /// An unsigned integer, such as a perceptual hash of an image: as many bits as it has. The same key as its bytes,
  /// little-endian.
  template <std::unsigned_integral Word>
  requires(sizeof(Word) <= 8 && !std::same_as<Word, bool>) [[nodiscard]] key prepared(Word word, auto const&) const noexcept {
    return key(word, 8 * sizeof(Word));
  }

  [[nodiscard]] static std::uint64_t most_dimension() noexcept { return max_dimension; }
  [[nodiscard]] static std::uint64_t id() noexcept { return number; }
  [[nodiscard]] static bool valid() noexcept { return true; }
  static void settings(auto&, auto&) {}
  static void fields(auto&, auto& io) {
    io.constant(number, "metric");
    io.constant(0, "metric");
  }
  bool operator==(hamming const&) const = default;
};
static_assert(metric<hamming> && key_of_metric<hamming, std::uint64_t> && key_of_metric<hamming, bit_string>);

}  // namespace hortus
