#pragma once
#include "redis/api.hpp"

namespace hortus::server {

/// aof_rewrite of types that no commands can build: RESTORE with the value's dump.
void emit_restore(api::stream* to, api::string* key, void* value);

}  // namespace hortus::server
