#include <hortus/message/piece_code.hpp>

#include <algorithm>
#include <array>
#include <cstring>

#include <hortus/message/code_bytes.hpp>
#include <hortus/message/gap_code.hpp>

#include "src/byte_census.hpp"
#include "src/piece_models.hpp"

namespace hortus::message {
namespace {

void put_states(code& out, lane_states const& states) {
  std::uint64_t bits = 0;
  unsigned held = 0;
  for (auto const state : states) {
    bits |= std::uint64_t{state} << held;
    for (held += 31; held >= 8; held -= 8, bits >>= 8) out.push_back(static_cast<std::byte>(bits));
  }
}

void put_piece(piece_kind kind, code const& payload, code& out) {
  out.push_back(static_cast<std::byte>(kind));
  put_varint(out, payload.size());
  put_bytes(out, payload);
}

}  // namespace

struct array_encoder::scratch {
  census seen;
  byte_model model;
  gap_encoder gaps;
  std::vector<std::uint16_t> words = std::vector<std::uint16_t>(piece_bytes + coder_lanes + word_padding);
  std::vector<std::uint8_t> filled;  // a copy of the piece in whole steps
  code payload;

  /// The bytes of the piece in whole steps. The last one is filled up with fill(i), a byte that costs little.
  std::uint8_t const* in_steps(std::span<std::byte const> piece, auto fill) {
    auto const size = steps_in(piece.size()) * coder_lanes;
    if (piece.size() == size) return raw(piece);
    filled.resize(size);
    std::memcpy(filled.data(), piece.data(), piece.size());
    for (auto i = piece.size(); i < size; ++i) filled[i] = fill(i);
    return filled.data();
  }
  void put(lane_states const& states, std::size_t count) {
    put_states(payload, states);
    put_bytes(payload, std::as_bytes(std::span(words).first(count)));
  }

  void encode_classes(std::span<std::byte const> piece, class_frequencies const& f) {
    class_model const coding(f);
    for (std::size_t j = 1; j < byte_classes; ++j) put_varint(payload, f[j]);
    auto const* const bytes = in_steps(piece, [&](std::size_t) { return filling(coding); });
    lane_states states;
    auto const count = kernels::encode_classes(coding, bytes, steps_in(piece.size()), words.data(), states);
    put(states, count);
  }

  void encode_bytes(std::span<std::byte const> piece, std::size_t contexts) {
    model.contexts = static_cast<std::uint32_t>(contexts);
    payload.push_back(static_cast<std::byte>(contexts));
    std::array<std::uint8_t, byte_model::most_contexts> fill{};
    for (std::size_t c = 0; c < contexts; ++c) {
      auto const f = frequencies_of(seen.of_context(c, contexts));
      set_context(model, c, f);
      fill[c] = filling(f);
      std::array<std::uint64_t, 4> present{};
      for (std::size_t x = 0; x < 256; ++x) present[x / 64] |= std::uint64_t{f[x] != 0} << x % 64;
      put_fixed(payload, present);
      for (auto const frequency : f)
        if (frequency != 0) put_varint(payload, frequency);
    }
    auto const* const bytes = in_steps(piece, [&](std::size_t i) { return fill[i % contexts]; });
    lane_states states;
    auto const count = kernels::encode_bytes(model, bytes, steps_in(piece.size()), words.data(), states);
    put(states, count);
  }
};

array_encoder::array_encoder() : scratch_(std::make_unique<scratch>()) {}
array_encoder::~array_encoder() = default;

/// A piece that tells which bytes are not zero, and a piece of these.
code array_encoder::encode_nonzero(std::span<std::byte const> piece) {
  code map((piece.size() + 7) / 8);
  code values;
  for (std::size_t i = 0; i < piece.size(); ++i) {
    if (piece[i] == std::byte{0}) continue;
    map[i / 8] |= std::byte{1} << i % 8;
    values.push_back(piece[i]);
  }
  code both;
  encode_piece(map, both, true);
  encode_piece(values, both, true);
  return both;
}

void array_encoder::encode_piece(std::span<std::byte const> piece, code& out, bool inside) {
  auto& s = *scratch_;
  s.seen.take(piece);
  if (s.seen.ones == 0 || s.seen.ones == 8 * piece.size()) {
    out.push_back(static_cast<std::byte>(s.seen.ones == 0 ? piece_kind::zeros : piece_kind::ones));
    return;
  }
  auto const best = choose(s.seen, piece.size(), inside);
  s.payload.clear();
  switch (best.kind) {
    case piece_kind::classes:
      s.encode_classes(piece, best.of_classes);
      break;
    case piece_kind::bytes:
      s.encode_bytes(piece, best.contexts);
      break;
    case piece_kind::gaps:
    case piece_kind::full_gaps:
      s.gaps.encode(piece, best.full, best.rare, s.payload);
      break;
    case piece_kind::nonzero:
      s.payload = encode_nonzero(piece);
      break;
    default:
      break;
  }
  if (best.kind == piece_kind::raw || s.payload.size() + 2 >= piece.size()) {
    out.push_back(static_cast<std::byte>(piece_kind::raw));
    put_bytes(out, piece);
  } else {
    put_piece(best.kind, s.payload, out);
  }
}

void array_encoder::encode(std::span<std::byte const> array, code& out) {
  for (; !array.empty(); array = array.subspan(std::min(piece_bytes, array.size())))
    encode_piece(array.first(std::min(piece_bytes, array.size())), out);
}

code encode_array(std::span<std::byte const> array) {
  code out;
  array_encoder().encode(array, out);
  return out;
}

}  // namespace hortus::message
