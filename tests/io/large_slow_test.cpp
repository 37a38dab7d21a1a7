#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include <hortus/any/any_filter.hpp>
#include <hortus/bloom/bloom.hpp>
#include <hortus/bloom/partitioned.hpp>

#include "cells/large_memory.hpp"
#include "io/scratch_folder.hpp"
#include "io/sparse_file.hpp"

/// Past 2^32 bits, where other libraries break. The files are sparse: all zeros but for header and table, which take no room.
namespace hortus::testing {
namespace {

constexpr std::uint64_t just_above = (std::uint64_t{1} << 33) + 64;
constexpr std::uint64_t the_most = std::uint64_t{1} << 42;

__extension__ using uint128 = unsigned __int128;

std::uint64_t key(std::uint64_t i) { return i * i; }

/// The bits of key i, by the words of docs/file-format.md and 128-bit arithmetic.
std::vector<std::uint64_t> bits_of(shape const& what, std::uint64_t i) {
  std::vector<std::uint64_t> bits;
  auto const width = what.bits() / what.slices;
  auto state = xxh3().of_integer(key(i)).bits() | 1;
  for (std::uint64_t probe = 0; probe < what.probes; ++probe) {
    state *= 0xf1357aea2e62a9c5U;
    auto const position = static_cast<std::uint64_t>((static_cast<uint128>(state) * width) >> 64);
    bits.push_back((what.slices == 1 ? 0 : probe * width) + position);
  }
  return bits;
}

constexpr std::uint64_t keys = 1000;

/// Inserts 1000 keys; each is found, others are not, and the bits set are those and no others.
void use(any_filter& filter, shape const& what) {
  std::set<std::uint64_t> expected;
  for (std::uint64_t i = 0; i < keys; ++i) {
    EXPECT_FALSE(filter.may_contain(key(i)));
    EXPECT_TRUE(filter.insert_if_new(key(i)));
    for (auto const bit : bits_of(what, i)) expected.insert(bit);
  }
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < keys; ++i) {
    EXPECT_TRUE(filter.may_contain(key(i)));
    wrong += filter.may_contain(key(i + keys)) ? 1U : 0U;
  }
  EXPECT_EQ(wrong, 0U) << "the chance of one is below 1e-30";

  // Bits in each sixteenth of the array, the last one included: no address bit is lost.
  std::set<std::uint64_t> sixteenths;
  auto const cells = filter.family().cells()->bytes();
  for (auto const bit : expected) {
    EXPECT_NE(std::to_integer<unsigned>(cells[bit / 8]) >> bit % 8 & 1, 0U) << bit;
    sixteenths.insert(bit / ((what.bits() + 15) / 16));
  }
  EXPECT_EQ(sixteenths.size(), 16U);
  if (what.bits() == just_above) {
    std::uint64_t ones = 0;
    for (std::size_t at = 0; at < cells.size(); at += 8)
      ones += static_cast<std::uint64_t>(std::popcount(get<std::uint64_t>(cells, at)));
    EXPECT_EQ(ones, expected.size());
    EXPECT_NEAR(filter.estimate().value, 1000, 1);
  }
}

class large : public ::testing::TestWithParam<shape> {
 protected:
  void make(bool verifiable) {
    if (!write_sparse(path, GetParam(), verifiable))
      GTEST_SKIP() << "no sparse file of that size here: " << std::generic_category().message(errno);
  }
  scratch_folder folder;
  std::filesystem::path path = folder / "sparse";
};
class above_2_to_33 : public large {};
class of_2_to_42 : public large {};

TEST_P(above_2_to_33, is_mapped_and_loaded_alike) {
  make(true);
  auto opened = open(path, {.key = {}, .verify = true});
  use(opened, GetParam());
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_LT(status.st_blocks, 1000) << "nothing was written to the file";

  auto loaded = load(path);
  EXPECT_NE(loaded, opened);
  for (std::uint64_t i = 0; i < keys; ++i) (void)loaded.insert(key(i));
  EXPECT_EQ(loaded, opened);

  loaded.fold(2);
  for (std::uint64_t i = 0; i < keys; ++i) EXPECT_TRUE(loaded.may_contain(key(i)));
  EXPECT_EQ(loaded.size_bytes(), (GetParam().bits() / 2 + 63) / 64 * 8);
}

TEST_P(above_2_to_33, damage_far_behind_is_found) {
  make(true);
  auto const offset = std::uint64_t{9} << 26;  // beyond 2^32 bits
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(offset));
  file.put('\x01').flush();
  ASSERT_TRUE(file);
  EXPECT_THROW((void)open(path, {.key = {}, .verify = true}), error);
  EXPECT_NO_THROW((void)open(path));
}

TEST_P(of_2_to_42, is_mapped) {
  make(false);
  auto opened = open(path);
  // Random reads over half a terabyte: without this advice the system reads 128 KiB around each, a minute's work in all.
  auto const cells = opened.family().cells()->bytes();
  auto const first = reinterpret_cast<std::uintptr_t>(cells.data()) / 4096 * 4096;
  ASSERT_EQ(::madvise(reinterpret_cast<void*>(first), cells.size(), MADV_RANDOM), 0);
  use(opened, GetParam());
  try {
    (void)open(path, {.key = {}, .verify = true});
    FAIL() << "the checksums of this file are wrong";
  } catch (error const& e) {
    EXPECT_EQ(e.code(), errc::corrupt);
  }
}

TEST_P(of_2_to_42, does_not_fit_into_memory_and_says_so) {
  make(false);
  int policy = 0;
  std::ifstream("/proc/sys/vm/overcommit_memory") >> policy;
  if (policy == 1) GTEST_SKIP() << "this system promises any amount of memory";
  if (::sysconf(_SC_PHYS_PAGES) > (std::int64_t{1} << 39) / 4096) GTEST_SKIP() << "here it fits";
  EXPECT_THROW((void)load(path), std::bad_alloc);
}

TEST_P(of_2_to_42, one_bit_more_is_refused) {
  auto more = GetParam();
  for (auto& scalar : more.scalars)
    if (scalar == the_most) ++scalar;
  if (!write_sparse(path, more, false)) GTEST_SKIP() << "no sparse file of that size here";
  EXPECT_THROW((void)open(path), error);
}

/// Written piece by piece and read chunk by chunk, a section past 4 GiB arrives whole, and the last byte is the last byte.
/// Nothing is copied but what is not zero.
TEST(large_section, is_written_and_read_to_its_end) {
  auto cells = untouched((std::uint64_t{4} << 30) + (3 << 20) + 8);
  if (cells.size() == 0) GTEST_SKIP() << "no address space for it";
  std::uint64_t const marks[] = {0, (std::uint64_t{1} << 31) + 5, (std::uint64_t{4} << 30) - 1, (std::uint64_t{4} << 30) + 7,
                                 cells.size() - 1};
  for (auto const at : marks) cells.data()[at] = std::byte{1};
  image const what{{.family = "bloom"}, {1, 2, 3}, {cells.bytes()}};

  bytes_of_file head;  // header and table
  std::uint64_t written = 0;
  write_image(what, [&](std::span<std::byte const> bytes) {
    if (bytes.data() == cells.data()) {
      EXPECT_EQ(bytes.size(), cells.size());
    } else if (bytes.size() < 100'000) {
      head.insert(head.end(), bytes.begin(), bytes.end());
    }
    written += bytes.size();
  });
  EXPECT_EQ(written, stored_size(what));
  auto const header = read_header(head, written);
  ASSERT_EQ(header.sections.size(), 1U);
  auto const start = header.sections[0].offset;
  EXPECT_EQ(header.sections[0].bytes, cells.size());

  auto const copies = copy_sections(header, [&](std::uint64_t offset, std::span<std::byte> into) {
    if (offset < start) {
      std::copy_n(head.begin() + static_cast<long>(offset), into.size(), into.begin());
    } else {
      EXPECT_LE(offset - start + into.size(), on_a_line(cells.size()));
      for (auto const at : marks)
        if (at >= offset - start && at < offset - start + into.size()) into[at - (offset - start)] = std::byte{1};
    }
  });
  ASSERT_EQ(copies[0].size(), cells.size());
  for (auto const at : marks) EXPECT_EQ(copies[0].data()[at], std::byte{1}) << at;
}

auto const name_of = [](auto const& info) { return info.param.family; };
INSTANTIATE_TEST_SUITE_P(large, above_2_to_33, ::testing::Values(bloom_of(just_above), partitioned_of(just_above)), name_of);
INSTANTIATE_TEST_SUITE_P(large, of_2_to_42, ::testing::Values(bloom_of(the_most), partitioned_of(the_most)), name_of);

}  // namespace
}  // namespace hortus::testing
