#include "cli/shared_options.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>

#include "cli/command.hpp"
#include "cli/text/numbers.hpp"

namespace hortus::cli {
namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// 16 raw bytes, or 32 hexadecimal digits with or without a newline.
std::optional<secret_key> parse_key(std::string_view text) {
  std::array<std::byte, 16> bytes{};
  if (text.size() == bytes.size()) {
    std::memcpy(bytes.data(), text.data(), bytes.size());
    return secret_key(bytes);
  }
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.size() != 2 * bytes.size()) return std::nullopt;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    auto const high = hex_value(text[2 * i]);
    auto const low = hex_value(text[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes[i] = static_cast<std::byte>(high * 16 + low);
  }
  return secret_key(bytes);
}

}  // namespace

void key_input::add_options(subcommand const& command, std::string const& without) {
  command.add_option("INPUT", paths, "files, a key a line; - is standard input, none is " + without);
  command.add_flag("-0,--null", null, "keys end with NUL instead of newline");
  command.add_flag("--crlf", crlf, "lines end with CR LF: the CR is no part of the key");
  command.add_flag("--no-decompress", no_decompress, "take gzip and zstd input, too, as the bytes it is");
  command.add_flag("--progress", show, "show progress even if standard error is no terminal");
}

std::vector<std::string> key_input::names() const { return paths.empty() ? std::vector<std::string>{"-"} : paths; }

line_format key_input::format() const {
  if (null && crlf) throw error(errc::bad_goal, "-0 and --crlf exclude each other: keys end with NUL, or with CR LF");
  return {.separator = separator(), .crlf = crlf, .unpack = no_decompress ? decompress::no : decompress::yes};
}

void lock_options::add_option(subcommand const& command) {
  command
      .add_option("--lock-timeout", timeout,
                  "how long to wait for another command that changes the file:\n500ms, 10s, 2min (default: until it is done)")
      ->type_name("TIME");
}

std::unique_ptr<file_lock> lock_options::hold(std::string const& path) const {
  using namespace std::chrono_literals;
  using clock = std::chrono::steady_clock;
  auto const limit = timeout.empty() ? std::chrono::nanoseconds::max() : parse_duration("--lock-timeout", timeout);
  auto const start = clock::now();
  std::chrono::nanoseconds nap = 1ms;
  bool told = false;
  return std::make_unique<file_lock>(path, [&] {
    auto const waited = std::chrono::nanoseconds(clock::now() - start);
    if (waited >= limit)
      throw error(errc::io, fmt::format("another command is still changing '{}' after --lock-timeout {}", path, timeout));
    if (!told && waited >= 1s) {
      say(fmt::format("waiting for {}, which another command is changing", path));
      told = true;
    }
    std::this_thread::sleep_for(std::min(nap, limit - waited));
    nap = std::min<std::chrono::nanoseconds>(2 * nap, 50ms);
  });
}

void key_file::add_option(subcommand const& command) {
  command.add_option("--key-file", path, "a file of 16 bytes or 32 hexadecimal digits: the secret key")->type_name("FILE");
}

std::optional<secret_key> key_file::read() const {
  if (path.empty()) return std::nullopt;
  int const fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  std::array<char, 64> text{};
  std::size_t got = 0;
  auto last = fd < 0 ? ssize_t{-1} : ssize_t{1};
  while (last > 0 && got < text.size()) {  // a pipe may deliver a key in pieces
    last = ::read(fd, text.data() + got, text.size() - got);
    if (last > 0) got += static_cast<std::size_t>(last);
  }
  auto const reason = errno;
  if (fd >= 0) ::close(fd);
  if (last < 0) throw error(errc::io, "cannot read '" + path + "': " + std::generic_category().message(reason));
  auto key = parse_key({text.data(), got});
  if (!key) throw error(errc::wrong_key, "'" + path + "' is no key file: it must hold 16 bytes or 32 hexadecimal digits");
  return key;
}

}  // namespace hortus::cli
