#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "bench/bench.hpp"
#include "cli/text/json.hpp"
#include "cli/text/table.hpp"

/// How the cost of a key grows with the number of keys.
namespace hortus::cli {

/// One family of each room. The sketch is the one whose size does not depend on the number of keys.
inline constexpr std::array<std::string_view, 8> growth_families{
    "blocked", "blocked_counting", "cuckoo", "ribbon", "perfect_hash_map", "active_active", "scalable", "hyperloglog"};

/// The powers of ten from a thousand to ten times the number of keys of the tour, but past ten million, which takes seconds,
/// not more keys than the tour has: who can measure those has the memory for it.
[[nodiscard]] std::vector<std::uint64_t> growth_sizes(std::uint64_t keys);

/// Builds and lookups of these families with so many keys. Calls each() after every row.
[[nodiscard]] std::vector<bench::row> measure_growth(std::vector<std::uint64_t> const& sizes, double fpr,
                                                     std::function<void()> const& each);

/// The measurements of one family, smallest first.
[[nodiscard]] std::vector<bench::row> growth_of(std::string_view family, std::vector<bench::row> const& all);

/// An array of rows as `hortus bench` has them, or null if there are none.
[[nodiscard]] json_value growth_json(std::vector<bench::row> const& of_one_family);

/// A family a row and a size a column: the time of a lookup in a batch, of an absent key.
[[nodiscard]] table growth_table(std::vector<bench::row> const& all);

}  // namespace hortus::cli
