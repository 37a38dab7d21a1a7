#include <hortus/message/message.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include <hortus/hash/xxhash.hpp>
#include <hortus/message/code_bytes.hpp>
#include <hortus/message/piece_code.hpp>

#include "src/descriptor.hpp"

namespace hortus::message {
namespace {

constexpr std::array<unsigned char, 8> magic{0x89, 'H', 'O', 'R', 'M', 'S', 'G', '\n'};
constexpr std::uint32_t message_version = 1;
constexpr std::size_t checksum_bytes = 8;
constexpr std::size_t longest_name = 23;

/// The fixed part, in the order of docs/messages.md.
struct fixed_header {
  std::array<unsigned char, 8> magic;
  std::uint32_t version;
  std::uint32_t is_change;  // 1: it is applied to another filter
  std::uint64_t message_bytes;
  std::uint64_t identity;  // of the filter that is unpacked
  std::uint64_t since;     // of the filter that it is applied to, or 0
};
static_assert(sizeof(fixed_header) == 40);

std::uint64_t checksum(std::span<std::byte const> bytes) { return XXH3_64bits_withSeed(bytes.data(), bytes.size(), 0); }

/// Section i of an image, or nothing.
std::span<std::byte const> section_of(image const* what, std::size_t i) {
  return what != nullptr && i < what->sections.size() ? what->sections[i] : std::span<std::byte const>{};
}

/// into[i] ^= what[i], as far as both go.
void exclusive_or(std::span<std::byte> into, std::span<std::byte const> what) {
  auto const bytes = std::min(into.size(), what.size());
  for (std::size_t i = 0; i < bytes; ++i) into[i] ^= what[i];
}

/// Codes a section, of which another is known.
void encode_change(array_encoder& coder, std::span<std::byte const> section, std::span<std::byte const> before, code& out) {
  std::vector<std::byte> piece;
  for (std::size_t at = 0; at < section.size(); at += piece.size()) {
    piece.assign(section.begin() + static_cast<std::ptrdiff_t>(at),
                 section.begin() + static_cast<std::ptrdiff_t>(std::min(section.size(), at + piece_bytes)));
    exclusive_or(piece, before.subspan(std::min(at, before.size())));
    coder.encode(piece, out);
  }
}

void put_about(code& out, image const& what) {
  auto const& about = what.about;
  put_varint(out, about.family.size());
  put_bytes(out, std::as_bytes(std::span(about.family)));
  put_varint(out, about.hash_id);
  put_varint(out, about.seed);
  put_varint(out, about.key_check);
  put_varint(out, static_cast<std::uint64_t>(about.kinds));
  put_varint(out, about.items_planned);
  put_fixed(out, about.fpr_planned);
  put_varint(out, about.items_inserted);
  put_varint(out, what.scalars.size());
  for (auto const scalar : what.scalars) put_varint(out, scalar);
  put_varint(out, what.sections.size());
  for (auto const section : what.sections) put_varint(out, section.size());
}

/// At most `most`, so that a number in a message cannot cause a large allocation.
std::uint64_t take_up_to(std::span<std::byte const>& in, std::uint64_t most) {
  auto const number = take_varint(in);
  if (number > most) corrupt("a number in the message is out of range");
  return number;
}

/// A header without what only a file has.
header take_about(std::span<std::byte const>& in) {
  header head;
  auto& about = head.about;
  auto const name = take_bytes(in, take_up_to(in, longest_name));
  about.family.resize(name.size());
  std::memcpy(about.family.data(), name.data(), name.size());
  if (!std::ranges::all_of(about.family, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }))
    corrupt("the message names no family");
  about.hash_id = static_cast<std::uint32_t>(take_up_to(in, ~std::uint32_t{0}));
  about.seed = take_varint(in);
  about.key_check = take_varint(in);
  about.kinds = static_cast<key_kind>(take_up_to(in, 7));
  about.items_planned = take_varint(in);
  about.fpr_planned = take_fixed<double>(in);
  if (!(about.fpr_planned >= 0 && about.fpr_planned <= 1)) corrupt("the planned fpr is not a rate");
  about.items_inserted = take_varint(in);
  head.scalars.resize(take_up_to(in, std::min<std::uint64_t>(in.size(), max_header_bytes / 8)));
  for (auto& scalar : head.scalars) scalar = take_varint(in);
  head.sections.resize(take_up_to(in, std::min<std::uint64_t>(in.size(), max_sections)));
  for (auto& section : head.sections) section.bytes = take_up_to(in, std::uint64_t{1} << 62);
  return head;
}

}  // namespace

std::vector<std::byte> pack_image(image const& what, image const* since) {
  fixed_header fixed{.magic = magic,
                     .version = message_version,
                     .is_change = since != nullptr ? 1U : 0U,
                     .message_bytes = 0,
                     .identity = identity(what),
                     .since = since != nullptr ? identity(*since) : 0};
  std::uint64_t most = std::uint64_t{1} << 12;
  for (auto const section : what.sections) most += section.size() + section.size() / piece_bytes + 1;
  code out;
  out.reserve(most);  // pages that are not written take no memory
  put_fixed(out, fixed);
  put_about(out, what);
  array_encoder coder;
  for (std::size_t i = 0; i < what.sections.size(); ++i) {
    if (since == nullptr)
      coder.encode(what.sections[i], out);
    else
      encode_change(coder, what.sections[i], section_of(since, i), out);
  }
  fixed.message_bytes = out.size() + checksum_bytes;
  std::memcpy(out.data(), &fixed, sizeof(fixed));
  put_fixed(out, checksum(out));
  if (out.size() < out.capacity() / 4) out.shrink_to_fit();
  return out;
}

stored_parts unpack_image(std::span<std::byte const> message, image const* onto, std::optional<std::uint64_t> most_bytes) {
  fixed_header fixed{};
  if (message.size() < sizeof(fixed) + checksum_bytes) corrupt("too short to be a message of hortus");
  std::memcpy(&fixed, message.data(), sizeof(fixed));
  if (fixed.magic != magic) corrupt("not a message of hortus: it does not start with its magic bytes");
  if (fixed.version != message_version)
    throw error(errc::unsupported, "version " + std::to_string(fixed.version) + " of messages: this release reads version " +
                                       std::to_string(message_version));
  if (fixed.message_bytes != message.size())
    throw error(errc::corrupt, "the message has " + std::to_string(message.size()) + " bytes where it says " +
                                   std::to_string(fixed.message_bytes));
  auto in = message.first(message.size() - checksum_bytes);
  auto rest = message.last(checksum_bytes);
  if (checksum(in) != take_fixed<std::uint64_t>(rest)) corrupt("the message is damaged: its checksum does not match");
  // From here on the message is not damaged, but it may still be forged.
  if (fixed.is_change > 1 || (fixed.is_change == 0 && fixed.since != 0)) corrupt("the message holds values no release writes");
  if (fixed.is_change == 1 && onto == nullptr)
    throw error(errc::incompatible, "the message is a change: unpack it onto the filter that it was packed since");
  if (fixed.is_change == 0 && onto != nullptr)
    throw error(errc::incompatible, "the message is complete: unpack it without another filter");
  if (onto != nullptr && identity(*onto) != fixed.since)
    throw error(errc::incompatible, "the message was packed since another filter than this");
  in = in.subspan(sizeof(fixed));
  stored_parts parts{take_about(in), {}};

  std::uint64_t bytes = 0, known = 0;
  auto pieces = in;
  for (auto const section : parts.head.sections) {
    skip_array(pieces, section.bytes);  // so sizes are below 2^18 times the message's, and add up
    bytes += section.bytes;
  }
  if (!pieces.empty()) corrupt("the message goes on after its last piece");
  for (std::size_t i = 0; onto != nullptr && i < onto->sections.size(); ++i) known += onto->sections[i].size();
  auto const most = most_bytes.value_or(std::max(unpack_limit(message.size()), known));
  if (bytes > most)
    throw error(errc::too_large, "the message unpacks to " + std::to_string(bytes) + " bytes, and the limit is " +
                                     std::to_string(most) + ": set most_bytes if that is expected");

  array_decoder coder;
  image unpacked{parts.head.about, parts.head.scalars, {}};
  for (std::size_t i = 0; i < parts.head.sections.size(); ++i) {
    auto& section = parts.sections.emplace_back(parts.head.sections[i].bytes);
    coder.decode(in, {section.data(), section.size()});
    exclusive_or({section.data(), section.size()}, section_of(onto, i));
    unpacked.sections.push_back(section.bytes());
  }
  if (identity(unpacked) != fixed.identity) corrupt("the message does not unpack to the filter that was packed");
  return parts;
}

std::vector<std::byte> read_bytes(fs::path const& path) {
  auto const fd = open_to_read(path);
  std::vector<std::byte> bytes;
  for (std::size_t done = 0;;) {
    if (done == bytes.size()) bytes.resize(std::max<std::size_t>(1 << 16, 2 * done));
    auto const n = ::read(fd.get(), bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("read", path);
    if (n == 0) {
      bytes.resize(done);
      return bytes;
    }
    done += static_cast<std::size_t>(n);
  }
}

void write_bytes(fs::path const& path, std::span<std::byte const> bytes) {
  replace_file(path, [&](byte_sink const& sink) { sink(bytes); });
}

}  // namespace hortus::message
