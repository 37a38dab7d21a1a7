#pragma once
#include <cstddef>

#include "redis/background.hpp"

namespace hortus::server {

/// Redis asks where a key is served before it calls a command. Nobody asks again for a client that was blocked meanwhile.
///
/// Throws a refusal if the client was blocked, and the key of the argument went to another server: the cluster gave its slot
/// away, or this server became a replica. In a cluster the refusal is TRYAGAIN. A client then sends the command again, and
/// Redis redirects it. Without it a filter would be made where no client finds it, or a replica would differ from its master.
void check_serves(patient_call const& it, std::size_t argument, bool writes);

}  // namespace hortus::server
