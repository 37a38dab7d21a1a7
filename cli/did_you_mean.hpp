#pragma once
#include <span>
#include <string>
#include <string_view>

namespace hortus::cli {

/// What to say of a command that does not exist: the nearest one, or the one that other programs call so.
[[nodiscard]] std::string unknown_command(std::string_view typed, std::span<std::string const> commands);

/// The long option that may have been meant by "--itmes", "--itmes=5" or "-items"; empty if none is near.
[[nodiscard]] std::string meant_option(std::string_view typed, std::span<std::string const> long_options);

}  // namespace hortus::cli
