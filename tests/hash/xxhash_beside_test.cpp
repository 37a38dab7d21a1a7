// A program may include <xxhash.h> itself, before and after hortus does. Both must get the functions they expect.
#include <xxhash.h>

#include <hortus/hash/xxh3.hpp>
#include <hortus/hash/xxh64.hpp>

#include <xxhash.h>  // NOLINT(readability-duplicate-include): that is the test

#include <gtest/gtest.h>

namespace {

#ifdef XXH_INLINE_ALL
#error "XXH_INLINE_ALL is a choice for the program's own sources: hortus must not leave it defined"
#endif

TEST(xxhash_beside, the_programs_own_calls_give_the_same_values) {
  XXH64_hash_t const mine = XXH64("abc", 3, 0);
  EXPECT_EQ(hortus::xxh64().of_bytes(std::as_bytes(std::span("abc", 3))).bits(), mine);
  EXPECT_EQ(hortus::xxh3().of_bytes(std::as_bytes(std::span("abc", 3))).bits(), XXH3_64bits("abc", 3));
}

}  // namespace
