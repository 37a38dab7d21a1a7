/// A filter's file in pieces, which a server puts together and takes apart.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <hortus/redis/transfer.hpp>

namespace hortus::redis {

constexpr std::size_t pieces_ahead = 3;
/// What is not complete expires, so that a process that was killed leaves nothing behind.
constexpr char const* upload_expires_after = "3600000";

/// A key for a value that is not complete.
[[nodiscard]] std::string unfinished(std::string const& key, std::string_view what);

inline void tell(byte_progress const& progress, std::uint64_t bytes) {
  if (progress && bytes != 0) progress(bytes);
}

/// Sends a filter to one key, piece by piece.
class upload {
 public:
  upload(servers& at, any_filter const& what, std::string key);
  upload(upload const&) = delete;
  upload& operator=(upload const&) = delete;

  [[nodiscard]] bool is_done() const noexcept { return sent_ == bytes_ && under_way_.empty(); }
  /// Sends a piece if there is one, and waits for an answer if enough are under way. Returns the bytes that arrived. After a
  /// lost connection it begins again: it is not known which pieces arrived.
  std::uint64_t step();
  void complete();
  void undo() noexcept;
  [[nodiscard]] std::string const& key() const noexcept { return key_; }

 private:
  struct sending {
    std::unique_ptr<request> it;
    std::uint64_t bytes;
  };

  std::uint64_t next();
  reply must(std::vector<std::string> words);
  void send_piece();
  std::uint64_t take_answer();

  servers& at_;
  image file_;
  std::string key_;
  std::uint64_t bytes_;
  std::uint64_t sent_ = 0;
  std::deque<sending> under_way_;
  servers::waiting patient_{at_.how()};
};

}  // namespace hortus::redis
