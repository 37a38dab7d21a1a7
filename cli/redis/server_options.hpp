#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <hortus/redis/servers.hpp>

#include "cli/options.hpp"
#include "cli/shared_options.hpp"

namespace hortus::cli {

/// Where a filter is: the server, the key, and how the server is asked.
struct server_options {
  std::string url;
  std::string key;
  std::string password_file;
  std::string timeout;

  void add_arguments(subcommand const& command);
  void add_options(subcommand const& command);
  /// Connects. Throws errc::bad_goal if the password and one of the inputs are both standard input.
  [[nodiscard]] std::shared_ptr<redis::servers> connect(std::span<std::string const> inputs = {}) const;
};

}  // namespace hortus::cli
