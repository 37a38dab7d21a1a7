#pragma once
#include <cstddef>
#include <limits>
#include <new>
#include <type_traits>
#include <vector>

namespace hortus {

/// Where the memory of all filters comes from: their cells, their lists of stages and levels, and the objects of families
/// chosen at run time. Programs that must count every byte, or take it from a place of their own, set one.
struct memory_source {
  /// So many bytes, all zero, on a boundary of `alignment` (a power of two); null if there are none: then whoever asked gets
  /// std::bad_alloc, and every filter stays as it was.
  void* (*allocate)(std::size_t bytes, std::size_t alignment) noexcept;
  /// Takes them back, with the numbers they were asked for with.
  void (*release)(void* block, std::size_t bytes, std::size_t alignment) noexcept;
  bool operator==(memory_source const&) const = default;
};

/// The heap; from 2 MiB up pages of the system, huge ones where it grants them.
[[nodiscard]] memory_source default_memory_source() noexcept;
[[nodiscard]] memory_source current_memory_source() noexcept;

/// For all memory asked for from now on; what was given out before goes back to where it came from. Not while another thread
/// makes, changes or copies filters: best before the first of them.
void set_memory_source(memory_source source) noexcept;

/// The same source for the containers of the standard library.
template <class T>
class memory_allocator {
 public:
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;  // elements go back to where they came from
  using propagate_on_container_swap = std::true_type;

  memory_allocator() noexcept : source_(current_memory_source()) {}
  template <class U>
  memory_allocator(memory_allocator<U> const& other) noexcept  // NOLINT(google-explicit-constructor): as allocators are
      : source_(other.source()) {}

  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    void* const block = source_.allocate(count * sizeof(T), alignof(T));
    if (block == nullptr) throw std::bad_alloc();
    return static_cast<T*>(block);
  }
  void deallocate(T* block, std::size_t count) noexcept { source_.release(block, count * sizeof(T), alignof(T)); }

  /// A copy of a container asks the source of its own time.
  [[nodiscard]] memory_allocator select_on_container_copy_construction() const noexcept { return {}; }
  [[nodiscard]] memory_source source() const noexcept { return source_; }
  template <class U>
  bool operator==(memory_allocator<U> const& other) const noexcept {
    return source_ == other.source();
  }

 private:
  memory_source source_;
};

/// A list that is part of a filter.
template <class T>
using memory_vector = std::vector<T, memory_allocator<T>>;

}  // namespace hortus
