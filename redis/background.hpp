#pragma once
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "redis/call.hpp"
#include "redis/main_thread.hpp"

/// Work on large values, without a pause for other clients.
///
/// Redis runs commands one after the other, on one thread. Work on a large value runs on a thread of the module instead, while
/// its client is blocked. It has two steps:
///
///     compute   on another thread. It reads values and makes new ones, and changes nothing that others can see. It may answer.
///     finish    on Redis' thread. It puts the result in place, replicates and answers.
///
/// While work reads a value, the value is marked with it. Other commands may read the value, too. A command that would change
/// it waits: its client is blocked, and the command runs again from the start when the work is done. Work that would replace a
/// value is marked as well, so it waits in the same way, and no change is lost.
///
/// Some calls cannot be blocked: in a transaction or a script, from the replication link, from the append-only file. They do
/// work at once; if they would change a value that is being read, they wait for the other thread, and Redis with them.
///
/// What may happen meanwhile: the client disconnects (the work is finished, the answer is dropped); the key is deleted or
/// replaced, also by FLUSHALL (finish compares what is there with what was read); the server becomes a replica, or the cluster
/// gives the key's slot to another server (check_serves() refuses then); writes are paused (finish comes after the pause).
namespace hortus::server {

/// Values below this size are worked on at once: that takes less than a millisecond.
inline constexpr std::uint64_t large_bytes = std::uint64_t{1} << 20;

class patient_call;

/// Counts how often this server became a master or a replica. A command that was blocked before such a change must not write
/// after it, even if the server is a master again: others may have been the master meanwhile, and the client was told that it
/// failed.
[[nodiscard]] std::uint64_t role_changes() noexcept;
[[nodiscard]] bool count_role_changes(api::context* module) noexcept;  ///< once, when the module is loaded

/// A client that is blocked, and the arguments of its command. It is for the main thread; answering() is for the other.
class blocked_call {
 public:
  using body_function = void (*)(patient_call&);
  blocked_call(call const& it, body_function what);
  blocked_call(blocked_call const&) = delete;
  blocked_call& operator=(blocked_call const&) = delete;
  ~blocked_call();  ///< sends the answers and unblocks the client

  /// What another thread may use of the call, one thread at a time.
  [[nodiscard]] caller answering() noexcept { return caller(context_, arguments_.data(), static_cast<int>(arguments_.size())); }
  [[nodiscard]] call on_main_thread() noexcept {
    return call(context_, arguments_.data(), static_cast<int>(arguments_.size()));
  }
  [[nodiscard]] body_function body() const noexcept { return body_; }
  /// Is the server's role the same since the client was blocked?
  [[nodiscard]] bool same_role() const noexcept { return roles_before_ == role_changes(); }

 private:
  api::blocked_client* client_;
  api::context* context_;
  std::vector<api::string*> arguments_;
  body_function body_;
  std::uint64_t roles_before_ = role_changes();
};

/// A call that can be blocked, unless Redis forbids it.
class patient_call : public call {
 public:
  patient_call(api::context* context, api::string** arguments, int count, blocked_call::body_function body) noexcept
      : call(context, arguments, count), body_(body) {}
  explicit patient_call(std::unique_ptr<blocked_call> held) noexcept
      : call(held->on_main_thread()), body_(held->body()), held_(std::move(held)) {}

  void run() { body_(*this); }
  [[nodiscard]] bool can_block() const noexcept;
  [[nodiscard]] bool is_blocked() const noexcept { return held_ != nullptr; }
  [[nodiscard]] bool same_role() const noexcept { return held_ == nullptr || held_->same_role(); }
  /// Does it come from a master or a file, which already decided everything? Then it must do what it says, whatever the time
  /// and the settings of this server.
  [[nodiscard]] bool is_repeated() const noexcept;
  /// Blocks the client, unless it is already. This object must not be used after that.
  [[nodiscard]] std::unique_ptr<blocked_call> block();

  void replicate() const noexcept;  ///< as call::replicate(), which cannot be used when a client is blocked

 private:
  blocked_call::body_function body_;
  std::unique_ptr<blocked_call> held_;
};

struct long_work {
  std::function<void(caller const&)> compute;
  std::function<void(patient_call&)> finish;  ///< none: the work only answers
};

/// Work of a blocked client, on its way: a thread computes it, the main thread concludes it, a thread forgets it.
class operation final : private main_thread_task {
 public:
  explicit operation(long_work work) : work_(std::move(work)) {}
  void begin(std::unique_ptr<blocked_call> whose) noexcept { whose_ = std::move(whose); }
  /// Gives it to a thread. Returns false, and does nothing, if there is none, because the system grants none.
  [[nodiscard]] static bool hand_over(std::shared_ptr<operation> it);

  // -- on any thread ---------------------------------------------------------------------------------------------------------
  void compute();  ///< computes, unless another thread does or did; returns when it is done

  // -- on the main thread ----------------------------------------------------------------------------------------------------
  void finish();  ///< finishes, unless it is done. Pre: after compute()
  [[nodiscard]] bool is_done() const noexcept { return done_; }
  /// Blocks a command, which runs again when it is done.
  void add_waiting(patient_call& another);
  [[nodiscard]] bool has_waiting() const noexcept { return !waiting_.empty(); }

 private:
  enum class step { queued, computing, computed };
  void compute_and_return() noexcept;
  void run() noexcept override;
  [[nodiscard]] bool conclude() noexcept;
  void run_waiting() noexcept;
  void forget() noexcept { work_ = {}; }

  long_work work_;
  std::unique_ptr<blocked_call> whose_;
  std::vector<std::unique_ptr<blocked_call>> waiting_;
  std::exception_ptr failure_;
  bool done_ = false;                  // for the main thread
  std::shared_ptr<operation> itself_;  // while it is on its way
  std::mutex mutex_;                   // of step_
  std::condition_variable changed_;
  step step_ = step::queued;
};

/// The mark of a value that work reads. Its members are for the main thread.
class reading_marks {
 public:
  /// Throws `wait` if the value is being read and the call can be blocked. If it cannot, waits here. Returns whether it did:
  /// then the value may have been replaced.
  [[nodiscard]] bool settle(patient_call& it);
  /// Throws `wait` if another command waits to change the value: work that began now would keep it waiting.
  void queue_up(patient_call& it);
  [[nodiscard]] bool is_read() noexcept {
    drop_done();
    return !running_.empty();
  }
  void add(std::shared_ptr<operation> reading) { running_.push_back(std::move(reading)); }

 private:
  void drop_done() noexcept {
    std::erase_if(running_, [](auto const& each) { return each->is_done(); });
  }
  std::vector<std::shared_ptr<operation>> running_;
};

/// Thrown by a command's body before it has changed or answered anything: the command runs again after that work.
struct wait {
  std::shared_ptr<operation> until_done;
};

/// Thrown by a command's body that has given the call to do_work(), from where it cannot return.
struct goes_on {};

/// Does the work: at once if it is about few bytes or the client cannot be blocked, else on another thread. `it` must not be
/// used after that.
void do_work(patient_call& it, std::uint64_t bytes, std::span<reading_marks* const> reads, long_work work);

/// The same for a command that only answers. `how` runs on another thread: it sees the caller, and values that it keeps alive.
void answer_work(patient_call& it, std::uint64_t bytes, std::span<reading_marks* const> reads,
                 std::function<void(caller const&)> how);

/// A command's body as a function for Redis.
int run_patiently(blocked_call::body_function body, api::context* context, api::string** arguments, int count) noexcept;
template <void (*Body)(patient_call&)>
int patient(api::context* context, api::string** arguments, int count) noexcept {
  return run_patiently(Body, context, arguments, count);
}

}  // namespace hortus::server
