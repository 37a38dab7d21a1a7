#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"

namespace hortus::cli {

/// The keys of a tour, and as many that are surely not among them.
struct tour_keys {
  std::string source;
  std::vector<std::string> text{};
  std::vector<std::string_view> members{};
  std::vector<std::string_view> absent{};
};

/// Web addresses made of a few words and a number: long common prefixes, like the keys people have.
[[nodiscard]] tour_keys embedded_keys();

/// The distinct lines of the input. Throws errc::bad_goal if there is none.
[[nodiscard]] tour_keys keys_from(key_input const& input);

}  // namespace hortus::cli
