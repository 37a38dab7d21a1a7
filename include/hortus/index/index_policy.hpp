#pragma once
#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <hortus/digest.hpp>

namespace hortus {

/// Derives any number of positions from one digest:  Index at(digest, range); at.next(); at.next(); ...
/// Every policy here works for any `range` from 1 (where all positions are 0) to 2^64 - 1, without division.
template <class Index>
concept index_policy = std::copyable<Index> && std::constructible_from<Index, digest, std::uint64_t> && requires(Index at) {
  { Index::id } -> std::same_as<std::uint32_t const&>;        // static constexpr: its number in files, never reused
  typename std::integral_constant<std::uint32_t, Index::id>;  // known at compile time
  { Index::name } -> std::convertible_to<std::string_view>;   // "multiply_chain": its name in reports
  { Index::folds } -> std::same_as<bool const&>;              // are positions for range n / d those for n, divided by d?
  typename std::bool_constant<Index::folds>;                  // known at compile time
  { at.next() } -> std::same_as<std::uint64_t>;               // the next position, in [0, range)
  requires noexcept(at.next());                               // because lookups are noexcept
};

}  // namespace hortus
