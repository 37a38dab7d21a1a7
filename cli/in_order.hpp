#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace hortus::cli {

/// Threads that work on pieces of an input at the same time, and finish them in the order of the input.
///
/// take(piece)    fills the next piece; false at the end. One thread at a time.
/// work(piece)    several threads at a time. What it throws waits for the piece's turn.
/// finish(piece)  one thread at a time, in the order in which pieces were taken. False: no more pieces are needed.
/// stop()         is called if no more are needed, or after an error: a take() that waits should return false.
///
/// Each thread uses one Piece again and again, so that its memory is allocated once. Throws what was thrown for the first piece
/// for which something was; the pieces before it are finished.
template <class Piece, class Take, class Work, class Finish, class Stop>
void in_order(unsigned threads, Take take, Work work, Finish finish, Stop stop) {
  std::mutex taking;
  std::uint64_t taken = 0;
  std::atomic<bool> over = false;  // nothing more is taken
  std::mutex finishing;
  std::condition_variable next_turn;
  std::uint64_t finished = 0;
  bool stopped = false;
  std::exception_ptr failure;

  auto const run = [&] {
    Piece piece{};
    for (;;) {
      std::exception_ptr thrown;
      std::uint64_t turn = 0;
      try {
        std::unique_lock const alone(taking);
        if (over) return;
        turn = taken++;
        over = true;  // unless take() succeeds
        if (!take(piece)) return;
        over = false;
      } catch (...) {
        thrown = std::current_exception();
      }
      try {
        if (!thrown) work(piece);
      } catch (...) {
        thrown = std::current_exception();
      }
      std::unique_lock alone(finishing);
      next_turn.wait(alone, [&] { return finished == turn || stopped; });
      if (stopped) return;
      try {
        if (thrown) std::rethrow_exception(thrown);
        stopped = !finish(piece);
      } catch (...) {
        failure = std::current_exception();
        stopped = true;
      }
      ++finished;
      if (stopped) over = true, stop();
      next_turn.notify_all();
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      for (unsigned t = 1; t < threads; ++t) others.emplace_back(run);
    } catch (std::system_error const&) {  // the system has no more threads: fewer do the same
    }
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace hortus::cli
