// What a thread of the Redis module must not do (redis/main_thread.hpp): it has a caller, not a call. See keys.cpp for the
// cases.
//
// CASE 0: it reads arguments and answers
// CASE 1: no matching (function for call|constructor)
// CASE 2: (invalid initialization of reference|no matching function)
// CASE 3: no member named 'notify'
// CASE 4: no member named 'replicate'
// CASE 5: protected
#include "redis/background.hpp"
#include "redis/filter.hpp"

void needs_main_thread(hortus::server::call const& it);

namespace hortus::server {

void of_a_thread(caller const& it) {
#if CASE == 0
  it.reply(static_cast<long long>(it[1].size()));
#elif CASE == 1
  opened_key<filter_value> const key(it, 1, api::key_read);
#elif CASE == 2
  needs_main_thread(it);
#elif CASE == 3
  it.notify("hortus.add");
#elif CASE == 4
  it.replicate();
#elif CASE == 5
  api::Replicate(it.context_, "DEL", "");
#endif
}

}  // namespace hortus::server
