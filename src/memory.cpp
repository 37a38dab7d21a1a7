#include <hortus/cells/memory.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace hortus {
namespace {

constexpr std::uint64_t round_up(std::uint64_t n, std::uint64_t to) { return n / to * to + (n % to != 0 ? to : 0); }

void* small_block(std::size_t bytes, std::size_t alignment) noexcept {
  auto const boundary = std::max(alignment, alignof(std::max_align_t));
  auto const rounded = round_up(bytes, boundary);
  void* const block = std::aligned_alloc(boundary, rounded);
  if (block != nullptr) std::memset(block, 0, rounded);
  return block;
}

constexpr std::size_t page_bytes = 4096;

/// Fresh pages from the system are zero already. Maps one huge page more than needed, then trims the block to start on a
/// boundary.
void* big_block(std::size_t bytes) noexcept {
  auto const wanted = round_up(bytes, page_bytes);
  auto const mapped = wanted + memory::huge_page_bytes;
  void* const raw = ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  auto const start = reinterpret_cast<std::uintptr_t>(raw);
  auto const aligned = round_up(start, memory::huge_page_bytes);
  if (aligned > start) ::munmap(raw, aligned - start);
  if (start + mapped > aligned + wanted) ::munmap(reinterpret_cast<void*>(aligned + wanted), start + mapped - aligned - wanted);
  auto* const block = reinterpret_cast<void*>(aligned);
  ::madvise(block, wanted, MADV_HUGEPAGE);  // a request: if it is not granted, the filter is slower but correct
  return block;
}

void* allocate_here(std::size_t bytes, std::size_t alignment) noexcept {
  return bytes < memory::huge_page_bytes ? small_block(bytes, alignment) : big_block(bytes);
}
void release_here(void* block, std::size_t bytes, std::size_t) noexcept {
  if (bytes < memory::huge_page_bytes)
    std::free(block);
  else
    ::munmap(block, round_up(bytes, page_bytes));
}

memory_source current{allocate_here, release_here};

}  // namespace

memory_source default_memory_source() noexcept { return {allocate_here, release_here}; }
memory_source current_memory_source() noexcept { return current; }
void set_memory_source(memory_source source) noexcept { current = source; }

memory::memory(std::uint64_t bytes) : size_(bytes) {
  if (bytes == 0) return;
  if (bytes > (std::uint64_t{1} << 60)) throw std::bad_alloc();  // checked before any rounding could overflow
  auto const source = current;
  data_ = static_cast<std::byte*>(source.allocate(allocated(bytes), line_bytes));
  if (data_ == nullptr) throw std::bad_alloc();
  release_ = source.release;
}

memory::memory(memory const& other) : memory(other.size_) {
  if (size_ != 0) std::memcpy(data_, other.data_, size_);
}

memory memory::borrow(std::span<std::byte const> bytes, std::shared_ptr<void const> owner) noexcept {
  memory m;
  m.owner_ = std::move(owner);
  m.data_ = const_cast<std::byte*>(bytes.data());
  m.size_ = bytes.size();
  return m;
}

void memory::clear() noexcept {
  if (size_ != 0) std::memset(data_, 0, size_);
}

bool memory::operator==(memory const& other) const noexcept {
  return size_ == other.size_ && (size_ == 0 || std::memcmp(data_, other.data_, size_) == 0);
}

std::uint64_t huge_page_bytes(memory const& bytes) {
  auto const first = reinterpret_cast<std::uintptr_t>(bytes.data());
  std::FILE* const maps = std::fopen("/proc/self/smaps", "re");
  if (maps == nullptr) return 0;
  std::uint64_t granted = 0;
  bool inside = false;
  char text[512];
  while (std::fgets(text, sizeof text, maps) != nullptr) {
    unsigned long from = 0;
    unsigned long to = 0;
    unsigned long kib = 0;
    if (std::sscanf(text, "%lx-%lx ", &from, &to) == 2)
      inside = from < first + bytes.size() && to > first;
    else if (inside && std::sscanf(text, "AnonHugePages: %lu kB", &kib) == 1)
      granted += kib * 1024;
  }
  std::fclose(maps);
  return granted < bytes.size() ? granted : bytes.size();
}

}  // namespace hortus
