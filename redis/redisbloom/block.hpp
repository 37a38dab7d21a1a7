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

/// A fixed number of cells from the memory source. It differs from hortus::memory in two ways. It is no larger than its cells,
/// because lists have one for each short item. It is exactly one block of the source, which a server may move to another
/// address. So cells must not point into themselves. Fresh numbers are zero.
template <class Cell>
class block {
 public:
  block() noexcept = default;
  /// Throws std::bad_alloc, also if no block can be that large.
  explicit block(std::uint64_t cells) {
    if (cells == 0) return;
    if (cells > most_bytes / sizeof(Cell)) throw std::bad_array_new_length();
    auto const source = current_memory_source();
    void* const space = source.allocate(cells * sizeof(Cell), alignof(Cell));
    if (space == nullptr) throw std::bad_alloc();
    data_ = static_cast<Cell*>(space);
    size_ = cells;
    release_ = source.release;
    if constexpr (!std::is_trivially_default_constructible_v<Cell>) std::uninitialized_value_construct_n(data_, size_);
  }
  block(block const& other) : block(other.size_) { std::copy_n(other.data_, size_, data_); }
  block(block&& other) noexcept { swap(other); }
  block& operator=(block const& other) {
    block copy(other);
    swap(copy);
    return *this;
  }
  block& operator=(block&& other) noexcept {
    block taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~block() {
    if (data_ == nullptr) return;
    std::destroy_n(data_, size_);
    release_(data_, size_ * sizeof(Cell), alignof(Cell));
  }

  [[nodiscard]] Cell* data() noexcept { return data_; }
  [[nodiscard]] Cell const* data() const noexcept { return data_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] Cell& operator[](std::uint64_t i) noexcept { return data_[i]; }
  [[nodiscard]] Cell const& operator[](std::uint64_t i) const noexcept { return data_[i]; }
  [[nodiscard]] Cell const* begin() const noexcept { return data_; }
  [[nodiscard]] Cell const* end() const noexcept { return data_ + size_; }
  [[nodiscard]] std::span<char const> bytes() const noexcept {
    return {reinterpret_cast<char const*>(data_), size_ * sizeof(Cell)};
  }

  /// Calls visit(block) with its memory, if it has some. The visitor may move it and change the pointer.
  void visit_block(auto const& visit) {
    if (data_ == nullptr) return;
    void* where = data_;
    visit(where);
    data_ = static_cast<Cell*>(where);
  }

  void swap(block& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(release_, other.release_);
  }

 private:
  static constexpr std::uint64_t most_bytes = std::numeric_limits<std::ptrdiff_t>::max();

  Cell* data_ = nullptr;
  std::uint64_t size_ = 0;
  decltype(memory_source::release) release_ = nullptr;
};

}  // namespace hortus::redisbloom
