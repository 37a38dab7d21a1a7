#include <hortus/message/gap_code.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

#include <hortus/message/code_bytes.hpp>

namespace hortus::message {
namespace {

using kernels::state_low;
using kernels::state_low_bits;

std::uint64_t word_at(std::span<std::byte const> array, std::size_t at) {
  std::uint64_t word = 0;
  if (array.size() - at >= 8)
    std::memcpy(&word, array.data() + at, 8);  // a single load
  else
    std::memcpy(&word, array.data() + at, array.size() - at);
  return word;
}

/// How a symbol is coded: state' = quotient * total + remainder + first = state + quotient * step + first.
struct divisor {
  std::uint32_t frequency = 0;
  std::uint32_t first = 0;
  std::uint32_t step = 0;
  std::uint64_t reciprocal = 0;  // 2^32 / frequency

  /// The state with the symbol pushed; a word goes to `top` if there is no room for it.
  [[gnu::always_inline]] std::uint32_t coded(std::uint32_t state, std::uint16_t*& top) const noexcept {
    bool const full = state >> (state_low_bits - gap_model::precision + 16) >= frequency;
    *top = static_cast<std::uint16_t>(state);
    top += full ? 1 : 0;
    state = full ? state >> 16 : state;
    // The product with the rounded-down reciprocal is the quotient or one less, because the state is below 2^31.
    auto quotient = static_cast<std::uint32_t>(state * reciprocal >> 32);
    quotient += state - quotient * frequency >= frequency ? 1U : 0U;
    return state + quotient * step + first;
  }
};
std::array<divisor, gap_model::most_escape + 1> divisors_of(gap_model const& model) {
  std::array<divisor, gap_model::most_escape + 1> all;
  for (std::uint32_t i = 0; i <= model.escape; ++i) {
    std::uint32_t const first = model.begin[i], f = model.begin[i + 1] - first;
    all[i] = {f, first, gap_model::total - f, (std::uint64_t{1} << 32) / f};
  }
  return all;
}

}  // namespace

gap_model::gap_model(std::uint64_t ones, std::uint64_t bits) noexcept {
  constexpr std::uint64_t certain = std::uint64_t{1} << 32;
  auto const p = std::max<std::uint64_t>(1, (ones << 32) / bits);
  std::uint64_t zero = certain - p;  // probability of a zero, then of a run of 2^remainder_bits zeros
  while (certain - zero <= certain / 16) {
    zero = zero * zero >> 32;
    ++remainder_bits;
  }
  escape = static_cast<std::uint32_t>(std::min<std::uint64_t>(most_escape, 8 * certain / (certain - zero)));
  // Each symbol has one slot, and the others are shared out by the cumulative probability, 1 - zero^i.
  auto const shared = total - (escape + 1);
  std::uint64_t left = certain;
  for (std::uint32_t i = 0; i <= escape; ++i) {
    begin[i] = static_cast<std::uint16_t>(((certain - left) * shared >> 32) + i);
    left = left * zero >> 32;
  }
  begin[escape + 1] = static_cast<std::uint16_t>(total);
}

// The code: number of ones, states of the lanes, words, remainders.
void gap_encoder::encode(std::span<std::byte const> array, bool full, std::uint64_t ones, std::vector<std::byte>& out) {
  auto const bits = std::uint64_t{8} * array.size();
  gap_model const model(ones, bits);
  auto const shift = model.remainder_bits;
  auto const mask = (std::uint64_t{1} << shift) - 1;
  positions_.resize(ones + 4);
  kernels::places_of_ones(reinterpret_cast<std::uint8_t const*>(array.data()), array.size(), full, positions_.data());
  symbols_.resize(ones + (bits >> shift) / model.escape + 1);
  remainders_.resize((ones * shift + 7) / 8 + 8);
  auto* symbol = symbols_.data();
  auto* remainder_at = remainders_.data();
  std::uint64_t remainders = 0;  // not yet written
  unsigned held = 0;             // how many bits
  std::uint32_t next = 0;        // the first bit behind the last one
  for (std::uint64_t i = 0; i < ones; ++i) {
    std::uint64_t const gap = positions_[i] - next;
    next = positions_[i] + 1;
    auto quotient = gap >> shift;
    for (; quotient >= model.escape; quotient -= model.escape) *symbol++ = static_cast<std::uint8_t>(model.escape);
    *symbol++ = static_cast<std::uint8_t>(quotient);
    remainders |= (gap & mask) << held;  // at most 7 + 27 bits
    held += shift;
    std::memcpy(remainder_at, &remainders, 8);
    remainder_at += held / 8;
    remainders >>= held / 8 * 8;
    held %= 8;
  }
  auto const lanes = gap_lanes(ones);
  auto const symbols = static_cast<std::size_t>(symbol - symbols_.data());
  std::array<std::uint32_t, 4> states{state_low, state_low, state_low, state_low};
  words_.resize(symbols + 1);
  auto* top = words_.data();
  auto const divide = divisors_of(model);
  auto i = symbols;
  for (; i % lanes != 0; --i) states[(i - 1) % lanes] = divide[symbols_[i - 1]].coded(states[(i - 1) % lanes], top);
  if (lanes == 1) {
    for (; i != 0; --i) states[0] = divide[symbols_[i - 1]].coded(states[0], top);
  } else {
    auto [s0, s1, s2, s3] = states;  // in registers
    for (; i != 0; i -= 4) {
      s3 = divide[symbols_[i - 1]].coded(s3, top);
      s2 = divide[symbols_[i - 2]].coded(s2, top);
      s1 = divide[symbols_[i - 3]].coded(s1, top);
      s0 = divide[symbols_[i - 4]].coded(s0, top);
    }
    states = {s0, s1, s2, s3};
  }
  auto const words = std::span(words_).first(static_cast<std::size_t>(top - words_.data()));
  put_varint(out, ones);
  put_bytes(out, std::as_bytes(std::span(states).first(lanes)));
  put_bytes(out, std::as_bytes(words));
  put_bytes(out, std::span(remainders_).first((ones * shift + 7) / 8));
}

void gap_decoder::decode(std::span<std::byte const> in, bool full, std::span<std::byte> array) {
  auto const bits = std::uint64_t{8} * array.size();
  auto const ones = take_varint(in);
  if (ones == 0 || ones > bits) corrupt("a piece of the message has more ones than bits");
  gap_model const model(ones, bits);
  auto const lanes = gap_lanes(ones);
  std::array<std::uint32_t, 4> states{state_low, state_low, state_low, state_low};
  for (std::size_t i = 0; i < lanes; ++i) {
    states[i] = take_fixed<std::uint32_t>(in);
    if (states[i] < state_low || states[i] >> 31 != 0) corrupt("a state in the message is out of range");
  }
  auto const remainder_bytes = (ones * model.remainder_bits + 7) / 8;
  if (in.size() < remainder_bytes || (in.size() - remainder_bytes) % 2 != 0)
    corrupt("a piece of the message has another size than its content");
  auto const word_bytes = take_bytes(in, in.size() - remainder_bytes);
  auto const count = word_bytes.size() / 2;
  words_.resize(count);
  if (count != 0) std::memcpy(words_.data(), word_bytes.data(), word_bytes.size());
  for (std::uint32_t i = 0; i <= model.escape; ++i)
    std::fill(symbol_of_slot_.begin() + model.begin[i], symbol_of_slot_.begin() + model.begin[i + 1],
              static_cast<std::uint8_t>(i));

  std::memset(array.data(), 0, array.size());
  auto const* const first_word = words_.data();
  auto const* top = first_word + count;
  auto const mask = (std::uint64_t{1} << model.remainder_bits) - 1;
  std::uint64_t read = 0;  // bits of remainders
  std::uint64_t next = 0;
  std::uint64_t skipped = 0;  // by escapes
  std::size_t lane = 0;
  for (std::uint64_t left = ones; left != 0;) {
    auto& state = states[lane];
    lane = (lane + 1) & (lanes - 1);
    auto const slot = state & (gap_model::total - 1);
    auto const symbol = symbol_of_slot_[slot];
    std::uint32_t const first = model.begin[symbol], f = model.begin[symbol + std::size_t{1}] - first;
    auto renewed = f * (state >> gap_model::precision) + slot - first;
    if (renewed < state_low) {
      if (top == first_word) corrupt("the message has too few words for its content");
      renewed = renewed << 16 | *--top;
    }
    state = renewed;
    if (symbol == model.escape) {
      skipped += std::uint64_t{symbol} << model.remainder_bits;
      if (skipped >= bits) corrupt("a piece of the message is longer than it says");
      continue;
    }
    std::uint64_t remainder = 0;
    if (mask != 0) {
      remainder = word_at(in, static_cast<std::size_t>(read / 8)) >> read % 8 & mask;
      read += model.remainder_bits;
    }
    auto const position = next + skipped + (std::uint64_t{symbol} << model.remainder_bits) + remainder;
    if (position >= bits) corrupt("a piece of the message is longer than it says");
    array[position / 8] |= std::byte{1} << position % 8;
    next = position + 1;
    skipped = 0;
    --left;
  }
  if (top != first_word || std::ranges::any_of(states, [](std::uint32_t s) { return s != state_low; }))
    corrupt("the message has more words than its content");
  if (read % 8 != 0 && std::to_integer<unsigned>(in.back()) >> read % 8 != 0)
    corrupt("unused bits in the message are not zero");
  if (full)
    for (auto& byte : array) byte = ~byte;
}

}  // namespace hortus::message
