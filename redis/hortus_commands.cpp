#include "redis/hortus_commands.hpp"

#include <array>

#include "redis/filter.hpp"
#include "redis/import_value.hpp"
#include "redis/info.hpp"
#include "redis/registry.hpp"

namespace hortus::server {
namespace {

using namespace commands;

constexpr char const* writes = "write deny-oom";
constexpr char const* frees = "write";
constexpr char const* reads = "readonly";

constexpr auto read_key = api::key_ro | api::key_access;
/// dest numkeys src...
constexpr std::array combined{key_at(api::key_rw | api::key_access | api::key_update, 1), numbered_keys(read_key, 2)};
constexpr std::array compared{key_at(read_key, 1), key_at(read_key, 2)};
constexpr std::array created{key_at(api::key_ow | api::key_insert, 1)};
constexpr std::array erased{key_at(api::key_rw | api::key_delete, 1)};

constexpr command_entry hortus_entries[] = {
    {"HORTUS.CREATE", patient<create>, writes, -3, "Makes an empty filter of a family", "", created},
    {"HORTUS.ADD", patient<add>, "write deny-oom fast", -3, "Adds items to a filter"},
    {"HORTUS.ADDCOUNT", patient<add_count>, writes, -4, "Adds items to a filter that counts, each several times"},
    {"HORTUS.EXISTS", patient<exists>, "readonly fast", -3, "Says whether items may be in a filter"},
    {"HORTUS.DEL", patient<erase>, frees, -3, "Undoes one insert of each item", "", erased},
    {"HORTUS.COUNT", patient<count>, reads, -3, "Says how often items were added"},
    {"HORTUS.TOP", patient<top>, reads, 3, "Lists the items that were added most often"},
    {"HORTUS.ADVANCE", patient<advance>, frees, -2, "Sets the time of a filter with a window of time"},
    {"HORTUS.PUT", patient<put>, writes, -4, "Puts items with their values into a map"},
    {"HORTUS.ASSIGN", patient<assign>, frees, -4, "Changes the values of items of a map"},
    {"HORTUS.GET", patient<get>, reads, -3, "Gives the values of items in a map"},
    {"HORTUS.MADD", patient<packed_add>, writes, -4, "Adds items that are packed in one string"},
    {"HORTUS.MDEL", patient<packed_erase>, frees, -4, "Undoes one insert of each item that is packed in one string", "",
     erased},
    {"HORTUS.MEXISTS", patient<packed_exists>, reads, -4, "Says which items, packed in one string, may be in a filter"},
    {"HORTUS.MCOUNT", patient<packed_count>, reads, -4, "Says how often items, packed in one string, were added"},
    {"HORTUS.MGET", patient<packed_get>, reads, -4, "Gives the values of items that are packed in one string"},
    with_keys<combined, patient<merge>>({"HORTUS.MERGE", nullptr, writes, -4, "Merges filters into one"}),
    with_keys<combined, patient<intersect>>({"HORTUS.INTERSECT", nullptr, writes, -4, "Intersects a filter with others"}),
    {"HORTUS.FOLD", patient<fold>, writes, 4, "Makes a filter smaller, without its keys"},
    {"HORTUS.GROW", patient<grow>, writes, -2, "Makes room for more items in a filter"},
    {"HORTUS.CLEAR", patient<clear>, writes, 2, "Empties a filter"},
    {"HORTUS.EXPORT", patient<export_file>, reads, -2, "Gives the file of a filter, whole or a piece"},
    {"HORTUS.IMPORT", patient<import_file>, writes, -3, "Makes a filter from its file, whole or in pieces", "", created},
    {"HORTUS.INFO", patient<info>, reads, -2, "Describes a filter"},
    {"HORTUS.ESTIMATE", patient<estimate>, reads, 2, "Estimates how many distinct items were added"},
    with_keys<compared, patient<compare>>(
        {"HORTUS.COMPARE", nullptr, reads, 3, "Estimates how many items two filters have in common"}),
};
/// Without keys.
constexpr command_entry general[] = {
    {"HORTUS.LIST", patient<list>, reads, -1, "Lists the families, or describes one"},
    {"HORTUS.PLAN", patient<plan>, reads, -1, "Says which families suit a goal, and what they cost"},
};

}  // namespace

bool add_hortus(api::context* to) {
  if (!add_filter_type(to) || !add_import_type(to)) {
    api::Log(to, "warning", "Redis refuses a type of hortus");
    return false;
  }
  count_in_info("hortus", live_values<filter_value>);
  count_in_info("imports", live_values<import_value>);
  char const* const refused = add_commands(to, hortus_entries);
  char const* const also_refused = refused == nullptr ? add_keyless_commands(to, general) : nullptr;
  if (refused == nullptr && also_refused == nullptr) return true;
  api::Log(to, "warning", "Redis refuses the command %s", refused != nullptr ? refused : also_refused);
  return false;
}

}  // namespace hortus::server
