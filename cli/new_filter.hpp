#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <hortus/any/any_filter.hpp>

#include "cli/map_values.hpp"
#include "cli/options.hpp"
#include "cli/shared_options.hpp"

namespace hortus::cli {

/// The names and values of --set NAME=VALUE. Throws errc::bad_goal for a word without "=".
[[nodiscard]] std::vector<std::pair<std::string, std::string>> parsed_settings(std::vector<std::string> const& words);

/// A filter to be made, as build and add --create describe it.
struct new_filter {
  std::string family;
  std::string items;
  std::string fpr;
  std::string memory;
  thread_option threads;
  std::string window;
  std::string seed;
  std::string hash;
  key_file key;
  std::vector<std::string> settings;
  std::vector<std::string> need;
  value_options values;
  std::string absent;  ///< the path of keys that must be answered no

  /// All but the family, which is an argument of build and an option of add.
  void add_options(subcommand const& command);
  /// The names of those that were given, other than the secret key: for a command that makes no filter.
  [[nodiscard]] std::vector<std::string> given() const;

  /// "auto": the family is chosen when the number of keys is known.
  [[nodiscard]] bool is_auto() const { return family == "auto"; }
  /// Replaces "auto" by the family that `hortus plan` recommends: the smallest, or one that is much faster and little larger.
  void choose_family(std::uint64_t for_items);
  /// Throws errc::bad_goal if an option does not go with "auto", or only with it; and if there is no such family.
  void check_family() const;
  [[nodiscard]] family_info const& its_family() const { return family_named(family); }
  /// Throws errc::bad_goal if an option would have no effect or the filter would not fit --memory.
  [[nodiscard]] request wish(std::uint64_t for_items) const { return wish(for_items, 0); }
  /// The same for a map whose values have so many bits, unless --set value_bits says otherwise.
  [[nodiscard]] request wish(std::uint64_t for_items, unsigned value_bits) const;
  /// Throws errc::bad_goal if --threads was given, for what one thread does. `why` follows "--threads: ".
  void refuse_threads(std::string const& why) const;
  [[nodiscard]] any_hash chosen_hash(std::span<std::string const> inputs) const;
  /// Is a filter of this size larger than --memory allows?
  [[nodiscard]] bool is_too_large(std::uint64_t bytes) const;
};

/// The filter of the keys of an input. If -n does not tell how many there are, a family that needs the number gets it by
/// reading files twice, or by keeping the digests of a pipe. Throws errc::full if a key was refused, with `consequence` in its
/// text.
[[nodiscard]] any_filter build_from(new_filter const& made, key_input const& input, std::string const& consequence, bool json);

/// Warns about a filter that was filled: too full, stuck counters, larger than --memory.
void warn_after_filling(any_filter const& filter, new_filter const& made);

}  // namespace hortus::cli
