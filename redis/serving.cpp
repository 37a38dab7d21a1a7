#include "redis/serving.hpp"

#include <cerrno>
#include <memory>
#include <string>
#include <string_view>

namespace hortus::server {
namespace {

struct freeing {
  void operator()(api::call_reply* reply) const noexcept { api::FreeCallReply(reply); }
};
using owned_reply = std::unique_ptr<api::call_reply, freeing>;

/// Does the slot of the key come to this server? A client that was told ASK already makes its keys here.
bool is_imported(api::context* context, api::string* key) {
  owned_reply const slot(api::Call(context, "CLUSTER", "cs", "KEYSLOT", key));
  owned_reply const nodes(api::Call(context, "CLUSTER", "c", "NODES"));
  if (slot == nullptr || nodes == nullptr) return false;
  std::size_t length = 0;
  char const* const text = api::CallReplyStringPtr(nodes.get(), &length);
  // A server writes this about itself only: [slot-<-node from which it comes]
  auto const mark = "[" + std::to_string(api::CallReplyInteger(slot.get())) + "-<-";
  return text != nullptr && std::string_view(text, length).find(mark) != std::string_view::npos;
}

/// Redis refuses to let a module call a command on a key that is served elsewhere, or is to be made elsewhere. TYPE has no
/// other effect.
void check_slot(api::context* context, api::string* key) {
  owned_reply const found(api::Call(context, "TYPE", "s", key));
  if (found != nullptr) return;
  if (errno == ENETDOWN) throw refusal("CLUSTERDOWN the cluster went down before the command was done");
  if (!is_imported(context, key)) throw refusal("TRYAGAIN the key went to another server before the command was done");
}

}  // namespace

void check_serves(patient_call const& it, std::size_t argument, bool writes) {
  if (!it.is_blocked()) return;
  auto const flags = api::GetContextFlags(it.context());
  if ((flags & api::flag_cluster) != 0) {
    if (writes && !it.same_role()) throw refusal("TRYAGAIN this server became a replica before the command was done");
    return check_slot(it.context(), it.raw(argument));
  }
  if (writes && (!it.same_role() || (flags & api::flag_replica) != 0))
    throw refusal("READONLY this server became a replica before the command was done");
}

}  // namespace hortus::server
