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

#include "io/parts.hpp"
#include "io/scratch_folder.hpp"

/// Past 2^32 bits, where other libraries break. The files are sparse: all zeros but for header and table, which take no room.
namespace hortus::testing {
namespace {

constexpr std::uint64_t just_above = (std::uint64_t{1} << 33) + 64;
constexpr std::uint64_t the_most = std::uint64_t{1} << 42;

struct shape {
  std::string family;
  std::vector<std::uint64_t> scalars;  ///< as docs/file-format.md lists them for the family
  std::uint64_t slices;
  std::uint64_t probes;
  [[nodiscard]] std::uint64_t bits() const { return scalars.back(); }
};
shape bloom_of(std::uint64_t bits) { return {"bloom", {1, 7, bits}, 1, 7}; }
shape partitioned_of(std::uint64_t bits) { return {"partitioned", {1, bits / 8, 8, bits}, 8, 8}; }

/// An empty filter's file. Its chunk checksums are right if `verifiable`; hashing the zeros of 2^42 bits would take a minute.
/// False if the file system has no files of that size.
bool write_sparse(std::filesystem::path const& path, shape const& what, bool verifiable) {
  auto const payload = (what.bits() + 63) / 64 * 8;
  auto const chunks = (payload + (1 << 20) - 1) >> 20;
  bytes_of_file head = take_apart(to_bytes(make_filter(what.family, {.items = 0, .fpr = 0.01, .settings = {}}))).fixed;
  auto const header_bytes = on_a_line(at::end + 8 * what.scalars.size() + 16 + 8);
  auto const start = header_bytes + on_a_line(8 * chunks);
  auto const size = start + on_a_line(payload);
  head.resize(start);
  auto offset = at::end;
  for (auto const scalar : what.scalars) put(head, std::exchange(offset, offset + 8), scalar);
  put(head, offset, std::uint64_t{start});
  put(head, offset + 8, payload);
  put(head, at::header_bytes, static_cast<std::uint32_t>(header_bytes));
  put(head, at::file_bytes, std::uint64_t{size});
  put(head, at::scalars, static_cast<std::uint32_t>(what.scalars.size()));
  put(head, at::sections, std::uint32_t{1});
  if (verifiable) {
    bytes_of_file const zeros(1 << 20);
    for (std::uint64_t i = 0; i < chunks; ++i)
      put(head, header_bytes + 8 * i,
          xxh3_of(std::span(zeros).first(std::min<std::uint64_t>(1 << 20, payload - (i << 20))), i));
  }
  put(head, at::table_checksum, xxh3_of(std::span(head).subspan(header_bytes, 8 * chunks)));
  put(head, header_bytes - 8, xxh3_of(std::span(head).first(header_bytes - 8)));
  write_contents(path, head);
  return ::truncate(path.c_str(), static_cast<off_t>(size)) == 0;
}

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
    if (!write_sparse(path_, GetParam(), verifiable))
      GTEST_SKIP() << "no sparse file of that size here: " << std::generic_category().message(errno);
  }
  scratch_folder folder_;
  std::filesystem::path path_ = folder_ / "sparse";
};
class above_2_to_33 : public large {};
class of_2_to_42 : public large {};

TEST_P(above_2_to_33, is_mapped_and_loaded_alike) {
  make(true);
  auto opened = open(path_, {.key = {}, .verify = true});
  use(opened, GetParam());
  struct stat status {};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_LT(status.st_blocks, 1000) << "nothing was written to the file";

  auto loaded = load(path_);
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
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(offset));
  file.put('\x01').flush();
  ASSERT_TRUE(file);
  EXPECT_THROW((void)open(path_, {.key = {}, .verify = true}), error);
  EXPECT_NO_THROW((void)open(path_));
}

TEST_P(of_2_to_42, is_mapped) {
  make(false);
  auto opened = open(path_);
  // Random reads over half a terabyte: without this advice the system reads 128 KiB around each, a minute's work in all.
  auto const cells = opened.family().cells()->bytes();
  auto const first = reinterpret_cast<std::uintptr_t>(cells.data()) / 4096 * 4096;
  ASSERT_EQ(::madvise(reinterpret_cast<void*>(first), cells.size(), MADV_RANDOM), 0);
  use(opened, GetParam());
  try {
    (void)open(path_, {.key = {}, .verify = true});
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
  EXPECT_THROW((void)load(path_), std::bad_alloc);
}

TEST_P(of_2_to_42, one_bit_more_is_refused) {
  auto more = GetParam();
  for (auto& scalar : more.scalars)
    if (scalar == the_most) ++scalar;
  if (!write_sparse(path_, more, false)) GTEST_SKIP() << "no sparse file of that size here";
  EXPECT_THROW((void)open(path_), error);
}

auto const name_of = [](auto const& info) { return info.param.family; };
INSTANTIATE_TEST_SUITE_P(large, above_2_to_33, ::testing::Values(bloom_of(just_above), partitioned_of(just_above)), name_of);
INSTANTIATE_TEST_SUITE_P(large, of_2_to_42, ::testing::Values(bloom_of(the_most), partitioned_of(the_most)), name_of);

}  // namespace
}  // namespace hortus::testing
