#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

#include <hortus/any/any_filter.hpp>
#include <hortus/any/catalogue.hpp>
#include <hortus/bloom/blocked.hpp>
#include <hortus/bloom/bloom.hpp>
#include <hortus/hash/little_endian.hpp>
#include <hortus/parallel.hpp>

#include "key_sets.hpp"

/// Lookups by several threads give the answers of one, for every number of keys and threads.
namespace hortus::testing {
namespace {

constexpr std::size_t piece = 64 * 1024;

TEST(parallel_lookup, answers_as_one_thread_does) {
  blocked_filter near({.items = 1000, .fpr = 0.2});
  bloom_filter scattered({.items = 1000, .fpr = 0.2});
  near.insert(keys<random_keys>(0, 1000));
  scattered.insert(keys<random_keys>(0, 1000));
  for (std::size_t const count :
       {std::size_t{0}, std::size_t{1}, std::size_t{64}, piece - 1, piece, piece + 1, 3 * piece + 65}) {
    auto const asked = keys<random_keys>(500, count);
    for (unsigned const threads : {0U, 1U, 2U, 3U, 8U}) {
      EXPECT_EQ(may_contain_parallel(near, asked, threads), near.may_contain(asked)) << count << " keys, " << threads;
      EXPECT_EQ(may_contain_parallel(scattered, asked, threads), scattered.may_contain(asked)) << count << " keys, " << threads;
    }
  }
}

TEST(parallel_lookup, takes_digests_text_and_filters_chosen_at_run_time) {
  std::deque<std::string> words;
  for (int i = 0; i < 200'000; ++i) words.push_back("word " + std::to_string(i));
  auto any = make_filter("blocked", {.items = 1000, .fpr = 0.01, .settings = {}});
  for (std::size_t i = 0; i < 1000; ++i) ASSERT_TRUE(any.insert(words[i]));
  auto const hits = may_contain_parallel(any, words, 2);
  EXPECT_EQ(hits, any.may_contain(words));
  EXPECT_LT(hits.count(), 10'000U);

  std::vector<digest> xs;
  for (auto const key : keys<random_keys>(0, 100'000)) xs.push_back(xxh3().of_integer(key));
  blocked_filter f({.items = 50'000, .fpr = 0.01});
  f.insert(std::span<digest const>(xs).first(50'000));
  EXPECT_EQ(may_contain_parallel(f, xs, 2), f.may_contain(xs));
}

TEST(parallel_lookup, writes_no_further_than_its_answers_and_says_if_there_is_no_room) {
  blocked_filter const f({.items = 1000, .fpr = 0.01});
  auto const asked = keys<random_keys>(0, piece + 65);
  std::vector<std::uint64_t> words(mask_words(asked.size()) + 1, ~std::uint64_t{0});
  may_contain_parallel(f, asked, words, 2);
  EXPECT_EQ(words.back(), ~std::uint64_t{0});
  EXPECT_EQ(words[words.size() - 2], 0U);
  EXPECT_THROW(may_contain_parallel(f, asked, std::span(words).first(words.size() - 2), 2), error);
}

struct moody {
  std::uint64_t number;
};
std::array<std::byte, 8> key_bytes(moody const& key) {
  if (key.number == 77'777) throw std::runtime_error("not today");
  return little_endian_bytes(key.number);
}

TEST(parallel_lookup, hands_on_what_a_key_throws_in_another_thread) {
  std::vector<moody> asked;
  for (std::uint64_t i = 0; i < 200'000; ++i) asked.push_back({i});
  blocked_filter const f({.items = 1000, .fpr = 0.01});
  for (unsigned const threads : {1U, 2U, 4U}) EXPECT_THROW((void)may_contain_parallel(f, asked, threads), std::runtime_error);
}

}  // namespace
}  // namespace hortus::testing
