#pragma once
#include <cstdint>
#include <string_view>

#include "redis/api.hpp"

namespace hortus::server {

/// The number of a type in dumps: its name in 54 bits, and its encoding version. Pre: the name has 9 characters.
[[nodiscard]] std::uint64_t type_number(std::string_view name, unsigned encoding_version) noexcept;

/// aof_rewrite of types that no commands can build: RESTORE with the dump of the value. The module makes the dump itself. The
/// command DUMP, called from here, looks in database 0 wherever the key is, and does not find expired keys.
void emit_restore(api::stream* to, api::string* key, void* value, api::type const* type, std::uint64_t number);

}  // namespace hortus::server
