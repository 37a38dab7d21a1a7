#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include <hortus/hash/mix64.hpp>

namespace hortus::sets {

/// The number of a coded symbol. A stream has at most most_symbols of them; `no_symbol` comes after all of them.
using symbol_index = std::uint32_t;
inline constexpr std::uint64_t most_symbols = std::uint64_t{1} << 31;
inline constexpr symbol_index no_symbol = symbol_index{1} << 31;

/// Which symbols hold a key: symbol 0 always, symbol i with probability 1 - ((i+1)/(i+2))^2, independently, as the key's
/// checksum decides. That is the paper's 1/(1 + i/2) less 1/(i+2)^2: with 4 to 6 differences it saves 0.05 symbols a
/// difference, with many it makes no difference (tests/sets/rateless_test.cpp).
///
///   P(next > x | now at i) = ((i+2) / (x+2))^2
///   next = the least x > i with (x+2)^2 (r+1) > (i+2)^2 2^32, for 32 random bits r
///
/// Both sides must agree on every machine, so integers decide. The random bits of a step are a function of checksum and
/// position, so a key needs no state but its position.
[[nodiscard]] constexpr std::uint64_t step_share(std::uint64_t checksum, symbol_index at) noexcept {
  return (mix64(checksum + golden_ratio64 * (std::uint64_t{at} + 1)) >> 32) + 1;  // r + 1
}

/// The next symbol after `at`, found from a guess: a wrong one costs time and changes nothing.
[[nodiscard]] constexpr symbol_index next_symbol_near(std::uint64_t guess, std::uint64_t share, symbol_index at) noexcept {
  __extension__ using wide = unsigned __int128;
  auto const least = std::uint64_t{at} + 1;
  auto const bound = static_cast<wide>((least + 1) * (least + 1)) << 32;
  auto const passes = [&](std::uint64_t x) { return static_cast<wide>((x + 2) * (x + 2)) * share > bound; };
  auto x = std::clamp<std::uint64_t>(guess, least, no_symbol);
  while (x < no_symbol && !passes(x)) ++x;
  while (x > least && passes(x - 1)) --x;
  return static_cast<symbol_index>(x);
}

/// The next symbol that holds the key, after `at`. Pre: at < no_symbol.
[[nodiscard]] inline symbol_index next_symbol(std::uint64_t checksum, symbol_index at) noexcept {
  auto const share = step_share(checksum, at);
  auto const guess = (at + 2.0) * 65536 / std::sqrt(static_cast<double>(share)) - 2;  // below 2^47
  return next_symbol_near(static_cast<std::uint64_t>(std::max(guess, 0.0)), share, at);
}

/// The probability that symbol i holds a key.
[[nodiscard]] constexpr double share_of_keys(symbol_index i) noexcept {
  auto const past = i + 2.0;
  return i == 0 ? 1 : (2 * past - 1) / (past * past);
}

/// The number of keys, of `keys`, that symbol i has on average, rounded down.
[[nodiscard]] constexpr std::uint64_t expected_count(std::uint64_t keys, symbol_index i) noexcept {
  __extension__ using wide = unsigned __int128;
  auto const past = std::uint64_t{i} + 2;
  return i == 0 ? keys : static_cast<std::uint64_t>(static_cast<wide>(keys) * (2 * past - 1) / (past * past));
}

}  // namespace hortus::sets
