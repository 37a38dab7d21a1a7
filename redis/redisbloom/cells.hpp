#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <span>
#include <utility>

#include <hortus/cells/memory_source.hpp>

namespace hortus::redisbloom {

/// Zeroed bytes from the memory source: the bits of a Bloom filter, the slots of a cuckoo filter. Servers hold millions of
/// filters of 150 bytes, so there is nothing beside a pointer and a number. hortus::memory rounds up to cache lines and keeps
/// an owner, which doubles such a filter. A failed allocation throws std::bad_alloc.
/// Pre: the memory source is set before the first one is made, and not changed while one exists.
class cells {
 public:
  cells() noexcept = default;
  explicit cells(std::uint64_t bytes) : size_(bytes) {
    if (bytes == 0) return;
    if (bytes > std::numeric_limits<std::size_t>::max() / 2) throw std::bad_alloc();
    data_ = static_cast<std::uint8_t*>(current_memory_source().allocate(bytes, alignment));
    if (data_ == nullptr) throw std::bad_alloc();
  }
  cells(cells const& other) : cells(other.size_) {
    if (size_ != 0) std::memcpy(data_, other.data_, size_);
  }
  cells(cells&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  cells& operator=(cells other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~cells() {
    if (data_ != nullptr) current_memory_source().release(data_, size_, alignment);
  }

  /// Takes over a block. Pre: the memory source can release it, as a block of this size and alignment.
  [[nodiscard]] static cells adopt(void* block, std::uint64_t bytes) noexcept {
    cells adopted;
    adopted.data_ = static_cast<std::uint8_t*>(block);
    adopted.size_ = bytes;
    return adopted;
  }

  [[nodiscard]] std::uint8_t* data() noexcept { return data_; }
  [[nodiscard]] std::uint8_t const* data() const noexcept { return data_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] std::span<std::uint8_t const> bytes() const noexcept { return {data_, size_}; }

  /// Calls visit(block) with the block, if there is one. The visitor may move it and change the pointer.
  void visit_block(auto const& visit) {
    if (data_ == nullptr) return;
    void* block = data_;
    visit(block);
    data_ = static_cast<std::uint8_t*>(block);
  }

  static constexpr std::size_t alignment = 16;

 private:
  std::uint8_t* data_ = nullptr;
  std::uint64_t size_ = 0;
};

/// Cells of fewer bytes are in a core's own cache, or soon are: commands prefetch only from larger ones.
inline constexpr std::uint64_t cached_bytes = std::uint64_t{1} << 20;

}  // namespace hortus::redisbloom
