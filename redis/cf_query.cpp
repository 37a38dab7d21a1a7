#include <algorithm>
#include <cstdio>

#include "redis/cf_value.hpp"
#include "redis/chain_value.hpp"

/// CF.EXISTS, CF.MEXISTS, CF.COUNT, CF.INFO, CF.DEBUG.
namespace hortus::server {
namespace {

cf_value const& found(opened_key<cf_value> const& key) {
  auto const* const value = key.value();
  if (value == nullptr) throw refusal("ERR not found");
  return *value;
}

}  // namespace

void cf_exists(call& it) {
  opened_key<cf_value> const key(it, 1, api::key_read);
  auto const* const chain = value_asked(key);
  it.reply_truth(chain != nullptr && chain->contains(cf_value::hash(it[2])));
}

void cf_mexists(call& it) {
  opened_key<cf_value> const key(it, 1, api::key_read);
  auto const* const chain = value_asked(key);
  it.begin_array(it.size() - 2);
  if (chain == nullptr) {
    for (std::size_t i = 2; i < it.size(); ++i) it.reply_truth(false);
    return;
  }
  bool const prefetch = chain->exceeds_caches();
  std::uint64_t hashes[cf_block_items];
  for (std::size_t i = 2; i < it.size(); i += cf_block_items) {
    auto const items = std::min(it.size() - i, cf_block_items);
    for (std::size_t j = 0; j < items; ++j) {
      hashes[j] = cf_value::hash(it[i + j]);
      if (prefetch) chain->prefetch(hashes[j]);
    }
    for (std::size_t j = 0; j < items; ++j) it.reply_truth(chain->contains(hashes[j]));
  }
}

void cf_count(call& it) {
  opened_key<cf_value> const key(it, 1, api::key_read);
  auto const* const chain = value_asked(key);
  it.reply(chain == nullptr ? 0 : static_cast<long long>(chain->count(cf_value::hash(it[2]))));
}

void cf_info(call& it) {
  opened_key<cf_value> const key(it, 1, api::key_read);
  auto const& chain = found(key);
  auto const field = [&](char const* name, std::uint64_t value) {
    it.reply_word(name);
    it.reply(static_cast<long long>(value));
  };
  it.begin_map(8);
  field("Size", chain.reported_bytes());
  field("Number of buckets", chain.buckets());
  field("Number of filters", chain.filters().size());
  field("Number of items inserted", chain.items());
  field("Number of items deleted", chain.deletes());
  field("Bucket size", chain.bucket_slots());
  field("Expansion rate", chain.expansion());
  field("Max iterations", chain.iterations());
}

void cf_debug(call& it) {
  opened_key<cf_value> const key(it, 1, api::key_read);
  auto const& chain = found(key);
  char line[256];
  auto const length = std::snprintf(
      line, sizeof line, "bktsize:%u buckets:%llu items:%llu deletes:%llu filters:%zu max_iterations:%u expansion:%u",
      chain.bucket_slots(), static_cast<unsigned long long>(chain.buckets()), static_cast<unsigned long long>(chain.items()),
      static_cast<unsigned long long>(chain.deletes()), chain.filters().size(), chain.iterations(), chain.expansion());
  it.reply_bytes({line, static_cast<std::size_t>(length)});
}

}  // namespace hortus::server
