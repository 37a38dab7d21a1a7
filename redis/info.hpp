#pragma once
#include <atomic>

#include "redis/api.hpp"

namespace hortus::server {

/// INFO shows from now on how many values of a type there are, as objects_NAME. Every group says so of its types; `name` and
/// `live` stay for ever.
void count_in_info(char const* name, std::atomic<long long> const& live);

/// The section of INFO. Returns false if Redis refuses it.
bool add_info(api::context* to);

}  // namespace hortus::server
