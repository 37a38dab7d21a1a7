#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <map>

#include "cli/command.hpp"
#include "cli/redis/actions.hpp"
#include "cli/redis/server_options.hpp"
#include "cli/text/numbers.hpp"

namespace hortus::cli {
namespace {

struct info_options {
  server_options server;
  bool json = false;
};

/// A value of HORTUS.INFO as JSON has it: before version 3 of the protocol numbers with a fraction are texts, truths are
/// integers, and maps are arrays of names and values.
json_value value_of(std::string_view name, redis::reply const& value) {
  using kind = redis::reply::kind;
  if (value.what == kind::nothing) return nullptr;
  if (value.what == kind::integer) {
    if (name == "keyed" || name == "saturated") return value.integer != 0;
    return value.integer;
  }
  if (value.what == kind::array && name == "params") {
    auto all = json_value::object();
    for (std::size_t i = 0; i + 1 < value.parts.size(); i += 2)
      all[value.parts[i].text] = value_of(value.parts[i].text, value.parts[i + 1]);
    return all;
  }
  if (value.what == kind::array) {
    auto all = json_value::array();
    for (auto const& each : value.parts) all.push_back(value_of("", each));
    return all;
  }
  bool const is_name = name.empty() || name == "family" || name == "hash" || name == "key_kind";
  double number = 0;
  auto const* const end = value.text.data() + value.text.size();
  if (auto const [stopped, failure] = std::from_chars(value.text.data(), end, number);
      !is_name && failure == std::errc() && stopped == end)
    return number;
  return value.text;
}

json_value info_of(redis::servers& at, std::string const& key) {
  auto const fields = redis::accepted(at.call({"HORTUS.INFO", key}, key), at.place_of(key));
  json_value all;
  for (std::size_t i = 0; i + 1 < fields.as_array().size(); i += 2)
    all[fields.parts[i].as_text()] = value_of(fields.parts[i].text, fields.parts[i + 1]);
  return all;
}

double number_in(json_value const& all, std::string_view name) {
  auto const* const found = all.find(name);
  if (found == nullptr) return 0;
  if (auto const* const fraction = found->as<double>()) return *fraction;
  if (auto const* const whole = found->as<std::uint64_t>()) return static_cast<double>(*whole);
  return 0;
}

std::uint64_t whole_in(json_value const& all, std::string_view name) {
  return static_cast<std::uint64_t>(number_in(all, name));
}

/// The sums over all shards. A key is equally likely to belong to any of them, so rates are means.
json_value describe_shards(redis::filter const& filter) {
  auto const& about = filter.about();
  auto const shards = about.plan.shards;
  json_value all;
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> by_server;  // shards, bytes
  double estimate = 0;
  double fpr = 0;
  double variance = 0;
  bool saturated = false;
  std::uint64_t inserted = 0;
  std::uint64_t size = 0;
  std::uint64_t memory = 0;
  json_value sample;
  for (std::uint64_t i = 0; i < shards; ++i) {
    auto const key = about.shard_key(i);
    auto const part = info_of(filter.at(), key);
    estimate += number_in(part, "items_estimate");
    auto const half = (number_in(part, "items_estimate_high") - number_in(part, "items_estimate_low")) / 2;
    variance += half * half;
    if (auto const* const full = part.find("saturated"); full != nullptr && full->as<bool>() != nullptr)
      saturated = saturated || *full->as<bool>();
    fpr += number_in(part, "fpr_estimate") / static_cast<double>(shards);
    inserted += whole_in(part, "items_inserted");
    size += whole_in(part, "size_bytes");
    memory += whole_in(part, "memory_bytes");
    auto& its = by_server[filter.at().place_of(key)];
    ++its.first;
    its.second += whole_in(part, "memory_bytes");
    if (i == 0) sample = part;
  }
  auto envelope = about.about;
  envelope.items_inserted = inserted;
  all = describe_header(envelope);
  all["items_estimate"] = estimate;
  all["items_estimate_low"] = std::max(estimate - std::sqrt(variance), 0.0);
  all["items_estimate_high"] = saturated ? json_value() : json_value(estimate + std::sqrt(variance));
  all["saturated"] = saturated;
  all["fpr_estimate"] = fpr;
  all["size_bytes"] = size;
  all["memory_bytes"] = memory;
  all["bits_per_item"] = envelope.items_planned == 0
                             ? json_value()
                             : json_value(8 * static_cast<double>(size) / static_cast<double>(envelope.items_planned));
  for (auto const* const name : {"key_kind", "verbs"})
    if (auto const* const found = sample.find(name)) all[name] = *found;
  all["shards"] = shards;
  all["blocks"] = about.plan.places;
  all["generation"] = about.generation;
  auto servers = json_value::array();
  for (auto const& [place, its] : by_server)
    servers.push_back({{"server", place}, {"shards", its.first}, {"memory_bytes", its.second}});
  all["servers"] = servers;
  return all;
}

int info(info_options const& o) {
  redis::filter const filter(o.server.connect(), o.server.key);
  auto const all = describe(filter);
  if (o.json)
    print_json(all);
  else
    print_description(o.server.key, all);
  return done;
}

}  // namespace

json_value describe(redis::filter const& filter) {
  if (filter.is_sharded()) return describe_shards(filter);
  auto all = info_of(filter.at(), filter.about().key);
  all["servers"] = json_value::array();
  all["servers"].push_back({{"server", filter.at().place_of(filter.about().key)}});
  return all;
}

void warn_if_overfull(redis::filter const& filter) {
  auto const planned = filter.about().about.items_planned;
  // To estimate keys, servers read the whole filter: only if there were more inserts than planned keys.
  if (planned == 0 || filter.family().keeps_fpr || filter.insert_calls() <= planned) return;
  auto const all = describe(filter);
  if (number_in(all, "items_estimate_low") <= static_cast<double>(planned)) return;
  warn(fmt::format("'{}' is over capacity: about {:.0f} keys, planned for {}; it finds {} of absent keys, not {}",
                   filter.about().key, number_in(all, "items_estimate"), planned, human_rate(number_in(all, "fpr_estimate")),
                   human_rate(number_in(all, "fpr_planned"))));
}

void add_redis_info(subcommand const& group, action& run) {
  auto const command = group.add_action("info", "what a filter is, what it holds, how full it is and where it is");
  auto const o = std::make_shared<info_options>();
  o->server.add_arguments(*command);
  command->add_flag("--json", o->json, "JSON, with the names of hortus info --json");
  o->server.add_options(*command);
  command->callback([=, &run] { run = [o] { return info(*o); }; });
}

void add_redis(command_line& app, action& run) {
  auto const group = app.add_subcommand("redis", "filters in Redis or Redis Cluster, with the module of hortus");
  for (auto* add :
       {add_redis_create, add_redis_push, add_redis_pull, add_redis_query, add_redis_add, add_redis_info, add_redis_reshard})
    add(*group, run);
  group->footer(
      "hortus redis ACTION --help explains an action. docs/redis-hortus.md is about the module,\n"
      "docs/distributed.md about clusters.");
}

}  // namespace hortus::cli
