#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include <hortus/cells/memory_source.hpp>

namespace hortus {

/// The one buffer under every store: zeroed bytes on 64-byte lines, wherever they live. A filter does not know whether its
/// cells are on the heap, on huge pages, in a mapped file or in memory somebody else owns, so there is no second set of view
/// types.
///
/// Bytes come from the memory_source, and go back to the one they came from. By default, from 2 MiB up, they are mapped on a
/// 2 MiB boundary and huge pages are asked for: a random read then costs one cache miss instead of a miss and a page walk.
/// Failing to allocate throws std::bad_alloc. Copies are deep and owned; a moved-from memory is empty.
class memory {
 public:
  static constexpr std::size_t line_bytes = 64;
  static constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

  memory() noexcept = default;
  explicit memory(std::uint64_t bytes);
  memory(memory const& other);
  memory(memory&& other) noexcept { swap(other); }
  // Two, not one that takes its argument by value: g++ 12 believes an assignment by such a one to be noexcept, copy and all.
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

  /// Bytes of somebody else (a private mapping, a caller's buffer), kept alive by `owner` if that is not empty. The caller says
  /// by handing them in that either nobody will write through this memory, or that writing is allowed.
  static memory borrow(std::span<std::byte const> bytes, std::shared_ptr<void const> owner) noexcept;

  [[nodiscard]] std::byte* data() noexcept { return data_; }
  [[nodiscard]] std::byte const* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::span<std::byte const> bytes() const noexcept { return {data_, size_}; }
  void clear() noexcept;
  bool operator==(memory const& other) const noexcept;

  void swap(memory& other) noexcept {
    owner_.swap(other.owner_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(release_, other.release_);
  }

 private:
  /// Whole lines: a kernel may read the rest of the last one.
  static constexpr std::size_t allocated(std::size_t bytes) noexcept {
    return bytes / line_bytes * line_bytes + (bytes % line_bytes != 0 ? line_bytes : 0);
  }

  std::shared_ptr<void const> owner_;  // of borrowed bytes, if they have one
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  decltype(memory_source::release) release_ = nullptr;  // of bytes that are this object's own
};

/// How many of these bytes the system has put on huge pages (0 where it does not tell). Reads the process's own memory map:
/// for reports, not for hot paths.
std::uint64_t huge_page_bytes(memory const& bytes);

}  // namespace hortus
