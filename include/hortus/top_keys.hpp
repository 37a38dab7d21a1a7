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

/// The answer to "which keys are the most frequent?", with bounds on its errors.
namespace hortus {

/// A key and its count. The key was inserted at most `count` times and at least `count - error` times.
struct frequent_key {
  digest of;                 ///< identifies the key
  std::string_view bytes;    ///< the part of the key that is kept: a view into the sketch, valid until it changes
  std::uint64_t length = 0;  ///< of the whole key; larger than bytes.size() if only the first bytes are kept
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

/// The larger count first. With equal counts: text first, in the order of its bytes, then integers by value.
[[nodiscard]] inline bool comes_before(frequent_key const& a, frequent_key const& b) noexcept {
  if (a.count != b.count) return a.count > b.count;
  if (a.kind != b.kind) return a.kind < b.kind;
  if (a.kind == key_kind::integers && a.bytes != b.bytes) return a.integer() < b.integer();
  return a.bytes != b.bytes ? a.bytes < b.bytes : a.of.bits() < b.of.bits();
}

struct top_keys {
  std::vector<frequent_key> keys;
  std::uint64_t inserted = 0;        ///< the length of the stream
  std::uint64_t others_at_most = 0;  ///< no key outside `keys` was inserted more often
  std::size_t certain = 0;           ///< the first `certain` keys are in the right order and before all others

  /// The largest error: no count in `keys` is too high by more.
  [[nodiscard]] std::uint64_t most_too_high() const noexcept {
    std::uint64_t most = 0;
    for (auto const& key : keys) most = std::max(most, key.error);
    return most;
  }
};

/// The first `most` keys of `all`. Pre: no key outside `all` was inserted more than `others_at_most` times.
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
