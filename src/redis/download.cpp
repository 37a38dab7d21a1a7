#include <algorithm>
#include <cstring>
#include <utility>

#include "src/redis/key_lock.hpp"
#include "src/redis/pieces.hpp"

namespace hortus::redis {
namespace {

/// The file of a filter, which comes in pieces. A few of them are asked for before they are needed.
class download {
 public:
  download(servers& at, std::string key, byte_progress const& progress) : at_(at), key_(std::move(key)), progress_(progress) {
    begin();
  }

  /// Throws changed_meanwhile.
  [[nodiscard]] any_filter filter(reading const& how) && {
    auto sections = copy_sections(
        head_, [this](std::uint64_t offset, std::span<std::byte> into) { read(offset, into); }, section_sizes::unproven);
    return assemble<any_filter>(std::move(head_), std::move(sections), how.verified());
  }

  struct changed_meanwhile {};

 private:
  /// The first piece has the header, and the size of the others.
  void begin() {
    ask(0);
    take_piece();
    auto const start = std::as_bytes(std::span(piece_)).first(std::min<std::size_t>(piece_.size(), max_header_bytes));
    head_ = read_header(start, unknown_size);
    piece_bytes_ = asked_ = piece_.size();
    if (head_.file_bytes < asked_) throw error(errc::corrupt, "the server sends more than a filter");
    ask_ahead();
  }
  void ask(std::uint64_t offset) {
    under_way_.push_back(
        std::make_unique<request>(std::vector<std::string>{"HORTUS.EXPORT", key_, "FROM", std::to_string(offset)}, key_));
    at_.start(*under_way_.back());
  }
  void ask_ahead() {
    for (; under_way_.size() < pieces_ahead && asked_ < head_.file_bytes; asked_ += piece_bytes_) ask(asked_);
  }
  void take_piece() {
    if (under_way_.empty()) throw error(errc::corrupt, "the server sends less than a filter");
    auto answer = accepted(at_.finish(*under_way_.front()), at_.place_of(key_));
    under_way_.pop_front();
    (void)answer.as_array(3);
    (void)answer.parts[2].as_text();
    if (std::exchange(stamp_, answer.parts[1].as_integer()) != answer.parts[1].as_integer() && !piece_.empty())
      throw changed_meanwhile();
    began_ += piece_.size();
    piece_ = std::move(answer.parts[2].text);
    if (piece_.empty()) throw error(errc::corrupt, "the server sends no piece of a filter");
    if (progress_) progress_(piece_.size());
  }
  /// Offsets ascend.
  void read(std::uint64_t offset, std::span<std::byte> into) {
    while (!into.empty()) {
      if (offset - began_ >= piece_.size()) {
        take_piece();
        ask_ahead();
        continue;
      }
      auto const at = static_cast<std::size_t>(offset - began_);
      auto const some = std::min(into.size(), piece_.size() - at);
      std::memcpy(into.data(), piece_.data() + at, some);
      into = into.subspan(some);
      offset += some;
    }
  }

  servers& at_;
  std::string key_;
  byte_progress const& progress_;
  header head_;
  std::deque<std::unique_ptr<request>> under_way_;
  std::string piece_;  // the bytes from began_ on
  std::uint64_t began_ = 0;
  std::uint64_t asked_ = 0;  // pieces before this offset
  std::uint64_t piece_bytes_ = 0;
  std::int64_t stamp_ = 0;
};

}  // namespace

/// COPY gives a copy that shares the memory until one of them is changed.
any_filter fetch_filter(servers& at, std::string const& key, reading const& how, byte_progress const& progress) {
  auto const copy = unfinished(key, "export");
  bool const copied = [&] {
    auto const answer = at.call({"COPY", key, copy, "REPLACE"}, key);
    return answer.what == reply::kind::integer && answer.integer == 1;
  }();
  auto const read = [&](std::string const& from) -> std::optional<any_filter> {
    try {
      return download(at, from, progress).filter(how);
    } catch (download::changed_meanwhile) {
      return std::nullopt;
    }
  };
  if (copied) {
    (void)at.call({"PEXPIRE", copy, upload_expires_after}, copy);
    struct cleanup {
      servers& at;
      std::string const& key;
      ~cleanup() {
        try {
          (void)at.call({"UNLINK", key}, key);
        } catch (...) {
          return;  // it expires
        }
      }
    } const after{at, copy};
    if (auto made = read(copy)) return std::move(*made);
    throw error(errc::io, "'" + copy + "' was changed by another client");
  }
  // This user may not copy. Then the filter itself is read, if it does not change for so long.
  for (servers::waiting patient(at.how());;) {
    if (auto made = read(key)) return std::move(*made);
    patient.wait("'" + key + "' changes while it is read, and this user may not COPY it");
  }
}

}  // namespace hortus::redis
