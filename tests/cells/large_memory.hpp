#pragma once
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <concepts>
#include <cstring>
#include <memory>
#include <vector>

#include <hortus/cells/memory.hpp>
#include <hortus/io/fields.hpp>

/// Stores past 4 GiB in a few MiB: addresses that nobody writes to take no memory, and neither does a page that is mapped
/// again and again.
namespace hortus::testing {

/// Zeros, to be written to here and there. Empty where the system has no such range of addresses.
inline memory untouched(std::uint64_t bytes) {
  void* const start = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) return {};
  std::shared_ptr<void const> const owner(start, [bytes](void* p) { ::munmap(p, bytes); });
  return memory::borrow({static_cast<std::byte const*>(start), bytes}, owner);
}

/// Bytes that are all ones, only to be read: one piece, mapped again and again.
inline memory all_ones(std::uint64_t bytes) {
  constexpr std::uint64_t piece = std::uint64_t{64} << 20;
  int const file = ::memfd_create("ones", MFD_CLOEXEC);
  if (file < 0 || ::ftruncate(file, piece) != 0) return {};
  auto whole = untouched((bytes + piece - 1) / piece * piece);
  void* const first = ::mmap(nullptr, piece, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (first != MAP_FAILED) {
    std::memset(first, 0xff, piece);
    ::munmap(first, piece);
  }
  bool mapped = first != MAP_FAILED;
  for (std::uint64_t at = 0; at < whole.size() && mapped; at += piece)
    mapped = ::mmap(whole.data() + at, piece, PROT_READ, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED;
  ::close(file);
  if (!mapped) return {};
  auto const bytes_of_it = whole.bytes().first(bytes);
  return memory::borrow(bytes_of_it, std::make_shared<memory>(std::move(whole)));
}

/// A store read from its fields, as from a file that nobody verifies.
template <class Store>
Store store_of(std::vector<std::uint64_t> scalars, std::same_as<memory> auto... sections) {
  std::vector<memory> parts;
  (parts.push_back(std::move(sections)), ...);  // a list in braces would copy them
  field_reader in(std::move(scalars), std::move(parts), false);
  Store store;
  Store::fields(store, in);
  return store;
}

/// Numbers of cells that fall on each other when an index, or what it is multiplied to, loses its upper bits: powers of two,
/// what is beside them, and the last ones.
inline std::vector<std::uint64_t> telling_cells(std::uint64_t size) {
  std::vector<std::uint64_t> cells{0, 1, 2, 3, size / 3, size - 2, size - 1};
  for (std::uint64_t power = 4; power + 1 < size && power != 0; power *= 2)
    cells.insert(cells.end(), {power - 1, power, power + 1});
  std::ranges::sort(cells);
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  return cells;
}

/// A cell that is set is set, and no other is; one after the other.
void expect_cells_of_their_own(std::uint64_t size, auto set, auto clear, auto is_set) {
  auto const cells = telling_cells(size);
  for (auto const cell : cells) {
    set(cell);
    for (auto const other : cells) ASSERT_EQ(is_set(other), other == cell) << cell << " set, " << other << " of " << size;
    clear(cell);
    ASSERT_FALSE(is_set(cell)) << cell << " of " << size;
  }
}

}  // namespace hortus::testing
