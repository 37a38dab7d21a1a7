#include <algorithm>
#include <charconv>
#include <new>
#include <string>

#include "redis/accepted_items.hpp"
#include "redis/bf_value.hpp"
#include "redis/chain_value.hpp"

/// BF.RESERVE, BF.ADD, BF.MADD, BF.INSERT.
namespace hortus::server {
namespace {

/// How a command creates a filter if there is none.
struct creation {
  long long capacity = current_settings().bf_initial_size;
  double error = current_settings().bf_error_rate;
  long long expansion = current_settings().bf_expansion_factor;
  bool nonscaling = false;  // was said; an expansion of 0 means the same

  [[nodiscard]] bool scaling() const noexcept { return !nonscaling && expansion != 0; }
};

bool is_rate(std::optional<double> rate) { return rate && *rate > 0 && *rate < 1; }
bool is_capacity(call const& it, std::optional<long long> capacity) {
  return capacity && *capacity >= 1 && *capacity <= most_of(it, most_capacity);
}
bool is_expansion(call const& it, std::optional<long long> expansion) {
  return expansion && *expansion >= 0 && *expansion <= most_of(it, most_expansion);
}

double capped(call const& it, double rate) {
  if (rate <= most_error_rate) return rate;
  api::Log(it.context(), "warning", "Error rate is capped at %f", most_error_rate);
  return most_error_rate;
}

bf_value* made(call const& it, creation const& how) {
  redisbloom::bloom_chain chain;
  redisbloom::obstacle why{};
  try {
    why = redisbloom::bloom_chain::make({.capacity = static_cast<std::uint64_t>(how.capacity),
                                         .error = how.error,
                                         .expansion = static_cast<std::uint32_t>(how.expansion),
                                         .scaling = how.scaling()},
                                        limits_of(it), chain);
    if (why == redisbloom::obstacle::none) return new_value<bf_value>(std::move(chain));
  } catch (std::bad_alloc const&) {
    throw no_memory("ERR Insufficient memory to create filter");
  }
  throw refusal(obstacle_text("ERR could not create filter", why));
}

/// Adds an empty sub-filter. If it cannot, answers so and returns false: other items of the command have their replies already.
bool grown(call const& it, bf_value& chain) {
  constexpr char const* failed = "ERR problem inserting into filter";
  try {
    auto const why = chain.grow(limits_of(it));
    if (why != redisbloom::obstacle::none) it.reply_refusal(obstacle_text(failed, why).c_str());
    return why == redisbloom::obstacle::none;
  } catch (std::bad_alloc const&) {
    it.reply_error("ERR problem inserting into filter: out of memory");
    return false;
  }
}

/// Adds the items from argument `first` on, and replies for each. Ends early if the chain is full and does not scale. Returns
/// the number of replies.
std::size_t add_items(call const& it, bf_value& chain, std::size_t first, accepted_items& accepted) {
  redisbloom::item_hash hashes[bf_block_items];
  for (auto i = first; i < it.size(); i += bf_block_items) {
    auto const items = std::min(it.size() - i, bf_block_items);
    bool const prefetch = items > 1 && chain.exceeds_caches();
    for (std::size_t j = 0; j < items; ++j) {
      hashes[j] = chain.hash(it[i + j]);
      if (prefetch) chain.prefetch(hashes[j]);
    }
    for (std::size_t j = 0; j < items; ++j) {
      auto result = chain.add(hashes[j]);
      if (result == redisbloom::addition::full) {
        bool const scales = chain.scales();
        if (!scales) it.reply_refusal("ERR non scaling filter is full");
        if (!scales || !grown(it, chain)) {
          accepted.refused(i + j);
          if (!scales) return i + j + 1 - first;
          continue;
        }
        result = chain.add(hashes[j]);
      }
      bool const added = result == redisbloom::addition::added;
      if (added) accepted.changed();
      it.reply_truth(added);
    }
  }
  return it.size() - first;
}

/// Makes an empty filter at the key. Replicas and the append-only file are told how it was made, because their defaults may be
/// others: by BF.RESERVE, or by the header of the filter where that would be read otherwise. BF.RESERVE refuses an expansion
/// beside NONSCALING, which is saved all the same, and takes a key for an option if it has the name of one.
bf_value* create(call const& it, opened_key<bf_value>& key, creation const& how) {
  owned_value<bf_value> fresh(made(it, how));
  std::string header;  // what takes memory comes before the key is set
  if (how.nonscaling || it.is(1, "NONSCALING") || it.is(1, "EXPANSION")) bf_value::append_header(*fresh, header);
  auto* const set = key.set(fresh.release());
  char rate[32];  // a text that reads back as the same number
  *std::to_chars(rate, rate + sizeof rate - 1, how.error).ptr = '\0';
  if (header.empty())
    api::Replicate(it.context(), "BF.RESERVE", "sclcl", it.raw(1), rate, how.capacity, "EXPANSION", how.expansion);
  else
    api::Replicate(it.context(), bf_value::load_command, "slb", it.raw(1), 1LL, header.data(), header.size());
  it.notify("bloom.reserve");
  return set;
}

void insert(call const& it, creation const& how, bool may_create, std::size_t first_item, bool many) {
  opened_key<bf_value> key(it, 1, api::key_read | api::key_write);
  auto* chain = key.value();
  if (chain == nullptr) {
    if (!may_create) throw refusal("ERR not found");
    chain = create(it, key, how);
  }
  // A chain that scales answers for every item.
  bool const length_known = chain->scales();
  if (many) length_known ? it.begin_array(it.size() - first_item) : it.begin_array_of_unknown_length();
  accepted_items accepted(it, first_item);
  auto const replies = add_items(it, *chain, first_item, accepted);
  if (many && !length_known) it.end_array(replies);
  if (accepted.end()) it.notify("bloom.add");
}

enum class option : std::uint8_t { capacity, error, expansion, nocreate, nonscaling, items };
constexpr struct {
  std::string_view word;
  option means;
} option_words[] = {{"CAPACITY", option::capacity}, {"ERROR", option::error},           {"EXPANSION", option::expansion},
                    {"NOCREATE", option::nocreate}, {"NONSCALING", option::nonscaling}, {"ITEMS", option::items}};

/// RedisBloom looks at the first letters only.
std::optional<option> option_by_letters(std::string_view word) {
  auto const letter = [&](std::size_t i) { return i < word.size() ? word[i] | 0x20 : 0; };
  switch (letter(0)) {
    case 'i':
      return option::items;
    case 'e':
      return letter(1) == 'r' ? option::error : option::expansion;
    case 'c':
      return option::capacity;
    case 'n':
      return letter(2) == 'c' ? option::nocreate : option::nonscaling;
    default:
      return std::nullopt;
  }
}

option option_at(call const& it, std::size_t i) {
  for (auto const& each : option_words)
    if (it.is(i, each.word)) return each.means;
  auto const letters = option_by_letters(it[i]);
  if (!letters) throw refusal("Unknown argument received");
  if (!reads_as_redisbloom(it)) refuse_word(it[i], "CAPACITY, ERROR, EXPANSION, NOCREATE, NONSCALING and ITEMS");
  return *letters;
}

}  // namespace

void bf_reserve(call& it) {
  if (it.size() > 7) throw wrong_arity();
  creation how;
  auto const rate = it.number(2);
  if (!rate) throw refusal("ERR bad error rate");
  if (!is_rate(rate)) throw refusal("ERR error rate must be in the range (0.000000, 1.000000)");
  how.error = capped(it, *rate);
  auto const capacity = it.integer(3);
  if (!capacity) throw refusal("ERR bad capacity");
  if (!is_capacity(it, capacity)) throw refusal("ERR capacity must be in the range [1, 1073741824]");
  how.capacity = *capacity;
  // RedisBloom looks for the words among all arguments, the key too. If one comes twice, the first counts.
  bool const loosely = reads_as_redisbloom(it);
  std::size_t expansion_at = 0;
  for (std::size_t i = loosely ? 1 : 4; i < it.size(); ++i) {
    if (it.is(i, "NONSCALING")) {
      how.nonscaling = true;
    } else if (it.is(i, "EXPANSION")) {
      if (expansion_at == 0) expansion_at = i;
      ++i;
      if (!loosely && (i == it.size() || !it.integer(i))) expansion_at = i - 1;  // what is wrong is refused below
    } else if (!loosely) {
      refuse_word(it[i], "EXPANSION and NONSCALING");
    }
  }
  if (expansion_at != 0) {
    if (expansion_at + 1 == it.size()) throw refusal("ERR no expansion");
    auto const expansion = it.integer(expansion_at + 1);
    if (!expansion) throw refusal("ERR bad expansion");
    // RedisBloom 2.2 took both words.
    if (*expansion != 0 && how.nonscaling && !comes_from_elsewhere(it.context()))
      throw refusal("Nonscaling filters cannot expand");
    if (!is_expansion(it, expansion)) throw refusal("ERR expansion must be in the range [0, 32768]");
    how.expansion = *expansion;
  }

  opened_key<bf_value> key(it, 1, api::key_read | api::key_write);
  if (key.value() != nullptr) throw refusal("ERR item exists");
  (void)create(it, key, how);
  it.reply_ok();
}

void bf_add(call& it) { insert(it, {}, true, 2, false); }
void bf_madd(call& it) { insert(it, {}, true, 2, true); }

void bf_insert(call& it) {
  creation how;
  bool create = true;
  std::size_t i = 2;
  auto const value = [&] {
    if (++i == it.size()) throw wrong_arity();
    return i;
  };
  for (bool items = false; !items; ++i) {
    if (i == it.size()) throw wrong_arity();
    switch (option_at(it, i)) {
      case option::items:
        items = true;
        break;
      case option::nocreate:
        create = false;
        break;
      case option::nonscaling:
        how.nonscaling = true;
        break;
      case option::capacity: {
        auto const capacity = it.integer(value());
        if (!is_capacity(it, capacity)) throw refusal("Bad capacity");
        how.capacity = *capacity;
        break;
      }
      case option::error: {
        auto const rate = it.number(value());
        if (!is_rate(rate)) throw refusal("Bad error rate");
        how.error = capped(it, *rate);
        break;
      }
      case option::expansion: {
        auto const expansion = it.integer(value());
        if (!is_expansion(it, expansion)) throw refusal("Bad expansion");
        how.expansion = *expansion;
        break;
      }
    }
  }
  if (i == it.size()) throw wrong_arity();
  insert(it, how, create, i, true);
}

}  // namespace hortus::server
