#pragma once
#include <string>
#include <utility>

#include "redis/call.hpp"
#include "redis/redisbloom/bloom_chain.hpp"

namespace hortus::server {

/// The value of a key that BF.* made: a chain of Bloom filters, with the layout and the type name of RedisBloom.
struct bf_value : redisbloom::bloom_chain {
  explicit bf_value(redisbloom::bloom_chain chain) noexcept : bloom_chain(std::move(chain)) {}

  inline static api::type* type = nullptr;
  static constexpr char const* load_command = "BF.LOADCHUNK";
  static void append_header(bloom_chain const& of, std::string& to) {
    to.resize(of.header_bytes());
    of.write_header(to.data());
  }
};

/// Commands with many items hash so many, and prefetch their cells, before they look at the first.
inline constexpr std::size_t bf_block_items = 16;

// The commands, each in the file that is named after it or its group.
void bf_reserve(call&);
void bf_add(call&);
void bf_madd(call&);
void bf_insert(call&);
void bf_exists(call&);
void bf_mexists(call&);
void bf_card(call&);
void bf_info(call&);
void bf_debug(call&);
void bf_scandump(call&);
void bf_loadchunk(call&);

}  // namespace hortus::server
