// Bytes as a server might send them, at once and in pieces: both ways give the same replies, or the same refusal, and no memory
// is taken for what is only announced. A reply to HGETALL is read as the directory of a filter. The first byte chooses the
// length of the pieces.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <hortus/error.hpp>
#include <hortus/redis/directory.hpp>
#include <hortus/redis/reply.hpp>

namespace {

using hortus::redis::reply;

void require(bool holds, char const* what) {
  if (holds) return;
  std::fprintf(stderr, "not true: %s\n", what);
  std::abort();
}

bool same(reply const& a, reply const& b) {
  if (a.what != b.what || a.integer != b.integer || a.text != b.text || a.parts.size() != b.parts.size()) return false;
  for (std::size_t i = 0; i < a.parts.size(); ++i)
    if (!same(a.parts[i], b.parts[i])) return false;
  return true;
}

struct outcome {
  std::vector<reply> all;
  bool refused = false;
};

outcome parsed(std::string_view bytes, std::size_t piece) {
  outcome made;
  hortus::redis::reply_parser parser;
  try {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
      auto const some = bytes.substr(0, piece);
      std::memcpy(parser.room(some.size()), some.data(), some.size());
      parser.filled(some.size());
      while (auto next = parser.next()) made.all.push_back(std::move(*next));
    }
  } catch (hortus::error const& e) {
    require(e.code() == hortus::errc::corrupt, "what is no reply is corrupt");
    made.refused = true;
  }
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 1 || size > 100000) return 0;
  std::string_view const bytes(reinterpret_cast<char const*>(data) + 1, size - 1);
  auto const whole = parsed(bytes, bytes.size());
  auto const pieces = parsed(bytes, 1 + data[0]);
  // In pieces, replies before the refused one were delivered as well.
  require(whole.refused == pieces.refused, "pieces do not change what is refused");
  require(whole.all.size() == pieces.all.size(), "pieces do not change how many replies there are");
  for (std::size_t i = 0; i < whole.all.size(); ++i) require(same(whole.all[i], pieces.all[i]), "pieces do not change a reply");
  for (auto const& each : whole.all) try {
      auto const made = hortus::redis::directory::from_reply("key", each);
      require(made.plan.shards >= 1 && made.plan.places % made.plan.shards == 0, "a directory has whole shards");
      require(!made.shard_key(made.plan.shards - 1).empty(), "every shard has a key");
    } catch (hortus::error const&) {
      continue;
    }
  return 0;
}
