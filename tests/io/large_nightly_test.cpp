#include <gtest/gtest.h>

#include <fstream>

#include "io/sparse_file.hpp"

/// load() of more than 4 GiB, which takes that much memory: at night.
namespace hortus::testing {
namespace {

TEST(large_file, is_loaded_to_its_end_and_damage_there_is_noticed) {
  constexpr std::uint64_t payload = (std::uint64_t{4} << 30) + (3 << 20);
  if (static_cast<std::uint64_t>(::sysconf(_SC_AVPHYS_PAGES)) * 4096 < payload * 3 / 2) GTEST_SKIP() << "too little memory";
  scratch_folder const folder;
  auto const path = folder / "sparse";
  if (!write_sparse(path, bloom_of(8 * payload), true)) GTEST_SKIP() << "no sparse file of that size here";
  EXPECT_EQ(load(path).size_bytes(), payload);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-1, std::ios::end);
  file.put('\x01').flush();
  ASSERT_TRUE(file);
  EXPECT_THROW((void)load(path), error);
  EXPECT_THROW((void)open(path, {.key = {}, .verify = true}), error);
}

}  // namespace
}  // namespace hortus::testing
