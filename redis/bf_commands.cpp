#include "redis/bf_value.hpp"
#include "redis/chain_value.hpp"
#include "redis/groups.hpp"

namespace hortus::server {
namespace {

constexpr char const* writes = "write deny-oom";
constexpr char const* reads = "readonly fast";
constexpr char const* category = "bloom";

constexpr command_entry commands[] = {
    {"bf.reserve", guarded<bf_reserve>, writes, -4, "Creates an empty Bloom filter.", category},
    {"bf.add", guarded<bf_add>, writes, 3, "Adds an item to a Bloom filter, which is created if there is none.", category},
    {"bf.madd", guarded<bf_madd>, writes, -3, "Adds items to a Bloom filter, which is created if there is none.", category},
    {"bf.insert", guarded<bf_insert>, writes, -4, "Adds items to a Bloom filter, and says how to create it.", category},
    {"bf.exists", guarded<bf_exists>, reads, 3, "Tells whether an item may be in a Bloom filter.", category},
    {"bf.mexists", guarded<bf_mexists>, reads, -3, "Tells which items may be in a Bloom filter.", category},
    {"bf.card", guarded<bf_card>, reads, 2, "Returns how many items were added that were new.", category},
    {"bf.info", guarded<bf_info>, reads, -2, "Returns capacity, size and items of a Bloom filter.", category},
    {"bf.debug", guarded<bf_debug>, reads, 2, "Returns a line about each sub-filter of a Bloom filter.", category},
    {"bf.scandump", guarded<bf_scandump>, reads, 3, "Returns a Bloom filter piece by piece.", category},
    {"bf.loadchunk", guarded<bf_loadchunk>, writes, 4, "Restores a Bloom filter from the pieces of BF.SCANDUMP.", category},
};

bool add_type(api::context* to) { return chain_methods<bf_value>::add(to, "MBbloom--"); }

}  // namespace

constinit command_group const bf_group{.name = "BF",
                                       .pattern = "bf.*",
                                       .add_type = add_type,
                                       .commands = commands,
                                       .counted = "bf",
                                       .values = live_values<bf_value>};

}  // namespace hortus::server
