#pragma once
#include "redis/api.hpp"

namespace hortus::server {

/// Adds HORTUS.FAULT N: the Nth allocation of the module from now on fails, and every later one succeeds; 0: none fails. The
/// reply is the number of allocations since the last call. Only builds for tests have it (HORTUS_REDIS_FAULTS in CMake).
bool add_faults(api::context* to);

}  // namespace hortus::server
