#include "redis/faults/faults.hpp"

#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <thread>

#include "redis/call.hpp"
#include "redis/registry.hpp"

namespace hortus::server::api {

void demand_main_thread(char const* function) noexcept {
  // The module is loaded on the main thread, and so is the first function asked for. A child that saves has that id as well.
  static auto const main = std::this_thread::get_id();
  if (std::this_thread::get_id() == main) return;
  char thread[16] = "?";
  (void)pthread_getname_np(pthread_self(), thread, sizeof thread);
  std::fprintf(stderr,
               "hortus: %s was called by the thread '%s', and only the server's main thread may (redis/main_thread.hpp)\n",
               function, thread);
  std::abort();
}

}  // namespace hortus::server::api

namespace hortus::server {
namespace {

std::atomic<long long> allocations = 0;
std::atomic<long long> failing = 0;  // 0: none
void* (*server_try_alloc)(std::size_t) = nullptr;

bool allowed() noexcept { return ++allocations != failing; }

void* try_alloc(std::size_t bytes) { return allowed() ? server_try_alloc(bytes) : nullptr; }

void fault_body(call& it) {
  if (it.size() != 2) throw wrong_arity();
  auto const which = it.integer(1);
  if (!which || *which < 0) throw refusal("ERR the allocation to fail is a number, from 0");
  failing = 0;
  auto const counted = allocations.exchange(0);
  it.reply(counted);
  failing = *which;
}

void* allocate_or_fail(std::size_t bytes) {
  void* const block = allowed() ? std::malloc(bytes == 0 ? 1 : bytes) : nullptr;  // NOLINT: this is operator new
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

constexpr command_entry entries[] = {
    {.name = "hortus.fault", .run = guarded<fault_body>, .flags = "admin fast", .arity = 2, .summary = "Fails an allocation"}};

}  // namespace

bool add_faults(api::context* to) {
  server_try_alloc = api::TryAlloc;
  api::TryAlloc = try_alloc;
  return add_commands(to, entries) == nullptr;
}

}  // namespace hortus::server

// Containers and strings of the module and of the library inside it allocate here; those of the server do not.
void* operator new(std::size_t bytes) { return hortus::server::allocate_or_fail(bytes); }
void operator delete(void* block) noexcept { std::free(block); }               // NOLINT
void operator delete(void* block, std::size_t) noexcept { std::free(block); }  // NOLINT
