#include "redis/registry.hpp"

namespace hortus::server {

bool add_hortus(api::context*) { return true; }

}  // namespace hortus::server
