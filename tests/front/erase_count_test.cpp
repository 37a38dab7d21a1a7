// The front's erase and count, one by one and in batches, typed and at run time; and families that lack may_contain.
#include <gtest/gtest.h>

#include <limits>
#include <list>
#include <string>
#include <vector>

#include <hortus/any/any_filter.hpp>
#include <hortus/bloom/bloom.hpp>

#include "front/tally.hpp"

namespace hortus::testing {
namespace {

using any_tally = of_keys<any_family, any_hash>;

any_tally at_run_time(tally_filter const& f) { return {any_family(f.family()), any_hash(xxh3()), f.about()}; }

std::vector<std::uint64_t> numbers(std::uint64_t from, std::uint64_t count) {
  std::vector<std::uint64_t> all(count);
  for (std::uint64_t i = 0; i < count; ++i) all[i] = from + i;
  return all;
}

static_assert(erasable<tally<std::uint64_t>> && countable<tally<std::uint64_t>>);
static_assert(!erasable<tally<std::int64_t>> && countable<tally<std::int64_t>> && !membership<tally<std::int64_t>>);
static_assert(never_undercounts<tally<std::uint64_t>> && !never_undercounts<tally<std::int64_t>>);
static_assert(erase_restores<tally<std::uint64_t>>);
static_assert(!erasable<bloom<>> && !countable<bloom<>>);

TEST(erase, undoes_one_insert_of_the_key_however_it_is_spelled) {
  tally_filter f({.items = 1000, .fpr = 1e-6});
  f.insert("ada");
  f.insert(std::string("ada"));
  EXPECT_EQ(f.count("ada"), 2U);
  EXPECT_EQ(f.count(std::vector<std::uint8_t>{'a', 'd', 'a'}), 2U);
  EXPECT_TRUE(f.erase(std::string_view("ada")));
  EXPECT_EQ(f.count(f("ada")), 1U);
  EXPECT_TRUE(f.erase(f("ada")));
  EXPECT_FALSE(f.may_contain("ada"));
  EXPECT_FALSE(f.erase("ada"));
  EXPECT_EQ(f, tally_filter({.items = 1000, .fpr = 1e-6}));
}

TEST(erase, leaves_the_number_of_insert_calls_and_the_kind_of_keys) {
  tally_filter f({.items = 1000, .fpr = 1e-6});
  f.insert("ada");
  f.erase("ada");
  f.erase(7);
  f.erase(std::vector<std::string>{"x", "y"});
  EXPECT_EQ(f.about().items_inserted, 1U);
  EXPECT_EQ(f.about().kinds, key_kind::bytes);
}

TEST(batches, any_range_of_keys_is_erased_and_counted) {
  tally_filter f({.items = 1000, .fpr = 1e-6});
  f.insert(std::vector<std::string>{"a", "b", "b", "c"});
  EXPECT_EQ(f.count(std::list<std::string_view>{"b", "zz", "a"}), (std::vector<std::uint64_t>{2, 0, 1}));
  EXPECT_EQ(f.erase(std::list<std::string>{"b", "a", "zz", "b", "b"}), 3U) << "in order: the third b is not there";
  EXPECT_EQ(f.count(std::array{f("a"), f("b"), f("c")}), (std::vector<std::uint64_t>{0, 0, 1}));
  EXPECT_EQ(f.erase(std::vector<int>()), 0U);
  EXPECT_TRUE(f.count(std::vector<int>()).empty());
}

TEST(batches, of_every_length_do_what_keys_do_one_by_one) {
  for (std::uint64_t const length : {1U, 2U, 15U, 16U, 17U, 255U, 256U, 257U, 1000U}) {
    tally_filter singly({.items = 500, .fpr = 0.05});
    singly.insert(numbers(0, 500));
    auto together = singly;
    auto any = at_run_time(singly);
    auto const asked = numbers(400, length);
    std::vector<std::uint64_t> counts;
    std::size_t erased = 0;
    for (auto const key : asked) counts.push_back(singly.count(key));
    EXPECT_EQ(together.count(asked), counts);
    EXPECT_EQ(any.count(asked), std::vector<std::int64_t>(counts.begin(), counts.end()));
    for (auto const key : asked) erased += singly.erase(key) ? 1U : 0U;
    EXPECT_EQ(together.erase(asked), erased);
    EXPECT_EQ(any.erase(asked), erased);
    EXPECT_EQ(together, singly);
    EXPECT_EQ(to_bytes(any), to_bytes(singly));
  }
}

TEST(batches, ask_ahead_in_a_large_filter_and_not_in_a_small_one) {
  using family = tally<std::uint64_t>;
  tally_filter large({.items = 1'000'000, .fpr = 0.01}), small({.items = 100, .fpr = 0.01});
  ASSERT_GT(large.size_bytes(), cached_bytes);
  large.insert(numbers(0, 1000));
  family::prefetched = 0;
  EXPECT_EQ(large.count(numbers(0, 1000)), std::vector<std::uint64_t>(1000, 1));
  EXPECT_EQ(family::prefetched, 1000U);
  EXPECT_EQ(large.erase(numbers(0, 2000)), 1000U);
  EXPECT_EQ(family::prefetched, 3000U);
  (void)small.count(numbers(0, 1000));
  (void)small.erase(numbers(0, 1000));
  EXPECT_EQ(family::prefetched, 3000U);
}

TEST(any_family, does_what_the_family_does) {
  tally_filter typed({.items = 1000, .fpr = 0.01});
  auto any = at_run_time(typed);
  for (int i = 0; i < 300; ++i) typed.insert(i % 7), (void)any.insert(i % 7);
  EXPECT_EQ(any.count(3), 43);
  EXPECT_TRUE(any.erase(3));
  EXPECT_TRUE(typed.erase(3));
  EXPECT_EQ(any.count(3), 42);
  EXPECT_FALSE(any.erase(1'000'000));
  EXPECT_EQ(to_bytes(any), to_bytes(typed));
  EXPECT_TRUE(any.family().verbs().has_all(verb::erase | verb::count));
}

/// Counts to the ends of what its type holds.
template <class Count>
struct extreme {
  static constexpr std::string_view name = "extreme";
  static constexpr std::string_view room = "counting";
  static constexpr std::string_view summary = "for tests";
  static constexpr auto misses = false_negatives::never;
  [[nodiscard]] Count count(digest x) const {
    return x.bits() == 0 ? std::numeric_limits<Count>::min() : std::numeric_limits<Count>::max();
  }
  [[nodiscard]] std::size_t size_bytes() const { return 0; }
  void clear() {}
  bool operator==(extreme const&) const = default;
  static void fields(auto&, auto&) {}
};

TEST(any_family, counts_are_signed_and_do_not_wrap) {
  auto const ends = [](any_family const& f) { return std::pair(f.count(digest(0)), f.count(digest(1))); };
  constexpr auto low = std::numeric_limits<std::int64_t>::min();
  constexpr auto high = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(ends(any_family(extreme<std::uint64_t>())), std::pair(std::int64_t{0}, high));
  EXPECT_EQ(ends(any_family(extreme<std::int64_t>())), std::pair(low, high));
  EXPECT_EQ(ends(any_family(extreme<std::uint8_t>())), std::pair(std::int64_t{0}, std::int64_t{255}));
  EXPECT_EQ(ends(any_family(extreme<std::int8_t>())), std::pair(std::int64_t{-128}, std::int64_t{127}));
}

/// A family with kernels of its own for blocks: they are what batches use.
struct with_kernels : extreme<std::uint64_t> {
  using extreme<std::uint64_t>::count;
  void insert(digest) {}
  bool erase(digest) { return true; }
  std::size_t erase(std::span<digest const> xs, std::span<digest const>) {
    return most = std::max(most, xs.size()), xs.size() - 1;
  }
  void count(std::span<digest const> xs, std::span<digest const>, std::uint64_t* counts) const {
    std::fill_n(counts, xs.size(), xs.size());
  }
  std::size_t most = 0;
};

TEST(batches, a_kernel_of_the_family_is_used_and_gets_blocks) {
  of_keys<with_kernels> f{with_kernels()};
  EXPECT_EQ(f.erase(numbers(0, 1000)), 984U);  // of 64 keys or fewer, 16 times
  EXPECT_EQ(f.family().most, block_keys<with_kernels>);
  auto const counts = f.count(numbers(0, 300));
  EXPECT_EQ(counts[0], 64U);
  EXPECT_EQ(counts[299], 44U);
}

errc refusal(auto act) {
  try {
    act();
  } catch (error const& e) {
    return e.code();
  }
  return errc::io;
}

TEST(any_family, without_the_verb_says_so) {
  auto classic = make_filter("bloom", {.items = 10, .fpr = 0.01, .settings = {}});
  EXPECT_EQ(refusal([&] { classic.erase("ada"); }), errc::unsupported);
  EXPECT_EQ(refusal([&] { (void)classic.count("ada"); }), errc::unsupported);
  EXPECT_EQ(refusal([&] { classic.erase(numbers(0, 3)); }), errc::unsupported);
  EXPECT_EQ(refusal([&] { (void)classic.count(numbers(0, 3)); }), errc::unsupported);
  any_family sketch(tally<std::int64_t>({.width = 100}));
  (void)sketch.insert(digest(5));
  EXPECT_EQ(sketch.count(digest(5)), 1);
  EXPECT_EQ(refusal([&] { (void)sketch.may_contain(digest(5)); }), errc::unsupported);
  EXPECT_EQ(refusal([&] { (void)sketch.fpr(); }), errc::unsupported);
  EXPECT_EQ(refusal([&] { sketch.erase(digest(5)); }), errc::unsupported);
}

}  // namespace
}  // namespace hortus::testing
