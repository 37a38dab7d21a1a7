#include "redis/faults/faults.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

#include "redis/call.hpp"
#include "redis/registry.hpp"

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
