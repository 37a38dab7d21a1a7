#include "redis/background.hpp"

#include <pthread.h>

#include <deque>
#include <new>
#include <system_error>
#include <thread>

#include "redis/memory.hpp"

namespace hortus::server {
namespace {

std::uint64_t roles = 0;  // for the main thread

/// The threads. They end with the process; so does the queue, which is never destroyed because they wait for it.
class workers {
 public:
  using job = std::function<void()>;
  static workers& all() {
    static auto* const them = new workers;
    return *them;
  }
  /// Returns false if there is no thread, because the system grants none.
  [[nodiscard]] bool add(job what) {
    std::lock_guard const lock(mutex_);
    if (idle_ <= queue_.size() && threads_ < most_threads) try {
        std::thread([this] { run(); }).detach();
        ++threads_;
      } catch (std::system_error const&) {
        if (threads_ == 0) return false;
      }
    queue_.push_back(std::move(what));
    changed_.notify_one();
    return true;
  }
  /// A job before all others: one that gives memory back. Pre: there is a thread
  void add_first(job what) {
    std::lock_guard const lock(mutex_);
    queue_.push_front(std::move(what));
    changed_.notify_one();
  }

 private:
  static constexpr std::size_t most_threads = 4;  // the work is limited by memory, which two or three threads keep busy

  [[noreturn]] void run() {
    (void)pthread_setname_np(pthread_self(), "hortus");
    touch_pages_from_now_on();
    for (;;) taken()();
  }
  job taken() {
    std::unique_lock lock(mutex_);
    ++idle_;
    changed_.wait(lock, [&] { return !queue_.empty(); });
    --idle_;
    auto next = std::move(queue_.front());
    queue_.pop_front();
    return next;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<job> queue_;
  std::size_t threads_ = 0;
  std::size_t idle_ = 0;
};

/// What act(it) throws becomes a reply, or the call waits.
template <class Act>
void attempt(patient_call& it, Act act) noexcept {
  try {
    try {
      act(it);
    } catch (wait const& before) {
      before.until_done->add_waiting(it);
    }
  } catch (goes_on const&) {
  } catch (...) {
    reply_failure(it.context());
  }
}

}  // namespace

std::uint64_t role_changes() noexcept { return roles; }

bool count_role_changes(api::context* module) noexcept {
  auto const count = [](api::context*, api::server_event, std::uint64_t, void*) { ++roles; };
  return api::SubscribeToServerEvent(module, api::role_changed, count) == api::ok;
}

blocked_call::blocked_call(call const& it, body_function what) : body_(what) {
  arguments_.reserve(it.size());
  for (auto* const each : it.arguments()) {
    arguments_.push_back(api::HoldString(nullptr, each));
    api::TrimStringAllocation(arguments_.back());  // Redis would do it later, while another thread reads the bytes
  }
  // Last, because allocations above may throw, and nobody would then unblock the client.
  // NOLINTBEGIN(cppcoreguidelines-prefer-member-initializer)
  client_ = api::BlockClient(it.context(), nullptr, nullptr, nullptr, 0);
  context_ = api::GetThreadSafeContext(client_);
  // NOLINTEND(cppcoreguidelines-prefer-member-initializer)
}

blocked_call::~blocked_call() {
  for (auto* const each : arguments_) api::FreeString(nullptr, each);
  api::FreeThreadSafeContext(context_);
  api::UnblockClient(client_, nullptr);
}

bool patient_call::can_block() const noexcept {
  constexpr int forbids = api::flag_deny_blocking | api::flag_multi | api::flag_lua | api::flag_loading | api::flag_replicated;
  return held_ != nullptr || (api::GetContextFlags(context()) & forbids) == 0;
}

bool patient_call::is_repeated() const noexcept {
  return (api::GetContextFlags(context()) & (api::flag_loading | api::flag_replicated)) != 0;
}

std::unique_ptr<blocked_call> patient_call::block() {
  return held_ != nullptr ? std::move(held_) : std::make_unique<blocked_call>(*this, body_);
}

void patient_call::replicate() const noexcept {
  if (held_ == nullptr) return call::replicate();
  auto const given = arguments();
  api::Replicate(context(), (*this)[0].data(), "v", given.data() + 1, given.size() - 1);
}

bool operation::hand_over(std::shared_ptr<operation> it) {
  auto& self = *it;
  self.itself_ = std::move(it);
  bool handed = false;
  try {
    handed = workers::all().add([&self] { self.compute_and_return(); });
  } catch (std::bad_alloc const&) {
  }
  if (!handed) self.itself_.reset();  // NOLINT: the caller has it, too
  return handed;
}

void operation::compute_and_return() noexcept {
  compute();
  run_soon(*this);
}

void operation::run() noexcept {
  if (!conclude()) return run_after(1, *this);
  // Freeing what the work holds, such as a value that was replaced, takes long. A value may keep its mark, and so this object,
  // until it is used again.
  auto keep = std::move(itself_);
  try {
    workers::all().add_first([keep] { keep->forget(); });
  } catch (std::bad_alloc const&) {
    keep->forget();
  }
}

void operation::compute() {
  std::unique_lock lock(mutex_);
  if (step_ != step::queued) return changed_.wait(lock, [&] { return step_ == step::computed; });
  step_ = step::computing;
  lock.unlock();
  try {
    work_.compute(whose_->answering());
  } catch (...) {
    failure_ = std::current_exception();
  }
  lock.lock();
  step_ = step::computed;
  changed_.notify_all();
}

void operation::finish() {
  if (done_) return;
  done_ = true;
  patient_call it(std::move(whose_));
  attempt(it, [&](patient_call& now) {
    if (failure_) std::rethrow_exception(failure_);
    if (work_.finish) work_.finish(now);
  });
}

/// Finishes and runs what waits, as far as that may be now. Returns whether all is done. While writes are paused, what would
/// write has to come later: a replica that takes over has to have everything that its master wrote, and the master stays silent
/// until it has.
bool operation::conclude() noexcept {
  bool const paused = api::AvoidReplicaTraffic() != 0;
  if (!paused || !work_.finish) finish();
  if (paused && (!done_ || has_waiting())) return false;
  run_waiting();
  return true;
}

void operation::add_waiting(patient_call& another) {
  waiting_.reserve(waiting_.size() + 1);  // what throws, throws before the client is blocked
  waiting_.push_back(another.block());
}

void operation::run_waiting() noexcept {
  for (auto& each : std::exchange(waiting_, {})) {
    patient_call it(std::move(each));
    attempt(it, std::mem_fn(&patient_call::run));
  }
}

bool reading_marks::settle(patient_call& it) {
  drop_done();
  if (running_.empty()) return false;
  if (it.can_block()) throw wait{running_.front()};
  for (auto const& each : std::exchange(running_, {})) {
    each->compute();
    each->finish();
  }
  return true;
}

void reading_marks::queue_up(patient_call& it) {
  drop_done();
  if (!it.can_block()) return;
  for (auto const& each : running_)
    if (each->has_waiting()) throw wait{each};
}

void do_work(patient_call& it, std::uint64_t bytes, std::span<reading_marks* const> reads, long_work work) {
  if (bytes < large_bytes || !it.can_block()) {
    work.compute(it);
    if (work.finish) work.finish(it);
    return;
  }
  for (auto* const each : reads) each->queue_up(it);
  auto const started = std::make_shared<operation>(std::move(work));
  started->begin(it.block());  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): the operation owns it
  try {
    for (auto* const each : reads) each->add(started);
    if (operation::hand_over(started)) return;
  } catch (std::bad_alloc const&) {
  }
  started->compute();
  started->finish();
}

void answer_work(patient_call& it, std::uint64_t bytes, std::span<reading_marks* const> reads,
                 std::function<void(caller const&)> how) {
  do_work(it, bytes, reads, {std::move(how), nullptr});
}

int run_patiently(blocked_call::body_function body, api::context* context, api::string** arguments, int count) noexcept {
  patient_call it(context, arguments, count, body);
  attempt(it, std::mem_fn(&patient_call::run));
  return api::ok;
}

}  // namespace hortus::server
