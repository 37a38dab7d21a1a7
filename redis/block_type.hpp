#pragma once
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#include "redis/api.hpp"
#include "redis/memory.hpp"

/// Methods of types whose values name their blocks of memory in T::blocks(value, visit).
namespace hortus::server {

/// What MEMORY USAGE shows: as the allocator counts.
template <class T>
std::size_t memory_used(void const* value) {
  std::size_t bytes = api::MallocSize(const_cast<void*>(value));
  T::blocks(*static_cast<T const*>(value), [&](auto const& block) {
    using cell = std::remove_cvref_t<decltype(block[0])>;
    if (block.size() != 0) bytes += api::MallocSize(const_cast<cell*>(block.data()));
  });
  return bytes;
}

/// Redis frees a value on a thread of its own if this is above 64. Freeing a large block takes time with its pages.
template <class T>
std::size_t effort_to_free(api::string*, void const* value) {
  constexpr std::size_t bytes_as_quick_as_a_block = std::size_t{64} << 10;
  std::size_t effort = 1;
  T::blocks(*static_cast<T const*>(value), [&](auto const& block) {
    if (block.size() != 0) effort += 1 + block.bytes().size() / bytes_as_quick_as_a_block;
  });
  return effort;
}

/// COPY. Null if there is no memory: then COPY is an error.
template <class T>
void* copied(api::string*, api::string*, void const* value) {
  try {
    return new_value<T>(*static_cast<T const*>(value));
  } catch (std::bad_alloc const&) {
    return nullptr;
  }
}

/// Redis moves what lies badly by copying bytes; values and cells allow that.
template <class T>
int defragmented(api::defragmentation* how, api::string*, void** value) {
  auto const move = [how](void* block) { return api::DefragAlloc(how, block); };
  if (void* const moved = move(*value)) *value = moved;
  T::blocks(*static_cast<T*>(*value), [&](auto& block) { block.relocate(move); });
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
