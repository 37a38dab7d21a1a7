#pragma once
#include <string>

#include <hortus/error.hpp>

namespace hortus::cli {

/// Calls act(), which combines filters that must be made alike. Adds the remedy to the message about filters that differ.
template <class Act>
auto of_filters_made_alike(Act act) try {
  return act();
} catch (error const& e) {
  if (e.code() != errc::incompatible) throw;
  throw error(e.code(), std::string(e.what()) + "; build all of them with the same family, -n, -p, --set and --seed");
}

}  // namespace hortus::cli
