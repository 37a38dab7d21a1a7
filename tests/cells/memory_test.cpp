#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <limits>
#include <new>
#include <type_traits>

#include <hortus/cells/memory.hpp>

namespace hortus {
namespace {

bool on_boundary(memory const& m, std::size_t boundary) { return reinterpret_cast<std::uintptr_t>(m.data()) % boundary == 0; }
bool all_zero(memory const& m) {
  return std::ranges::all_of(m.bytes(), [](std::byte b) { return b == std::byte{0}; });
}

constexpr std::size_t huge = memory::huge_page_bytes;

TEST(memory, starts_zeroed_on_a_cache_line) {
  for (std::uint64_t const bytes :
       {1UL, 7UL, 8UL, 63UL, 64UL, 65UL, 4095UL, 4096UL, 100'000UL, huge - 1, huge, huge + 1, 3 * huge + 5}) {
    memory const m(bytes);
    EXPECT_EQ(m.size(), bytes);
    EXPECT_TRUE(on_boundary(m, memory::line_bytes)) << bytes;
    EXPECT_TRUE(all_zero(m)) << bytes;
  }
}

TEST(memory, is_zero_even_where_other_memory_was_before) {
  for (int i = 0; i < 100; ++i) {
    memory m(4096);
    ASSERT_TRUE(all_zero(m));
    std::fill_n(m.data(), m.size(), std::byte{0xff});
  }
}

TEST(memory, from_2_mib_up_starts_on_a_huge_page) {
  for (std::uint64_t const bytes : {huge, huge + 1, 2 * huge, 5 * huge - 1})
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(on_boundary(memory(bytes), huge)) << bytes;
}

/// Trimming the mapping must keep every byte that was asked for, and give back the rest.
TEST(memory, of_many_pages_can_be_written_from_end_to_end_and_is_given_back) {
  auto const mapped_pages = [] {
    unsigned long pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages;
  };
  auto const before = mapped_pages();
  for (int i = 0; i < 200; ++i) {  // 4 GiB in all if it were kept, 400 MiB if what is trimmed off were
    memory m(10 * huge + 1);
    m.data()[0] = std::byte{1};
    m.data()[m.size() - 1] = std::byte{2};
  }
  EXPECT_LE(mapped_pages(), before + (32 << 20) / 4096);
  memory m(3 * huge + 4097);
  std::fill_n(m.data(), m.size(), std::byte{7});
  EXPECT_TRUE(std::ranges::all_of(m.bytes(), [](std::byte b) { return b == std::byte{7}; }));
}

TEST(memory, of_nothing) {
  memory const none;
  EXPECT_EQ(none.size(), 0U);
  EXPECT_EQ(none.data(), nullptr);
  EXPECT_EQ(memory(0), none);
  memory copy(none);
  copy.clear();
  EXPECT_EQ(copy, none);
  EXPECT_EQ(huge_page_bytes(none), 0U);
}

TEST(memory, copies_are_deep) {
  for (std::uint64_t const bytes : {std::size_t{100}, huge + 100}) {
    memory original(bytes);
    original.data()[99] = std::byte{9};
    memory copy(original);
    EXPECT_EQ(copy, original);
    EXPECT_NE(copy.data(), original.data());
    copy.data()[0] = std::byte{1};
    EXPECT_NE(copy, original);
    EXPECT_EQ(original.data()[0], std::byte{0});
    copy = original;
    EXPECT_EQ(copy, original);
    auto const& self = copy;
    copy = self;
    EXPECT_EQ(copy, original);
  }
}

static_assert(std::is_nothrow_move_assignable_v<memory> && !std::is_nothrow_copy_assignable_v<memory>);

TEST(memory, moves_leave_nothing) {
  memory original(100);
  original.data()[5] = std::byte{5};
  auto const* const data = original.data();
  memory moved(std::move(original));
  EXPECT_EQ(moved.data(), data);
  EXPECT_EQ(original.size(), 0U);  // NOLINT(bugprone-use-after-move): that is what is tested
  EXPECT_EQ(original.data(), nullptr);
  original = std::move(moved);
  EXPECT_EQ(original.data(), data);
  EXPECT_EQ(original.data()[5], std::byte{5});
}

TEST(memory, is_equal_by_size_and_content) {
  EXPECT_EQ(memory(64), memory(64));
  EXPECT_NE(memory(64), memory(65));
  EXPECT_NE(memory(1), memory());
}

TEST(memory, clears) {
  memory m(1000);
  std::fill_n(m.data(), m.size(), std::byte{0xff});
  m.clear();
  EXPECT_TRUE(all_zero(m));
}

TEST(memory, borrows_without_copying_and_copies_own) {
  std::array<std::byte, 16> theirs{};
  theirs[3] = std::byte{3};
  auto const borrowed = memory::borrow(theirs, nullptr);
  EXPECT_EQ(borrowed.data(), theirs.data());
  EXPECT_EQ(borrowed.size(), 16U);
  memory copy(borrowed);
  theirs[3] = std::byte{4};
  EXPECT_EQ(borrowed.data()[3], std::byte{4});
  EXPECT_EQ(copy.data()[3], std::byte{3});
  EXPECT_TRUE(on_boundary(copy, memory::line_bytes));
}

TEST(memory, keeps_the_owner_of_what_it_borrows) {
  auto owner = std::make_shared<std::array<std::byte, 8>>();
  std::weak_ptr<void const> const watch = owner;
  {
    auto const borrowed = memory::borrow(*owner, owner);
    owner.reset();
    EXPECT_FALSE(watch.expired());
    memory const copy(borrowed);
    memory const moved(std::move(const_cast<memory&>(borrowed)));
    EXPECT_FALSE(watch.expired());
  }
  EXPECT_TRUE(watch.expired());
}

/// Sizes that wrap when rounded, that no address space has, that no machine has.
TEST(memory, of_absurd_sizes_is_a_bad_alloc) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  for (std::uint64_t const bytes :
       {most, most - 1, most - 63, most - 64, most - 4095, most - huge, std::uint64_t{1} << 63, std::uint64_t{1} << 62,
        (std::uint64_t{1} << 60) + 1, std::uint64_t{1} << 60, std::uint64_t{1} << 48})
    EXPECT_THROW(memory{bytes}, std::bad_alloc) << bytes;
}

TEST(memory, reports_huge_pages_between_none_and_all) {
  memory m(8 * huge);
  EXPECT_EQ(huge_page_bytes(m), 0U) << "nothing was touched yet";
  std::fill_n(m.data(), m.size(), std::byte{1});
  auto const granted = huge_page_bytes(m);
  EXPECT_LE(granted, m.size());
  EXPECT_EQ(granted % 4096, 0U);
  memory const small(100);
  EXPECT_LE(huge_page_bytes(small), 100U);
}

}  // namespace
}  // namespace hortus
