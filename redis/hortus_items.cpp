#include <cstdio>

#include "redis/hortus_commands.hpp"
#include "redis/items.hpp"
#include "redis/words.hpp"

namespace hortus::server::commands {
namespace {

std::string shown(frequent_key const& key) {
  if (key.kind == key_kind::bytes) return std::string(key.bytes);
  if (key.kind == key_kind::integers) return std::to_string(key.integer());
  char text[24];
  auto const length = std::snprintf(text, sizeof text, "0x%016llx", static_cast<unsigned long long>(key.of.bits()));
  return {text, static_cast<std::size_t>(length)};
}

}  // namespace

void add(patient_call& it) {
  filter_key key(it, 1, filter_key::to_change);
  check_takes(key->filter(), verb::insert, argument_items::kind());
  at_present(it, *key, [](patient_call& now, filter_value& value) {
    argument_items const items(now, 2);
    added_items added;
    change_items(now, value, "hortus.add", [&](any_filter& filter) {
      added = add_items(filter, items);
      return added.count != 0;
    });
    bool const hides = card_of(value.filter().family().kind()).hides_erased();
    reply_each(now, items.size(), [&](std::size_t i) {
      if (bit(added.in, i)) return now.reply(bit(added.fresh, i) ? 1 : 0);
      now.reply_error(hides ? "ERR the item was deleted before, or is taken for one that was, and does not go in again"
                            : "ERR the filter is full: the item did not go in");
    });
  });
}

void add_count(patient_call& it) {
  if (it.size() % 2 != 0) throw wrong_arity();
  filter_key key(it, 1, filter_key::to_change);
  argument_items const items(it, 2, 2);
  check_takes(key->filter(), verb::insert_times, items.kind());
  std::vector<std::int64_t> times;
  for (std::size_t i = 3; i < it.size(); i += 2) times.push_back(signed_number(it, i, "the number of times"));
  change_items(it, *key, "hortus.addcount", [&](any_filter& filter) {
    std::size_t done = 0;
    items.in_blocks([&](auto keys) {
      filter.insert(keys, std::span<std::int64_t const>(times).subspan(done, keys.size()));
      done += keys.size();
    });
    return true;
  });
  it.reply_ok();
}

void exists(patient_call& it) {
  filter_key const key(it, 1);
  argument_items const items(it, 2);
  check_takes(key->filter(), verb::may_contain, items.kind());
  auto const found = find_items(key->filter(), items, now_in_ticks());
  reply_each(it, items.size(), [&](std::size_t i) { it.reply_truth(bit(found, i)); });
}

void erase(patient_call& it) {
  filter_key key(it, 1, filter_key::to_change);
  argument_items const items(it, 2);
  check_takes(key->filter(), verb::erase, items.kind());
  std::vector<bool> erased;
  change_items(it, *key, "hortus.del", [&](any_filter& filter) {
    items.in_blocks([&](auto keys) {
      for (auto const each : keys) erased.push_back(filter.erase(each));
    });
    return std::ranges::find(erased, true) != erased.end();
  });
  reply_each(it, items.size(), [&](std::size_t i) { it.reply(erased[i] ? 1 : 0); });
}

void count(patient_call& it) {
  filter_key const key(it, 1);
  argument_items const items(it, 2);
  check_takes(key->filter(), verb::count, items.kind());
  auto const counts = count_items(key->filter(), items);
  reply_each(it, items.size(), [&](std::size_t i) { it.reply(counts[i]); });
}

void top(patient_call& it) {
  filter_key const key(it, 1);
  auto const most = whole_number(it, 2, "the number of items");
  if (!key->filter().family().has(verb::top)) lacks(key->filter().family().kind(), verb::top);
  auto const answer = [most, filter = key->shared()](call const& of) {
    auto const top = filter->top(most);
    of.begin_array(top.keys.size());
    for (auto const& each : top.keys) {
      of.begin_array(3);
      of.reply_bytes(shown(each));
      reply_unsigned(of, each.count);
      reply_unsigned(of, each.at_least());
    }
  };
  answer_work(it, key->filter().size_bytes(), std::array{&key->marks()}, answer);
}

void advance(patient_call& it) {
  if (it.size() > 3) throw wrong_arity();
  filter_key key(it, 1, filter_key::to_change);
  auto const& family = key->filter().family();
  if (!family.has(verb::advance)) lacks(family.kind(), verb::advance);
  if (!family.ages_by_time())
    throw error(errc::unsupported, "this filter ages by its items: WINDOW of HORTUS.CREATE makes one that ages by time");
  auto const now = it.size() == 3 ? whole_number(it, 2, "the time") : now_in_ticks();
  if (family.turns(now) == 0) return reply_unsigned(it, family.time());
  advance_to(it, *key, now, [](patient_call& after, filter_value& value) {
    after.notify("hortus.advance");
    reply_unsigned(after, value.filter().family().time());
  });
}

}  // namespace hortus::server::commands
