#pragma once
#include <string>
#include <vector>

#include "cli/shared_options.hpp"

namespace hortus::cli {

/// hortus count --distinct.
struct distinct_options {
  std::string error;   ///< relative standard error; empty: the default
  std::string output;  ///< where to save the sketch; empty: nowhere, "-" is standard output
  bool force = false;
  bool json = false;
  bool no_verify = false;

  /// The names of those that were given, for a count that is not --distinct.
  [[nodiscard]] std::vector<std::string> given() const;
};

/// Estimates the number of distinct keys in these inputs, or in one filter, and prints it with its 95 % interval. Returns the
/// exit status.
int count_distinct(distinct_options const& o, key_input const& input, std::vector<std::string> const& paths,
                   key_file const& key);

}  // namespace hortus::cli
