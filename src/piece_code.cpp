#include <hortus/message/piece_code.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include <hortus/message/code_bytes.hpp>
#include <hortus/message/gap_code.hpp>
#include <hortus/message/lane_kernels.hpp>

namespace hortus::message {
namespace {

using kernels::byte_classes;
using kernels::byte_model;
using kernels::class_model;
using kernels::class_sizes;
using kernels::coder_lanes;
using kernels::lane_states;
using kernels::state_low;
using kernels::word_padding;

/// Lengths of codes, in units of 2^-16 bits.
using length = std::uint64_t;
constexpr length in_bytes(std::uint64_t bytes) { return bytes << 19; }

/// log2(2^12 + i) - 12 in units of 2^-16, rounded down, by repeated squaring.
constexpr std::array<std::uint16_t, 4096> log2_of_mantissa = [] {
  std::array<std::uint16_t, 4096> all{};
  for (std::uint64_t i = 0; i < 4096; ++i) {
    std::uint64_t x = (4096 + i) << 18;  // 1 is 2^30
    unsigned log = 0;
    for (unsigned digit = 0; digit < 16; ++digit) {
      x = x * x >> 30;
      log <<= 1;
      if (x >> 31 != 0) {
        log |= 1;
        x >>= 1;
      }
    }
    all[i] = static_cast<std::uint16_t>(log);
  }
  return all;
}();

/// Pre: x >= 1.
length log2_of(std::uint64_t x) {
  auto const whole = static_cast<unsigned>(std::bit_width(x | 1)) - 1;
  auto const mantissa = whole >= 12 ? x >> (whole - 12) : x << (12 - whole);
  return (length{whole} << 16) + log2_of_mantissa[mantissa - 4096];
}
length x_log_x(std::uint64_t x) { return x == 0 ? 0 : x * log2_of(x); }
/// Of `all` independent bits of which `ones` are set. Rounding may make it a little less than nothing.
length entropy(std::uint64_t ones, std::uint64_t all) {
  auto const most = x_log_x(all), saved = x_log_x(ones) + x_log_x(all - ones);
  return most > saved ? most - saved : 0;
}

using histogram = std::array<std::uint32_t, 256>;

/// Frequencies of the bytes that occur, which add up to byte_model::total; at least 1 each.
std::array<std::uint16_t, 256> frequencies(histogram const& counts) {
  std::uint64_t all = 0;
  for (auto const count : counts) all += count;
  std::array<std::uint16_t, 256> f{};
  if (all == 0) return f;
  int missing = byte_model::total;
  for (std::size_t i = 0; i < 256; ++i) {
    if (counts[i] == 0) continue;
    auto const share = (2 * std::uint64_t{counts[i]} * byte_model::total + all) / (2 * all);  // rounded to nearest
    f[i] = static_cast<std::uint16_t>(std::max<std::uint64_t>(1, share));
    missing -= f[i];
  }
  while (missing != 0) {  // the most frequent give or take what rounding has left over
    auto& most = *std::ranges::max_element(f);
    int const change = std::clamp(missing, -std::max(1, most / 16), std::max(1, most / 16));
    most = static_cast<std::uint16_t>(most + change);
    missing -= change;
  }
  return f;
}

/// Frequencies of the bytes of each class.
std::array<std::uint16_t, byte_classes> class_frequencies(std::array<std::uint64_t, byte_classes> const& counts,
                                                          std::uint64_t all) {
  std::array<std::uint64_t, byte_classes> f{};
  auto missing = static_cast<std::int64_t>(class_model::total);
  for (std::size_t j = 0; j < byte_classes; ++j) {
    f[j] = std::max<std::uint64_t>(1, counts[j] * class_model::total / (all * class_sizes[j]));
    missing -= static_cast<std::int64_t>(f[j] * class_sizes[j]);
  }
  while (missing < 0) {
    std::size_t most = byte_classes;
    for (std::size_t j = 0; j < byte_classes; ++j)
      if (f[j] > 1 && (most == byte_classes || f[j] * class_sizes[j] > f[most] * class_sizes[most])) most = j;
    --f[most];
    missing += class_sizes[most];
  }
  while (missing > 0) {  // to the class that gains most by a slot
    std::size_t best = 0;
    for (std::size_t j = 1; j < byte_classes; ++j)
      if (class_sizes[j] <= missing && counts[j] * f[best] * class_sizes[best] > counts[best] * f[j] * class_sizes[j]) best = j;
    ++f[best];
    missing -= class_sizes[best];
  }
  std::array<std::uint16_t, byte_classes> narrow{};
  for (std::size_t j = 0; j < byte_classes; ++j) narrow[j] = static_cast<std::uint16_t>(f[j]);
  return narrow;
}

void set_context(byte_model& model, std::size_t context, std::array<std::uint16_t, 256> const& f) {
  std::uint32_t slot = 0;
  for (std::uint32_t x = 0; x < 256; ++x) {
    if (f[x] == 0) continue;
    model.coded[context * 256 + x] = f[x] | slot << 16;
    model.reciprocal[context * 256 + x] = static_cast<std::uint32_t>(std::min<std::uint64_t>(0xffffffff, 0x100000000 / f[x]));
    for (std::uint32_t i = 0; i < f[x]; ++i)
      model.slots[context * byte_model::total + slot + i] = x | i << 8 | (f[x] - 1U) << 20;
    slot += f[x];
  }
}

/// What fills up the last step: a byte that is as frequent as any, so that it costs little.
std::uint8_t filling(std::array<std::uint16_t, 256> const& f) {
  return static_cast<std::uint8_t>(std::ranges::max_element(f) - f.begin());
}
std::uint8_t filling(class_model const& model) { return model.frequency[0] >= model.frequency[8] ? 0x00 : 0xff; }

// States have 31 bits.
constexpr std::size_t states_bytes = coder_lanes * 31 / 8;
void put_states(code& out, lane_states const& states) {
  std::uint64_t bits = 0;
  unsigned held = 0;
  for (auto const state : states) {
    bits |= std::uint64_t{state} << held;
    for (held += 31; held >= 8; held -= 8, bits >>= 8) out.push_back(static_cast<std::byte>(bits));
  }
}
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

std::uint8_t const* raw(std::span<std::byte const> bytes) { return reinterpret_cast<std::uint8_t const*>(bytes.data()); }

/// What the bytes of a piece are.
struct census {
  std::array<histogram, byte_model::most_contexts> by_place{};  // modulo 8
  histogram all{};
  std::array<std::uint64_t, byte_classes> classes{};
  std::uint64_t ones = 0;

  void take(std::span<std::byte const> piece) {
    *this = {};
    auto const* at = raw(piece);
    std::size_t i = 0;
    for (; i + 8 <= piece.size(); i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, at + i, 8);
      if (i % 64 == 0 && i + 64 <= piece.size() && empty(at + i)) {  // skipped in sparse pieces, counted below
        i += 56;
        continue;
      }
      for (std::size_t place = 0; place < 8; ++place) ++by_place[place][word >> 8 * place & 0xff];
    }
    for (; i < piece.size(); ++i) ++by_place[i % 8][at[i]];
    for (std::size_t place = 0; place < by_place.size(); ++place) {
      by_place[place][0] = 0;
      std::uint32_t others = 0;
      for (auto const count : by_place[place]) others += count;
      by_place[place][0] = static_cast<std::uint32_t>((piece.size() + 7 - place) / 8) - others;
      for (std::size_t x = 0; x < 256; ++x) all[x] += by_place[place][x];
    }
    for (std::size_t x = 0; x < 256; ++x) classes[static_cast<std::size_t>(std::popcount(x))] += all[x];
    for (std::size_t j = 1; j < byte_classes; ++j) ones += j * classes[j];
  }

  static bool empty(std::uint8_t const* line) {
    std::array<std::uint64_t, 8> words;
    std::memcpy(words.data(), line, 64);
    std::uint64_t any = 0;
    for (auto const word : words) any |= word;
    return any == 0;
  }

  [[nodiscard]] histogram of_context(std::size_t context, std::size_t contexts) const {
    histogram sum{};
    for (std::size_t place = context; place < by_place.size(); place += contexts)
      for (std::size_t x = 0; x < 256; ++x) sum[x] += by_place[place][x];
    return sum;
  }
};

/// Bytes with their own frequencies: entropy, and the table.
length order_0(histogram const& counts) {
  length saved = 0;
  std::uint64_t all = 0, distinct = 0;
  for (auto const count : counts) {
    if (count == 0) continue;
    all += count;
    ++distinct;
    saved += x_log_x(count);
  }
  auto const most = x_log_x(all);
  return (most > saved ? most - saved : 0) + in_bytes(32 + distinct + distinct / 4);
}

/// As order_0, with rounded frequencies.
length coded_length(histogram const& counts, std::array<std::uint16_t, 256> const& f) {
  length sum = 0;
  std::uint64_t table = 32;
  for (std::size_t x = 0; x < 256; ++x) {
    if (counts[x] == 0) continue;
    sum += counts[x] * ((length{byte_model::precision} << 16) - log2_of(f[x]));
    table += f[x] < 128 ? 1U : 2U;
  }
  return sum + in_bytes(table);
}

}  // namespace

struct array_encoder::scratch {
  census seen;
  byte_model model;
  gap_encoder gaps;
  std::vector<std::uint16_t> words = std::vector<std::uint16_t>(piece_bytes + coder_lanes + word_padding);
  std::vector<std::uint8_t> filled;  // a copy of the piece in whole steps
  code payload;

  /// The piece in whole steps.
  std::uint8_t const* in_steps(std::span<std::byte const> piece, std::size_t steps) {
    if (piece.size() == steps * coder_lanes) return raw(piece);
    filled.resize(steps * coder_lanes);
    std::memcpy(filled.data(), piece.data(), piece.size());
    return nullptr;
  }
  void put(lane_states const& states, std::size_t count) {
    put_states(payload, states);
    put_bytes(payload, std::as_bytes(std::span(words).first(count)));
  }
};

array_encoder::array_encoder() : scratch_(std::make_unique<scratch>()) {}
array_encoder::~array_encoder() = default;

namespace {

constexpr std::size_t steps_in(std::size_t bytes) { return (bytes + coder_lanes - 1) / coder_lanes; }

void put_piece(piece_kind kind, code const& payload, code& out) {
  out.push_back(static_cast<std::byte>(kind));
  put_varint(out, payload.size());
  put_bytes(out, payload);
}

}  // namespace

void array_encoder::encode_piece(std::span<std::byte const> piece, code& out, bool inside) {
  auto& s = *scratch_;
  auto& seen = s.seen;
  auto const size = piece.size();
  auto const bits = std::uint64_t{8} * size;
  seen.take(piece);
  if (seen.ones == 0 || seen.ones == bits) {
    out.push_back(static_cast<std::byte>(seen.ones == 0 ? piece_kind::zeros : piece_kind::ones));
    return;
  }

  auto kind = piece_kind::raw;
  length best = in_bytes(size) - in_bytes(size) / 256;  // less is not worth the time to decode it
  auto const consider = [&](piece_kind candidate, length cost) {
    if (cost >= best) return;
    best = cost;
    kind = candidate;
  };
  bool const full = seen.ones > bits / 2;
  auto const rare = full ? bits - seen.ones : seen.ones;
  constexpr std::uint64_t lane_header = states_bytes + 12;
  auto const of_classes = class_frequencies(seen.classes, size);
  length by_classes = in_bytes(lane_header);
  for (std::size_t j = 0; j < byte_classes; ++j)
    by_classes += seen.classes[j] * ((length{class_model::precision} << 16) - log2_of(of_classes[j]));
  consider(piece_kind::classes, by_classes);
  // In a large piece gaps have to be shorter by 1/160, because classes are coded faster.
  auto const by_gaps = entropy(rare, bits) + rare * 400 + in_bytes(8 + 4 * gap_lanes(rare));
  consider(full ? piece_kind::full_gaps : piece_kind::gaps, by_gaps + (size >= piece_bytes / 4 ? by_gaps / 160 : 0));
  std::size_t contexts = 1;
  length by_bytes = ~length{0};
  for (std::size_t n = 1; n <= byte_model::most_contexts; n *= 2) {
    length sum = in_bytes(lane_header);
    for (std::size_t c = 0; c < n; ++c) sum += order_0(seen.of_context(c, n));
    if (sum >= by_bytes) continue;
    by_bytes = sum;
    contexts = n;
  }
  if (by_bytes < best) {
    length sum = in_bytes(lane_header);
    for (std::size_t c = 0; c < contexts; ++c) {
      auto const counts = seen.of_context(c, contexts);
      sum += coded_length(counts, frequencies(counts));
    }
    consider(piece_kind::bytes, sum + sum / 256);  // classes are coded faster
  }
  auto const zeros = std::uint64_t{seen.all[0]};
  if (zeros > size / 2 && !inside) {
    auto values = seen.all;
    values[0] = 0;
    auto const by_values = std::min(order_0(values) + in_bytes(lane_header), in_bytes(size - zeros));
    auto const by_nonzero = entropy(zeros, size) + by_values + in_bytes(32);
    consider(piece_kind::nonzero, by_nonzero + by_nonzero / 32);  // the slowest of all
  }

  s.payload.clear();
  auto const steps = steps_in(size);
  lane_states states;
  switch (kind) {
    case piece_kind::classes: {
      class_model const model(of_classes);
      for (std::size_t j = 1; j < byte_classes; ++j) put_varint(s.payload, of_classes[j]);
      auto const* bytes = s.in_steps(piece, steps);
      if (bytes == nullptr) {
        std::fill(s.filled.begin() + static_cast<std::ptrdiff_t>(size), s.filled.end(), filling(model));
        bytes = s.filled.data();
      }
      auto const count = kernels::encode_classes(model, bytes, steps, s.words.data(), states);
      s.put(states, count);
      break;
    }
    case piece_kind::bytes: {
      s.model.contexts = static_cast<std::uint32_t>(contexts);
      s.payload.push_back(static_cast<std::byte>(contexts));
      auto const* bytes = s.in_steps(piece, steps);
      for (std::size_t c = 0; c < contexts; ++c) {
        auto const f = frequencies(seen.of_context(c, contexts));
        set_context(s.model, c, f);
        std::array<std::uint64_t, 4> present{};
        for (std::size_t x = 0; x < 256; ++x) present[x / 64] |= std::uint64_t{f[x] != 0} << x % 64;
        put_fixed(s.payload, present);
        for (auto const frequency : f)
          if (frequency != 0) put_varint(s.payload, frequency);
        if (bytes == nullptr)
          for (auto i = size; i < s.filled.size(); ++i)
            if (i % contexts == c) s.filled[i] = filling(f);
      }
      if (bytes == nullptr) bytes = s.filled.data();
      auto const count = kernels::encode_bytes(s.model, bytes, steps, s.words.data(), states);
      s.put(states, count);
      break;
    }
    case piece_kind::gaps:
    case piece_kind::full_gaps:
      s.gaps.encode(piece, full, rare, s.payload);
      break;
    case piece_kind::nonzero: {
      code map((size + 7) / 8);
      code values;
      values.reserve(size - zeros);
      for (std::size_t i = 0; i < size; ++i) {
        if (piece[i] == std::byte{0}) continue;
        map[i / 8] |= std::byte{1} << i % 8;
        values.push_back(piece[i]);
      }
      code both;
      encode_piece(map, both, true);
      encode_piece(values, both, true);
      s.payload = std::move(both);
      break;
    }
    default:
      break;
  }
  if (kind == piece_kind::raw || s.payload.size() + 2 >= size) {
    out.push_back(static_cast<std::byte>(piece_kind::raw));
    put_bytes(out, piece);
  } else {
    put_piece(kind, s.payload, out);
  }
}

void array_encoder::encode(std::span<std::byte const> array, code& out) {
  for (; !array.empty(); array = array.subspan(std::min(piece_bytes, array.size())))
    encode_piece(array.first(std::min(piece_bytes, array.size())), out);
}

// -- decoding -----------------------------------------------------------------------------------------------------------------

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

namespace {

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

code encode_array(std::span<std::byte const> array) {
  code out;
  array_encoder().encode(array, out);
  return out;
}

void decode_array(std::span<std::byte const> in, std::span<std::byte> array) {
  array_decoder().decode(in, array);
  if (!in.empty()) corrupt("the code of an array has bytes behind its end");
}

}  // namespace hortus::message
