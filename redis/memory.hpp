#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include <hortus/cells/memory_source.hpp>

#include "redis/api.hpp"

/// Memory from Redis' allocator, so that used_memory, maxmemory, MEMORY USAGE and defragmentation count it.
namespace hortus::server {

/// The source for the cells of all filters of the library: set_memory_source(redis_memory()) when the module is loaded.
[[nodiscard]] memory_source redis_memory() noexcept;
/// From now on the calling thread writes to every page that it allocates. For threads that nobody waits for: later commands
/// would otherwise wait for the system at the first touch of each page.
void touch_pages_from_now_on() noexcept;

/// Moves a block of that source to where the allocator wants it. Returns where it is now, or null if it stays.
[[nodiscard]] void* moved_block(void* block, std::size_t bytes, std::size_t alignment, api::defragmentation* how) noexcept;

/// Zeroed bytes that the module owns. A failed allocation throws std::bad_alloc; it never ends the server.
class buffer {
 public:
  buffer() noexcept = default;
  explicit buffer(std::uint64_t bytes);
  buffer(buffer const& other);
  buffer(buffer&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  buffer& operator=(buffer other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~buffer();

  [[nodiscard]] std::byte* data() noexcept { return data_; }
  [[nodiscard]] std::byte const* data() const noexcept { return data_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] std::span<std::byte const> bytes() const noexcept { return {data_, size_}; }
  /// The bytes that the allocator uses for it.
  [[nodiscard]] std::size_t allocated() const noexcept { return data_ == nullptr ? 0 : api::MallocSize(data_); }
  void defragment(api::defragmentation* how) noexcept;

 private:
  std::byte* data_ = nullptr;
  std::uint64_t size_ = 0;
};

/// The same as an allocator for standard containers and std::allocate_shared.
template <class T>
struct redis_allocator {
  using value_type = T;
  redis_allocator() noexcept = default;
  template <class U>
  redis_allocator(redis_allocator<U> const&) noexcept {}  // NOLINT(google-explicit-constructor): allocators convert
  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
    void* const block = api::TryAlloc(count * sizeof(T));
    if (block == nullptr) throw std::bad_alloc();
    return static_cast<T*>(block);
  }
  void deallocate(T* block, std::size_t) noexcept { api::Free(block); }
  template <class U>
  bool operator==(redis_allocator<U> const&) const noexcept {
    return true;
  }
};

/// How many values of a type there are, for INFO. Redis may free a value on a thread of its own.
template <class T>
inline std::atomic<long long> live_values = 0;
/// The bytes in all buffers and cells, as the allocator counts them.
[[nodiscard]] long long allocated_bytes() noexcept;
/// Counts a block that Redis allocated and that buffers or cells own from now on.
void count_adopted(void* block) noexcept;

/// The bytes that this thread has taken from the allocator for buffers and cells since the meter was made, less those that it
/// returned. What is left at the end of a scope that makes or changes a value is what the value grew by.
class allocation_meter {
 public:
  allocation_meter() noexcept;
  [[nodiscard]] long long bytes() const noexcept;

 private:
  long long before_;
};

/// A value of a key: made with new_value, ended with free_value.
template <class T, class... Arguments>
T* new_value(Arguments&&... arguments) {
  redis_allocator<T> from;
  T* const space = from.allocate(1);
  try {
    T* const made = std::construct_at(space, std::forward<Arguments>(arguments)...);
    ++live_values<T>;
    return made;
  } catch (...) {
    from.deallocate(space, 1);
    throw;
  }
}
template <class T>
void free_value(void* value) noexcept {
  std::destroy_at(static_cast<T*>(value));
  api::Free(value);
  --live_values<T>;
}
template <class T>
struct value_deleter {
  void operator()(T* value) const noexcept { free_value<T>(value); }
};
template <class T>
using owned_value = std::unique_ptr<T, value_deleter<T>>;

}  // namespace hortus::server
