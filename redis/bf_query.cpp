#include <algorithm>
#include <cstdio>

#include "redis/bf_value.hpp"
#include "redis/chain_value.hpp"

/// BF.EXISTS, BF.MEXISTS, BF.CARD, BF.INFO, BF.DEBUG.
namespace hortus::server {
namespace {

bf_value const& found(opened_key<bf_value> const& key) {
  auto const* const value = key.value();
  if (value == nullptr) throw refusal("ERR not found");
  return *value;
}

struct info_field {
  std::string_view word;  // of the command
  char const* name;       // of the reply
  void (*reply)(call const&, bf_value const&);
};
constexpr info_field info_fields[] = {
    {"CAPACITY", "Capacity", [](call const& to, bf_value const& of) { to.reply(static_cast<long long>(of.capacity())); }},
    {"SIZE", "Size", [](call const& to, bf_value const& of) { to.reply(static_cast<long long>(of.reported_bytes())); }},
    {"FILTERS", "Number of filters",
     [](call const& to, bf_value const& of) { to.reply(static_cast<long long>(of.filters().size())); }},
    {"ITEMS", "Number of items inserted",
     [](call const& to, bf_value const& of) { to.reply(static_cast<long long>(of.items())); }},
    {"EXPANSION", "Expansion rate",
     [](call const& to, bf_value const& of) { of.scales() ? to.reply(of.expansion()) : to.reply_null(); }},
};

}  // namespace

void bf_exists(call& it) {
  opened_key<bf_value> const key(it, 1, api::key_read);
  auto const* const chain = value_asked(key);
  it.reply_truth(chain != nullptr && chain->contains(chain->hash(it[2])));
}

void bf_mexists(call& it) {
  opened_key<bf_value> const key(it, 1, api::key_read);
  auto const* const chain = value_asked(key);
  it.begin_array(it.size() - 2);
  if (chain == nullptr) {
    for (std::size_t i = 2; i < it.size(); ++i) it.reply_truth(false);
    return;
  }
  bool const prefetch = chain->exceeds_caches();
  redisbloom::item_hash hashes[bf_block_items];
  for (std::size_t i = 2; i < it.size(); i += bf_block_items) {
    auto const items = std::min(it.size() - i, bf_block_items);
    for (std::size_t j = 0; j < items; ++j) {
      hashes[j] = chain->hash(it[i + j]);
      if (prefetch) chain->prefetch(hashes[j]);
    }
    for (std::size_t j = 0; j < items; ++j) it.reply_truth(chain->contains(hashes[j]));
  }
}

void bf_card(call& it) {
  opened_key<bf_value> const key(it, 1, api::key_read);
  auto const* const chain = key.value();
  it.reply(chain == nullptr ? 0 : static_cast<long long>(chain->items()));
}

void bf_info(call& it) {
  if (it.size() > 3) throw wrong_arity();
  opened_key<bf_value> const key(it, 1, api::key_read);
  auto const& chain = found(key);
  if (it.size() == 2) {
    it.begin_map(std::size(info_fields));
    for (auto const& field : info_fields) {
      it.reply_word(field.name);
      field.reply(it, chain);
    }
    return;
  }
  auto const* const field = std::ranges::find_if(info_fields, [&](info_field const& each) { return it.is(2, each.word); });
  if (field == std::end(info_fields)) throw refusal("Invalid information value");
  if (it.speaks_resp3()) {
    it.begin_map(1);
    it.reply_word(field->name);
  } else {
    it.begin_array(1);
  }
  field->reply(it, chain);
}

void bf_debug(call& it) {
  opened_key<bf_value> const key(it, 1, api::key_read);
  auto const& chain = found(key);
  char line[256];
  auto const reply = [&](int length) { it.reply_bytes({line, static_cast<std::size_t>(length)}); };
  it.begin_array(1 + chain.filters().size());
  reply(std::snprintf(line, sizeof line, "size:%llu", static_cast<unsigned long long>(chain.items())));
  for (auto const& each : chain.filters()) {
    auto const shape = each.shape();
    reply(std::snprintf(line, sizeof line, "bytes:%llu bits:%llu hashes:%u hashwidth:%d capacity:%llu size:%llu ratio:%g",
                        static_cast<unsigned long long>(shape.bytes), static_cast<unsigned long long>(each.saved_bits()),
                        shape.probes, (chain.options() & redisbloom::wide_hash) != 0 ? 64 : 32,
                        static_cast<unsigned long long>(shape.entries), static_cast<unsigned long long>(each.items),
                        shape.error));
  }
}

}  // namespace hortus::server
