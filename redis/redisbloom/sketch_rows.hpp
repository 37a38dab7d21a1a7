#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include <hortus/index/fastrange.hpp>

#include "redis/redisbloom/murmur.hpp"

namespace hortus::redisbloom {

inline constexpr std::size_t rows_at_once = 8;

/// murmur32(key, seed) for the seeds first_seed, first_seed + 1, ... The words of the key are mixed once, and the hashes do not
/// wait for each other, so that eight cost less than two in turn.
[[nodiscard]] inline std::array<std::uint32_t, rows_at_once> murmur32_rows(std::string_view key,
                                                                           std::uint32_t first_seed) noexcept {
  constexpr std::uint32_t factor = 0x5bd1e995U;
  std::array<std::uint32_t, rows_at_once> hashes;
  for (std::uint32_t row = 0; row < rows_at_once; ++row)
    hashes[row] = (first_seed + row) ^ static_cast<std::uint32_t>(key.size());
  auto const* at = key.data();
  for (auto words = key.size() / 4; words != 0; --words, at += 4) {
    auto word = little_endian_word<std::uint32_t>(at) * factor;
    word = (word ^ word >> 24) * factor;
    for (auto& hash : hashes) hash = hash * factor ^ word;
  }
  if (auto const rest = key.size() % 4; rest != 0) {
    auto const word = little_endian_word<std::uint32_t>(at, rest);
    for (auto& hash : hashes) hash = (hash ^ word) * factor;
  }
  for (auto& hash : hashes) {
    hash = (hash ^ hash >> 13) * factor;
    hash ^= hash >> 15;
  }
  return hashes;
}

/// The rows of a sketch of RedisBloom, one after the other: in each, an item has the cell hash % width, where the hash is
/// seeded with the row's number.
class sketch_rows {
 public:
  using places = std::array<std::uint64_t, rows_at_once>;

  /// Pre: width and depth are at least 1, and width * depth < 2^64.
  sketch_rows(std::uint64_t width, std::uint64_t depth) noexcept
      : width_(width), depth_(depth), inverse_(width > most_hash ? 0 : ~std::uint64_t{0} / width + 1) {}

  [[nodiscard]] std::uint64_t width() const noexcept { return width_; }
  [[nodiscard]] std::uint64_t depth() const noexcept { return depth_; }
  [[nodiscard]] std::uint64_t cells() const noexcept { return width_ * depth_; }

  /// How many of the rows from `first` on places_of() knows.
  [[nodiscard]] std::size_t rows_from(std::uint64_t first) const noexcept {
    return static_cast<std::size_t>(std::min<std::uint64_t>(rows_at_once, depth_ - first));
  }
  /// The item's cell in each of these rows.
  [[nodiscard]] places places_of(std::string_view item, std::uint64_t first) const noexcept {
    auto const hashes = murmur32_rows(item, static_cast<std::uint32_t>(first));
    places at;
    for (std::size_t row = 0; row < rows_at_once; ++row) at[row] = (first + row) * width_ + column(hashes[row]);
    return at;
  }

 private:
  static constexpr std::uint64_t most_hash = std::numeric_limits<std::uint32_t>::max();

  /// hash % width, exactly, without a division (Lemire, Kaser and Kurz, "Faster remainder by direct computation", 2019).
  [[nodiscard]] std::uint64_t column(std::uint32_t hash) const noexcept {
    return width_ > most_hash ? hash : fastrange(inverse_ * hash, width_);
  }

  std::uint64_t width_;
  std::uint64_t depth_;
  std::uint64_t inverse_;  // 2^64 / width, rounded up
};

}  // namespace hortus::redisbloom
