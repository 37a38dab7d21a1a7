#include "redis/main_thread.hpp"

namespace hortus::server {
namespace {

api::context* of_module = nullptr;

}  // namespace

void run_after(long long milliseconds, main_thread_task& what) noexcept {
  auto const run = [](api::context*, void* task) { static_cast<main_thread_task*>(task)->run(); };
  api::CreateTimer(of_module, milliseconds, run, &what);
}

void run_soon(main_thread_task& what) noexcept {
  // The function below wakes the main thread. It may do so in the middle of a script that takes long, and outside of any unit
  // of replication. A timer runs neither there nor so, and one that is due runs in the same turn of the event loop.
  auto const set_timer = [](void* task) { run_after(0, *static_cast<main_thread_task*>(task)); };
  api::EventLoopAddOneShot(set_timer, &what);
}

bool remember_main_thread(api::context* module) noexcept {
  of_module = api::GetDetachedThreadSafeContext(module);
  return of_module != nullptr;
}

}  // namespace hortus::server
