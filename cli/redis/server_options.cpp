#include "cli/redis/server_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "cli/command.hpp"
#include "cli/text/input.hpp"
#include "cli/text/numbers.hpp"

namespace hortus::cli {
namespace {

/// The first line of a file.
std::string first_line_of(std::string const& path) {
  line_reader in(std::span(&path, 1), {.unpack = decompress::no});
  std::vector<std::string_view> lines;
  if (!in.next(lines)) throw error(errc::bad_goal, "--password-file '" + path + "' is empty: its first line is the password");
  std::string line(lines.front());
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

}  // namespace

void server_options::add_arguments(subcommand const& command) {
  command
      .add_option("URL", url,
                  "the server, or one of a cluster: unix:///path, or\n"
                  "redis://[[user]:password@]host[:port][/database]")
      ->required();
  command.add_option("KEY", key, "the key of the filter")->required();
}

void server_options::add_options(subcommand const& command) {
  command
      .add_option("--password-file", password_file,
                  "the first line of this file is the password; - is standard input\n"
                  "(default: what is in the URL, or in HORTUS_REDIS_PASSWORD)")
      ->type_name("FILE");
  command
      .add_option("--timeout", timeout, "give up when a server does not answer, or a cluster has no\nmaster, for so long (30s)")
      ->type_name("TIME");
}

std::shared_ptr<redis::servers> server_options::connect(std::span<std::string const> inputs) const {
  auto to = redis::address::parse(url);
  if (!password_file.empty()) {
    if (!to.password.empty()) throw error(errc::bad_goal, "--password-file and a password in the URL exclude each other");
    if (password_file == "-" && std::ranges::find(inputs, "-") != inputs.end())
      throw error(errc::bad_goal, "the password and the keys cannot both come from standard input");
    to.password = first_line_of(password_file);
  } else if (char const* const given = std::getenv("HORTUS_REDIS_PASSWORD"); given != nullptr && to.password.empty()) {
    to.password = given;
  }
  redis::patience how;
  if (!timeout.empty()) {
    auto const time = std::chrono::duration_cast<std::chrono::milliseconds>(parse_duration("--timeout", timeout));
    how.answer = how.give_up = std::clamp(time, std::chrono::milliseconds(1), std::chrono::milliseconds(1 << 30));
  }
  how.waiting = [](std::string const& why) { say(why + "; waiting"); };
  return std::make_shared<redis::servers>(std::move(to), std::move(how));
}

}  // namespace hortus::cli
