#include <gtest/gtest.h>

#include "bloom/mixed_units_report.hpp"

/// A program may link units compiled for AVX2 with units that are not. Their split_block lookups are different code, so they
/// must have different names. Otherwise the linker would keep only one of them, and a machine without AVX2 might run the wrong
/// one.
namespace hortus::testing {
namespace {

TEST(mixed_units, give_the_same_bytes_and_answers_under_different_names) {
#if defined(__x86_64__) && !defined(__AVX2__)
  if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "this machine has no AVX2";
  auto const plain = report(10'000);
  auto const vector = report_with_avx2(10'000);
  EXPECT_EQ(plain.bytes, vector.bytes);
  EXPECT_EQ(plain.found, vector.found);
  EXPECT_GT(plain.found, 100U);
  EXPECT_NE(plain.type, vector.type);
  std::vector<std::uint64_t> const everywhere(8, plain.found);
  EXPECT_EQ(plain.found_in_views, everywhere);
  EXPECT_EQ(vector.found_in_views, everywhere) << "bytes on any 8-byte boundary";
#else
  GTEST_SKIP() << "only where AVX2 is an option";
#endif
}

}  // namespace
}  // namespace hortus::testing
