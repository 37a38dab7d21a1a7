#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <hortus/any/shards.hpp>
#include <hortus/redis/reply.hpp>
#include <hortus/redis/servers.hpp>

namespace hortus::redis {

/// The plan of a filter in shards, which stands at the filter's key as a Redis hash. Shard i is the filter at shard_key(i).
/// With another number of shards, or when the filter is replaced, a generation of new keys is filled first; then the hash is
/// changed, by one command, and the old keys are deleted.
struct directory {
  std::string key;
  envelope about = {};  ///< family, hash, and the plan of the whole filter
  shard_plan plan = {};
  std::uint64_t generation = 0;

  /// seen:{i}, seen:{i.1}, seen:{i.2} ...: the first whose slot is in part i of `shards` equal parts of the slots, so that
  /// masters with equal shares of the slots have equal shares of the shards. From generation 1 on ".1" and so on follow.
  [[nodiscard]] std::string shard_key(std::uint64_t i) const;

  /// The words of the command that writes it.
  [[nodiscard]] std::vector<std::string> to_words() const;
  /// From the answer to HGETALL. Throws errc::corrupt if it is another hash, or one of a later version.
  [[nodiscard]] static directory from_reply(std::string key, reply const& fields);
};

/// The tag of shard i, which stands in braces in its key.
[[nodiscard]] std::string shard_tag(std::uint64_t i, std::uint64_t shards);

/// What is at a key.
struct found_filter {
  bool is_sharded = false;
  directory about;  ///< of a filter that is not in shards: its envelope, and one shard, the key itself
};

/// Looks at the key. Throws errc::absent if there is nothing, and errc::incompatible if it is something else.
[[nodiscard]] found_filter find_filter(servers& at, std::string const& key);

/// An answer that is an error becomes one of hortus: errc::io, with the place of the server.
[[nodiscard]] reply accepted(reply answer, std::string const& place);

}  // namespace hortus::redis
