#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hortus/error.hpp>
#include <hortus/hash/siphash.hpp>
#include <hortus/index/fastrange.hpp>

/// Compact block filters, as nodes of Bitcoin exchange them (BIP 158): a Golomb-coded set as a message, without an index. A
/// receiver asks it for the scripts it watches. To keep a set in memory and look keys up in it, use golomb_set.
///
/// Source   O. Osuntokun, A. Akselrod, "Compact block filters for light clients", BIP 158, 2017.
namespace hortus::bip158 {

using element = std::span<std::byte const>;  ///< the bytes of a script

/// Of the basic filter. The quotient of the two is near 1.497, at which Rice codes are shortest: 21.05 bits an element.
inline constexpr unsigned remainder_bits = 19;   ///< P
inline constexpr std::uint64_t range = 784'931;  ///< M: an absent element is found with probability 1 / M

/// The hash of a block's elements. `block_hash` is in the order of bytes in headers, the reverse of the order that is shown.
[[nodiscard]] inline siphash24 hash_of(std::span<std::byte const, 32> block_hash) noexcept {
  return siphash24(secret_key(block_hash.first<secret_key::size>()));
}

namespace detail {

/// Bits from the highest of each byte to its lowest.
class bit_writer {
 public:
  explicit bit_writer(std::vector<std::byte>& to) noexcept : to_(to) {}
  void put(std::uint64_t value, unsigned bits) {
    for (; bits != 0; --bits, ++used_) {
      if (used_ % 8 == 0) to_.push_back(std::byte{0});
      to_.back() |= static_cast<std::byte>((value >> (bits - 1) & 1) << (7 - used_ % 8));
    }
  }

 private:
  std::vector<std::byte>& to_;
  unsigned used_ = 0;
};

class bit_reader {
 public:
  explicit bit_reader(std::span<std::byte const> from) noexcept : from_(from) {}
  [[nodiscard]] std::uint64_t ones() {  ///< and the zero after them
    std::uint64_t count = 0;
    for (;;) {
      auto const here = window();
      auto const run = static_cast<unsigned>(std::countl_one(here));
      if (run < 57) return at_ += run + 1, check(), count + run;  // a window has 57 bits or more
      at_ += 57, count += 57;
      check();
    }
  }
  [[nodiscard]] std::uint64_t number(unsigned bits) {  ///< 1 to 57
    auto const value = window() >> (64 - bits);
    at_ += bits;
    check();
    return value;
  }

 private:
  /// The next bits, the first on top. Zeros follow the last.
  [[nodiscard]] std::uint64_t window() const noexcept {
    std::uint64_t word = 0;
    for (std::uint64_t i = 0; i < 8; ++i) {
      auto const byte = at_ / 8 + i;
      word = word << 8 | (byte < from_.size() ? std::to_integer<std::uint64_t>(from_[byte]) : 0);
    }
    return word << (at_ % 8);
  }
  void check() const {
    if (at_ > 8 * std::uint64_t{from_.size()}) throw error(errc::corrupt, "a block filter ends within a code");
  }

  std::span<std::byte const> from_;
  std::uint64_t at_ = 0;
};

/// Bitcoin's CompactSize: a byte, or a byte that says how many follow, lowest first.
inline void put_size(std::vector<std::byte>& to, std::uint64_t size) {
  unsigned const bytes = size < 253 ? 0 : size >> 16 == 0 ? 2 : size >> 32 == 0 ? 4 : 8;
  to.push_back(static_cast<std::byte>(bytes == 0 ? size : 252 + static_cast<unsigned>(std::bit_width(bytes)) - 1));
  for (unsigned i = 0; i < bytes; ++i) to.push_back(static_cast<std::byte>(size >> (8 * i)));
}
inline std::uint64_t take_size(std::span<std::byte const>& from) {
  auto const take = [&] {
    if (from.empty()) throw error(errc::corrupt, "a block filter ends within its number of elements");
    auto const byte = std::to_integer<std::uint64_t>(from.front());
    from = from.subspan(1);
    return byte;
  };
  auto const first = take();
  if (first < 253) return first;
  unsigned const bytes = 1U << (first - 252);
  std::uint64_t size = 0;
  for (unsigned i = 0; i < bytes; ++i) size |= take() << (8 * i);
  if (size < 253 || (bytes > 2 && size >> (4 * bytes) == 0))
    throw error(errc::corrupt, "the number of elements in a block filter has too many bytes");
  return size;
}

inline std::vector<std::uint64_t> sorted_values(siphash24 const& hash, std::span<element const> elements, std::uint64_t count) {
  std::vector<std::uint64_t> values;
  values.reserve(elements.size());
  for (auto const& one : elements) values.push_back(fastrange(hash.of_bytes(one).bits(), count * range));
  std::sort(values.begin(), values.end());
  return values;
}

}  // namespace detail

/// The filter of these elements, in any order; duplicates count once. Which scripts of a block are its elements is up to the
/// caller: those of outputs, without OP_RETURN, and those that its inputs spend; none that is empty.
[[nodiscard]] inline std::vector<std::byte> encode(siphash24 const& hash, std::span<element const> elements) {
  std::vector<element> distinct(elements.begin(), elements.end());
  auto const less = [](element a, element b) { return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end()); };
  std::sort(distinct.begin(), distinct.end(), less);
  auto const equal = [](element a, element b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); };
  distinct.erase(std::unique(distinct.begin(), distinct.end(), equal), distinct.end());
  if (distinct.size() >> 32 != 0) throw error(errc::bad_params, "a block filter has at most 2^32 - 1 elements");

  std::vector<std::byte> filter;
  detail::put_size(filter, distinct.size());
  detail::bit_writer bits(filter);
  std::uint64_t last = 0;
  for (auto const value : detail::sorted_values(hash, distinct, distinct.size())) {
    auto const gap = value - last;
    for (auto ones = gap >> remainder_bits; ones != 0; --ones) bits.put(1, 1);
    bits.put(0, 1);
    bits.put(gap, remainder_bits);
    last = value;
  }
  return filter;
}

/// How many elements the filter says it has. Throws errc::corrupt if it has no such number.
[[nodiscard]] inline std::uint64_t elements_in(std::span<std::byte const> filter) { return detail::take_size(filter); }

/// Does one of these match the filter? True if one is an element. The values of both are ascending, so one pass over the
/// filter is enough. Throws errc::corrupt if the filter ends early.
[[nodiscard]] inline bool matches_any(std::span<std::byte const> filter, siphash24 const& hash,
                                      std::span<element const> elements) {
  auto const count = detail::take_size(filter);
  if (count >> 32 != 0) throw error(errc::corrupt, "a block filter has at most 2^32 - 1 elements");
  if (count == 0) return false;
  auto const wanted = detail::sorted_values(hash, elements, count);
  auto next = wanted.begin();
  detail::bit_reader bits(filter);
  std::uint64_t value = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    auto const quotient = bits.ones();
    value += quotient << remainder_bits | bits.number(remainder_bits);
    while (next != wanted.end() && *next < value) ++next;
    if (next == wanted.end()) return false;
    if (*next == value) return true;
  }
  return false;
}
[[nodiscard]] inline bool matches(std::span<std::byte const> filter, siphash24 const& hash, element one) {
  return matches_any(filter, hash, std::span<element const>(&one, 1));
}

}  // namespace hortus::bip158
