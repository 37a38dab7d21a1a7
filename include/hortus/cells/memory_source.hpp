#pragma once
#include <cstddef>
#include <limits>
#include <new>
#include <type_traits>
#include <vector>

namespace hortus {

/// Where the memory of all filters comes from: their cells, their lists of stages and levels, and the objects of families
/// chosen at run time. A program that must count every byte, or use memory of its own, sets a source.
struct memory_source {
  /// Returns `bytes` bytes, all zero, aligned to `alignment` (a power of two), or null if there is no memory. Then the
  /// operation throws std::bad_alloc, and every filter stays as it was.
  void* (*allocate)(std::size_t bytes, std::size_t alignment) noexcept;
  /// Frees a block, with the `bytes` and `alignment` of its allocation.
  void (*release)(void* block, std::size_t bytes, std::size_t alignment) noexcept;
  bool operator==(memory_source const&) const = default;
};

/// The heap; from 2 MiB up, pages mapped from the system, huge ones where it grants them.
[[nodiscard]] memory_source default_memory_source() noexcept;
[[nodiscard]] memory_source current_memory_source() noexcept;

/// Sets the source of all later allocations. Earlier blocks are returned to the source they came from. Pre: no other thread
/// makes, changes or copies filters meanwhile. It is best called before the first filter is made.
void set_memory_source(memory_source source) noexcept;

/// The same source as an allocator for standard containers.
template <class T>
class memory_allocator {
 public:
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;  // elements are returned to the source they came from
  using propagate_on_container_swap = std::true_type;

  memory_allocator() noexcept : source_(current_memory_source()) {}
  template <class U>
  memory_allocator(memory_allocator<U> const& other) noexcept  // NOLINT(google-explicit-constructor): allocators convert
      : source_(other.source()) {}

  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    void* const block = source_.allocate(count * sizeof(T), alignof(T));
    if (block == nullptr) throw std::bad_alloc();
    return static_cast<T*>(block);
  }
  void deallocate(T* block, std::size_t count) noexcept { source_.release(block, count * sizeof(T), alignof(T)); }

  /// A copy of a container uses the source that is set when the copy is made.
  [[nodiscard]] memory_allocator select_on_container_copy_construction() const noexcept { return {}; }
  [[nodiscard]] memory_source source() const noexcept { return source_; }
  template <class U>
  bool operator==(memory_allocator<U> const& other) const noexcept {
    return source_ == other.source();
  }

 private:
  memory_source source_;
};

/// A vector that is part of a filter.
template <class T>
using memory_vector = std::vector<T, memory_allocator<T>>;

}  // namespace hortus
