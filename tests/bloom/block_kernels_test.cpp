#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <hortus/bloom/blocked.hpp>
#include <hortus/bloom/register_blocked.hpp>
#include <hortus/bloom/sectorized.hpp>
#include <hortus/bloom/split_block.hpp>
#include <hortus/counting/blocked_counting.hpp>

#include "key_sets.hpp"
#include "with_target.hpp"

/// Every kernel must give the same answers and bytes as one key at a time, with every instruction set of this machine.
namespace hortus::testing {
namespace {

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
    // Only some kernels have a version for AVX3_DL; the others keep that for AVX3.
    EXPECT_EQ(kernels::targets().size(), name == "AVX3_DL" ? 2U : 1U);
  }
  EXPECT_EQ(kernels::targets(), all);
  EXPECT_THROW(kernels::use_target("abacus"), error);
  EXPECT_EQ(kernels::target(), all.front());
}

/// Without kernels, one bit after the other, where the family has such functions.
template <class F>
void insert_plainly(F& f, digest x) {
  if constexpr (requires { f.insert_shared(x); })
    (void)f.insert_shared(x);
  else
    f.insert(x);
}
template <class F>
bool contains_plainly(F const& f, digest x) {
  if constexpr (requires { f.may_contain_shared(x); })
    return f.may_contain_shared(x);
  else
    return f.may_contain(x);
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
        for (std::size_t const count : {0U, 1U, 3U, 7U, 12U, 15U, 16U, 17U, 63U, 64U}) {
          F together({blocks, probes});
          F singly({blocks, probes});
          F plainly({blocks, probes});
          auto const members = digests(0, count);
          EXPECT_EQ(together.insert(members, digests(1'000, count / 2)), count);
          for (auto const x : members) {
            singly.insert(x);
            insert_plainly(plainly, x);
          }
          ASSERT_EQ(singly, plainly) << name << ' ' << probes << " probes, " << blocks << " blocks, " << count << " keys";
          ASSERT_EQ(together, singly) << name << ' ' << probes << " probes, " << blocks << " blocks, " << count << " keys";

          // Members, absent keys and, with so few blocks, many false positives.
          for (std::uint64_t const from : {0U, 30U, 5'000U}) {
            auto const asked = digests(from, count);
            std::uint64_t hits = ~std::uint64_t{0};
            together.may_contain(asked, digests(7'000, 64 - count), &hits);
            for (auto const x : asked)
              ASSERT_EQ(singly.may_contain(x), contains_plainly(plainly, x))
                  << name << ' ' << probes << " probes, " << blocks << " blocks";
            for (std::size_t i = 0; i < 64; ++i)
              ASSERT_EQ((hits >> i & 1) != 0, i < count && contains_plainly(plainly, asked[i]))
                  << name << ' ' << probes << " probes, " << blocks << " blocks, key " << i << " of " << count;
          }
        }
      }
  }
}

/// Keys that come twice in a batch, and, with so few blocks, keys whose bits others have set.
TYPED_TEST(block_kernels, tell_new_keys_as_one_key_at_a_time_does) {
  using F = TypeParam;
  if constexpr (batched_noticing<F> && requires(F f) { f.insert_shared(digest()); }) {
    std::size_t new_keys = 0;
    std::size_t old_keys = 0;
    for (auto const name : kernels::targets()) {
      with_target const chosen(name);
      for (unsigned const probes : {1U, 2U, 6U, 7U, 8U, 14U, 15U, 20U, 22U, 30U})
        for (std::uint64_t const blocks : {1U, 7U, 1000U}) {
          if (F::name == "split_block" ? probes != 8 : F::name == "sectorized" && probes % 2 != 0) continue;
          for (std::size_t const count : {0U, 1U, 9U, 15U, 16U, 63U, 64U}) {
            F together({blocks, probes});
            F plainly({blocks, probes});
            auto offered = digests(0, count);
            if (count > 8) offered[7] = offered[5], offered[8] = offered[5];
            std::uint64_t fresh = ~std::uint64_t{0};
            together.insert_if_new(offered, digests(1'000, count / 2), &fresh);
            for (std::size_t i = 0; i < 64; ++i) {
              bool const is_new = i < count && plainly.insert_shared(offered[i]);
              ASSERT_EQ((fresh >> i & 1) != 0, is_new)
                  << name << ' ' << probes << " probes, " << blocks << " blocks, key " << i;
              new_keys += std::size_t{is_new};
              old_keys += std::size_t{i < count && !is_new};
            }
            ASSERT_EQ(together, plainly) << name << ' ' << probes << " probes, " << blocks << " blocks, " << count << " keys";
          }
        }
    }
    EXPECT_GT(new_keys, 10U);
    EXPECT_GT(old_keys, 10U);
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
      ASSERT_EQ((hits[i / 64] >> (i % 64) & 1) != 0, contains_plainly(f, asked[i])) << name;
      ASSERT_EQ(f.may_contain(asked[i]), contains_plainly(f, asked[i])) << name;
      found += std::size_t{f.may_contain(asked[i])};
    }
    EXPECT_GT(found, 800U) << "or the test asks nothing";
  }
}

/// A simple model of a line of pairs: 256 numbers from 0 to 3, and the set of positions that a key has.
class pairs_model {
 public:
  explicit pairs_model(std::uint64_t blocks) : blocks_(blocks), pairs_(256 * blocks) {}

  [[nodiscard]] std::set<std::uint64_t> of(digest x, unsigned probes) const {
    std::set<std::uint64_t> mine;
    auto bits = pattern_bits(x);
    for (unsigned i = 0; i < probes; ++i) {
      if (i != 0 && i % 8 == 0) bits = more_pattern_bits(bits);
      mine.insert(256 * fastrange(x.bits(), blocks_) + (bits >> (i % 8 * 8) & 255));
    }
    return mine;
  }
  [[nodiscard]] std::vector<std::uint64_t> words() const {
    std::vector<std::uint64_t> packed(8 * blocks_);
    for (std::uint64_t i = 0; i < pairs_.size(); ++i) packed[i / 32] |= pairs_[i] << (2 * (i % 32));
    return packed;
  }
  std::uint64_t& operator[](std::uint64_t i) { return pairs_[i]; }

 private:
  std::uint64_t blocks_;
  std::vector<std::uint64_t> pairs_;
};

/// Pairs of any value, including full and empty ones; keys whose probes coincide (64 of 256 always do), and keys that come
/// twice in a batch. A line is an array of words aligned to 64 bytes, as in `memory`.
TEST(pair_kernels, change_and_count_what_a_plain_array_of_small_numbers_does) {
  constexpr std::uint64_t blocks = 3;
  std::size_t stops = 0, refusals = 0, additions = 0;
  for (auto const name : kernels::targets()) {
    with_target const chosen(name);
    for (unsigned const probes : {1U, 4U, 5U, 8U, 9U, 16U, 17U, 64U})
      for (std::uint64_t const zeros : {0U, 2U, 40U})
        for (std::size_t const count : {0U, 1U, 7U, 40U, 64U}) {
          pairs_model m(blocks);
          for (std::uint64_t i = 0; i < 256 * blocks; ++i) {
            auto const random = mix64(i * 64 + probes + count);
            m[i] = random % 64 < zeros ? 0 : 1 + random / 64 % (zeros == 0 ? 3 : 2);
          }
          memory const cells(8 * 8 * blocks);
          auto* const words = const_cast<std::uint64_t*>(reinterpret_cast<std::uint64_t const*>(cells.data()));
          std::ranges::copy(m.words(), words);
          kernels::blocks_to_read const in{words, blocks, probes};
          auto xs = digests(probes, count);
          if (count > 8) xs[7] = xs[5], xs[8] = xs[5];  // one key three times
          auto const what = [&, name = name](auto verb) {
            return std::string(name) + ' ' + verb + ", " + std::to_string(probes) + " probes, " + std::to_string(count) +
                   " keys";
          };
          auto const line = [&](digest x) { return words + 8 * fastrange(x.bits(), blocks); };
          auto const least = [&](digest x) {
            std::uint64_t value = 3;
            for (auto const i : m.of(x, probes)) value = std::min(value, m[i]);
            return value;
          };
          auto const any_full = [&](digest x) {
            auto const mine = m.of(x, probes);
            return std::ranges::any_of(mine, [&](auto i) { return m[i] == 3; });
          };

          std::vector<std::uint64_t> found(64);
          kernels::least_in_pairs(in, xs, {}, found.data());
          kernels::pairs_of_keys of;
          auto const full = kernels::find_pairs(in, xs, of);
          for (std::size_t i = 0; i < count; ++i) {
            ASSERT_EQ(found[i], least(xs[i])) << what("least");
            ASSERT_EQ(kernels::least_in_pairs(line(xs[i]), xs[i], probes), least(xs[i])) << what("least");
            ASSERT_EQ(kernels::in_pairs(line(xs[i]), xs[i], probes), least(xs[i]) != 0) << what("in");
            ASSERT_EQ(full >> i & 1, any_full(xs[i]) ? 1U : 0U) << what("find");
            ASSERT_EQ(words + of.start[i], line(xs[i]));
            pairs_model ones(blocks);
            for (auto const p : m.of(xs[i], probes)) ones[p] = 1;
            for (std::size_t w = 0; w < 8; ++w) ASSERT_EQ(of.ones[i][w], ones.words()[of.start[i] + w]) << what("find");
          }
          ASSERT_EQ(count == 64 ? 0 : full >> count, 0U);

          // Adding, one by one and in batches, stops at a key that has a full pair and does not change that key.
          for (std::size_t i = 0; i < count; ++i) {
            auto const stop = kernels::add_to_pairs(words, of, i, count);
            for (; i < stop; ++i, ++additions) {
              ASSERT_FALSE(any_full(xs[i])) << what("add");
              for (auto const p : m.of(xs[i], probes)) ++m[p];
            }
            ASSERT_TRUE(std::ranges::equal(m.words(), std::span(words, 8 * blocks))) << what("add");
            if (i == count) break;
            ASSERT_TRUE(any_full(xs[i])) << what("add");
            ASSERT_FALSE(kernels::add_to_pairs(line(xs[i]), xs[i], probes)) << what("add one");
            ++stops;
          }

          // Taking skips keys with a 0, and does not change full pairs but reports them.
          auto const take = [&](std::size_t i, std::uint64_t const* left) {
            pairs_model remain(blocks);
            auto const mine = m.of(xs[i], probes);
            for (auto const p : mine) m[p] == 3 ? remain[p] = 1 : --m[p];
            auto const start = static_cast<std::ptrdiff_t>(of.start[i]);
            auto const told = remain.words();
            return left == nullptr || std::equal(left, left + 8, told.begin() + start);
          };
          std::size_t taken = 0, expected = 0;
          for (std::size_t i = 0; i < count; ++i) {
            auto const stop = kernels::take_from_pairs(words, of, i, count, taken);
            for (; i < stop; ++i) {
              if (least(xs[i]) == 0) {
                ++refusals;
                continue;
              }
              ASSERT_FALSE(any_full(xs[i])) << what("take");
              ASSERT_TRUE(take(i, nullptr));
              ++expected;
            }
            if (i == count) break;
            ASSERT_TRUE(any_full(xs[i])) << what("take");
            ASSERT_TRUE(take(i, of.ones[i])) << what("take");
            ++expected;
          }
          ASSERT_EQ(taken, expected) << what("take");
          ASSERT_TRUE(std::ranges::equal(m.words(), std::span(words, 8 * blocks))) << what("take");

          // One by one, as it is now.
          for (std::size_t i = 0; i < count; ++i) {
            alignas(64) kernels::line_of_pairs left{};
            auto const result = kernels::take_from_pairs(line(xs[i]), xs[i], probes, left);
            bool const some_full = any_full(xs[i]);
            if (least(xs[i]) == 0) {
              ASSERT_EQ(result, kernels::take_result::refused) << what("take one");
            } else {
              ASSERT_EQ(result, some_full ? kernels::take_result::but_for_full : kernels::take_result::taken);
              ASSERT_TRUE(take(i, left)) << what("take one");
            }
            bool const fits = !any_full(xs[i]);
            ASSERT_EQ(kernels::add_to_pairs(line(xs[i]), xs[i], probes), fits) << what("add one");
            if (fits)
              for (auto const p : m.of(xs[i], probes)) ++m[p];
          }
          ASSERT_TRUE(std::ranges::equal(m.words(), std::span(words, 8 * blocks))) << what("one by one");
        }
  }
  EXPECT_GT(stops, 500U);
  EXPECT_GT(refusals, 500U);
  EXPECT_GT(additions, 500U);
}

/// Positions of more than 32 bits take another code path. The 32 GiB are only address space: pages never written take no
/// memory.
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
