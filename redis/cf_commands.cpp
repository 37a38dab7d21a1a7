#include "redis/cf_value.hpp"
#include "redis/chain_value.hpp"
#include "redis/groups.hpp"

namespace hortus::server {
namespace {

constexpr char const* writes = "write deny-oom";
constexpr char const* frees = "write fast";  // what needs no memory is allowed when there is none
constexpr char const* reads = "readonly fast";
constexpr char const* category = "cuckoo";

constexpr command_entry commands[] = {
    {"cf.reserve", guarded<cf_reserve>, writes, -3, "Creates an empty cuckoo filter.", category},
    {"cf.add", guarded<cf_add>, writes, 3, "Adds an item to a cuckoo filter, which is created if there is none.", category},
    {"cf.addnx", guarded<cf_addnx>, writes, 3, "Adds an item to a cuckoo filter if it is not in it.", category},
    {"cf.insert", guarded<cf_insert>, writes, -4, "Adds items to a cuckoo filter, and says how to create it.", category},
    {"cf.insertnx", guarded<cf_insertnx>, writes, -4, "Adds those items to a cuckoo filter that are not in it.", category},
    {"cf.exists", guarded<cf_exists>, reads, 3, "Tells whether an item may be in a cuckoo filter.", category},
    {"cf.mexists", guarded<cf_mexists>, reads, -3, "Tells which items may be in a cuckoo filter.", category},
    {"cf.count", guarded<cf_count>, reads, 3, "Returns how often an item may be in a cuckoo filter.", category},
    {"cf.del", guarded<cf_del>, frees, 3, "Deletes an item once from a cuckoo filter.", category},
    {"cf.compact", guarded<cf_compact>, frees, 2, "Moves items of a cuckoo filter together.", category},
    {"cf.info", guarded<cf_info>, reads, 2, "Returns size and items of a cuckoo filter.", category},
    {"cf.debug", guarded<cf_debug>, reads, 2, "Returns a line about a cuckoo filter.", category},
    {"cf.scandump", guarded<cf_scandump>, reads, 3, "Returns a cuckoo filter piece by piece.", category},
    {"cf.loadchunk", guarded<cf_loadchunk>, writes, 4, "Restores a cuckoo filter from the pieces of CF.SCANDUMP.", category},
};

bool add_type(api::context* to) { return chain_methods<cf_value>::add(to, "MBbloomCF"); }

}  // namespace

constinit command_group const cf_group{.name = "CF",
                                       .pattern = "cf.*",
                                       .add_type = add_type,
                                       .commands = commands,
                                       .counted = "cf",
                                       .values = live_values<cf_value>};

}  // namespace hortus::server
