#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace hortus::redis {

/// Where a server is, and who asks it.
///
///     redis://[[user]:password@]host[:port][/database]      redis://127.0.0.1:6379, redis://:secret@cache.example/2
///     unix:///path/of/socket[?db=database]                  unix:///run/redis/redis.sock
///
/// A user, a password and a path may contain %XX.
struct address {
  std::string host = "127.0.0.1";
  std::uint16_t port = 6379;
  std::string socket = {};  ///< a path; then host and port are not used
  std::string user = {};
  std::string password = {};
  unsigned database = 0;

  /// Throws errc::bad_params, and says what would be right. The message does not contain the password.
  [[nodiscard]] static address parse(std::string_view url);

  /// "127.0.0.1:6379" or the path of the socket, for messages and to tell servers apart.
  [[nodiscard]] std::string place() const;
  /// The same user, at another place: a server of the same cluster.
  [[nodiscard]] address at(std::string other_host, std::uint16_t other_port) const;
};

}  // namespace hortus::redis
