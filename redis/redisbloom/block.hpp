#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include <hortus/cells/memory_source.hpp>

namespace hortus::redisbloom {

/// A fixed number of cells: exactly one block from the memory source, which a server may move to another address. So cells must
/// not point into themselves. Fresh numbers are zero. Servers hold millions of filters of 150 bytes, so there is nothing beside
/// a pointer and a number; hortus::memory rounds up to cache lines and keeps an owner, which doubles such a filter.
/// Pre: the memory source is set before the first one is made, and not changed while one exists.
template <class Cell>
class block {
  using byte = std::conditional_t<sizeof(Cell) == 1, Cell, char>;

 public:
  static constexpr std::size_t alignment = 16;
  static_assert(alignof(Cell) <= alignment);

  block() noexcept = default;
  /// Throws std::bad_alloc, also if no block can be that large.
  explicit block(std::uint64_t cells) {
    if (cells == 0) return;
    if (cells > most_bytes / sizeof(Cell)) throw std::bad_array_new_length();
    void* const space = current_memory_source().allocate(cells * sizeof(Cell), alignment);
    if (space == nullptr) throw std::bad_alloc();
    data_ = static_cast<Cell*>(space);
    size_ = cells;
    if constexpr (!std::is_trivially_default_constructible_v<Cell>) std::uninitialized_value_construct_n(data_, size_);
  }
  /// Takes over a block. Pre: the memory source can release it.
  [[nodiscard]] static block adopt(void* space, std::uint64_t cells) noexcept requires std::is_trivial_v<Cell> {
    block adopted;
    adopted.data_ = static_cast<Cell*>(space);
    adopted.size_ = cells;
    return adopted;
  }
  block(block const& other) : block(other.size_) { std::copy_n(other.data_, size_, data_); }
  block(block&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  // Two functions: one that takes its argument by value would make classes with a block believe that they copy without
  // throwing.
  block& operator=(block const& other) { return *this = block(other); }
  block& operator=(block&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~block() {
    if (data_ == nullptr) return;
    std::destroy_n(data_, size_);
    current_memory_source().release(data_, size_ * sizeof(Cell), alignment);
  }

  [[nodiscard]] Cell* data() noexcept { return data_; }
  [[nodiscard]] Cell const* data() const noexcept { return data_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] Cell& operator[](std::uint64_t i) noexcept { return data_[i]; }
  [[nodiscard]] Cell const& operator[](std::uint64_t i) const noexcept { return data_[i]; }
  [[nodiscard]] Cell const* begin() const noexcept { return data_; }
  [[nodiscard]] Cell const* end() const noexcept { return data_ + size_; }
  [[nodiscard]] std::span<byte const> bytes() const noexcept {
    return {reinterpret_cast<byte const*>(data_), size_ * sizeof(Cell)};
  }

  /// Calls visit(space) with its memory, if it has some. The visitor may move it and change the pointer.
  void visit_block(auto const& visit) {
    if (data_ == nullptr) return;
    void* space = data_;
    visit(space);
    data_ = static_cast<Cell*>(space);
  }

 private:
  static constexpr std::uint64_t most_bytes = std::numeric_limits<std::ptrdiff_t>::max();

  Cell* data_ = nullptr;
  std::uint64_t size_ = 0;
};

/// The bits of a Bloom filter, the slots of a cuckoo filter.
using cells = block<std::uint8_t>;

/// Cells of fewer bytes are in a core's own cache, or soon are: commands prefetch only from larger ones.
inline constexpr std::uint64_t cached_bytes = std::uint64_t{1} << 20;

}  // namespace hortus::redisbloom
