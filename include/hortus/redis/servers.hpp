#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <hortus/redis/connection.hpp>

namespace hortus::redis {

/// How long to wait for servers, and what to do meanwhile.
struct patience {
  std::chrono::milliseconds answer = std::chrono::seconds(30);   ///< for an answer, before a server is taken for dead
  std::chrono::milliseconds give_up = std::chrono::seconds(30);  ///< for a server that answers, in all
  std::function<void(std::string const& why)> waiting = {};      ///< called once when waiting takes more than a second
};

/// The connection was lost before the answer to a change came that must not be made twice.
class unknown_outcome : public error {
 public:
  explicit unknown_outcome(std::string const& what) : error(errc::io, what) {}
};

/// The slot of a key in a cluster, 0 to 16383: by its part in braces, if it has one.
[[nodiscard]] unsigned slot_of(std::string_view key) noexcept;
inline constexpr unsigned cluster_slots = 16384;

/// A command for the server that has a key.
class request {
 public:
  enum class after_loss {
    repeat,   ///< doing it twice is the same as once
    give_up,  ///< it is not: after a lost connection it is unknown whether it was done
  };
  request(std::vector<std::string> words, std::string_view key, after_loss policy = after_loss::repeat)
      : words_(std::move(words)), slot_(slot_of(key)), policy_(policy) {}
  request(request const&) = delete;
  request& operator=(request const&) = delete;
  ~request();  ///< its answer, if one is to come, is dropped

 private:
  friend class servers;
  struct line;

  std::vector<std::string> words_;
  unsigned slot_;
  after_loss policy_;
  std::optional<reply> answer_;
  line* on_ = nullptr;     // where it was sent, while its answer has not come
  bool was_lost_ = false;  // it was sent, and then the connection was lost
};

/// A server or a cluster. Commands go to the server that has their key, and follow it when it moves: MOVED and ASK while slots
/// are moved, a replica that becomes master after a failover. If a server is away longer than patience::give_up, throws
/// errc::io and says for what it waited.
///
/// Of one thread. Several commands may be under way: start() sends one, finish() waits for its answer.
class servers {
 public:
  explicit servers(address first, patience how = {});
  servers(servers const&) = delete;
  servers& operator=(servers const&) = delete;
  ~servers();

  [[nodiscard]] bool is_cluster() const noexcept { return cluster_; }
  /// The places of the masters; of one server, that.
  [[nodiscard]] std::vector<std::string> places() const;
  [[nodiscard]] std::string const& place_of(std::string_view key) const { return place_of(slot_of(key)); }

  /// Sends it. If that fails, finish() sends it again.
  void start(request& it);
  /// Its answer, which may be an error of the command itself. Those of commands that were started before on the same connection
  /// are kept for them.
  [[nodiscard]] reply finish(request& it);
  /// Both at once.
  [[nodiscard]] reply call(std::vector<std::string> words, std::string_view key,
                           request::after_loss policy = request::after_loss::repeat);

  /// Waits a little, longer each time, until give_up has passed since `since`; then throws errc::io with `why`.
  class waiting {
   public:
    explicit waiting(patience const& how) noexcept : how_(how) {}
    void wait(std::string const& why);
    void count();  ///< a redirection; waits if there are too many

   private:
    patience const& how_;
    std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
    std::chrono::milliseconds next_ = std::chrono::milliseconds(20);
    bool told_ = false;
    unsigned redirections_ = 0;
  };
  [[nodiscard]] patience const& how() const noexcept { return how_; }

 private:
  using line = request::line;

  line& line_to(std::string const& place);
  void send(request& it, std::string const& place, bool asking);
  void receive_for(request& it);
  void lose(std::string const& place) noexcept;
  void learn(std::string const& place, std::uint64_t first, std::uint64_t last);
  void refresh();
  [[nodiscard]] bool refresh_from(std::string const& place);
  [[nodiscard]] std::string const& place_of(unsigned slot) const;
  [[nodiscard]] address address_of(std::string const& place) const;

  address first_;
  patience how_;
  bool cluster_ = false;
  std::vector<std::string> known_;    // places of masters and replicas, for when the first one is gone
  std::vector<std::string> places_;   // of masters; slots_ has numbers into it
  std::vector<std::uint16_t> slots_;  // of a cluster
  std::map<std::string, std::unique_ptr<line>> lines_;
};

}  // namespace hortus::redis
