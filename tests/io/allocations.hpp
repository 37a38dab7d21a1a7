#pragma once
#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>

#include "sanitizers.hpp"

/// Counts what a piece of code allocates, wherever it does so: operator new, and under the cells aligned_alloc and mmap.
/// Replaces those functions for the whole program, so it is included by one file of it. Under sanitizers, which replace them
/// too, nothing is counted.
namespace hortus::testing {

inline constexpr bool allocations_counted = !sanitized;

struct allocation_counter {
  std::ptrdiff_t live = 0;
  std::ptrdiff_t peak = 0;
  std::ptrdiff_t until_failure = -1;  ///< so many more succeed, then one fails; negative: none does
  void add(std::ptrdiff_t bytes) noexcept { peak = std::max(peak, live += bytes); }
  bool fails() noexcept { return until_failure >= 0 && until_failure-- == 0; }
};
inline allocation_counter allocations;

/// The most bytes that were allocated at any moment of act(), beyond those before it. What aligned_alloc and mmap gave counts
/// as never given back.
template <class Act>
std::size_t peak_of(Act act) {
  allocations = {};
  act();
  return static_cast<std::size_t>(allocations.peak);
}

}  // namespace hortus::testing

#if !HORTUS_TEST_ADDRESS_SANITIZER && !HORTUS_TEST_THREAD_SANITIZER
#ifdef __GNUC__
#ifndef __clang__
#pragma GCC diagnostic ignored \
    "-Wmismatched-new-delete"  // inlined, it sees malloc and operator delete and not that both are ours
#endif
#endif
void* operator new(std::size_t bytes) {
  using hortus::testing::allocations;
  void* const block = allocations.fails() ? nullptr : std::malloc(bytes);
  if (block == nullptr) throw std::bad_alloc();
  allocations.add(static_cast<std::ptrdiff_t>(::malloc_usable_size(block)));
  return block;
}
void operator delete(void* block) noexcept {
  if (block != nullptr) hortus::testing::allocations.add(-static_cast<std::ptrdiff_t>(::malloc_usable_size(block)));
  std::free(block);
}
void operator delete(void* block, std::size_t) noexcept { operator delete(block); }

extern "C" void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  using hortus::testing::allocations;
  void* block = nullptr;
  if (allocations.fails() || ::posix_memalign(&block, alignment, bytes) != 0) return nullptr;
  allocations.add(static_cast<std::ptrdiff_t>(bytes));
  return block;
}
/// Address space without memory behind it (MAP_NORESERVE) and mapped files are not allocations.
extern "C" void* mmap(void* where, std::size_t bytes, int protection, int flags, int fd, off_t offset) noexcept {
  using hortus::testing::allocations;
  if ((flags & MAP_ANONYMOUS) != 0) {
    if (allocations.fails()) return MAP_FAILED;
    if ((flags & MAP_NORESERVE) == 0) allocations.add(static_cast<std::ptrdiff_t>(bytes));
  }
  return reinterpret_cast<void*>(::syscall(SYS_mmap, where, bytes, protection, flags, fd, offset));
}
#endif
