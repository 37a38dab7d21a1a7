#pragma once
#include <string>
#include <utility>

#include "redis/call.hpp"
#include "redis/redisbloom/cuckoo_chain.hpp"

namespace hortus::server {

/// The value of a key that CF.* made: a chain of cuckoo filters, with the layout and the type name of RedisBloom.
struct cf_value : redisbloom::cuckoo_chain {
  explicit cf_value(redisbloom::cuckoo_chain chain) noexcept : cuckoo_chain(std::move(chain)) {}

  inline static api::type* type = nullptr;
  static constexpr char const* load_command = "CF.LOADCHUNK";
  static void append_header(cuckoo_chain const& of, std::string& to) {
    to.resize(cuckoo_chain::header_bytes);
    of.write_header(to.data());
  }
};

/// Commands with many items hash so many, and prefetch their slots, before they look at the first.
inline constexpr std::size_t cf_block_items = 16;

// The commands, each in the file that is named after it or its group.
void cf_reserve(call&);
void cf_add(call&);
void cf_addnx(call&);
void cf_insert(call&);
void cf_insertnx(call&);
void cf_exists(call&);
void cf_mexists(call&);
void cf_count(call&);
void cf_del(call&);
void cf_compact(call&);
void cf_info(call&);
void cf_debug(call&);
void cf_scandump(call&);
void cf_loadchunk(call&);

}  // namespace hortus::server
