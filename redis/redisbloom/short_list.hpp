#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include <hortus/cells/memory_source.hpp>

namespace hortus::redisbloom {

/// The sub-filters of a chain: a list that grows by one element at a time, with no room to spare, because most chains have one
/// sub-filter for ever. 16 bytes, where a vector with a memory source has 40.
/// Pre: as for cells, the memory source stays the same while one exists.
template <class T>
class short_list {
 public:
  short_list() noexcept = default;
  explicit short_list(std::uint32_t room) : room_(room) {
    if (room == 0) return;
    data_ = static_cast<T*>(current_memory_source().allocate(std::size_t{room} * sizeof(T), alignof(T)));
    if (data_ == nullptr) throw std::bad_alloc();
  }
  short_list(short_list const& other) : short_list(other.size_) {
    for (auto const& each : other) add(T(each));
  }
  short_list(short_list&& other) noexcept { swap(other); }
  short_list& operator=(short_list const& other) { return *this = short_list(other); }
  short_list& operator=(short_list&& other) noexcept {
    swap(other);
    return *this;
  }
  ~short_list() {
    std::destroy_n(data_, size_);
    if (data_ != nullptr) current_memory_source().release(data_, std::size_t{room_} * sizeof(T), alignof(T));
  }

  /// Throws std::bad_alloc, and is then as it was.
  void add(T element) {
    if (size_ == room_) {
      short_list larger(size_ + 1);
      for (auto& each : *this) larger.add(std::move(each));
      swap(larger);
    }
    std::construct_at(data_ + size_, std::move(element));
    ++size_;
  }
  void remove_last() noexcept { std::destroy_at(data_ + --size_); }

  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return data_[i]; }
  [[nodiscard]] T const& operator[](std::size_t i) const noexcept { return data_[i]; }
  [[nodiscard]] T& last() noexcept { return data_[size_ - 1]; }
  [[nodiscard]] T const& last() const noexcept { return data_[size_ - 1]; }
  [[nodiscard]] T* begin() noexcept { return data_; }
  [[nodiscard]] T* end() noexcept { return data_ + size_; }
  [[nodiscard]] T const* begin() const noexcept { return data_; }
  [[nodiscard]] T const* end() const noexcept { return data_ + size_; }

  /// Calls visit(block) with the list's own block. The visitor may move it and change the pointer.
  void visit_block(auto const& visit) {
    if (data_ == nullptr) return;
    void* block = data_;
    visit(block);
    data_ = static_cast<T*>(block);
  }

 private:
  void swap(short_list& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(room_, other.room_);
  }

  T* data_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t room_ = 0;
};

}  // namespace hortus::redisbloom
