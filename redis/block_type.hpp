#pragma once
#include <cstddef>
#include <cstdint>
#include <new>

#include "redis/api.hpp"
#include "redis/memory.hpp"

/// Methods of types whose values show their blocks of memory: value.visit_blocks(visit) calls visit(block) with each.
namespace hortus::server {

/// visit_blocks() can move blocks, so it has no const twin. The functions below that only look do not move any.
template <class T>
[[nodiscard]] T& value_of(void const* value) noexcept {
  return *static_cast<T*>(const_cast<void*>(value));
}

/// What MEMORY USAGE shows: as the allocator counts.
template <class T>
std::size_t memory_used(void const* value) noexcept {
  std::size_t bytes = api::MallocSize(const_cast<void*>(value));
  value_of<T>(value).visit_blocks([&](void* block) { bytes += api::MallocSize(block); });
  return bytes;
}

/// Redis frees a value on a thread of its own if this is above 64. Freeing a large block takes time with its pages.
template <class T>
std::size_t effort_to_free(api::string*, void const* value) noexcept {
  constexpr std::size_t bytes_as_quick_as_a_block = std::size_t{64} << 10;
  std::size_t effort = 1;
  value_of<T>(value).visit_blocks([&](void* block) { effort += 1 + api::MallocSize(block) / bytes_as_quick_as_a_block; });
  return effort;
}

/// COPY. Null if there is no memory: then COPY is an error.
template <class T>
void* copied(api::string*, api::string*, void const* value) noexcept {
  try {
    return new_value<T>(static_cast<T const&>(value_of<T>(value)));
  } catch (std::bad_alloc const&) {
    return nullptr;
  }
}

/// Redis moves what lies badly by copying bytes; values and blocks allow that.
template <class T>
int defragmented(api::defragmentation* how, api::string*, void** value) noexcept {
  auto const move = [how](void*& block) {
    if (void* const moved = api::DefragAlloc(how, block)) block = moved;
  };
  move(*value);
  value_of<T>(*value).visit_blocks(move);
  return 0;
}

/// All of these, and free.
template <class T>
[[nodiscard]] api::type_methods block_type_methods() noexcept {
  api::type_methods methods;
  methods.mem_usage = memory_used<T>;
  methods.free = free_value<T>;
  methods.free_effort = effort_to_free<T>;
  methods.copy = copied<T>;
  methods.defrag = defragmented<T>;
  return methods;
}

}  // namespace hortus::server
