#include "redis/registry.hpp"

namespace hortus::server {

bool add_bf(api::context*) { return true; }

}  // namespace hortus::server
