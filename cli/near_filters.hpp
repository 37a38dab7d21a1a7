#pragma once
#include <string>

#include <hortus/any/any_near.hpp>

#include "cli/new_filter.hpp"
#include "cli/plan/solver.hpp"
#include "cli/saving.hpp"
#include "cli/shared_options.hpp"
#include "cli/text/json.hpp"

/// What commands do with filters that ask how near a key is.
namespace hortus::cli {

/// `hortus build distance_sensitive`: the filter of the keys of an input.
int build_near(new_filter const& made, save_options const& out, key_input const& input);

/// A file of such a filter, as `info --json` shows it.
json_value describe_near(std::string const& path, any_near_filter const& filter);

/// Throws if lines of the input cannot be looked up in the filter or inserted.
void check_takes(any_near_filter const& filter, std::string const& path, key_input const& input);

/// Warns if the filter accepts far keys clearly more often than planned.
void warn_if_overfull(any_near_filter const& filter);

/// "seen.hortus: a distance_sensitive filter of 1.2 MiB, 1000 keys, ...", on standard error.
void tell_summary(std::string const& path, any_near_filter const& filter);

/// Do the settings of `hortus plan` ask for such a filter?
[[nodiscard]] bool asks_near(std::vector<std::pair<std::string, std::string>> const& settings);
/// `hortus plan` for such a filter: its size, and the probability of an answer at each distance.
void plan_near(request const& wish, bool json);

}  // namespace hortus::cli
