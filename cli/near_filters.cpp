#include "cli/near_filters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/command.hpp"
#include "cli/distinct_keys.hpp"
#include "cli/near_keys.hpp"
#include "cli/text/json.hpp"
#include "cli/text/numbers.hpp"

namespace hortus::cli {
namespace {

/// Throws errc::bad_goal if an option of build has no meaning here.
void check_options(new_filter const& made, key_input const& input) {
  made.values.check_unused(made.family);
  auto const refuse = [&](std::string const& option, std::string const& why) {
    throw error(errc::bad_goal, option + " " + why + ", not for " + made.family);
  };
  if (!made.absent.empty()) refuse("--absent", "is for exact_set");
  if (!made.window.empty()) refuse("--window", "is for age_partitioned and blocked_aging");
  if (made.threads.is_given()) refuse("--threads", "is for families that take keys as digests");
  if (!made.need.empty()) refuse("--need", "is for auto");
  if (input.integers) refuse("--integers", "is for keys that are found as a whole");
}

/// The number of distinct lines, of files that can be read twice.
std::uint64_t distinct_lines(key_input const& input, any_hash const& hash) {
  auto const twice = [](line_input const& in) { return in.regular && in.descriptor < 0; };
  if (!input.names().empty() && !std::ranges::all_of(line_inputs(input.paths, input.format().unpack), twice))
    throw error(errc::bad_goal,
                "from a pipe, a distance_sensitive filter needs -n, the number of distinct keys: it keeps no digests of them");
  distinct_keys distinct;
  std::array<digest, line_reader::block_lines> space;
  auto in = input.quiet_reader();
  for (record_block block; in.next(block);)
    if (block.what == record_block::kind::keys) distinct.add(digests_of_block(hash, block, space));
  return distinct.at_most();
}

any_near_filter made_for(new_filter const& made, std::uint64_t items, any_hash const& hash) {
  request const wish{
      .items = items, .fpr = made.fpr.empty() ? 0.01 : parse_rate("-p", made.fpr), .settings = parsed_settings(made.settings)};
  if (auto const bytes = near_card().plan(wish).size_bytes; made.is_too_large(bytes))
    throw error(errc::bad_goal, fmt::format("the filter needs {}, more than --memory {}; a smaller near, a larger far, or "
                                            "higher rates take less",
                                            human_bytes(bytes), made.memory));
  return fitting("a filter of that size", [&] { return make_near_filter(wish, hash); });
}

json_value to_json(std::vector<named_value> const& values) {
  auto object = json_value::object();
  for (auto const& field : values) std::visit([&](auto v) { object[field.name] = v; }, field.value);
  return object;
}

}  // namespace

int build_near(new_filter const& made, save_options const& out, key_input const& input) {
  check_options(made, input);
  out.check(input.names(), made.key);
  auto const hash = made.chosen_hash(input.names());
  (void)near_goal_of({.settings = parsed_settings(made.settings)});  // a wrong name is reported before the keys are read
  auto filter = made_for(made, made.items.empty() ? distinct_lines(input, hash) : parse_count("-n", made.items), hash);
  near_keys keys(filter.family().metric_used());
  auto in = input.reader();
  progress shown("building", in.total_bytes(), progress_unit::bytes, input.progress_mode());
  for (record_block block; in.next(block); shown.update(in.bytes_read()))
    for_each_near_key(keys, block, [&](near_key const& key, std::size_t) { filter.insert(key); });
  shown.hide();
  out.save(filter);
  warn_if_overfull(filter);
  out.report(filter);
  return done;
}

void check_takes(any_near_filter const& filter, std::string const& path, key_input const& input) {
  if (filter.hash().is<locked_hash>())
    throw error(errc::wrong_key, "'" + path + "' was made with a secret key; --key-file gives it");
  if (filter.hash().is<foreign_hash>())
    throw error(errc::unsupported, "'" + path + "' was made with a hash that is " + hash_name(filter.hash().id()) +
                                       ": only the program that has that hash can use it");
  if (input.integers)
    throw error(errc::incompatible,
                fmt::format("'{}' takes {}: leave --integers away", path, filter.family().metric_used().keys()));
}

void warn_if_overfull(any_near_filter const& filter) {
  auto const about = filter.about();
  auto const now = filter.fpr();
  if (about.fpr_planned > 0 && now > 1.5 * about.fpr_planned)
    warn(fmt::format("the filter accepts {} of far keys, and was planned for {}: it got {} keys, and was planned for {}",
                     human_rate(now), human_rate(about.fpr_planned), about.items_inserted, about.items_planned));
}

void tell_summary(std::string const& path, any_near_filter const& filter) {
  say(fmt::format("{}: {} of {}, {} keys, near is a score of {} to {}", path == "-" ? "standard output" : path,
                  one(filter.about().family), human_bytes(filter.size_bytes()), filter.about().items_inserted,
                  filter.threshold(), filter.arrays()));
}

json_value describe_near(std::string const& path, any_near_filter const& filter) {
  auto const about = filter.about();
  auto const shape = filter.family().shape();
  auto all = describe_header(about);
  all["items_estimate"] = nullptr;
  all["fpr_estimate"] = filter.fpr();
  all["metric"] = shape.metric.kind();
  if (shape.metric.number == jaccard::number) all["gram"] = shape.metric.gram;
  all["near"] = shape.near;
  all["far"] = shape.far;
  all["fnr_at_most"] = filter.planned_fnr(1);
  all["score_at_most"] = filter.arrays();
  all["score_of_near"] = filter.threshold();
  auto const dimension = filter.family().dimension();
  all["dimension"] = dimension == 0 ? json_value() : json_value(dimension);
  all["size_bytes"] = filter.size_bytes();
  all["file_bytes"] = file_bytes(path, stored_size(filter));
  all["bits_per_item"] =
      about.items_planned == 0
          ? json_value()
          : json_value(8 * static_cast<double>(filter.size_bytes()) / static_cast<double>(about.items_planned));
  all["verbs"] = near_verbs();
  all["params"] = to_json(values_of(shape));
  all["advice"] = nullptr;
  return all;
}

}  // namespace hortus::cli
