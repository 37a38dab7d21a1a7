#include "redis/memory.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace hortus::server {
namespace {

// Redis' allocator aligns to 16 bytes. A block for a stronger alignment is larger, and the word before it says where the
// allocation begins.
constexpr std::size_t usual_alignment = 16;

std::atomic<long long> total_bytes = 0;
thread_local long long bytes_here = 0;  // of this thread; negative if it frees what others made

void count(long long bytes) noexcept {
  total_bytes += bytes;
  bytes_here += bytes;
}
void* counted_alloc(std::size_t bytes) noexcept {
  void* const block = api::TryAlloc(bytes);
  if (block != nullptr) count(static_cast<long long>(api::MallocSize(block)));
  return block;
}
void counted_free(void* block) noexcept {
  if (block == nullptr) return;
  count(-static_cast<long long>(api::MallocSize(block)));
  api::Free(block);
}

thread_local bool touches_pages = false;

/// Sets a new block to zero. The whole pages of a large one are returned to the system, which maps zeroed pages when they are
/// touched: a filter of gigabytes is there at once, and takes memory as it fills. Unless the thread has time to touch them.
void zero(void* block, std::size_t bytes) noexcept {
  auto* const first = static_cast<std::byte*>(block);
#if defined(__linux__)
  if (bytes >= std::size_t{1} << 20 && !touches_pages) {
    auto const page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    auto const start = reinterpret_cast<std::uintptr_t>(block);
    auto const from = (start + page - 1) / page * page;
    auto const to = (start + bytes) / page * page;
    // Private anonymous memory, as allocators map it, reads as zero afterwards. Locked pages are refused.
    if (madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED) == 0) {
      std::memset(first, 0, from - start);
      std::memset(first + (to - start), 0, start + bytes - to);
      return;
    }
  }
#endif
  std::memset(first, 0, bytes);
}

/// Where the block of that alignment is in an allocation, after a word that says where the allocation begins.
void* place_in(void* start, std::size_t alignment) noexcept {
  auto const first = reinterpret_cast<std::uintptr_t>(start) + sizeof(void*);
  return reinterpret_cast<void*>((first + alignment - 1) / alignment * alignment);
}

void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  if (bytes > std::numeric_limits<std::size_t>::max() / 2) return nullptr;
  if (alignment <= usual_alignment) {
    void* const block = counted_alloc(std::max<std::size_t>(bytes, 1));
    if (block != nullptr) zero(block, bytes);
    return block;
  }
  void* const start = counted_alloc(bytes + alignment + sizeof(void*));
  if (start == nullptr) return nullptr;
  auto* const block = place_in(start, alignment);
  static_cast<void**>(block)[-1] = start;
  zero(block, bytes);
  return block;
}

void release(void* block, std::size_t, std::size_t alignment) noexcept {
  if (block == nullptr) return;
  counted_free(alignment <= usual_alignment ? block : static_cast<void**>(block)[-1]);
}

}  // namespace

long long allocated_bytes() noexcept { return total_bytes; }
void count_adopted(void* block) noexcept { total_bytes += static_cast<long long>(api::MallocSize(block)); }

allocation_meter::allocation_meter() noexcept : before_(bytes_here) {}
long long allocation_meter::bytes() const noexcept { return bytes_here - before_; }

void touch_pages_from_now_on() noexcept { touches_pages = true; }

memory_source redis_memory() noexcept { return {allocate, release}; }

void* moved_block(void* block, std::size_t bytes, std::size_t alignment, api::defragmentation* how) noexcept {
  if (block == nullptr) return nullptr;
  if (alignment <= usual_alignment) return api::DefragAlloc(how, block);
  auto* const start = static_cast<std::byte*>(static_cast<void**>(block)[-1]);
  auto const distance = static_cast<std::byte*>(block) - start;
  auto* const now = static_cast<std::byte*>(api::DefragAlloc(how, start));  // copies the bytes and frees the old ones
  if (now == nullptr) return nullptr;
  auto* const fresh = place_in(now, alignment);
  std::memmove(fresh, now + distance, bytes);  // the same distance, unless the allocation is aligned otherwise
  static_cast<void**>(fresh)[-1] = now;
  return fresh;
}

buffer::buffer(std::uint64_t bytes) : size_(bytes) {
  if (bytes == 0) return;
  if (bytes > (std::uint64_t{1} << 60)) throw std::bad_alloc();
  data_ = static_cast<std::byte*>(counted_alloc(bytes));
  if (data_ == nullptr) throw std::bad_alloc();
  zero(data_, bytes);
}

buffer::buffer(buffer const& other) : buffer(other.size_) {
  if (size_ != 0) std::memcpy(data_, other.data_, size_);
}

buffer::~buffer() { counted_free(data_); }

void buffer::defragment(api::defragmentation* how) noexcept {
  if (data_ == nullptr) return;
  if (void* const moved = api::DefragAlloc(how, data_)) data_ = static_cast<std::byte*>(moved);
}

}  // namespace hortus::server
