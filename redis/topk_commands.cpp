#include "redis/registry.hpp"

namespace hortus::server {

bool add_topk(api::context*) { return true; }

}  // namespace hortus::server
