#include "redis/hortus_commands.hpp"
#include "redis/items.hpp"
#include "redis/words.hpp"

/// Maps: items with values. Values are numbers, or texts that came with the map's file.
namespace hortus::server::commands {
namespace {

/// The values of a call: HORTUS.PUT key item value [item value]... Throws if one does not go into the map.
std::vector<std::uint64_t> values_in(call const& it, any_filter const& map) {
  auto const labels = map.family().labels();
  auto const bits = map.family().value_bits();
  bool const not_zero = card_of(map.family().kind()).finds_bounds;
  std::vector<std::uint64_t> values;
  for (std::size_t i = 3; i < it.size(); i += 2) {
    std::uint64_t value = 0;
    if (labels.empty()) {
      value = whole_number(it, i, "a value");
    } else {
      while (value < labels.size() && labels[value] != it[i]) ++value;
      if (value == labels.size()) throw refusal("ERR a value is none of the texts of the map");
    }
    if (bits < 64 && value >> bits != 0)
      throw refusal("ERR a value has more than the " + std::to_string(bits) + " bits of the values of the map");
    if (not_zero && value == 0) throw refusal("ERR a value is 0, which stands for an absent item here");
    values.push_back(value);
  }
  return values;
}

/// act(map, item, value) puts or assigns one, and says whether it did.
template <class Act>
void set_values(patient_call& it, verb needed, char const* event, Act act) {
  if (it.size() % 2 != 0) throw wrong_arity();
  std::vector<std::uint64_t> values;
  filter_key key(it, 1, filter_key::to_change, [&](any_filter const& map) {
    check_takes(map, needed, argument_items::kind());
    values = values_in(it, map);
  });
  argument_items const items(it, 2, 2);
  auto const set = change_items(it, *key, items, event, [&](any_filter& filter, item_changes& all) {
    change_each(filter, items, all,
                [&](any_filter& map, std::string_view item, std::size_t i) { return act(map, item, values[i]); });
  });
  reply_each(it, items.size(), [&](std::size_t i) { set.reply(it, i, ""); });
}

}  // namespace

void put(patient_call& it) {
  set_values(it, verb::put, "hortus.put", [](any_filter& map, auto item, auto value) { return map.put(item, value); });
}

void assign(patient_call& it) {
  set_values(it, verb::assign, "hortus.assign", [](any_filter& map, auto item, auto value) { return map.assign(item, value); });
}

void get(patient_call& it) {
  filter_key const key(it, 1);
  argument_items const items(it, 2);
  check_takes(key->filter(), verb::find, argument_items::kind());
  auto const found = values_of_items(key->filter(), items);
  auto const labels = key->filter().family().labels();
  reply_each(it, items.size(), [&](std::size_t i) {
    if (!bit(found.found, i)) return it.reply_null();
    if (labels.empty()) return reply_unsigned(it, found.values[i]);
    it.reply_bytes(labels[found.values[i]]);
  });
}

}  // namespace hortus::server::commands
