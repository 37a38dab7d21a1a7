// One source for all memory of filters: every byte of a filter's state comes from it and goes back to it, in every family.
// operator new is replaced here, to see that no part of a filter is allocated anywhere else.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <vector>

#include <hortus/any/any_filter.hpp>
#include <hortus/bloom/bloom.hpp>
#include <hortus/counting/blocked_counting.hpp>
#include <hortus/fingerprint/quotient.hpp>
#include <hortus/growing/scalable.hpp>
#include <hortus/growing/with_removals.hpp>
#include <hortus/map/bloomier_map.hpp>
#include <hortus/sketch/exaloglog.hpp>
#include <hortus/sketch/space_saving.hpp>

#include "io/allocations.hpp"
#include "key_sets.hpp"

namespace hortus::testing {
namespace {

/// Counts what is out, and gives nothing any more when told so. Blocks remember nothing: sizes must come back as they went.
template <int Name>
struct counting_source {
  static inline std::size_t live = 0;
  static inline std::size_t calls = 0;
  static inline std::size_t until_failure = ~std::size_t{0};
  static inline std::map<void*, std::pair<std::size_t, std::size_t>> blocks = {};

  static void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
    if (until_failure != ~std::size_t{0} && until_failure-- == 0) return until_failure = ~std::size_t{0}, nullptr;
    void* block = nullptr;
    if (::posix_memalign(&block, std::max(alignment, sizeof(void*)), bytes) != 0) return nullptr;
    std::memset(block, 0, bytes);
    auto const so_far = allocations;  // the test's own book is not the filter's memory
    blocks[block] = {bytes, alignment};
    allocations = so_far;
    live += bytes;
    ++calls;
    return block;
  }
  static void release(void* block, std::size_t bytes, std::size_t alignment) noexcept {
    auto const found = blocks.find(block);
    ASSERT_NE(found, blocks.end()) << "a block of another source";
    EXPECT_EQ(found->second, std::pair(bytes, alignment));
    auto const so_far = allocations;
    blocks.erase(found);
    allocations = so_far;
    live -= bytes;
    std::free(block);
  }
  static memory_source source() noexcept { return {allocate, release}; }
};
using first_source = counting_source<1>;
using second_source = counting_source<2>;

class memory_sources : public ::testing::Test {
 protected:
  void SetUp() override { set_memory_source(first_source::source()); }
  void TearDown() override {
    set_memory_source(default_memory_source());
    EXPECT_EQ(first_source::live, 0U) << "everything was given back";
    EXPECT_EQ(second_source::live, 0U);
  }
};

/// What act() leaves allocated elsewhere. Nothing is counted under sanitizers, which replace operator new too.
template <class Act>
std::ptrdiff_t left_elsewhere(Act act) {
  allocations = {};
  act();
  return allocations.live;
}

/// Keys more than planned for, and some of them often: stages and levels are added, and counters outgrow their cells.
std::vector<std::uint64_t> many_keys(std::uint64_t planned) {
  auto all = keys<random_keys>(0, 6 * planned);
  for (std::uint64_t i = 0; i < 40 * planned; ++i) all.push_back(random_keys::make(i % (planned / 4 + 1)));
  return all;
}

template <class F>
of_keys<F> made_and_filled(std::uint64_t planned, std::vector<std::uint64_t> const& keys) {
  typename F::goal goal;
  goal.items = planned;
  if constexpr (buildable<F>) {
    return of_keys<F>::build(keys, goal);
  } else {
    of_keys<F> f(goal);
    (void)f.insert(keys);
    return f;
  }
}

any_filter made_and_filled(family_info const& family, std::uint64_t planned, std::vector<std::uint64_t> const& keys) {
  request const wish{.items = planned, .fpr = 0.01, .settings = {}};
  if (family.has(verb::build)) return build_filter(family.name, keys, wish);
  auto f = make_filter(family.name, wish);
  (void)f.insert(keys);
  return f;
}

/// What it holds at least. space_saving takes memory as counters come, and size_bytes() is what it may take.
template <class Family, class Hash>
std::size_t held_by(of_keys<Family, Hash> const& f) {
  return family_name(f.family()) == "space_saving" ? 1000 : f.size_bytes();
}

/// make(planned, keys) makes a filter of them.
template <class Filter, class Make>
void lives_in_the_source(std::string_view family, Make make) {
  SCOPED_TRACE(std::string(family));
  for (std::uint64_t const planned : {10U, 3000U}) {
    auto const all = many_keys(planned);
    auto const before = first_source::live;
    std::optional<Filter> f, copied, assigned, moved;
    EXPECT_EQ(left_elsewhere([&] { f.emplace(make(planned, all)); }), 0);
    EXPECT_GE(first_source::live - before, held_by(*f));
    EXPECT_EQ(left_elsewhere([&] { copied.emplace(*f), assigned.emplace(make(10, all)), *assigned = *f; }), 0);
    EXPECT_GE(first_source::live - before, held_by(*f) + held_by(*copied) + held_by(*assigned));
    EXPECT_EQ(*copied, *f);
    EXPECT_EQ(*assigned, *f);
    auto const live = first_source::live;
    moved.emplace(std::move(*copied));
    copied.reset();
    EXPECT_EQ(first_source::live, live) << "moving allocates nothing";
    EXPECT_EQ(*moved, *f);
    auto const bytes = to_bytes(*f);
    EXPECT_EQ(left_elsewhere([&] { moved.emplace(from_bytes<Filter>(bytes)); }), 0) << "not the name of the family either";
    EXPECT_EQ(*moved, *f);
    moved->clear();
    if constexpr (std::same_as<Filter, any_filter>)
      if (f->family().has(verb::fold)) {
        EXPECT_EQ(left_elsewhere([&] { f->fold(1); }), 0);
      }
    moved.reset(), assigned.reset(), f.reset();
    EXPECT_EQ(first_source::live, before);
  }
}

template <class... Fs>
void live_in_the_source() {
  (lives_in_the_source<of_keys<Fs>>(Fs::name,
                                    [](std::uint64_t planned, auto const& keys) { return made_and_filled<Fs>(planned, keys); }),
   ...);
}

/// Filters of all families, chosen at run time, whose own object comes from there, too.
TEST_F(memory_sources, hold_all_of_every_family) {
  for (auto const& family : catalogue())
    lives_in_the_source<any_filter>(
        family.name, [&](std::uint64_t planned, auto const& keys) { return made_and_filled(family, planned, keys); });
}

/// The same without that object between, for one family of each way to keep memory: an array of cells, lists beside one,
/// stages, keys of any length, texts, other families.
TEST_F(memory_sources, hold_all_of_families_known_to_the_compiler) {
  live_in_the_source<bloom<>, blocked_counting, quotient, scalable<>, space_saving, exaloglog, bloomier, with_removals<>>();
}

/// Blocks go back to the source they came from, whichever is set by then.
TEST_F(memory_sources, get_back_what_they_gave) {
  for (auto const& family : catalogue()) {
    SCOPED_TRACE(std::string(family.name));
    set_memory_source(first_source::source());
    auto const all = many_keys(50);
    auto old = made_and_filled(family, 50, all);
    auto const given = first_source::live;
    EXPECT_GE(given, held_by(old));
    set_memory_source(second_source::source());
    auto fresh = made_and_filled(family, 60, all);
    EXPECT_GE(second_source::live, held_by(fresh));
    EXPECT_EQ(first_source::live, given);
    auto const copy = old;
    EXPECT_GE(second_source::live, held_by(fresh) + held_by(copy)) << "a copy is made where memory comes from now";
    std::swap(old, fresh);
    EXPECT_EQ(first_source::live, given);
    if (family.has(verb::insert)) (void)old.insert(keys<random_keys>(100'000, 500));  // and grows there
    old = std::move(fresh);
    EXPECT_EQ(first_source::live, given);
    old = copy;
    fresh = copy;
  }
}

/// A source that has nothing left: std::bad_alloc, and the filter is what it was. That an insert leaves it so is a law.
TEST_F(memory_sources, that_are_empty_leave_filters_as_they_were) {
  std::size_t failures = 0;
  auto const fails = [&](auto& f, auto act) {
    for (std::size_t allowed = 0;; ++allowed) {
      auto const before = to_bytes(f);
      first_source::until_failure = allowed;
      try {
        act();
      } catch (std::bad_alloc const&) {
        ++failures;
        ASSERT_EQ(to_bytes(f), before);
        continue;
      }
      first_source::until_failure = ~std::size_t{0};
      return;
    }
  };
  for (auto const& family : catalogue()) {
    SCOPED_TRACE(std::string(family.name));
    auto f = made_and_filled(family, 10, keys<random_keys>(0, 10));
    std::optional<any_filter> copy;
    fails(f, [&] { copy.emplace(f); });
    auto other = made_and_filled(family, 20, many_keys(20));
    fails(other, [&] { other = f; });
    EXPECT_EQ(other, f);
    if (family.has(verb::merge)) fails(*copy, [&] { copy->merge(*copy); });
    if (family.has(verb::fold)) fails(f, [&] { f.fold(f.family().fold_width()); });
    if (family.has(verb::grow)) fails(f, [&] { f.grow(); });
  }
  EXPECT_GT(failures, 100U);
}

TEST(memory_source, of_the_system_is_the_default) {
  EXPECT_EQ(current_memory_source(), default_memory_source());
  memory_allocator<double> const here;
  EXPECT_EQ(here.source(), default_memory_source());
  EXPECT_EQ(memory_allocator<int>(here), here);
  memory_vector<int> some(1000, 7);
  auto const copy = some;
  some.clear();
  EXPECT_EQ(copy[999], 7);
  EXPECT_THROW((void)memory_allocator<double>().allocate(~std::size_t{0} / 4), std::bad_alloc);
}

}  // namespace
}  // namespace hortus::testing
