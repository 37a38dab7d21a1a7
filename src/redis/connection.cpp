#include <hortus/redis/connection.hpp>

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace hortus::redis {
namespace {

/// Shorter arguments are copied, so that a command of many words is one write.
constexpr std::size_t copied_bytes = 4096;
constexpr std::size_t least_read = std::size_t{64} << 10;
constexpr std::size_t most_read = std::size_t{8} << 20;

std::string reason() { return std::strerror(errno); }

}  // namespace

connection::connection(address const& to, duration timeout) : place_(to.place()), timeout_(timeout) {
  try {
    connect_to(to);
    introduce(to);
  } catch (...) {
    if (socket_ >= 0) ::close(socket_);
    throw;
  }
}

connection::connection(connection&& other) noexcept
    : place_(std::move(other.place_)),
      timeout_(other.timeout_),
      socket_(std::exchange(other.socket_, -1)),
      parser_(std::move(other.parser_)) {}

connection& connection::operator=(connection&& other) noexcept {
  std::swap(place_, other.place_);
  std::swap(timeout_, other.timeout_);
  std::swap(socket_, other.socket_);
  std::swap(parser_, other.parser_);
  return *this;
}

connection::~connection() {
  if (socket_ >= 0) ::close(socket_);
}

void connection::fail(std::string const& why) const { throw lost_connection("the server at " + place_ + " " + why); }

void connection::wait_for(short event) const {
  pollfd it{socket_, event, 0};
  for (;;) {
    auto const ready = ::poll(&it, 1, static_cast<int>(timeout_.count()));
    if (ready > 0) return;
    if (ready == 0) fail("did not answer for " + std::to_string(timeout_.count()) + " ms");
    if (errno != EINTR) fail("cannot be reached: " + reason());
  }
}

void connection::connect_to(address const& to) {
  auto const begin = [&](int family, sockaddr const* where, socklen_t bytes) {
    socket_ = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (socket_ < 0) fail("cannot be reached: " + reason());
    if (::connect(socket_, where, bytes) == 0) return true;
    if (errno == EINPROGRESS) {
      wait_for(POLLOUT);
      int failure = 0;
      socklen_t size = sizeof failure;
      if (::getsockopt(socket_, SOL_SOCKET, SO_ERROR, &failure, &size) == 0 && failure == 0) return true;
      errno = failure;
    }
    auto const why = errno;
    ::close(std::exchange(socket_, -1));
    errno = why;
    return false;
  };
  if (!to.socket.empty()) {
    sockaddr_un where{};
    where.sun_family = AF_UNIX;
    if (to.socket.size() >= sizeof where.sun_path)
      throw error(errc::bad_params, "the path of a socket has at most " + std::to_string(sizeof where.sun_path - 1) + " bytes");
    std::memcpy(where.sun_path, to.socket.data(), to.socket.size());
    if (!begin(AF_UNIX, reinterpret_cast<sockaddr const*>(&where), sizeof where)) fail("cannot be reached: " + reason());
    return;
  }
  addrinfo wish{};
  wish.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (auto const failure = ::getaddrinfo(to.host.c_str(), std::to_string(to.port).c_str(), &wish, &found); failure != 0)
    fail(std::string("cannot be found: ") + ::gai_strerror(failure));
  std::unique_ptr<addrinfo, void (*)(addrinfo*)> const all(found, ::freeaddrinfo);
  for (auto const* each = found; each != nullptr; each = each->ai_next) {
    if (!begin(each->ai_family, each->ai_addr, each->ai_addrlen)) continue;
    int const yes = 1;
    (void)::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return;
  }
  fail("cannot be reached: " + reason());
}

void connection::introduce(address const& who) {
  auto const must = [&](reply const& answer, std::string const& what) {
    if (answer.is_error()) throw error(errc::io, "the server at " + place_ + " refuses " + what + ": " + answer.text);
  };
  if (!who.password.empty())
    must(who.user.empty() ? call({"AUTH", who.password}) : call({"AUTH", who.user, who.password}), "the password");
  if (who.database != 0) must(call({"SELECT", std::to_string(who.database)}), "the database");
}

void connection::send(std::span<std::string_view const> words) {
  // Headers and short words in one buffer, between which the long words are sent from where they are.
  std::string copied = "*" + std::to_string(words.size()) + "\r\n";
  struct piece {
    std::size_t begin, end;  // in `copied`
    std::string_view after;
  };
  std::vector<piece> pieces;
  std::size_t begin = 0;
  for (auto const word : words) {
    copied += "$" + std::to_string(word.size()) + "\r\n";
    if (word.size() < copied_bytes) {
      copied += word;
    } else {
      pieces.push_back({begin, copied.size(), word});
      begin = copied.size();
    }
    copied += "\r\n";
  }
  pieces.push_back({begin, copied.size(), {}});

  std::vector<iovec> left;
  auto const add = [&](std::string_view bytes) {
    if (!bytes.empty()) left.push_back({const_cast<char*>(bytes.data()), bytes.size()});
  };
  for (auto const& each : pieces) {
    add(std::string_view(copied).substr(each.begin, each.end - each.begin));
    add(each.after);
  }
  for (std::size_t first = 0; first < left.size();) {
    msghdr message{};
    message.msg_iov = left.data() + first;
    message.msg_iovlen = std::min<std::size_t>(left.size() - first, 64);
    auto const sent = ::sendmsg(socket_, &message, MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) fail("closed the connection: " + reason());
      wait_for(POLLOUT);
      continue;
    }
    for (auto done = static_cast<std::size_t>(sent); done > 0 && first < left.size();) {
      auto const some = std::min(done, left[first].iov_len);
      left[first].iov_base = static_cast<char*>(left[first].iov_base) + some;
      left[first].iov_len -= some;
      done -= some;
      if (left[first].iov_len == 0) ++first;
    }
  }
}

reply connection::receive() {
  for (;;) {
    if (auto made = parser_.next()) return std::move(*made);
    // As much as the reply announces, but no more than a few megabytes before they have come.
    auto const space = std::clamp(parser_.missing(), least_read, most_read);
    auto* const into = parser_.room(space);
    auto const came = ::recv(socket_, into, space, 0);
    if (came > 0)
      parser_.filled(static_cast<std::size_t>(came));
    else if (came == 0)
      fail("closed the connection");
    else if (errno == EAGAIN || errno == EWOULDBLOCK)
      wait_for(POLLIN);
    else if (errno != EINTR)
      fail("closed the connection: " + reason());
  }
}

}  // namespace hortus::redis
