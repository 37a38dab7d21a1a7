#include <hortus/cells/bit_array.hpp>

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

#include <hortus/error.hpp>

namespace hortus {
namespace {

std::uint64_t count_plain(std::uint64_t const* words, std::uint64_t n) noexcept {
  std::uint64_t ones = 0;
  for (std::uint64_t i = 0; i < n; ++i) ones += static_cast<std::uint64_t>(std::popcount(words[i]));
  return ones;
}

#if defined(__x86_64__)
/// The same with the POPCNT instruction, which baseline x86-64 code may not use without a check: six times faster.
__attribute__((target("popcnt"))) std::uint64_t count_popcnt(std::uint64_t const* words, std::uint64_t n) noexcept {
  std::uint64_t ones[4] = {};
  std::uint64_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (unsigned lane = 0; lane < 4; ++lane) ones[lane] += static_cast<std::uint64_t>(__builtin_popcountll(words[i + lane]));
  for (; i < n; ++i) ones[0] += static_cast<std::uint64_t>(__builtin_popcountll(words[i]));
  return ones[0] + ones[1] + ones[2] + ones[3];
}
std::uint64_t count(std::uint64_t const* words, std::uint64_t n) noexcept {
  return __builtin_cpu_supports("popcnt") != 0 ? count_popcnt(words, n) : count_plain(words, n);
}
#else
std::uint64_t count(std::uint64_t const* words, std::uint64_t n) noexcept { return count_plain(words, n); }
#endif

/// A word with the lowest n bits set, n from 0 to 64.
constexpr std::uint64_t low_bits(std::uint64_t n) noexcept { return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1; }

/// The bits of x at even positions, packed into the low half.
constexpr std::uint64_t even_bits(std::uint64_t x) noexcept {
  x &= 0x5555555555555555U;
  x = (x | x >> 1) & 0x3333333333333333U;
  x = (x | x >> 2) & 0x0f0f0f0f0f0f0f0fU;
  x = (x | x >> 4) & 0x00ff00ff00ff00ffU;
  x = (x | x >> 8) & 0x0000ffff0000ffffU;
  return (x | x >> 16) & 0x00000000ffffffffU;
}

/// Is any bit in [first, last) set?
bool any_set(std::uint64_t const* words, std::uint64_t first, std::uint64_t last) noexcept {
  auto word = first / 64;
  auto const end = (last - 1) / 64;
  auto bits = words[word] & ~low_bits(first % 64);
  for (; word < end; bits = words[++word])
    if (bits != 0) return true;
  return (bits & low_bits((last - 1) % 64 + 1)) != 0;
}

}  // namespace

bit_array::bit_array(std::uint64_t bits) : bits_(bits) {
  if (bits > max_bits) throw error(errc::bad_params, "a filter has at most 2^42 bits, not " + std::to_string(bits));
  memory_ = memory(words_for(bits) * sizeof(std::uint64_t));
}

void bit_array::clear(std::uint64_t first, std::uint64_t last) noexcept {
  if (first >= last) return;
  auto const from = first / 64;
  auto const to = (last - 1) / 64;
  auto const before = low_bits(first % 64);
  auto const after = ~low_bits((last - 1) % 64 + 1);
  if (from == to) {
    words()[from] &= before | after;
    return;
  }
  words()[from] &= before;
  std::fill(words() + from + 1, words() + to, std::uint64_t{0});
  words()[to] &= after;
}

std::uint64_t bit_array::ones(std::uint64_t first, std::uint64_t last) const noexcept {
  if (first >= last) return 0;
  auto const from = first / 64;
  auto const to = (last - 1) / 64;
  auto const head = words()[from] & ~low_bits(first % 64);
  auto const tail_mask = low_bits((last - 1) % 64 + 1);
  if (from == to) return static_cast<std::uint64_t>(std::popcount(head & tail_mask));
  return static_cast<std::uint64_t>(std::popcount(head)) + count(words() + from + 1, to - from - 1) +
         static_cast<std::uint64_t>(std::popcount(words()[to] & tail_mask));
}

std::uint64_t bit_array::ones_of_either(bit_array const& other) const noexcept {
  return std::transform_reduce(
      words(), words() + words_for(bits_), other.words(), std::uint64_t{0}, std::plus<>(),
      [](std::uint64_t a, std::uint64_t b) { return static_cast<std::uint64_t>(std::popcount(a | b)); });
}

bit_array& bit_array::operator|=(bit_array const& other) noexcept {
  std::transform(words(), words() + words_for(bits_), other.words(), words(), std::bit_or<>());
  return *this;
}

bit_array& bit_array::operator&=(bit_array const& other) noexcept {
  std::transform(words(), words() + words_for(bits_), other.words(), words(), std::bit_and<>());
  return *this;
}

bit_array bit_array::halved() const {
  bit_array half(bits_ / 2);
  for (std::uint64_t i = 0; i < words_for(bits_); ++i) {
    auto const pairs = even_bits(words()[i] | words()[i] >> 1);
    half.words()[i / 2] |= pairs << (32 * (i % 2));
  }
  return half;
}

bit_array bit_array::folded(std::uint64_t by) const {
  if (by == 1) return *this;
  if (by % 2 == 0) return halved().folded(by / 2);  // 64 bits at a time; an odd factor goes one result bit at a time
  bit_array small(bits_ / by);
  for (std::uint64_t i = 0; i < small.bits_; ++i)
    if (any_set(words(), i * by, i * by + by)) small.set(i);
  return small;
}

}  // namespace hortus
