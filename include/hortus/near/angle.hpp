#pragma once
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <hortus/hash/mix64.hpp>
#include <hortus/near/metric.hpp>

namespace hortus {

/// The angle between vectors, as a share of a half turn: 0 for the same direction, 0.5 for a right angle, 1 for opposite
/// directions. Their lengths do not matter. A hash is the side of a random plane on which the vector lies.
///
/// Vectors are scaled to integers of 28 bits, and the coordinates of a plane are integers too: the sum of 8 random bytes, which
/// is nearly normal. So sums are exact, and a vector has the same hashes on every machine and with every compiler, which sums
/// of floating-point numbers would not have.
///
/// Source   M. Charikar, "Similarity estimation techniques from rounding algorithms", 2002.
struct angle {
  static constexpr std::string_view name = "angle";
  static constexpr std::uint64_t number = 3;
  [[nodiscard]] static std::string_view dimension_unit() noexcept { return "numbers"; }
  /// 2^28 for a coordinate, less than 2^12 for one of a plane: no sum of 2^20 products overflows.
  static constexpr std::uint64_t max_dimension = std::uint64_t{1} << 20;

  class key {
   public:
    explicit key(std::vector<std::int32_t> coordinates) : coordinates_(std::move(coordinates)), numbers_(coordinates_.size()) {
      for (std::size_t i = 0; i < numbers_.size(); ++i) numbers_[i] = (i + 1) * golden_ratio64;
    }
    [[nodiscard]] std::uint64_t dimension() const noexcept { return coordinates_.size(); }
    [[nodiscard]] std::uint64_t sample(std::uint64_t draw) const noexcept {
      std::int64_t sum = 0;
      in_mixed_blocks(numbers_, draw, [&](std::span<std::uint64_t const> words, std::size_t first) {
        auto const* x = coordinates_.data() + first;
        for (auto const word : words) sum += std::int64_t{*x++} * of_plane(word);
      });
      return sum >= 0 ? 1 : 0;
    }

   private:
    std::vector<std::int32_t> coordinates_;
    std::vector<std::uint64_t> numbers_;  // of the coordinates, from which planes are drawn
  };

  /// A coordinate of a plane: twice the sum of the 8 bytes of a random word, less its mean, and 1 more or less, so that it is
  /// never 0. The complement of the word gives the negative: the distribution is symmetric.
  [[nodiscard]] static constexpr std::int64_t of_plane(std::uint64_t word) noexcept {
    constexpr std::uint64_t every_other_byte = 0x00ff'00ff'00ff'00ff;
    auto const pairs = (word & every_other_byte) + (word >> 8 & every_other_byte);
    auto const sum = static_cast<std::int64_t>(pairs * 0x0001'0001'0001'0001 >> 48);
    return 2 * (sum - 1020) + ((word >> 63) != 0 ? 1 : -1);
  }

  template <std::ranges::contiguous_range Row>
  requires(std::same_as<std::ranges::range_value_t<Row>, double> || std::same_as<std::ranges::range_value_t<Row>, float>)
      [[nodiscard]] key prepared(Row const& row, auto const&) const {
    return key(scaled(std::span(std::ranges::data(row), std::ranges::size(row))));
  }

  [[nodiscard]] static std::uint64_t most_dimension() noexcept { return max_dimension; }
  [[nodiscard]] static std::uint64_t id() noexcept { return number; }
  [[nodiscard]] static bool valid() noexcept { return true; }
  static void settings(auto&, auto&) {}
  static void fields(auto&, auto& io) {
    io.constant(number, "metric");
    io.constant(0, "metric");
  }
  bool operator==(angle const&) const = default;

 private:
  template <class Number>
  static std::vector<std::int32_t> scaled(std::span<Number const> row) {
    if (row.empty() || row.size() > max_dimension) throw error(errc::bad_params, "a vector has 1 to 2^20 numbers");
    double largest = 0;
    for (auto const x : row) {
      if (!std::isfinite(x)) throw error(errc::bad_params, "a vector has a number that is infinite or none (NaN)");
      largest = std::max(largest, std::abs(static_cast<double>(x)));
    }
    if (largest == 0) throw error(errc::bad_params, "a vector of zeros has no direction");
    std::vector<std::int32_t> all;
    all.reserve(row.size());
    // One division that IEEE 754 rounds correctly, a power of two, and a rounding: the same everywhere.
    for (auto const x : row) all.push_back(static_cast<std::int32_t>(std::lround(static_cast<double>(x) / largest * 0x1p28)));
    return all;
  }
};
static_assert(metric<angle> && key_of_metric<angle, std::span<double const>>);

}  // namespace hortus
