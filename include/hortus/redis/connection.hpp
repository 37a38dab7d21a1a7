#pragma once
#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include <hortus/error.hpp>
#include <hortus/redis/address.hpp>
#include <hortus/redis/reply.hpp>

namespace hortus::redis {

/// The server cannot be reached, does not answer, or closed the connection.
class lost_connection : public error {
 public:
  explicit lost_connection(std::string const& what) : error(errc::io, what) {}
};

/// One connection to one server. Commands may be sent before the answers to earlier ones are read; answers come in order.
class connection {
 public:
  using duration = std::chrono::milliseconds;

  /// Connects and introduces itself (AUTH, SELECT). Throws lost_connection; errc::io if the server refuses the password.
  connection(address const& to, duration timeout);
  connection(connection&& other) noexcept;
  connection& operator=(connection&& other) noexcept;
  ~connection();

  /// Sends a command. Large arguments are not copied.
  void send(std::span<std::string_view const> words);
  void send(std::initializer_list<std::string_view> words) { send(std::span(words.begin(), words.size())); }
  /// The next answer, which may be an error. Throws lost_connection if none comes in time.
  [[nodiscard]] reply receive();
  reply call(std::initializer_list<std::string_view> words) {
    send(words);
    return receive();
  }
  [[nodiscard]] std::string const& place() const noexcept { return place_; }

 private:
  void connect_to(address const& to);
  void introduce(address const& who);
  void wait_for(short event) const;
  void fail(std::string const& why) const;

  std::string place_;
  duration timeout_;
  int socket_ = -1;
  reply_parser parser_;
};

}  // namespace hortus::redis
