// The laws, asked of families that are broken in one way each: they must fail. So a law that has become too weak is found out.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <hortus/sketch/space_saving.hpp>

#include "front/tally.hpp"
#include "laws/laws.hpp"

namespace hortus::testing {
namespace {

/// How many assertions of a law fail.
int failures_of(void (*law)()) {
  ::testing::TestPartResultArray results;
  {
    ::testing::ScopedFakeTestPartResultReporter const intercept(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &results);
    law();
  }
  int failures = 0;
  for (int i = 0; i < results.size(); ++i) failures += results.GetTestPartResult(i).failed() ? 1 : 0;
  return failures;
}

using whole = tally<std::uint64_t>;

/// A tally with room for half as many keys again as planned: what a family that can be full is like. What is found takes no
/// room.
struct bounded : whole {
  static constexpr std::string_view name = "bounded";
  struct params : whole::params {
    std::uint64_t places = 0;
    bool operator==(params const&) const = default;
    static void fields(auto& self, auto& io) {
      whole::params::fields(self, io);
      io("places", self.places);
    }
  };
  static params plan(goal g) { return {whole::plan(g), g.items + g.items / 2 + 1}; }

  bounded() : bounded(params{{1}, 1}) {}
  explicit bounded(params p) : whole(p), places(p.places), free_places(p.places) {}

  [[nodiscard]] bool insert(digest x) noexcept {
    if (!whole::may_contain(x)) {
      if (free_places == 0) return false;
      --free_places;
    }
    whole::insert(x);
    return true;
  }
  bool erase(digest x) noexcept {
    bool const was_there = whole::erase(x);
    if (was_there && !whole::may_contain(x) && free_places < places) ++free_places;
    return was_there;
  }
  void clear() noexcept {
    whole::clear();
    free_places = places;
  }
  [[nodiscard]] params shape() const noexcept { return {whole::shape(), places}; }
  static void fields(auto& self, auto& io) {
    whole::fields(self, io);
    io(self.places, self.free_places);
  }
  std::uint64_t places;
  std::uint64_t free_places;
};

struct misses_one_in_ten_thousand : whole {
  using whole::whole;
  [[nodiscard]] bool may_contain(digest x) const noexcept { return whole::may_contain(x) && x.bits() % 10'000 != 7; }
};
struct rate_15_percent_too_high : whole {
  using whole::whole;
  [[nodiscard]] bool may_contain(digest x) const noexcept {
    return whole::may_contain(x) || x.remixed(99).bits() % 10'000 < 15;  // planned for 1 %
  }
};
struct forgets_to_clear : whole {
  using whole::whole;
  void clear() noexcept {}
};
struct drops_the_last_of_a_block : whole {
  using whole::whole;
  std::size_t insert(std::span<digest const> xs, std::span<digest const>) noexcept {
    for (auto const x : xs.first(xs.empty() ? 0 : xs.size() - 1)) whole::insert(x);
    return xs.size();
  }
  using whole::insert;
};
struct merges_half : whole {
  using whole::whole;
  void merge(merges_half const& other) {
    auto half = other;
    half.clear();
    whole::merge(half);
  }
};
struct counts_one_too_few : whole {
  using whole::whole;
  [[nodiscard]] std::uint64_t count(digest x) const noexcept {
    auto const right = whole::count(x);
    return right > 1 ? right - 1 : right;
  }
};
struct counts_some_too_few : counts_one_too_few {
  using counts_one_too_few::counts_one_too_few;
  [[nodiscard]] std::uint64_t count(digest x) const noexcept {
    return x.bits() % 64 == 3 ? counts_one_too_few::count(x) : whole::count(x);
  }
};
struct erases_what_is_absent : whole {
  using whole::whole;
  bool erase(digest x) noexcept { return whole::erase(x), true; }
};
struct is_full_too_early : bounded {
  using bounded::bounded;
  [[nodiscard]] bool insert(digest x) noexcept { return free_places > places / 3 + 2 && bounded::insert(x); }
};
struct keeps_the_room_of_erased_keys : bounded {
  using bounded::bounded;
  bool erase(digest x) noexcept { return whole::erase(x); }
};
struct sees_low_bits_only : bounded {
  using bounded::bounded;
  static digest low(digest x) noexcept { return digest(x.bits() & 0xffff'ffff); }
  [[nodiscard]] bool insert(digest x) noexcept { return bounded::insert(low(x)); }
  [[nodiscard]] bool may_contain(digest x) const noexcept { return bounded::may_contain(low(x)); }
};
struct has_no_room_for_copies : bounded {
  using bounded::bounded;
  [[nodiscard]] bool insert(digest x) noexcept { return free_places != 0 && bounded::insert(x); }
};
struct leaves_a_trace_when_refusing : bounded {
  using bounded::bounded;
  [[nodiscard]] bool insert(digest x) noexcept {
    bool const in = bounded::insert(x);
    if (!in) ++places;
    return in;
  }
};
struct loses_a_key_when_full : bounded {
  using bounded::bounded;
  [[nodiscard]] bool insert(digest x) noexcept {
    (void)bounded::insert(x);
    return true;
  }
};
struct makes_room_by_forgetting : bounded {
  using bounded::bounded;
  [[nodiscard]] bool insert(digest x) noexcept {
    if (!bounded::insert(x)) clear();
    return free_places != 0 && bounded::insert(x);
  }
};

/// Needs memory for every key, and notices too late that there is none.
struct inserts_before_there_is_memory : whole {
  using whole::whole;
  void insert(digest x) {
    whole::insert(x);
    memory const needed(64);
  }
};

struct tells_no_errors : space_saving {
  using space_saving::space_saving;
  [[nodiscard]] top_keys top(std::uint64_t most) const {
    auto all = space_saving::top(most);
    for (auto& key : all.keys) key.error = 0;
    return all;
  }
};
struct forgets_what_was_pushed_out : space_saving {
  using space_saving::space_saving;
  [[nodiscard]] std::uint64_t count(digest x) const noexcept {
    auto const right = space_saving::count(x);
    return right == others_at_most() ? 0 : right;
  }
};
struct drops_the_last_counter : space_saving {
  using space_saving::space_saving;
  [[nodiscard]] top_keys top(std::uint64_t most) const {
    auto all = space_saving::top(most);
    if (!all.keys.empty()) all.keys.pop_back();
    return all;
  }
};
struct merges_only_one_side : space_saving {
  using space_saving::space_saving;
  void merge(merges_only_one_side const&) {}
};

TEST(broken_families, a_whole_one_passes) {
  EXPECT_EQ(failures_of(no_key_that_was_inserted_is_missed<whole>), 0);
  EXPECT_EQ(failures_of(clear_gives_back_the_filter_as_it_was_made<whole>), 0);
  EXPECT_EQ(failures_of(a_full_filter_refuses_keys_and_loses_none<bounded>), 0);
  EXPECT_EQ(failures_of(keys_selected_by_their_digest_keep_rate_and_room<bounded>), 0);
  EXPECT_EQ(failures_of(without_memory_a_filter_stays_as_it_was<whole>), 0);
}

TEST(broken_families, a_missed_key_is_found_out) {
  EXPECT_GT(failures_of(no_key_that_was_inserted_is_missed<misses_one_in_ten_thousand>), 0);
}
TEST(broken_families, a_rate_15_percent_too_high_is_found_out) {
  if (sanitized) GTEST_SKIP() << "asks too few keys";
  EXPECT_GT(failures_of(other_keys_are_found_as_often_as_fpr_says<rate_15_percent_too_high>), 0);
}
TEST(broken_families, a_clear_that_does_nothing_is_found_out) {
  EXPECT_GT(failures_of(clear_gives_back_the_filter_as_it_was_made<forgets_to_clear>), 0);
}
TEST(broken_families, a_kernel_that_drops_a_key_is_found_out) {
  EXPECT_GT(failures_of(a_batch_does_what_its_keys_do_one_by_one<drops_the_last_of_a_block>), 0);
}
TEST(broken_families, a_merge_that_drops_keys_is_found_out) {
  EXPECT_GT(failures_of(merge_is_union_byte_for_byte<merges_half>), 0);
}
TEST(broken_families, counts_that_are_too_low_are_found_out) {
  EXPECT_GT(failures_of(a_multiset_beside_it_agrees<counts_some_too_few>), 0);
  EXPECT_GT(failures_of(a_lone_key_is_counted_exactly_as_far_as_the_family_counts<counts_one_too_few>), 0);
}
TEST(broken_families, an_erase_that_says_yes_to_everything_is_found_out) {
  EXPECT_GT(failures_of(erasing_what_is_certainly_absent_changes_nothing_and_says_so<erases_what_is_absent>), 0);
}
TEST(broken_families, a_key_lost_when_full_is_found_out) {
  EXPECT_GT(failures_of(a_full_filter_refuses_keys_and_loses_none<loses_a_key_when_full>), 0);
  EXPECT_GT(failures_of(a_full_filter_refuses_keys_and_loses_none<makes_room_by_forgetting>), 0);
}
TEST(broken_families, planned_keys_without_room_are_found_out) {
  EXPECT_GT(failures_of(planned_keys_always_find_room<is_full_too_early>), 0);
  EXPECT_GT(failures_of(planned_keys_always_find_room<keeps_the_room_of_erased_keys>), 0);
}
TEST(broken_families, a_full_filter_that_changes_or_refuses_what_it_has_is_found_out) {
  EXPECT_GT(failures_of(a_full_filter_refuses_keys_and_loses_none<has_no_room_for_copies>), 0);
  EXPECT_GT(failures_of(a_full_filter_refuses_keys_and_loses_none<leaves_a_trace_when_refusing>), 0);
}
TEST(broken_families, a_digest_of_which_some_bits_are_not_used_is_found_out) {
  EXPECT_GT(failures_of(keys_selected_by_their_digest_keep_rate_and_room<sees_low_bits_only>), 0);
}
TEST(broken_families, an_insert_that_fails_half_way_is_found_out) {
  EXPECT_GT(failures_of(without_memory_a_filter_stays_as_it_was<inserts_before_there_is_memory>), 0);
}

TEST(broken_families, frequent_keys_that_are_wrong_or_missing_are_found_out) {
  EXPECT_EQ(failures_of(top_keeps_its_bounds_and_has_every_heavy_key<space_saving>), 0);
  EXPECT_GT(failures_of(top_keeps_its_bounds_and_has_every_heavy_key<tells_no_errors>), 0);
  EXPECT_GT(failures_of(top_keeps_its_bounds_and_has_every_heavy_key<forgets_what_was_pushed_out>), 0);
  EXPECT_GT(failures_of(top_keeps_its_bounds_and_has_every_heavy_key<drops_the_last_counter>), 0);
  EXPECT_GT(failures_of(merged_sketches_keep_the_bounds_of_the_whole_stream<merges_only_one_side>), 0);
}

}  // namespace
}  // namespace hortus::testing
