#pragma once
#include "redis/api.hpp"

/// Which thread may do what.
///
/// A server runs commands on its main thread. Threads of the module (background.hpp) compute what takes long. They must not
/// reach a client's buffer: since Redis 8 the server ends itself when another thread than the main one does, with or without
/// the lock of RedisModule_ThreadSafeContextLock(), which allowed it before. Much reaches clients that names none:
///
/// - opening a key for writing, closing it, setting or deleting its value: clients that cache the key (CLIENT TRACKING) are
/// told,
///   and clients that wait for it (BLPOP, XREAD) are served;
/// - keyspace events: subscribers get them;
/// - replication: replicas, MONITOR and the append-only file get it, and clients in WAIT are counted against it;
/// - calls of other commands, which do any of that.
///
/// So other threads do none of it. They may allocate, read the arguments of the call that they work for, and write its answer:
/// it has a buffer of its own until the client is unblocked. All else they hand over with run_soon().
///
/// Three things keep the rule. A thread of the module has a `caller`, which can read arguments and answer; a `call`, which
/// keys, events and replication need, is made on the main thread only. The functions of api.def say which thread may call them,
/// and in builds for tests they look (HORTUS_REDIS_FAULTS). The lock is not in api.def.
namespace hortus::server {

/// Something to do on the main thread. It is not copied and must live until it is run.
class main_thread_task {
 public:
  main_thread_task() = default;
  main_thread_task(main_thread_task const&) = delete;
  main_thread_task& operator=(main_thread_task const&) = delete;

  virtual void run() noexcept = 0;

 protected:
  ~main_thread_task() = default;
};

/// Runs the task soon on the main thread, between two commands: never inside a script or a transaction, or while the server
/// loads. What it replicates is one unit. Any thread may call it.
void run_soon(main_thread_task& what) noexcept;
/// The same after so many milliseconds. Only the main thread may call it.
void run_after(long long milliseconds, main_thread_task& what) noexcept;

/// Once, when the module is loaded. Returns false if there is no memory.
[[nodiscard]] bool remember_main_thread(api::context* module) noexcept;

}  // namespace hortus::server
