#pragma once
#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <hortus/digest.hpp>

namespace hortus {

/// One digest to any number of positions:  Index at(digest, range); at.next(); at.next(); ...
/// `range` is at least 1. Every policy of this room answers range 1 (with zeros) and any range up to 2^64 - 1, and divides
/// nowhere.
template <class Index>
concept index_policy = std::copyable<Index> && std::constructible_from<Index, digest, std::uint64_t> && requires(Index at) {
  { Index::id } -> std::same_as<std::uint32_t const&>;        // static constexpr: its number in files; never reused
  typename std::integral_constant<std::uint32_t, Index::id>;  // known at compile time
  { Index::name } -> std::convertible_to<std::string_view>;   // "multiply_chain": its name in reports
  { Index::folds } -> std::same_as<bool const&>;              // positions for range n / d are those for n, divided by d
  typename std::bool_constant<Index::folds>;                  // known at compile time
  { at.next() } -> std::same_as<std::uint64_t>;               // the next position, in [0, range)
  requires noexcept(at.next());                               // noexcept: lookups are
};

}  // namespace hortus
