#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <hortus/maths/limits.hpp>

/// What may be better than a filter: structures that are exact, or almost, and take no more space.
namespace hortus::plan {

enum class alternative_kind {
  bit_array,     ///< a bit, or a count, for each integer that may be a key: exact
  key_table,     ///< a hash table of the keys: exact
  digest_table,  ///< a table of the 64-bit digests of the keys: wrong where two digests are equal
};

struct alternative {
  alternative_kind kind;
  std::uint64_t bytes;
  double fpr;  ///< 0: exact
  bool operator==(alternative const&) const = default;
};

/// The questions that the structure has to answer.
struct exact_wish {
  std::uint64_t items = 0;
  std::optional<std::uint64_t> universe{};  ///< keys are integers below this
  bool counts = false;                      ///< how often, not only whether
};

/// A key is taken to have 32 bytes: more than most names, numbers and addresses, less than most URLs.
inline constexpr std::uint64_t bytes_of_a_key = 32;
inline constexpr std::uint64_t bytes_of_a_digest = 8;
inline constexpr std::uint64_t bytes_of_a_count = 8;

/// Keys that take no more than this need no filter: they stay in the second-level cache of every processor of today (256 KiB or
/// more) with room to spare, so a lookup costs no more than in a filter. 64 KiB are 2048 keys of 32 bytes.
inline constexpr std::uint64_t few_bytes = std::uint64_t{64} << 10;

namespace detail {

/// The product, or 2^64-1 if it is larger.
[[nodiscard]] constexpr std::uint64_t times(std::uint64_t count, std::uint64_t bytes) noexcept {
  auto const most = std::numeric_limits<std::uint64_t>::max();
  return count > most / bytes ? most : count * bytes;
}

}  // namespace detail

/// An array over all integers below `universe`, in whole 64-bit words: a bit each, or a count of 64 bits.
[[nodiscard]] inline alternative bit_array_of(std::uint64_t universe, bool counts) {
  auto const words = counts ? universe : universe / 64 + (universe % 64 != 0 ? 1 : 0);
  return {alternative_kind::bit_array, detail::times(words, 8), 0};
}

/// A hash table of the keys, each with its count if that is asked for. Its free slots are not counted.
[[nodiscard]] inline alternative key_table_of(std::uint64_t items, bool counts) {
  return {alternative_kind::key_table, detail::times(items, bytes_of_a_key + (counts ? bytes_of_a_count : 0)), 0};
}

/// A table of digests, likewise. An absent key is found if it has the digest of a member.
[[nodiscard]] inline alternative digest_table_of(std::uint64_t items, bool counts) {
  return {alternative_kind::digest_table, detail::times(items, bytes_of_a_digest + (counts ? bytes_of_a_count : 0)),
          digest_floor(items)};
}

/// The structures to consider beside a filter of `filter_bytes` (none: no filter meets the goal):
/// - the array, if the universe is known, whatever it takes: the caller compares;
/// - the table of the keys, if it is small;
/// - the table of digests, if it is smaller than the filter.
[[nodiscard]] inline std::vector<alternative> alternatives(exact_wish wish, std::optional<std::uint64_t> filter_bytes) {
  std::vector<alternative> found;
  auto const items = std::max<std::uint64_t>(wish.items, 1);
  if (wish.universe) found.push_back(bit_array_of(*wish.universe, wish.counts));
  if (auto const keys = key_table_of(items, wish.counts); keys.bytes <= few_bytes) found.push_back(keys);
  if (auto const digests = digest_table_of(items, wish.counts); filter_bytes && *filter_bytes > digests.bytes)
    found.push_back(digests);
  return found;
}

}  // namespace hortus::plan
