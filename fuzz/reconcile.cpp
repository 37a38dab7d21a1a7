// Reconciliation with a peer that sends arbitrary bytes. The first byte chooses what they are: a message of symbols; the
// answers of a responder, or the questions of an initiator, as they are or with right preamble, lengths and checksums around
// each piece; symbols that have right checksums but are in wrong places; the messages of a tree. They are refused with
// hortus::error, or the answer is one that the keys of this side allow.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hortus/sets/reconciler.hpp>
#include <hortus/sets/reconciliation_tree.hpp>
#include <hortus/sets/session.hpp>

#include "../tests/io/use_everything.hpp"

namespace {

using namespace hortus;
using namespace hortus::sets;
using hortus::testing::require;
using bytes = std::vector<std::byte>;

std::vector<std::string_view> const& own_keys() {
  static std::vector<std::string_view> const keys{"", "a", "b", "c", "dd", "eee", "ffff", "a long key, longer than a word"};
  return keys;
}

template <class Act>
void allowed(Act act) {
  try {
    act();
  } catch (error const&) {
  }
}

/// The input as frames: a type and two bytes of length before each payload.
bytes as_frames(std::span<std::byte const> in) {
  auto out = preamble();
  while (in.size() >= 3) {
    auto const type = static_cast<frame_type>(std::to_integer<unsigned>(in[0]) % 9 + 1);
    auto const size = std::min<std::size_t>(little_endian_load<std::uint16_t>(in.data() + 1), in.size() - 3);
    message::put_bytes(out, framed(type, in.subspan(3, size)));
    in = in.subspan(3 + size);
  }
  return out;
}

void answer_initiator(std::span<std::byte const> in) {
  keys_in_memory const keys(own_keys());
  initiator side(keys, secret_key(), [](auto) {});
  side.start();
  side.load();
  allowed([&] {
    side.receive(in);
    if (!side.done()) return;
    std::uint64_t mine = 0;
    side.for_each_of_mine([&](std::string_view) { ++mine; });
    require(mine == side.mine_only().size(), "a key that is not mine");
    for (std::size_t i = 0; i < side.their_keys().size(); ++i)
      require(std::ranges::find(own_keys(), side.their_keys()[i]) == own_keys().end(), "a key that is not missing");
    require(side.own().keys - mine + side.theirs_only().size() == side.theirs().keys, "numbers that do not fit");
  });
}

void ask_responder(std::span<std::byte const> in) {
  keys_in_memory const keys(own_keys());
  std::size_t sent = 0;
  responder side(keys, [&](auto some) { sent += some.size(); });
  allowed([&] { side.receive(in); });
  require(sent < (in.size() + 1) * most_asked * 40, "a question is answered at length");
}

/// Each byte is a key for the next symbol; the top bit says which side has it.
void decode_symbols(std::span<std::byte const> in) {
  siphash const hash{secret_key()};
  std::vector<coded_symbol<8>> symbols(in.size() / 2 + 1);
  for (std::size_t i = 0; i < in.size(); ++i) {
    fixed_key<8> const key{in[i] & std::byte{0x3f}};
    auto const checksum = checksum_of(hash, key);
    auto& one = symbols[i / 2];
    if ((in[i] & std::byte{0x40}) != std::byte{0})
      one.toggle(key, checksum ^ 1);
    else if ((in[i] & std::byte{0x80}) != std::byte{0})
      one.add(key, checksum);
    else
      one.subtract(key, checksum);
  }
  rateless_decoder<8> decoder{secret_key()};
  allowed([&] { decoder.feed(symbols); });
  require(decoder.recovered() <= symbols.size(), "more keys than symbols");
}

void feed_message(bytes message) {
  for (bool const resigned : {false, true}) {
    if (resigned) {  // a right start and a right checksum
      reconciler<8> sender{secret_key()};
      auto const start = sender.next_symbols(1);
      if (message.size() < 24) return;
      std::copy_n(start.begin(), 16, message.begin());
      auto const check = little_endian_bytes(XXH3_64bits(message.data(), message.size() - 8));
      std::ranges::copy(check, message.end() - 8);
    }
    reconciler<8> mine{secret_key()};
    mine.add({});
    allowed([&] { (void)mine.feed(message); });
  }
}

void search_tree(std::span<std::byte const> in) {
  std::vector<digest> keys;
  for (std::uint64_t i = 0; i < 20; ++i) keys.push_back(digest::of_hash(i));
  allowed([&] {
    auto const theirs = tree_summary::from_bytes(in);
    auto const found = reconciliation_tree(keys, theirs.seed).missing_in(theirs, 2);
    require(found.visited <= 39 && found.missing.size() <= keys.size(), "more nodes than there are");
    require(tree_summary::from_bytes(theirs.to_bytes()).leaves == theirs.leaves, "a summary comes back");
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  auto const in = std::as_bytes(std::span(data + 1, size - 1));
  switch (data[0] % 7) {
    case 0:
      answer_initiator(in);
      break;
    case 1:
      answer_initiator(as_frames(in));
      break;
    case 2:
      ask_responder(in);
      break;
    case 3:
      ask_responder(as_frames(in));
      break;
    case 4:
      decode_symbols(in);
      break;
    case 5:
      search_tree(in);
      break;
    default:
      feed_message(bytes(in.begin(), in.end()));
  }
  return 0;
}
