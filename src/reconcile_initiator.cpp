#include <algorithm>
#include <string>
#include <utility>

#include <hortus/sets/session.hpp>

namespace hortus::sets {
namespace {

constexpr std::uint64_t most_keys = std::uint64_t{1} << 48;
constexpr std::size_t digests_a_frame = 32768;

[[noreturn]] void out_of_turn() { message::corrupt("the other side does not keep to the protocol: a frame is out of turn"); }

}  // namespace

void frame_channel::push(std::span<std::byte const> bytes) {
  received_ += bytes.size();
  if (received_ > limits_.bytes)
    throw error(errc::too_large, "the other side sent more than " + std::to_string(limits_.bytes) + " bytes, the most allowed");
  reader_.push(bytes);
}

void set_summary::add(key_digest const& x) noexcept {
  ++keys;
  low += little_endian_load<std::uint64_t>(x.data());
  high += little_endian_load<std::uint64_t>(x.data() + 8);
}
void set_summary::remove(key_digest const& x) noexcept {
  --keys;
  low -= little_endian_load<std::uint64_t>(x.data());
  high -= little_endian_load<std::uint64_t>(x.data() + 8);
}

initiator::initiator(key_source const& keys, secret_key const& secret, byte_sink sink, wanted depth, session_limits limits)
    : keys_(keys),
      secret_(secret),
      digest_(secret),
      depth_(depth),
      channel_(std::move(sink), limits),
      reconciler_(key_digester::derived(secret, 3)) {}

void initiator::start() {
  auto hello = preamble();
  message::put_bytes(hello, framed(frame_type::hello, secret_.bytes()));
  channel_.send(hello);
}

void initiator::load() {
  keys_.for_each_block([&](std::span<std::string_view const> keys) {
    for (auto const key : keys) reconciler_.add(digest_(key));
  });
  for (auto const& x : reconciler_.mine().keys()) own_.add(x);
  state_ = state::summary;
}

void initiator::receive(std::span<std::byte const> bytes) {
  channel_.push(bytes);
  while (auto const one = channel_.next()) take(*one);
}

void initiator::take(frame const& one) {
  std::span<std::byte const> const in = one.payload;
  if (one.type == frame_type::summary && state_ == state::summary) return take_summary(in);
  if (one.type == frame_type::symbols && outstanding_ != 0) return take_symbols_of(in);
  if (one.type == frame_type::keys && state_ == state::keys) return take_keys(in);
  out_of_turn();
}

void initiator::take_summary(std::span<std::byte const> in) {
  theirs_.keys = message::take_varint(in);
  theirs_.low = little_endian_load<std::uint64_t>(message::take_bytes(in, 8).data());
  theirs_.high = little_endian_load<std::uint64_t>(message::take_bytes(in, 8).data());
  if (!in.empty() || theirs_.keys > most_keys) message::corrupt("the other side's summary makes no sense");
  if (depth_ == wanted::whether || own_ == theirs_) return finish();
  state_ = state::symbols;
  ask();
}

void initiator::ask() {
  // Honest symbols are enough at 1.75 a difference on average. Three times all keys never happens to them.
  if (reconciler_.fed() > 1000 + 3 * (own_.keys + theirs_.keys))
    message::corrupt("the other side's symbols lead to no difference: they are not those of a set");
  outstanding_ = std::min(reconciler_.to_ask(), most_asked);
  std::vector<std::byte> payload;
  message::put_varint(payload, outstanding_);
  channel_.send(framed(frame_type::more, payload));
}

void initiator::take_symbols_of(std::span<std::byte const> in) {
  auto const first = message::take_varint(in);
  auto const count = message::take_varint(in);
  if (first != symbols_ || count == 0 || count > outstanding_) out_of_turn();
  auto theirs = take_symbols<16>(in, theirs_.keys, first, count);
  if (!in.empty()) message::corrupt("a frame of symbols is too long");
  outstanding_ -= count;
  symbols_ += count;
  // All that were asked for are awaited even if fewer were enough: a peer that is still writing would not read.
  bool const known = reconciler_.feed(std::move(theirs), theirs_.keys);
  if (outstanding_ != 0) return;
  known ? decoded() : ask();
}

void initiator::decoded() {
  mine_only_ = reconciler_.mine_only();
  theirs_only_ = reconciler_.theirs_only();
  std::sort(theirs_only_.begin(), theirs_only_.end(), less_key<16>);
  auto sum = own_;
  for (auto const& x : mine_only_) sum.remove(x);
  for (auto const& x : theirs_only_) sum.add(x);
  if (sum != theirs_)
    message::corrupt("the difference does not turn one set into the other: the other side contradicts itself");
  if (depth_ != wanted::which || theirs_only_.empty()) return finish();
  state_ = state::keys;
  came_.assign(theirs_only_.size(), false);
  for (auto rest = std::span<key_digest const>(theirs_only_); !rest.empty();) {
    auto const some = rest.first(std::min(rest.size(), digests_a_frame));
    rest = rest.subspan(some.size());
    channel_.send(framed(frame_type::want, std::as_bytes(some)));
  }
  channel_.send(framed(frame_type::want));
}

void initiator::take_keys(std::span<std::byte const> in) {
  message::put_bytes(pieces_, in);
  std::size_t used = 0;
  for (;;) {
    auto rest = std::span<std::byte const>(pieces_).subspan(used);
    auto const number = std::find_if(rest.begin(), rest.end(), [](std::byte b) { return b < std::byte{0x80}; });
    if (number == rest.end() && rest.size() < 10) break;  // the length is not complete
    auto const length = message::take_varint(rest);
    if (rest.size() < length) break;
    std::string_view const key(reinterpret_cast<char const*>(rest.data()), static_cast<std::size_t>(length));
    auto const x = digest_(key);
    auto const at = std::lower_bound(theirs_only_.begin(), theirs_only_.end(), x, less_key<16>);
    auto const i = static_cast<std::size_t>(at - theirs_only_.begin());
    if (at == theirs_only_.end() || *at != x || came_[i]) message::corrupt("the other side sent a key that nobody asked for");
    came_[i] = true;
    their_keys_.add(key);
    used = static_cast<std::size_t>(reinterpret_cast<std::byte const*>(key.data()) - pieces_.data()) + key.size();
  }
  pieces_.erase(pieces_.begin(), pieces_.begin() + static_cast<std::ptrdiff_t>(used));
  if (their_keys_.size() < theirs_only_.size()) return;
  if (!pieces_.empty()) out_of_turn();
  finish();
}

void initiator::finish() {
  state_ = state::over;
  done_ = true;
  channel_.send(framed(frame_type::done));
}

void initiator::for_each_of_mine(std::function<void(std::string_view)> const& act) const {
  if (find_keys(keys_, digest_, mine_only_, act) != mine_only_.size())
    throw error(errc::io, "the keys of this side changed while they were compared");
}

}  // namespace hortus::sets
