#include "redis/registry.hpp"

namespace hortus::server {

bool add_cms(api::context*) { return true; }

}  // namespace hortus::server
