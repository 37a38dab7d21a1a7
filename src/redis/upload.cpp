#include <algorithm>
#include <utility>

#include "src/redis/key_lock.hpp"
#include "src/redis/pieces.hpp"

namespace hortus::redis {
namespace {

constexpr std::uint64_t piece_bytes = std::uint64_t{4} << 20;  // the most that HORTUS.IMPORT takes

}  // namespace

std::string unfinished(std::string const& key, std::string_view what) {
  return beside(key, std::string(what) + "-" + process_token());
}

upload::upload(servers& at, any_filter const& what, std::string key)
    : at_(at), file_(image_of(what)), key_(std::move(key)), bytes_(stored_size(file_)) {}

std::uint64_t upload::step() try { return next(); } catch (unknown_outcome const& e) {
  under_way_.clear();
  sent_ = 0;
  patient_.wait(e.what());
  return 0;
}

void upload::complete() { (void)must({"PERSIST", key_}); }

void upload::undo() noexcept {
  try {
    under_way_.clear();
    (void)at_.call({"UNLINK", key_}, key_);
  } catch (...) {
    return;  // then it expires
  }
}

std::uint64_t upload::next() {
  if (sent_ == 0) {
    (void)must({"UNLINK", key_});
    send_piece();
    auto const first = take_answer();  // an import that cannot begin is told here
    if (sent_ < bytes_) (void)must({"PEXPIRE", key_, upload_expires_after});
    return first;
  }
  if (sent_ < bytes_) send_piece();
  return sent_ == bytes_ || under_way_.size() >= pieces_ahead ? take_answer() : 0;
}

reply upload::must(std::vector<std::string> words) { return accepted(at_.call(std::move(words), key_), at_.place_of(key_)); }

void upload::send_piece() {
  auto const size = std::min(piece_bytes, bytes_ - sent_);
  std::string piece;
  piece.reserve(size);
  write_piece(file_, sent_, size,
              [&](std::span<std::byte const> some) { piece.append(reinterpret_cast<char const*>(some.data()), some.size()); });
  std::vector<std::string> words{"HORTUS.IMPORT", key_, "FROM", std::to_string(sent_), std::move(piece)};
  // A piece that came twice is refused: after a lost connection the import begins again.
  under_way_.push_back({std::make_unique<request>(std::move(words), key_, request::after_loss::give_up), size});
  at_.start(*under_way_.back().it);
  sent_ += size;
}

std::uint64_t upload::take_answer() {
  if (under_way_.empty()) return 0;
  auto const first = std::move(under_way_.front());
  under_way_.pop_front();
  (void)accepted(at_.finish(*first.it), at_.place_of(key_));
  return first.bytes;
}

void send_filter(servers& at, any_filter const& what, std::string const& key, byte_progress const& progress) {
  upload it(at, what, key);
  try {
    while (!it.is_done()) tell(progress, it.step());
    it.complete();
  } catch (...) {
    it.undo();
    throw;
  }
}

}  // namespace hortus::redis
