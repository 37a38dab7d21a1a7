#include <hortus/redis/address.hpp>

#include <charconv>
#include <optional>

#include <hortus/error.hpp>

namespace hortus::redis {
namespace {

[[noreturn]] void refuse(std::string const& why) {
  throw error(errc::bad_params, why + "; a server is redis://[[user]:password@]host[:port][/database], or unix:///path");
}

int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    auto const high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    auto const low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
    if (high < 0 || low < 0) refuse("a % in a URL is followed by two hexadecimal digits; the sign itself is %25");
    plain += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return plain;
}

template <class Number>
std::optional<Number> number(std::string_view digits) {
  Number value = 0;
  auto const [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (failure != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

unsigned database_of(std::string_view digits) {
  if (digits.empty()) return 0;
  if (auto const value = number<unsigned>(digits)) return *value;
  refuse("'" + std::string(digits) + "' is not the number of a database");
}

/// What comes before `separator`, which is taken off with it. If there is none, everything, and `rest` is empty.
std::string_view before(std::string_view& rest, char separator) {
  auto const at = rest.find(separator);
  auto const first = rest.substr(0, at);
  rest.remove_prefix(at == std::string_view::npos ? rest.size() : at + 1);
  return first;
}

address of_socket(std::string_view rest) {
  address made;
  auto const path = before(rest, '?');
  made.socket = unescaped(path);
  if (!path.starts_with('/')) refuse("the path of a socket is absolute: unix:///run/redis.sock");
  if (rest.empty()) return made;
  if (!rest.starts_with("db=")) refuse("after ? only db=NUMBER is known");
  made.database = database_of(rest.substr(3));
  return made;
}

void set_place(address& made, std::string_view place) {
  if (place.starts_with('[')) {  // an IPv6 address, whose colons are no ports
    auto const end = place.find(']');
    if (end == std::string_view::npos) refuse("an address that begins with [ ends with ]");
    made.host = std::string(place.substr(1, end - 1));
    place.remove_prefix(end + 1);
    if (!place.empty() && !place.starts_with(':')) refuse("after ] comes :port");
    place.remove_prefix(place.empty() ? 0 : 1);
  } else {
    made.host = std::string(before(place, ':'));
  }
  if (made.host.empty()) refuse("the host is missing");
  if (place.empty()) return;
  auto const port = number<std::uint16_t>(place);
  if (!port || *port == 0) refuse("'" + std::string(place) + "' is not a port");
  made.port = *port;
}

}  // namespace

address address::parse(std::string_view url) {
  constexpr std::string_view redis = "redis://";
  constexpr std::string_view unix_socket = "unix://";
  if (url.starts_with(unix_socket)) return of_socket(url.substr(unix_socket.size()));
  if (url.starts_with("rediss://")) refuse("TLS is not supported: a tunnel such as stunnel gives a plain port");
  if (!url.starts_with(redis)) refuse("'" + std::string(url.substr(0, url.find('@'))) + "' is not the URL of a server");
  auto rest = url.substr(redis.size());
  address made;
  auto where = before(rest, '/');
  made.database = database_of(rest);
  if (auto const at = where.rfind('@'); at != std::string_view::npos) {
    auto password = where.substr(0, at);
    made.user = unescaped(before(password, ':'));
    made.password = unescaped(password);
    if (made.password.empty()) refuse("before @ come user:password, or :password");
    where.remove_prefix(at + 1);
  }
  set_place(made, where);
  return made;
}

std::string address::place() const {
  if (!socket.empty()) return socket;
  bool const has_colons = host.find(':') != std::string::npos;
  return (has_colons ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

address address::at(std::string other_host, std::uint16_t other_port) const {
  auto other = *this;
  other.host = std::move(other_host);
  other.port = other_port;
  other.socket.clear();
  return other;
}

}  // namespace hortus::redis
