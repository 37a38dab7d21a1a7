#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <hortus/digest.hpp>
#include <hortus/hash/key_kind.hpp>
#include <hortus/hash/little_endian.hpp>

/// The answer to "which keys are the most frequent?", with what is sure of it.
namespace hortus {

/// A key and its count. The key came at most `count` times and at least `count - error` times.
struct frequent_key {
  digest of;                 ///< by which it is told from others
  std::string_view bytes;    ///< what is kept of the key: a view into the sketch, until that changes
  std::uint64_t length = 0;  ///< of the whole key; larger than bytes.size() where only its first bytes are kept
  key_kind kind = key_kind::none;
  std::uint64_t count = 0;
  std::uint64_t error = 0;

  [[nodiscard]] std::uint64_t at_least() const noexcept { return count - error; }
  [[nodiscard]] bool is_cut() const noexcept { return length > bytes.size(); }
  /// The value of an integer key. Pre: kind == key_kind::integers
  [[nodiscard]] std::uint64_t integer() const noexcept {
    return little_endian_load<std::uint64_t>(reinterpret_cast<std::byte const*>(bytes.data()));
  }
};

/// The most frequent first; of equal counts text in the order of its bytes, then integers by value.
[[nodiscard]] inline bool comes_before(frequent_key const& a, frequent_key const& b) noexcept {
  if (a.count != b.count) return a.count > b.count;
  if (a.kind != b.kind) return a.kind < b.kind;
  if (a.kind == key_kind::integers && a.bytes != b.bytes) return a.integer() < b.integer();
  return a.bytes != b.bytes ? a.bytes < b.bytes : a.of.bits() < b.of.bits();
}

struct top_keys {
  std::vector<frequent_key> keys;
  std::uint64_t inserted = 0;        ///< the length of the stream
  std::uint64_t others_at_most = 0;  ///< no key that is not among `keys` came more often
  std::size_t certain = 0;           ///< so many of the first are in the right order, and before all others

  /// No count in `keys` is too high by more.
  [[nodiscard]] std::uint64_t most_too_high() const noexcept {
    std::uint64_t most = 0;
    for (auto const& key : keys) most = std::max(most, key.error);
    return most;
  }
};

/// The `most` first of `all`, where no other key came more often than `others_at_most`.
[[nodiscard]] inline top_keys first_of(std::vector<frequent_key> all, std::uint64_t most, std::uint64_t inserted,
                                       std::uint64_t others_at_most) {
  bool const some_left = most < all.size();
  auto const shown = some_left ? static_cast<std::size_t>(most) : all.size();
  auto const sorted = all.begin() + static_cast<std::ptrdiff_t>(shown + (some_left ? 1 : 0));
  std::ranges::partial_sort(all, sorted, comes_before);
  if (some_left) others_at_most = std::max(others_at_most, all[shown].count);
  all.resize(shown);
  top_keys top{.keys = std::move(all), .inserted = inserted, .others_at_most = others_at_most, .certain = 0};
  auto const next = [&](std::size_t i) { return i + 1 < shown ? top.keys[i + 1].count : others_at_most; };
  while (top.certain < shown && top.keys[top.certain].at_least() >= next(top.certain)) ++top.certain;
  return top;
}

}  // namespace hortus
