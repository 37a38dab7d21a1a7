#include <array>
#include <cinttypes>
#include <cstdio>

#include "redis/hortus_commands.hpp"
#include "redis/items.hpp"
#include "redis/words.hpp"

namespace hortus::server::commands {
namespace {

void reply_key(caller const& it, frequent_key const& key) noexcept {
  if (key.kind == key_kind::bytes) return it.reply_bytes(key.bytes);
  char text[24];
  auto const length = std::snprintf(text, sizeof text, key.kind == key_kind::integers ? "%" PRIu64 : "0x%016" PRIx64,
                                    key.kind == key_kind::integers ? key.integer() : key.of.bits());
  it.reply_bytes({text, static_cast<std::size_t>(length)});
}

}  // namespace

void add(patient_call& it) {
  filter_key key(it, 1, filter_key::to_change, argument_items::taken_for(verb::insert));
  at_present(it, *key, [](patient_call& now, filter_value& value) {
    argument_items const items(now, 2);
    auto const added = change_items(now, value, items, "hortus.add",
                                    [&](any_filter& filter, item_changes& all) { add_items(filter, items, all); });
    auto const* const refusal_text = refusal_of(value.filter());
    reply_each(now, items.size(), [&](std::size_t i) { added.reply(now, i, refusal_text); });
  });
}

void add_count(patient_call& it) {
  if (it.size() % 2 != 0) throw wrong_arity();
  std::vector<std::int64_t> times;
  for (std::size_t i = 3; i < it.size(); i += 2) times.push_back(signed_number(it, i, "the number of times"));
  filter_key key(it, 1, filter_key::to_change, argument_items::taken_for(verb::insert_times));
  argument_items const items(it, 2, 2);
  auto const added = change_items(it, *key, items, "hortus.addcount", [&](any_filter& filter, item_changes& all) {
    change_each(filter, items, all, [&](any_filter& into, std::string_view item, std::size_t i) {
      into.insert(item, times[i]);
      return true;
    });
  });
  reply_each(it, items.size(), [&](std::size_t i) { added.reply(it, i, ""); });
}

void exists(patient_call& it) {
  filter_key const key(it, 1);
  argument_items const items(it, 2);
  check_takes(key->filter(), verb::may_contain, argument_items::kind());
  auto const found = find_items(key->filter(), items, now_in_ticks());
  reply_each(it, items.size(), [&](std::size_t i) { it.reply_truth(bit(found, i)); });
}

void erase(patient_call& it) {
  filter_key key(it, 1, filter_key::to_change, argument_items::taken_for(verb::erase));
  argument_items const items(it, 2);
  auto const erased = change_items(it, *key, items, "hortus.del", [&](any_filter& filter, item_changes& all) {
    change_each(filter, items, all, [](any_filter& from, std::string_view item, std::size_t) { return from.erase(item); });
  });
  reply_each(it, items.size(), [&](std::size_t i) { erased.reply(it, i, ""); });
}

void count(patient_call& it) {
  filter_key const key(it, 1);
  argument_items const items(it, 2);
  check_takes(key->filter(), verb::count, argument_items::kind());
  auto const counts = count_items(key->filter(), items);
  reply_each(it, items.size(), [&](std::size_t i) { it.reply(counts[i]); });
}

void top(patient_call& it) {
  filter_key const key(it, 1);
  auto const most = whole_number(it, 2, "the number of items");
  if (!key->filter().family().has(verb::top)) lacks(key->filter().family().kind(), verb::top);
  auto const answer = [most, filter = key->shared()](caller const& of) {
    auto const top = filter->top(most);
    of.begin_array(top.keys.size());
    for (auto const& each : top.keys) {
      of.begin_array(3);
      reply_key(of, each);
      reply_unsigned(of, each.count);
      reply_unsigned(of, each.at_least());
    }
  };
  answer_work(it, key->filter().size_bytes(), std::array{&key->marks()}, answer);
}

void advance(patient_call& it) {
  if (it.size() > 3) throw wrong_arity();
  auto const now = it.size() == 3 ? whole_number(it, 2, "the time") : now_in_ticks();
  bool turns = false;
  auto const check = [&](any_filter const& filter) {
    auto const& family = filter.family();
    if (!family.has(verb::advance)) lacks(family.kind(), verb::advance);
    if (!family.ages_by_time())
      throw error(errc::unsupported, "this filter ages by its items: WINDOW of HORTUS.CREATE makes one that ages by time");
    turns = family.turns(now) != 0;
  };
  // A key is in use until it is closed.
  if (filter_key const key(it, 1, filter_key::to_replace, check); !turns)
    return reply_unsigned(it, key->filter().family().time());
  filter_key key(it, 1, filter_key::to_change, check);
  advance_to(it, *key, now, [](patient_call& after, filter_value& value) {
    after.notify("hortus.advance");
    reply_unsigned(after, value.filter().family().time());
  });
}

}  // namespace hortus::server::commands
