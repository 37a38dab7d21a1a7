#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "redis/call.hpp"
#include "redis/cms_type.hpp"
#include "redis/groups.hpp"
#include "redis/limits.hpp"
#include "redis/memory.hpp"

namespace hortus::server {
namespace {

using redisbloom::count_sketch;
using cms_key = opened_key<cms_value>;

cms_value& existing(cms_key const& key) {
  auto* const sketch = key.value();
  if (sketch == nullptr) throw refusal("CMS: key does not exist");
  return *sketch;
}

// -- CMS.INITBYDIM, CMS.INITBYPROB -------------------------------------------------------------------------------------------

count_sketch::shape asked_dimensions(call const& it) {
  auto const width = it.integer(2);
  if (!width || *width < 1) throw refusal("CMS: invalid width");
  auto const depth = it.integer(3);
  if (!depth || *depth < 1) throw refusal("CMS: invalid depth");
  return {static_cast<std::uint64_t>(*width), static_cast<std::uint64_t>(*depth)};
}

count_sketch::shape asked_errors(call const& it) {
  auto const overestimate = it.number(2);
  if (!overestimate || !(*overestimate > 0 && *overestimate < 1)) throw refusal("CMS: invalid overestimation value");
  auto const probability = it.number(3);
  if (!probability || !(*probability > 0 && *probability < 1)) throw refusal("CMS: invalid prob value");
  return count_sketch::shape_for(*overestimate, *probability).value_or(count_sketch::shape{});
}

template <count_sketch::shape (*Asked)(call const&)>
void init(call& it) {
  if (it.size() != 4) throw wrong_arity();
  cms_key key(it, 1, api::key_read | api::key_write);
  if (!key.empty()) throw refusal("CMS: key already exists");
  auto const dimensions = Asked(it);
  constexpr std::uint64_t most_cells = std::numeric_limits<long long>::max();
  if (dimensions.depth == 0 || dimensions.width > most_cells / dimensions.depth) throw refusal("CMS: invalid init arguments");
  auto const bytes = dimensions.bytes();
  try {
    if (!bytes || *bytes > most_object_bytes()) throw std::bad_alloc();
    key.set(new_value<cms_value>(dimensions));
  } catch (std::bad_alloc const&) {
    throw no_memory("CMS: Insufficient memory to create the key");
  }
  // As dimensions: a replica with another C library may compute others from the errors.
  api::Replicate(it.context(), "CMS.INITBYDIM", "sll", it.raw(1), static_cast<long long>(dimensions.width),
                 static_cast<long long>(dimensions.depth));
  it.notify("cms.reserve");
  it.reply_ok();
}

// -- CMS.INCRBY, CMS.QUERY ---------------------------------------------------------------------------------------------------

void increment(call& it) {
  if (it.size() < 4 || it.size() % 2 != 0) throw wrong_arity();
  cms_key key(it, 1, api::key_read | api::key_write);
  auto& sketch = existing(key);
  std::vector<count_sketch::addition> items((it.size() - 2) / 2);
  for (std::size_t i = 0; i < items.size(); ++i) {
    auto const by = it.integer(2 * i + 3);
    if (!by) throw refusal("CMS: Cannot parse number");
    if (*by < 0) throw refusal("CMS: Number cannot be negative");
    items[i] = {it[2 * i + 2], static_cast<std::uint64_t>(*by)};
  }
  it.begin_array(items.size());
  // Counters that overflow stop at the largest number, so the command is carried out all the same, and replicated.
  bool const tells_overflow = !comes_from_elsewhere(it.context());
  sketch.increment(items, [&](std::uint32_t count) {
    if (count == count_sketch::most_count && tells_overflow)
      it.reply_error("CMS: INCRBY overflow");
    else
      it.reply(count);
  });
  if (std::ranges::all_of(items, [](auto const& each) { return each.increment == 0; })) return;
  it.replicate();
  it.notify("cms.add");
}

void query(call& it) {
  if (it.size() < 3) throw wrong_arity();
  cms_key const key(it, 1, api::key_read);
  auto const& sketch = existing(key);
  std::vector<std::string_view> items(it.size() - 2);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = it[i + 2];
  it.begin_array(items.size());
  sketch.count(items, [&](std::uint32_t count) { it.reply(count); });
}

// -- CMS.MERGE ---------------------------------------------------------------------------------------------------------------

/// The sources, and their weights if the last arguments say WEIGHTS. Values stay where they are until the command ends.
std::vector<count_sketch::weighted> sources_of(call const& it, count_sketch const& destination) {
  constexpr std::size_t first = 3;
  auto const number = it.integer(2);
  if (!number) throw refusal("CMS: invalid numkeys");
  if (*number <= 0) throw refusal("CMS: Number of keys must be positive");
  auto const keys = static_cast<std::uint64_t>(*number);
  auto const rest = it.size() - first;
  std::size_t word = 0;
  while (word < rest && !it.is(first + word, "WEIGHTS")) ++word;
  bool const has_weights = word < rest;
  if (has_weights ? word != keys || rest != 2 * keys + 1 : rest != keys)
    throw refusal(has_weights ? "CMS: wrong number of keys/weights" : "CMS: wrong number of keys");
  std::vector<count_sketch::weighted> sources(keys);
  for (std::size_t i = 0; i < keys; ++i) {
    auto const weight = has_weights ? it.integer(first + keys + 1 + i) : 1;
    if (!weight) throw refusal("CMS: invalid weight value");
    cms_key const key(it, first + i, api::key_read);
    auto const& source = existing(key);
    if (source.dimensions() != destination.dimensions()) throw refusal("CMS: width/depth is not equal");
    sources[i] = {&source, *weight};
  }
  return sources;
}

void merge(call& it) {
  if (it.size() < 4) throw wrong_arity();
  cms_key key(it, 1, api::key_read | api::key_write);
  auto& destination = existing(key);
  auto const sources = sources_of(it, destination);
  auto done = destination.merge(sources);
  if (done == count_sketch::merged::overflow && comes_from_elsewhere(it.context())) done = destination.merge_modulo(sources);
  if (done == count_sketch::merged::overflow) throw refusal("CMS: MERGE overflow");
  if (done == count_sketch::merged::changed) {
    it.replicate();
    it.notify("cms.merge");
  }
  it.reply_ok();
}

// -- CMS.INFO ----------------------------------------------------------------------------------------------------------------

void about(call& it) {
  if (it.size() != 2) throw wrong_arity();
  cms_key const key(it, 1, api::key_read);
  auto const& sketch = existing(key);
  it.begin_map(3);
  it.reply_word("width");
  it.reply(static_cast<long long>(sketch.dimensions().width));
  it.reply_word("depth");
  it.reply(static_cast<long long>(sketch.dimensions().depth));
  it.reply_word("count");
  it.reply(static_cast<long long>(sketch.total()));
}

// ----------------------------------------------------------------------------------------------------------------------------

/// Destination and sources, for clusters and access control.
constexpr std::array merge_keys{key_at(api::key_rw | api::key_update, 1), numbered_keys(api::key_ro | api::key_access, 2)};

constexpr command_entry commands[] = {
    {"cms.initbydim", guarded<init<asked_dimensions>>, "write deny-oom", 4, "Makes a count-min sketch of a width and a depth",
     "cms"},
    {"cms.initbyprob", guarded<init<asked_errors>>, "write deny-oom", 4,
     "Makes a count-min sketch for an error and its probability", "cms"},
    {"cms.incrby", guarded<increment>, "write deny-oom", -4, "Adds to the counts of items", "cms"},
    {"cms.query", guarded<query>, "readonly", -3, "Returns the counts of items", "cms"},
    with_keys<merge_keys, guarded<merge>>(
        {"cms.merge", nullptr, "write deny-oom", -4, "Makes a sketch the weighted sum of others", "cms"}),
    {"cms.info", guarded<about>, "readonly", 2, "Returns width, depth and total of a sketch", "cms"},
};

}  // namespace

constinit command_group const cms_group{.name = "CMS",
                                        .pattern = "cms.*",
                                        .add_type = add_cms_type,
                                        .commands = commands,
                                        .counted = "cms",
                                        .values = live_values<cms_value>};

}  // namespace hortus::server
