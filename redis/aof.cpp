#include "redis/aof.hpp"

#include <cstddef>

namespace hortus::server {

void emit_restore(api::stream* to, api::string* key, void*) {
  api::context* const context = api::GetContextFromIO(to);
  api::SelectDb(context, api::GetDbIdFromIO(to));  // a new context is in database 0, wherever the key is
  api::call_reply* const dump = api::Call(context, "DUMP", "s", key);
  if (dump == nullptr) return;
  std::size_t size = 0;
  // Null if the key has expired and is still there: then the file does not need it.
  if (char const* const bytes = api::CallReplyStringPtr(dump, &size)) api::EmitAOF(to, "RESTORE", "slb", key, 0LL, bytes, size);
  api::FreeCallReply(dump);
}

}  // namespace hortus::server
