#include <gtest/gtest.h>
#include <sys/mman.h>

#include <string>
#include <vector>

#include <hortus/bloom/blocked.hpp>
#include <hortus/bloom/register_blocked.hpp>
#include <hortus/bloom/sectorized.hpp>
#include <hortus/bloom/split_block.hpp>
#include <hortus/cells/vector_target.hpp>
#include <hortus/counting/blocked_counting.hpp>

#include "key_sets.hpp"

/// Every kernel gives the answers and makes the bytes of one key at a time, with every instruction set this machine has.
namespace hortus::testing {
namespace {

/// The best one again at the end.
class with_target {
 public:
  explicit with_target(std::string_view name) { kernels::use_target(name); }
  ~with_target() { kernels::use_target(""); }
  with_target(with_target const&) = delete;
  with_target& operator=(with_target const&) = delete;
};

std::vector<digest> digests(std::uint64_t from, std::size_t count) {
  std::vector<digest> xs;
  for (std::uint64_t i = 0; i < count; ++i) xs.push_back(xxh3().of_integer(from + i));
  return xs;
}

TEST(vector_target, one_can_be_chosen_by_name_and_no_other) {
  auto const all = kernels::targets();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(kernels::target(), all.front());
  for (auto const name : all) {
    with_target const chosen(name);
    EXPECT_EQ(kernels::target(), name);
    EXPECT_EQ(kernels::targets().size(), 1U);
  }
  EXPECT_EQ(kernels::targets(), all);
  EXPECT_THROW(kernels::use_target("abacus"), error);
  EXPECT_EQ(kernels::target(), all.front());
}

template <class F>
class block_kernels : public ::testing::Test {};
using one_line_families = ::testing::Types<blocked, sectorized, split_block, register_blocked, blocked_counting>;
TYPED_TEST_SUITE(block_kernels, one_line_families);

TYPED_TEST(block_kernels, do_what_one_key_at_a_time_does) {
  using F = TypeParam;
  bool const probes_are_fixed = F::name == "split_block";
  for (auto const name : kernels::targets()) {
    with_target const chosen(name);
    for (unsigned const probes : {1U, 2U, 6U, 7U, 8U, 14U, 15U, 20U, 22U, 30U})
      for (std::uint64_t const blocks : {1U, 2U, 7U, 1000U}) {
        if (probes_are_fixed ? probes != 8 : F::name == "sectorized" && probes % 2 != 0) continue;
        for (std::size_t const count : {0U, 1U, 3U, 7U, 8U, 9U, 17U, 63U, 64U}) {
          F together({blocks, probes});
          F singly({blocks, probes});
          auto const members = digests(0, count);
          EXPECT_EQ(together.insert(members, digests(1'000, count / 2)), count);
          for (auto const x : members) singly.insert(x);
          ASSERT_EQ(together, singly) << name << ' ' << probes << " probes, " << blocks << " blocks, " << count << " keys";

          // Members, others, and (of so few blocks) a good many false positives.
          for (std::uint64_t const from : {0U, 30U, 5'000U}) {
            auto const asked = digests(from, count);
            std::uint64_t hits = ~std::uint64_t{0};
            if (count == 0) continue;
            together.may_contain(asked, digests(7'000, 64 - count), &hits);
            for (std::size_t i = 0; i < 64; ++i)
              ASSERT_EQ((hits >> i & 1) != 0, i < count && singly.may_contain(asked[i]))
                  << name << ' ' << probes << " probes, " << blocks << " blocks, key " << i << " of " << count;
          }
        }
      }
  }
}

TYPED_TEST(block_kernels, find_false_positives_too) {
  using F = TypeParam;
  typename F::goal goal;
  goal.items = 5'000;
  goal.fpr = 0.2;
  for (auto const name : kernels::targets()) {
    with_target const chosen(name);
    F f(F::plan(goal));
    auto const members = digests(0, 5'000);
    insert_all(f, std::span<digest const>(members));
    auto const asked = digests(1'000'000, 6'400);
    std::vector<std::uint64_t> hits(100);
    may_contain_all(f, std::span<digest const>(asked), hits.data());
    std::size_t found = 0;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      ASSERT_EQ((hits[i / 64] >> (i % 64) & 1) != 0, f.may_contain(asked[i])) << name;
      found += std::size_t{f.may_contain(asked[i])};
    }
    EXPECT_GT(found, 800U) << "or the test asks nothing";
  }
}

/// Positions of more than 32 bits take another way. The 32 GiB are only addresses: what is never written takes no memory.
TEST(block_kernels_in_large_filters, reach_every_block) {
  constexpr std::uint64_t blocks = (std::uint64_t{1} << 32) + 12'345;
  constexpr std::size_t bytes = blocks * sizeof(std::uint64_t);
  void* const space = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED) GTEST_SKIP() << "no address space for it";
  auto* const words = static_cast<std::uint64_t*>(space);
  for (auto const name : kernels::targets()) {
    with_target const chosen(name);
    auto const members = digests(100, 64);
    kernels::set_in_word({words, blocks, 5}, members, digests(0, 50));
    EXPECT_EQ(kernels::in_word({words, blocks, 5}, members, digests(0, 50)), ~std::uint64_t{0}) << name;
    for (auto const x : members)
      EXPECT_EQ(words[register_pattern::block_of(x, blocks)] & word_mask(pattern_bits(x), 5), word_mask(pattern_bits(x), 5));
    EXPECT_EQ(kernels::in_word({words, blocks, 5}, std::span<digest const>(digests(9'000, 63)), {}), 0U) << name;
    for (auto const x : members) words[register_pattern::block_of(x, blocks)] = 0;
  }
  ::munmap(space, bytes);
}

}  // namespace
}  // namespace hortus::testing
