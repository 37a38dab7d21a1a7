#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"

namespace hortus::cli {

/// The keys of a tour, and as many absent keys.
struct tour_keys {
  std::string source;
  std::vector<std::string> text{};
  std::vector<std::string_view> members{};
  std::vector<std::string_view> absent{};
};

/// Web addresses of a few words and a number: with long common prefixes, like real keys.
[[nodiscard]] tour_keys embedded_keys();

/// The distinct lines of the input. Throws errc::bad_goal if there are none.
[[nodiscard]] tour_keys keys_from(key_input const& input);

}  // namespace hortus::cli
