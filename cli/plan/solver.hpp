#pragma once
#include <string>

namespace hortus::cli {

/// The quantities of a bloom filter as the options give them; empty: unknown.
struct bloom_options {
  std::string items;   ///< -n
  std::string fpr;     ///< -p
  std::string memory;  ///< --memory
  std::string bits;    ///< --bits
  std::string probes;  ///< --probes
};

/// Finds the unknown quantities and prints all of them, and the command that builds the filter. Throws errc::bad_goal if too
/// little is known, and if what is known contradicts itself.
void solve_bloom(bloom_options const& known, bool json);

}  // namespace hortus::cli
