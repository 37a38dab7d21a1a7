#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <hortus/digest.hpp>

#include "cli/piece_digests.hpp"

namespace hortus::cli {

/// Pieces that several threads take, each when it is done with one, and that need not be finished in order.
class shared_pieces {
 public:
  /// `taken` is called with each piece, one thread at a time.
  shared_pieces(record_pieces& pieces, std::function<void(record_piece&)> taken) : pieces_(pieces), taken_(std::move(taken)) {}

  /// Takes the next piece and calls work(pieces, piece), which returns the lines without keys. False at the end, and after an
  /// error, which finish() throws.
  template <class Work>
  [[nodiscard]] bool next(record_piece& piece, Work work) {
    auto number = std::numeric_limits<std::uint64_t>::max();
    try {
      {
        std::scoped_lock const alone(taking_);
        if (over_) return false;
        number = number_++;
        over_ = true;  // unless there is a piece
        if (!pieces_.next(piece)) return false;
        over_ = false;
        taken_(piece);
      }
      auto const missing = work(pieces_, piece);
      std::scoped_lock const alone(taking_);
      pieces_.note(missing);
      return true;
    } catch (...) {
      pieces_.stop();
      std::scoped_lock const alone(taking_);
      over_ = true;
      if (number < failed_) failed_ = number, failure_ = std::current_exception();
      return false;
    }
  }
  /// When no thread takes any more: throws the error of the first piece that had one, and tells what is told at the end.
  void finish() const {
    if (failure_) std::rethrow_exception(failure_);
    pieces_.finish();
  }

 private:
  record_pieces& pieces_;
  std::function<void(record_piece&)> taken_;
  std::mutex taking_;
  std::uint64_t number_ = 0;
  bool over_ = false;
  std::uint64_t failed_ = std::numeric_limits<std::uint64_t>::max();
  std::exception_ptr failure_;
};

/// One thread's share of the keys of these pieces, as a digest_fill.
class hashed_share {
 public:
  /// The arguments must outlive it.
  hashed_share(shared_pieces& from, any_hash const& hash) : from_(from), hash_(hash) {}

  std::size_t operator()(std::span<digest> space) {
    while (at_ == keys_.size()) {
      keys_.clear();
      at_ = 0;
      if (!from_.next(piece_, [&](auto const& pieces, auto const& piece) { return hash_piece(pieces, piece, hash_, keys_); }))
        return 0;
    }
    auto const count = std::min(space.size(), keys_.size() - at_);
    std::copy_n(keys_.begin() + static_cast<std::ptrdiff_t>(at_), count, space.begin());
    at_ += count;
    return count;
  }

 private:
  shared_pieces& from_;
  any_hash const& hash_;
  record_piece piece_;
  std::vector<digest> keys_;
  std::size_t at_ = 0;
};

}  // namespace hortus::cli
