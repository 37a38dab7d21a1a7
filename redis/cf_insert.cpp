#include <algorithm>
#include <new>
#include <string>

#include "redis/accepted_items.hpp"
#include "redis/cf_value.hpp"
#include "redis/chain_value.hpp"

/// CF.RESERVE, CF.ADD, CF.ADDNX, CF.INSERT, CF.INSERTNX.
namespace hortus::server {
namespace {

using redisbloom::insertion;

/// How a command creates a filter if there is none.
struct creation {
  long long capacity = current_settings().cf_initial_size;
  long long bucket_slots = current_settings().cf_bucket_size;
  long long iterations = current_settings().cf_max_iterations;
  long long expansion = current_settings().cf_expansion_factor;
};

cf_value* made(call const& it, creation const& how) {
  redisbloom::cuckoo_chain chain;
  redisbloom::obstacle why{};
  try {
    why = redisbloom::cuckoo_chain::make({.capacity = static_cast<std::uint64_t>(how.capacity),
                                          .bucket_slots = static_cast<std::uint16_t>(how.bucket_slots),
                                          .iterations = static_cast<std::uint16_t>(how.iterations),
                                          .expansion = static_cast<std::uint16_t>(how.expansion)},
                                         limits_of(it), chain);
    if (why == redisbloom::obstacle::none) return new_value<cf_value>(std::move(chain));
  } catch (std::bad_alloc const&) {
    throw no_memory("ERR Insufficient memory to create filter");
  }
  throw refusal(obstacle_text("ERR Could not create filter", why));
}

/// Replicas and the append-only file are told how the filter was made, because their defaults may be others.
void replicate_creation(call const& it, creation const& how) {
  api::Replicate(it.context(), "CF.RESERVE", "slclclcl", it.raw(1), how.capacity, "BUCKETSIZE", how.bucket_slots,
                 "MAXITERATIONS", how.iterations, "EXPANSION", how.expansion);
}

/// RedisBloom looks at cf-max-expansions when a command begins, and lets it expand without end. Each sub-filter makes every
/// later item slower, so there is an end here.
constexpr long long most_filters_within_command = 1024;
bool may_expand(call const& it, std::size_t filters, long long most) {
  return static_cast<long long>(filters) < most || comes_from_elsewhere(it.context());
}

/// Why an item did not go in.
struct failure {
  std::string text;
  bool of_memory = false;
};

/// Inserts, growing the chain if it must. A failure changes nothing and leaves its reason in `why`.
bool inserted(call const& it, cf_value& chain, std::uint64_t hash, failure& why) {
  auto const result = chain.insert(hash);
  if (result == insertion::inserted) return true;
  if (result == insertion::full) {
    why = {"Filter is full"};
    return false;
  }
  if (!may_expand(it, chain.filters().size(), std::max(current_settings().cf_max_expansions, most_filters_within_command))) {
    why = {"Maximum expansions reached"};
    return false;
  }
  try {
    auto const obstacle = chain.grow(limits_of(it));
    if (obstacle != redisbloom::obstacle::none) {
      why = {obstacle_text("ERR Insufficient memory", obstacle)};
      return false;
    }
  } catch (std::bad_alloc const&) {
    why = {.text = "ERR Insufficient memory", .of_memory = true};
    return false;
  }
  return chain.insert(hash) == insertion::inserted;
}

struct wish {
  bool only_new;
  bool many;
};

/// Replies for each item.
void insert_items(call const& it, cf_value& chain, std::size_t first, wish wanted, accepted_items& accepted) {
  // CF.INSERTNX has integers in RESP3 too: it tells three outcomes apart.
  bool const truths = !(wanted.only_new && wanted.many);
  auto const reply = [&](bool value) { truths ? it.reply_truth(value) : it.reply(value ? 1 : 0); };
  failure why;
  std::uint64_t hashes[cf_block_items];
  for (auto i = first; i < it.size(); i += cf_block_items) {
    auto const items = std::min(it.size() - i, cf_block_items);
    bool const prefetch = items > 1 && chain.exceeds_caches();
    for (std::size_t j = 0; j < items; ++j) {
      hashes[j] = cf_value::hash(it[i + j]);
      if (prefetch) chain.prefetch(hashes[j]);
    }
    for (std::size_t j = 0; j < items; ++j) {
      if (wanted.only_new && chain.contains(hashes[j])) {
        reply(false);
        continue;
      }
      if (inserted(it, chain, hashes[j], why)) {
        accepted.changed();
        reply(true);
        continue;
      }
      accepted.refused(i + j);
      if (!wanted.many) {
        why.of_memory ? it.reply_error(why.text.c_str()) : it.reply_refusal(why.text.c_str());
      } else if (!wanted.only_new && it.speaks_resp3()) {
        it.reply_truth(false);
      } else {
        it.reply(-1);
      }
    }
  }
}

void insert(call const& it, creation const& how, bool create, std::size_t first_item, wish wanted) {
  opened_key<cf_value> key(it, 1, api::key_read | api::key_write);
  auto* chain = key.value();
  bool const creates = chain == nullptr;
  if (creates && !create) throw refusal("ERR not found");
  // From the last expansion on RedisBloom refuses, before it looks for a free slot.
  if (!may_expand(it, creates ? 1 : chain->filters().size(), current_settings().cf_max_expansions))
    throw refusal("Maximum expansions reached");
  if (creates) {
    chain = key.set(made(it, how));
    replicate_creation(it, how);
    it.notify("cuckoo.reserve");
  }
  if (wanted.many) it.begin_array(it.size() - first_item);
  accepted_items accepted(it, first_item);
  insert_items(it, *chain, first_item, wanted, accepted);
  if (accepted.end()) it.notify("cuckoo.add");
}

/// CF.INSERT and CF.INSERTNX: key [CAPACITY n] [NOCREATE] ITEMS item ...
void insert_with_options(call const& it, bool only_new) {
  creation how;
  bool create = true;
  std::size_t i = 2;
  // RedisBloom looks at the first letter only.
  auto const is_option = [&](std::string_view name) {
    if (it.is(i, name)) return true;
    auto const word = it[i];
    if (word.empty() || (word[0] | 0x20) != (name[0] | 0x20)) return false;
    if (!reads_as_redisbloom(it)) refuse_word(word, "CAPACITY, NOCREATE and ITEMS");
    return true;
  };
  for (bool items = false; !items; ++i) {
    if (i == it.size()) throw wrong_arity();
    if (is_option("ITEMS")) {
      items = true;
    } else if (is_option("NOCREATE")) {
      create = false;
    } else if (is_option("CAPACITY")) {
      if (++i == it.size()) throw wrong_arity();
      auto const capacity = it.integer(i);
      if (!capacity) throw refusal("Bad capacity");
      if (*capacity < 2 * how.bucket_slots || *capacity > most_of(it, most_capacity))
        throw refusal("Capacity must be in the range [cf-bucket-size * 2, 1073741824]");
      how.capacity = *capacity;
    } else {
      throw refusal("Unknown argument received");
    }
  }
  if (i == it.size()) throw wrong_arity();
  insert(it, how, create, i, {.only_new = only_new, .many = true});
}

struct reserve_option {
  std::string name;
  long long creation::*value;
  long long least;
  long long most;
};
// In the order in which RedisBloom looks for them, and so complains.
reserve_option const reserve_options[] = {
    {"MAXITERATIONS", &creation::iterations, 1, 65535},
    {"BUCKETSIZE", &creation::bucket_slots, 1, 255},
    {"EXPANSION", &creation::expansion, 0, most_expansion},
};

/// RedisBloom 2 cut numbers off at 16 bits, which saved filters have for them; an expansion that is no power of two it raised
/// to the next.
void narrow_as_redisbloom(creation& how) {
  how.iterations = static_cast<std::uint16_t>(how.iterations);
  how.expansion = static_cast<std::uint16_t>(how.expansion);
  if (how.expansion > most_expansion) how.expansion = 0;
}

}  // namespace

void cf_reserve(call& it) {
  if (it.size() % 2 == 0) throw wrong_arity();
  creation how;
  auto const capacity = it.integer(2);
  if (!capacity) throw refusal("Bad capacity");
  how.capacity = *capacity;
  // RedisBloom looks for the words among all arguments, the key and the values too. If one comes twice, the first counts.
  bool const loosely = reads_as_redisbloom(it);
  for (std::size_t i = 3; i < it.size() && !loosely; i += 2)
    if (std::ranges::none_of(reserve_options, [&](auto const& each) { return it.is(i, each.name); }))
      refuse_word(it[i], "BUCKETSIZE, MAXITERATIONS and EXPANSION");
  for (auto const& option : reserve_options) {
    std::size_t at = loosely ? 1 : 3;
    while (at < it.size() && !it.is(at, option.name)) at += loosely ? 1 : 2;
    if (at >= it.size()) continue;
    if (at + 1 == it.size()) throw wrong_arity();
    auto const value = it.integer(at + 1);
    if (!value) throw refusal("Couldn't parse " + option.name);
    // Buckets of more slots are not in any filter that RedisBloom saved.
    auto const most = option.value == &creation::bucket_slots ? option.most : most_of(it, option.most);
    if (*value < option.least || *value > most)
      throw refusal(option.name + ": value must be in the range [" + std::to_string(option.least) + ", " +
                    std::to_string(option.most) + "]");
    how.*option.value = *value;
  }
  narrow_as_redisbloom(how);
  if (how.iterations == 0) throw refusal("MAXITERATIONS: value must be in the range [1, 65535]");
  if (how.capacity < 2 * how.bucket_slots || how.capacity > most_of(it, most_capacity))
    throw refusal("Capacity must be in the range [2 * BUCKETSIZE, 1073741824]");

  opened_key<cf_value> key(it, 1, api::key_read | api::key_write);
  if (key.value() != nullptr) throw refusal("ERR item exists");
  key.set(made(it, how));
  replicate_creation(it, how);
  it.notify("cuckoo.reserve");
  it.reply_ok();
}

void cf_add(call& it) { insert(it, {}, true, 2, {.only_new = false, .many = false}); }
void cf_addnx(call& it) { insert(it, {}, true, 2, {.only_new = true, .many = false}); }
void cf_insert(call& it) { insert_with_options(it, false); }
void cf_insertnx(call& it) { insert_with_options(it, true); }

}  // namespace hortus::server
