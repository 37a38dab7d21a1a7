#include <array>
#include <new>
#include <optional>
#include <string_view>

#include "redis/call.hpp"
#include "redis/groups.hpp"
#include "redis/limits.hpp"
#include "redis/memory.hpp"
#include "redis/settings.hpp"
#include "redis/topk_type.hpp"

namespace hortus::server {
namespace {

using redisbloom::heavy_keeper;
using topk_key = opened_key<topk_value>;

topk_value& existing(topk_key const& key) {
  auto* const keeper = key.value();
  if (keeper == nullptr) throw refusal("TopK: key does not exist");
  return *keeper;
}

void reply_item(call const& it, std::string_view item) {
  it.reply_bytes(current_settings().redisbloom_faults ? item.substr(0, item.find('\0')) : item);
}

// -- TOPK.RESERVE ------------------------------------------------------------------------------------------------------------

heavy_keeper::shape asked_shape(call const& it) {
  auto const dimension = [&](std::size_t argument, char const* otherwise) {
    auto const number = it.integer(argument);
    if (!number || *number < 1 || *number > static_cast<long long>(heavy_keeper::most_items)) throw refusal(otherwise);
    return static_cast<std::uint64_t>(*number);
  };
  heavy_keeper::shape asked;
  asked.items = dimension(2, "TopK: invalid k");
  if (it.size() == 3) return asked;
  asked.width = dimension(3, "TopK: invalid width");
  asked.depth = dimension(4, "TopK: invalid depth");
  auto const decay = it.number(5);
  if (!decay || !(*decay > 0 && *decay <= 1)) throw refusal("TopK: invalid decay value. must be '<= 1' & '> 0'");
  asked.decay = *decay;
  return asked;
}

void reserve(call& it) {
  if (it.size() != 3 && it.size() != 6) throw wrong_arity();
  topk_key key(it, 1, api::key_read | api::key_write);
  if (!key.empty()) throw refusal("TopK: key already exists");
  auto const asked = asked_shape(it);
  auto const bytes = asked.bytes();
  try {
    if (!bytes || *bytes > most_object_bytes()) throw std::bad_alloc();
    key.set(new_value<topk_value>(asked));
  } catch (std::bad_alloc const&) {
    throw no_memory("ERR Insufficient memory to create topk data structure");
  }
  it.replicate();
  it.notify("topk.reserve");
  it.reply_ok();
}

// -- TOPK.ADD, TOPK.INCRBY ---------------------------------------------------------------------------------------------------

constexpr long long most_increment = 100'000;
constexpr char const* increment_text =
    "TopK: increment must be an integer greater or equal to 0                            and smaller or equal to 100,000";

/// Adds what(i) for all i below `items`, each of which has this many arguments. If memory ends, or the object would be larger
/// than objects may be, the items from there on are answered with errors, and only those before are replicated.
template <class What>
void add_all(call const& it, heavy_keeper& keeper, std::size_t items, std::size_t arguments_each, What what) {
  std::size_t added = 0;
  bool changed = false;
  it.begin_array(items);
  try {
    keeper.add(
        items, what,
        [&](heavy_keeper::outcome const& each) {
          changed |= each.changed;
          ++added;
          if (each.expelled)
            reply_item(it, each.expelled.view());
          else
            it.reply_null();
        },
        most_object_bytes());
  } catch (std::bad_alloc const&) {
    for (auto i = added; i < items; ++i) it.reply_error(out_of_memory_text);
  }
  if (!changed) return;
  it.replicate_first(2 + added * arguments_each);
  it.notify("topk.add");
}

void add(call& it) {
  if (it.size() < 3) throw wrong_arity();
  topk_key const key(it, 1, api::key_read | api::key_write);
  add_all(it, existing(key), it.size() - 2, 1, [&](std::size_t i) { return heavy_keeper::addition{it[i + 2], 1}; });
}

void increment(call& it) {
  if (it.size() < 4 || it.size() % 2 != 0) throw wrong_arity();
  topk_key const key(it, 1, api::key_read | api::key_write);
  auto& keeper = existing(key);
  auto const increment_of = [&](std::size_t item) -> std::optional<std::uint32_t> {
    auto const by = it.integer(2 * item + 3);
    if (!by || *by < 0 || *by > most_increment) return std::nullopt;
    return static_cast<std::uint32_t>(*by);
  };
  // All of them before the first reply: RedisBloom ends its array at a wrong one, and the connection is out of step for good.
  // The items before the wrong one it has added then, and that is what its master and its files repeat.
  std::size_t right = 0;
  while (right < (it.size() - 2) / 2 && increment_of(right)) ++right;
  if (right < (it.size() - 2) / 2 && !comes_from_elsewhere(it.context())) throw refusal(increment_text);
  add_all(it, keeper, right, 2, [&](std::size_t i) { return heavy_keeper::addition{it[2 * i + 2], *increment_of(i)}; });
}

// -- TOPK.QUERY, TOPK.COUNT, TOPK.LIST, TOPK.INFO ----------------------------------------------------------------------------

void tell_whether(call const& it, heavy_keeper const& keeper, std::string_view item) { it.reply_truth(keeper.contains(item)); }
void tell_count(call const& it, heavy_keeper const& keeper, std::string_view item) { it.reply(keeper.count(item)); }

template <void (*Tell)(call const&, heavy_keeper const&, std::string_view)>
void ask(call& it) {
  if (it.size() < 3) throw wrong_arity();
  topk_key const key(it, 1, api::key_read);
  auto const& keeper = existing(key);
  it.begin_array(it.size() - 2);
  for (std::size_t i = 2; i < it.size(); ++i) Tell(it, keeper, it[i]);
}

void list(call& it) {
  if (it.size() != 2 && it.size() != 3) throw wrong_arity();
  bool const with_counts = it.size() == 3;
  // RedisBloom takes every beginning of the word.
  if (with_counts && !it.is(2, std::string_view("WITHCOUNT").substr(0, it[2].size())))
    throw refusal("WITHCOUNT keyword expected");
  topk_key const key(it, 1, api::key_read);
  auto const& kept = existing(key).list();
  auto const places = kept.by_count();
  it.begin_array(with_counts ? 2 * places.size() : places.size());
  for (auto const place : places) {
    reply_item(it, kept.item(place).view());
    if (with_counts) it.reply(kept.count(place));
  }
}

void about(call& it) {
  if (it.size() != 2) throw wrong_arity();
  topk_key const key(it, 1, api::key_read);
  auto const its = existing(key).dimensions();
  it.begin_map(4);
  it.reply_word("k");
  it.reply(static_cast<long long>(its.items));
  it.reply_word("width");
  it.reply(static_cast<long long>(its.width));
  it.reply_word("depth");
  it.reply(static_cast<long long>(its.depth));
  it.reply_word("decay");
  it.reply_number(its.decay);
}

// ----------------------------------------------------------------------------------------------------------------------------

constexpr command_entry commands[] = {
    {"topk.reserve", guarded<reserve>, "write deny-oom", -3, "Makes a list of the most frequent items", "topk"},
    {"topk.add", guarded<add>, "write deny-oom", -3, "Counts items; returns those that leave the list", "topk"},
    {"topk.incrby", guarded<increment>, "write deny-oom", -4, "Adds to the counts of items; returns those that leave the list",
     "topk"},
    {"topk.query", guarded<ask<tell_whether>>, "readonly", -3, "Returns whether items are in the list", "topk"},
    {"topk.count", guarded<ask<tell_count>>, "readonly", -3, "Returns estimates of the counts of items", "topk"},
    {"topk.list", guarded<list>, "readonly", -2, "Returns the most frequent items", "topk"},
    {"topk.info", guarded<about>, "readonly", 2, "Returns the parameters of the list", "topk"},
};

}  // namespace

constinit command_group const topk_group{.name = "TOPK",
                                         .pattern = "topk.*",
                                         .add_type = add_topk_type,
                                         .commands = commands,
                                         .counted = "topk",
                                         .values = live_values<topk_value>};

}  // namespace hortus::server
