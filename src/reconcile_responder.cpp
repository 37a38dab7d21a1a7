#include <algorithm>
#include <utility>

#include <hortus/sets/session.hpp>

namespace hortus::sets {
namespace {

constexpr std::uint64_t symbols_a_frame = 2048;
constexpr std::size_t key_bytes_a_frame = std::size_t{64} << 10;

}  // namespace

responder::responder(key_source const& keys, byte_sink sink, session_limits limits)
    : keys_(keys), channel_(std::move(sink), limits) {}

void responder::start() { channel_.send(preamble()); }

void responder::receive(std::span<std::byte const> bytes) {
  channel_.push(bytes);
  while (auto const one = channel_.next()) take(*one);
}

void responder::take(frame const& one) {
  std::span<std::byte const> const in = one.payload;
  bool const asking = state_ == state::symbols || state_ == state::wanted;
  if (one.type == frame_type::hello && state_ == state::hello) return take_hello(in);
  if (one.type == frame_type::more && state_ == state::symbols) return send_symbols(in);
  if (one.type == frame_type::want && asking) return take_wanted(in);
  if (one.type == frame_type::done && (state_ == state::symbols || state_ == state::sent) && in.empty()) {
    state_ = state::over;
    done_ = true;
    return;
  }
  message::corrupt("the other side does not keep to the protocol: a frame is out of turn");
}

void responder::take_hello(std::span<std::byte const> in) {
  if (in.size() != secret_key::size) message::corrupt("the other side's hello makes no sense");
  auto const secret = secret_key::from_bytes(in);
  digest_.emplace(secret);
  symbols_.emplace(key_digester::derived(secret, 3));
  keys_.for_each_block([&](std::span<std::string_view const> keys) {
    for (auto const key : keys) symbols_->add((*digest_)(key));
  });
  set_summary own;
  for (auto const& x : symbols_->keys()) own.add(x);
  std::vector<std::byte> payload;
  message::put_varint(payload, own.keys);
  message::put_bytes(payload, little_endian_bytes(own.low));
  message::put_bytes(payload, little_endian_bytes(own.high));
  state_ = state::symbols;
  channel_.send(framed(frame_type::summary, payload));
}

void responder::send_symbols(std::span<std::byte const> in) {
  auto const count = message::take_varint(in);
  if (!in.empty() || count == 0 || count > most_asked)
    message::corrupt("the other side asks for no symbols, or for too many at once");
  for (auto left = count; left != 0;) {
    auto const some = std::min(left, symbols_a_frame);
    std::vector<std::byte> payload;
    message::put_varint(payload, symbols_->taken());
    message::put_varint(payload, some);
    auto const first = symbols_->taken();
    put_symbols<16>(payload, symbols_->size(), first, symbols_->next(some));
    channel_.send(framed(frame_type::symbols, payload));
    left -= some;
  }
}

void responder::take_wanted(std::span<std::byte const> in) {
  state_ = state::wanted;
  if (in.empty()) return send_keys();
  if (in.size() % sizeof(key_digest) != 0) message::corrupt("the other side asks for keys by halves of digests");
  for (; !in.empty(); in = in.subspan(sizeof(key_digest))) {
    key_digest x;
    std::copy_n(in.begin(), x.size(), x.begin());
    if (wanted_.size() == symbols_->size() || !symbols_->contains(x))
      message::corrupt("the other side asks for keys that are not here");
    wanted_.push_back(x);
  }
}

void responder::send_keys() {
  std::sort(wanted_.begin(), wanted_.end(), less_key<16>);
  wanted_.erase(std::unique(wanted_.begin(), wanted_.end()), wanted_.end());
  std::vector<std::byte> stream;
  auto const flush = [&](std::size_t keep_below) {
    std::size_t sent = 0;
    while (stream.size() - sent > keep_below) {
      auto const piece = std::span(stream).subspan(sent, std::min(stream.size() - sent, key_bytes_a_frame));
      channel_.send(framed(frame_type::keys, piece));
      sent += piece.size();
    }
    stream.erase(stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(sent));
  };
  auto const found = find_keys(keys_, *digest_, wanted_, [&](std::string_view key) {
    message::put_varint(stream, key.size());
    message::put_bytes(stream, std::as_bytes(std::span(key.data(), key.size())));
    if (stream.size() >= key_bytes_a_frame) flush(key_bytes_a_frame - 1);
  });
  if (found != wanted_.size()) throw error(errc::io, "the keys of this side changed while they were compared");
  flush(0);
  state_ = state::sent;
}

}  // namespace hortus::sets
