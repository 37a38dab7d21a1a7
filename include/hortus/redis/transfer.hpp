#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <hortus/any/any_filter.hpp>
#include <hortus/redis/directory.hpp>
#include <hortus/redis/servers.hpp>

/// Whole filters to servers and back.
namespace hortus::redis {

/// Called with the bytes that were sent or received since the last call.
using byte_progress = std::function<void(std::uint64_t)>;

/// Sends a filter to one key, at which nothing may be that is needed. If it fails, there is nothing.
void send_filter(servers& at, any_filter const& what, std::string const& key, byte_progress const& progress = {});
/// The filter at one key, as it is at one moment.
[[nodiscard]] any_filter fetch_filter(servers& at, std::string const& key, reading const& how = {},
                                      byte_progress const& progress = {});

struct push_options {
  std::uint64_t shards = 0;  ///< 0: one value at the key itself
  bool replace = false;      ///< else throws errc::incompatible if the key is there
  bool merge = false;        ///< into the filter that is there, which was made alike; of shards, each into its own
  byte_progress progress = {};
};

/// Sends a filter. Those who use the key see the old filter, or nothing, until the new one is complete. If it fails, the key is
/// as it was; what was sent is deleted, or expires after an hour.
void push(servers& at, any_filter const& whole, std::string const& key, push_options const& how = {});

/// Makes an empty filter in shards, without the memory for all of it. Throws errc::incompatible if the key is there.
void create(servers& at, std::string const& key, std::string_view family, hortus::request const& wish, any_hash const& hash,
            std::uint64_t shards, byte_progress const& progress = {});

/// Fetches a filter, as it was at one moment; of shards each, unless none of them is changed meanwhile.
[[nodiscard]] any_filter pull(servers& at, std::string const& key, reading const& how = {}, byte_progress const& progress = {});

/// Another number of shards, without the keys: a multiple of the present number, or a divisor. Clients go on: at the end they
/// wait while the shards that were changed meanwhile are copied once more. After a crash, to be repeated.
void reshard(servers& at, std::string const& key, std::uint64_t shards, byte_progress const& progress = {});

}  // namespace hortus::redis
