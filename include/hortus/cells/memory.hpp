#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include <hortus/cells/memory_source.hpp>

namespace hortus {

/// The one buffer under every store: zeroed bytes, aligned to 64-byte lines. A filter does not know whether its cells are on
/// the heap, on huge pages, in a mapped file or in memory that another object owns, so there is no second set of view types.
///
/// Bytes come from the memory_source and are returned to the source they came from. By default, blocks of 2 MiB and more are
/// mapped on a 2 MiB boundary and huge pages are requested: a random read then costs one cache miss instead of a miss and a
/// page walk. A failed allocation throws std::bad_alloc. Copies are deep and owned; a moved-from memory is empty.
class memory {
 public:
  static constexpr std::size_t line_bytes = 64;
  static constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

  memory() noexcept = default;
  explicit memory(std::uint64_t bytes);
  memory(memory const& other);
  memory(memory&& other) noexcept { swap(other); }
  // Two operators, not one with a by-value argument: g++ 12 treats assignment by such an operator as noexcept, although it
  // includes the copy.
  memory& operator=(memory const& other) {
    memory copy(other);
    swap(copy);
    return *this;
  }
  memory& operator=(memory&& other) noexcept {
    memory taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~memory() {
    if (release_ != nullptr) release_(data_, allocated(size_), line_bytes);
  }

  /// Borrows bytes that it does not own (a private mapping, a caller's buffer). `owner` keeps them alive if it is not empty.
  /// Pre: either nothing is written through this memory, or the caller allows writing.
  static memory borrow(std::span<std::byte const> bytes, std::shared_ptr<void const> owner) noexcept;

  [[nodiscard]] std::byte* data() noexcept { return data_; }
  [[nodiscard]] std::byte const* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::span<std::byte const> bytes() const noexcept { return {data_, size_}; }
  void clear() noexcept;
  bool operator==(memory const& other) const noexcept;

  /// For allocators that defragment: move(block, bytes, alignment) returns where the block is now, or null if it stays.
  /// Borrowed bytes are not moved. Pre: the block is from the source that `move` knows, and no other thread uses it.
  void relocate(auto move) noexcept {
    if (release_ == nullptr) return;
    if (void* const moved = move(data_, allocated(size_), line_bytes)) data_ = static_cast<std::byte*>(moved);
  }

  void swap(memory& other) noexcept {
    owner_.swap(other.owner_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(release_, other.release_);
  }

 private:
  /// Rounded up to whole lines, because a kernel may read the rest of the last one.
  static constexpr std::size_t allocated(std::size_t bytes) noexcept {
    return bytes / line_bytes * line_bytes + (bytes % line_bytes != 0 ? line_bytes : 0);
  }

  std::shared_ptr<void const> owner_;  // of borrowed bytes, if they have an owner
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  decltype(memory_source::release) release_ = nullptr;  // for bytes that this object owns
};

/// The number of these bytes that the system has put on huge pages (0 where it does not report that). Reads the process's
/// memory map, so it is for reports, not for hot paths.
std::uint64_t huge_page_bytes(memory const& bytes);

}  // namespace hortus
