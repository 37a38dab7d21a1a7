#include "redis/cf_value.hpp"
#include "redis/chain_value.hpp"

/// CF.DEL and CF.COMPACT.
namespace hortus::server {
namespace {

/// RedisBloom says of a key of another type, too, that it was not found.
cf_value& found(opened_key<cf_value> const& key, char const* not_found) {
  if (key.empty() || (!key.holds() && current_settings().redisbloom_faults)) throw refusal(not_found);
  return *key.value();
}

}  // namespace

void cf_del(call& it) {
  opened_key<cf_value> const key(it, 1, api::key_read | api::key_write);
  auto& chain = found(key, "Not found");
  bool const erased = chain.erase(cf_value::hash(it[2]));
  if (erased) {
    it.replicate();
    it.notify("cuckoo.del");
  }
  it.reply_truth(erased);
}

void cf_compact(call& it) {
  opened_key<cf_value> const key(it, 1, api::key_read | api::key_write);
  found(key, "Cuckoo filter was not found").compact();
  it.replicate();
  it.notify("cuckoo.compact");
  it.reply_ok();
}

}  // namespace hortus::server
