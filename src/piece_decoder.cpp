#include <hortus/message/piece_code.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include <hortus/message/code_bytes.hpp>
#include <hortus/message/gap_code.hpp>

#include "src/piece_models.hpp"

namespace hortus::message {
namespace {

lane_states take_states(std::span<std::byte const>& in) {
  auto bytes = take_bytes(in, states_bytes);
  lane_states states;
  std::uint64_t bits = 0;
  unsigned held = 0;
  for (auto& state : states) {
    for (; held < 31; held += 8) bits |= std::to_integer<std::uint64_t>(take_bytes(bytes, 1).front()) << held;
    state = static_cast<std::uint32_t>(bits & 0x7fffffff);
    bits >>= 31;
    held -= 31;
    if (state < state_low) corrupt("a state in the message is out of range");
  }
  return states;
}

class_model take_class_model(std::span<std::byte const>& in) {
  std::array<std::uint16_t, byte_classes> f{};
  std::uint64_t left = class_model::total;
  for (std::size_t j = 1; j < byte_classes; ++j) {
    auto const frequency = take_varint(in);
    if (frequency == 0 || frequency >= class_model::total || frequency * class_sizes[j] >= left)
      corrupt("frequencies in the message are out of range");
    f[j] = static_cast<std::uint16_t>(frequency);
    left -= frequency * class_sizes[j];
  }
  f[0] = static_cast<std::uint16_t>(left);
  return class_model(f);
}

/// Returns the byte that fills up the last step.
std::uint8_t take_context(std::span<std::byte const>& in, byte_model& model, std::size_t context) {
  auto const present = take_fixed<std::array<std::uint64_t, 4>>(in);
  std::array<std::uint16_t, 256> f{};
  std::uint64_t left = byte_model::total;
  for (std::size_t x = 0; x < 256; ++x) {
    if ((present[x / 64] >> x % 64 & 1) == 0) continue;
    auto const frequency = take_varint(in);
    if (frequency == 0 || frequency > left) corrupt("frequencies in the message are out of range");
    f[x] = static_cast<std::uint16_t>(frequency);
    left -= frequency;
  }
  if (left != 0) corrupt("frequencies in the message are out of range");
  set_context(model, context, f);
  return filling(f);
}

piece_kind take_kind(std::span<std::byte const>& in) {
  auto const kind = take_fixed<std::uint8_t>(in);
  if (kind >= piece_kinds)
    throw error(errc::unsupported, "a piece of the message is coded in a way this release does not know");
  return static_cast<piece_kind>(kind);
}

/// The bytes of a piece behind its kind.
std::span<std::byte const> take_payload(std::span<std::byte const>& in, piece_kind kind, std::size_t bytes) {
  if (kind == piece_kind::zeros || kind == piece_kind::ones) return {};
  if (kind == piece_kind::raw) return take_bytes(in, bytes);
  auto const size = take_varint(in);
  if (size >= bytes) corrupt("a piece of the message is longer than its content");
  return take_bytes(in, size);
}

}  // namespace

struct array_decoder::scratch {
  byte_model model;
  gap_decoder gaps;
  std::vector<std::uint16_t> words = std::vector<std::uint16_t>(2 * word_padding);
  std::vector<std::uint8_t> filled;

  /// Copies words to where they can be read beyond both ends. Returns their end.
  std::uint16_t const* padded(std::span<std::byte const> in) {
    if (in.size() % 2 != 0) corrupt("a piece of the message has half a word");
    auto const count = in.size() / 2;
    words.resize(std::max(words.size(), count + 2 * word_padding));
    if (count != 0) std::memcpy(words.data() + word_padding, in.data(), in.size());
    return words.data() + word_padding + count;
  }

  /// Calls decode(begin, end, bytes, steps) with what a kernel needs, and gives the piece its bytes.
  template <class Decode, class Filling>
  void in_steps(std::span<std::byte const> in, lane_states& states, std::span<std::byte> piece, Decode decode, Filling fill) {
    auto const steps = steps_in(piece.size());
    bool const whole = piece.size() == steps * coder_lanes;
    if (!whole) filled.resize(steps * coder_lanes);
    auto* const bytes = whole ? reinterpret_cast<std::uint8_t*>(piece.data()) : filled.data();
    auto const* const end = padded(in);
    if (!decode(words.data() + word_padding, end, bytes, steps) ||
        std::ranges::any_of(states, [](std::uint32_t state) { return state != state_low; }))
      corrupt("a piece of the message does not fit its words");
    if (whole) return;
    std::memcpy(piece.data(), bytes, piece.size());
    for (auto i = piece.size(); i < steps * coder_lanes; ++i)
      if (bytes[i] != fill(i)) corrupt("a piece of the message is filled up with other bytes");
  }
};

array_decoder::array_decoder() : scratch_(std::make_unique<scratch>()) {}
array_decoder::~array_decoder() = default;

void array_decoder::decode_piece(std::span<std::byte const>& in, std::span<std::byte> piece) {
  auto& s = *scratch_;
  auto const kind = take_kind(in);
  auto payload = take_payload(in, kind, piece.size());
  switch (kind) {
    case piece_kind::zeros:
      std::memset(piece.data(), 0, piece.size());
      return;
    case piece_kind::ones:
      std::memset(piece.data(), 0xff, piece.size());
      return;
    case piece_kind::raw:
      std::memcpy(piece.data(), payload.data(), piece.size());
      return;
    case piece_kind::gaps:
    case piece_kind::full_gaps:
      s.gaps.decode(payload, kind == piece_kind::full_gaps, piece);
      return;
    case piece_kind::classes: {
      auto const model = take_class_model(payload);
      auto states = take_states(payload);
      s.in_steps(
          payload, states, piece,
          [&](auto const* begin, auto const* end, std::uint8_t* bytes, std::size_t steps) {
            return kernels::decode_classes(model, begin, end, states, bytes, steps);
          },
          [&](std::size_t) { return filling(model); });
      return;
    }
    case piece_kind::bytes: {
      auto const contexts = take_fixed<std::uint8_t>(payload);
      if (!std::has_single_bit(contexts) || contexts > byte_model::most_contexts)
        corrupt("contexts in the message are out of range");
      s.model.contexts = contexts;
      std::array<std::uint8_t, byte_model::most_contexts> fill{};
      for (std::size_t c = 0; c < contexts; ++c) fill[c] = take_context(payload, s.model, c);
      auto states = take_states(payload);
      s.in_steps(
          payload, states, piece,
          [&](auto const* begin, auto const* end, std::uint8_t* bytes, std::size_t steps) {
            return kernels::decode_bytes(s.model, begin, end, states, bytes, steps);
          },
          [&](std::size_t i) { return fill[i % contexts]; });
      return;
    }
    case piece_kind::nonzero: {
      code map((piece.size() + 7) / 8);
      if (payload.empty() || payload.front() == static_cast<std::byte>(piece_kind::nonzero))
        corrupt("a piece inside a piece of a piece");
      decode_piece(payload, map);
      std::size_t count = 0;
      for (auto const byte : map) count += static_cast<std::size_t>(std::popcount(std::to_integer<unsigned>(byte)));
      if (piece.size() % 8 != 0 && std::to_integer<unsigned>(map.back()) >> piece.size() % 8 != 0)
        corrupt("unused bits in the message are not zero");
      if (count == 0) corrupt("a piece of the message has no bytes that are not zero");
      code values(count);
      if (payload.empty() || payload.front() == static_cast<std::byte>(piece_kind::nonzero))
        corrupt("a piece inside a piece of a piece");
      decode_piece(payload, values);
      if (!payload.empty()) corrupt("a piece of the message has another size than its content");
      auto next = values.begin();
      for (std::size_t i = 0; i < piece.size(); ++i)
        piece[i] = std::to_integer<unsigned>(map[i / 8]) >> i % 8 & 1 ? *next++ : std::byte{0};
      return;
    }
  }
}

void array_decoder::decode(std::span<std::byte const>& in, std::span<std::byte> array) {
  for (; !array.empty(); array = array.subspan(std::min(piece_bytes, array.size())))
    decode_piece(in, array.first(std::min(piece_bytes, array.size())));
}

void skip_array(std::span<std::byte const>& in, std::uint64_t array_bytes) {
  while (array_bytes != 0) {
    auto const bytes = static_cast<std::size_t>(std::min<std::uint64_t>(array_bytes, piece_bytes));
    (void)take_payload(in, take_kind(in), bytes);
    array_bytes -= bytes;
  }
}

void decode_array(std::span<std::byte const> in, std::span<std::byte> array) {
  array_decoder().decode(in, array);
  if (!in.empty()) corrupt("the code of an array has bytes behind its end");
}

}  // namespace hortus::message
