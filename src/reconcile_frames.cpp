#include <algorithm>
#include <cstring>
#include <string>

#include <hortus/hash/little_endian.hpp>
#include <hortus/hash/xxhash.hpp>
#include <hortus/message/code_bytes.hpp>
#include <hortus/sets/frames.hpp>

namespace hortus::sets {
namespace {

constexpr std::string_view magic{"\x89HORREC\n", 8};
constexpr std::size_t header_bytes = 5;
static_assert(magic.size() + 1 == preamble_bytes && header_bytes + 4 == frame_overhead);

std::uint32_t check_of(std::span<std::byte const> bytes) {
  return static_cast<std::uint32_t>(XXH3_64bits(bytes.data(), bytes.size()));
}

std::span<std::byte const> bytes_of(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

/// Bytes of a peer that is no hortus at all, for a message.
std::string quoted(std::span<std::byte const> bytes) {
  std::string text;
  for (auto const byte : bytes.first(std::min<std::size_t>(bytes.size(), 40))) {
    auto const c = static_cast<char>(byte);
    text += c >= 0x20 && c < 0x7f ? c : '?';
  }
  return "'" + text + "'";
}

auto put_word(std::uint32_t word, std::vector<std::byte>::iterator to) {
  auto const bytes = little_endian_bytes(word);
  return std::copy_n(bytes.begin(), 4, to);
}

}  // namespace

std::vector<std::byte> preamble() {
  auto const start = bytes_of(magic);
  std::vector<std::byte> out(start.begin(), start.end());
  out.push_back(std::byte{protocol_version});
  return out;
}

std::vector<std::byte> framed(frame_type type, std::span<std::byte const> payload) {
  std::vector<std::byte> out(payload.size() + frame_overhead);
  auto at = out.begin();
  *at++ = static_cast<std::byte>(type);
  at = put_word(static_cast<std::uint32_t>(payload.size()), at);
  at = std::ranges::copy(payload, at).out;
  put_word(check_of(std::span(out.begin(), at)), at);
  return out;
}

std::vector<std::byte> failure_frame(std::string_view why) { return framed(frame_type::failed, bytes_of(why.substr(0, 1000))); }

void frame_reader::check_preamble() {
  auto const known = std::min(pending_.size(), magic.size());
  if (!std::equal(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(known), bytes_of(magic).begin()))
    throw error(errc::corrupt, "the other side is no `hortus reconcile --stdio`: it sent " + quoted(pending_));
  if (pending_.size() < preamble_bytes) return;
  auto const version = std::to_integer<unsigned>(pending_[magic.size()]);
  if (version != protocol_version)
    throw error(errc::unsupported, "the other side speaks version " + std::to_string(version) +
                                       " of the protocol, this one version " + std::to_string(protocol_version) +
                                       ": both need the same hortus");
  pending_.erase(pending_.begin(), pending_.begin() + preamble_bytes);
  greeted_ = true;
}

std::optional<frame> frame_reader::next() {
  if (!greeted_) check_preamble();
  while (greeted_ && pending_.size() >= header_bytes) {
    auto const type = std::to_integer<unsigned>(pending_[0]);
    auto const length = little_endian_load<std::uint32_t>(pending_.data() + 1);
    if (type < 1 || type > static_cast<unsigned>(frame_type::busy) || length > most_payload)
      message::corrupt("the other side sent bytes that are no frame: they were damaged, or it does not keep to the protocol");
    auto const all = header_bytes + length + 4;
    if (pending_.size() < all) return std::nullopt;
    auto const covered = std::span(pending_).first(header_bytes + length);
    if (check_of(covered) != little_endian_load<std::uint32_t>(pending_.data() + covered.size()))
      message::corrupt("the checksum of a frame is wrong: its bytes were damaged on the way");
    auto const payload = covered.subspan(header_bytes);
    frame whole{static_cast<frame_type>(type), {payload.begin(), payload.end()}};
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(all));
    if (whole.type == frame_type::failed)
      throw error(errc::io, "the other side gave up: " +
                                std::string(reinterpret_cast<char const*>(whole.payload.data()), whole.payload.size()));
    if (whole.type == frame_type::busy && !whole.payload.empty()) message::corrupt("a busy frame carries nothing");
    if (whole.type == frame_type::busy) continue;
    ++frames_;
    return whole;
  }
  return std::nullopt;
}

}  // namespace hortus::sets
