#include <bit>

#include <hortus/maths/divisors.hpp>

#include "redis/filter.hpp"
#include "redis/hortus_commands.hpp"
#include "redis/words.hpp"

/// Commands that make another filter of whole filters. The filter at the key is copied, the copy is changed and put in its
/// place.
namespace hortus::server::commands {
namespace {

using filter_pointer = std::shared_ptr<any_filter const>;

void check_has(any_filter const& filter, verb needed) {
  if (!filter.family().has(needed)) lacks(filter.family().kind(), needed);
}

after_change replicated_as(char const* event) {
  return [event](patient_call& now, filter_value&) {
    now.replicate();
    now.notify(event);
    now.reply_ok();
  };
}

/// The filters of dest numkeys src... [XX]
std::vector<source> sources(patient_call& it) {
  auto const keys = whole_number(it, 2, "the number of keys");
  bool const only_existing = keys == it.size() - 4 && it.is(it.size() - 1, "XX");
  if (keys == 0 || (keys != it.size() - 3 && !only_existing))
    throw refusal("ERR the number of keys is not that of the keys that follow it");
  if (only_existing) (void)filter_key(it, 1);  // throws if there is none
  std::vector<source> all;
  for (std::size_t i = 3; i < 3 + keys; ++i) all.emplace_back(i, *filter_key(it, i));
  return all;
}

/// act(filter, other) joins another filter into one.
template <class Act>
void combine(patient_call& it, verb needed, char const* event, Act act) {
  auto const reads = sources(it);
  std::vector<filter_pointer> filters;
  std::uint64_t bytes = 0;
  for (auto const& each : reads) {
    check_has(*each.filter, needed);
    filters.push_back(each.filter);
    bytes += each.filter->size_bytes();
  }
  auto const join = [act](any_filter& into, std::span<filter_pointer const> others) {
    try {
      for (auto const& each : others) act(into, *each);
    } catch (error const& why) {
      if (why.code() != errc::incompatible) throw;
      throw error(why.code(), std::string(why.what()) + "; they are made alike by equal FAMILY, ITEMS, FPR, SEED and SET");
    }
  };
  if (opened_key<filter_value>(it, 1, api::key_read).empty()) {  // it becomes a copy of the first, joined with the others
    auto const make = [filters, join](caller const&) {
      auto made = *filters.front();
      join(made, std::span(filters).subspan(1));
      return made;
    };
    return make_value(it, {make, bytes, reads}, false, replicated_as(event));
  }
  filter_key key(it, 1, filter_key::to_replace, [&](any_filter const& filter) { check_has(filter, needed); });
  auto const make = changed_copy([filters, join](any_filter& made) { join(made, filters); });
  remake_value(it, *key, {make, bytes + key->filter().size_bytes(), reads}, replicated_as(event));
}

}  // namespace

void merge(patient_call& it) {
  combine(it, verb::merge, "hortus.merge", [](any_filter& into, any_filter const& other) { into.merge(other); });
}

void intersect(patient_call& it) {
  combine(it, verb::intersect, "hortus.intersect", [](any_filter& into, any_filter const& other) { into.intersect(other); });
}

void fold(patient_call& it) {
  filter_key key(it, 1, filter_key::to_replace, [](any_filter const& filter) { check_has(filter, verb::fold); });
  auto const& filter = key->filter();
  std::function<any_filter(any_filter const&)> make;
  if (it.is(2, "BY")) {
    auto const by = whole_number(it, 3, "BY");
    auto const width = filter.family().fold_width();
    if (by == 0 || width % by != 0)
      throw refusal("ERR the filter cannot be folded by that, only by divisors of " + std::to_string(width));
    make = changed_copy([by](any_filter& folded) { folded.fold(by); });
  } else if (it.is(2, "FPR")) {
    auto const target = rate(it, 3, "FPR");
    make = changed_copy([target](any_filter& folded) {
      if (folded.family().fpr_folded(1) > target)
        throw error(errc::bad_goal, "the rate of the filter is above that already, and folding only raises it");
      folded.fold_to_fpr(target);
    });
  } else {
    throw refusal("ERR HORTUS.FOLD takes BY n or FPR p");
  }
  remake_value(it, *key, {make, filter.size_bytes()}, replicated_as("hortus.fold"));
}

void grow(patient_call& it) {
  if (it.size() == 3 || it.size() > 4) throw wrong_arity();
  if (it.size() == 4 && !it.is(2, "BY")) throw refusal("ERR HORTUS.GROW takes BY n");
  auto const by = it.size() == 4 ? whole_number(it, 3, "BY") : 2;
  if (by < 2 || !std::has_single_bit(by)) throw refusal("ERR a filter grows by doubling, so BY 2, 4, 8, ...");
  filter_key key(it, 1, filter_key::to_replace, [](any_filter const& filter) { check_has(filter, verb::grow); });
  auto const bytes = key->filter().size_bytes();
  if (by > (std::uint64_t{1} << 42) / std::max<std::size_t>(bytes, 1)) throw refusal("ERR a filter has at most 2^42 bits");
  check_object_bytes(bytes * by, most_object_bytes(it));
  auto const make = changed_copy([by](any_filter& grown) {
    for (auto left = by; left > 1; left /= 2) grown.grow();
  });
  remake_value(it, *key, {make, bytes * by}, replicated_as("hortus.grow"));
}

void clear(patient_call& it) {
  filter_key key(it, 1, filter_key::to_replace, [](any_filter const&) {});
  auto const make = changed_copy([](any_filter& emptied) { emptied.clear(); });
  remake_value(it, *key, {make, key->filter().size_bytes()}, replicated_as("hortus.clear"));
}

}  // namespace hortus::server::commands
