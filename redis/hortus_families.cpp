#include <algorithm>
#include <tuple>

#include "redis/hortus_commands.hpp"
#include "redis/words.hpp"

namespace hortus::server::commands {
void list(patient_call& it) { it.reply_ok(); }
void plan(patient_call& it) { it.reply_ok(); }
}
