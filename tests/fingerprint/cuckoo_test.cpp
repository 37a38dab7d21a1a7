// The cuckoo filter: places, room for the planned keys, moves that lose nothing, copies, a full filter, files that lie.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include <hortus/batch.hpp>
#include <hortus/cells/vector_target.hpp>
#include <hortus/fingerprint/cuckoo.hpp>
#include <hortus/ordered_insert.hpp>

#include "key_sets.hpp"
#include "statistics.hpp"

namespace hortus::testing {
namespace {

static_assert(membership<cuckoo> && countable<cuckoo> && erasable<cuckoo> && estimating<cuckoo> && plannable<cuckoo>);
static_assert(!mergeable<cuckoo> && !foldable<cuckoo>);
static_assert(placed<cuckoo> && !separately_placed<cuckoo>);  // tags move to places of other keys

digest key(std::uint64_t i) { return digest::of_hash(i); }

/// Every value in every slot belongs to one fingerprint, and leads back to it.
TEST(cuckoo_places, a_stored_value_belongs_to_one_fingerprint) {
  for (std::uint64_t const windows : {1U, 2U, 3U, 17U, 100U}) {
    plan::cuckoo_shape const shape{windows, 7};
    cuckoo_map const map(shape);
    std::set<std::pair<std::uint64_t, std::uint64_t>> taken;  // slot, value
    std::set<std::uint64_t> numbers;
    for (std::uint64_t window = 0; window < windows; ++window)
      for (std::uint64_t tag = 1; tag <= shape.tags(); ++tag) {
        cuckoo_places const places{tag, window, window + map.distance(tag)};
        EXPECT_TRUE(numbers.insert(places.number(map)).second);
        std::set<std::uint64_t> slots;
        for (unsigned way = 0; way < 4; ++way) {
          ASSERT_LT(places.slot(way), shape.slots());
          slots.insert(places.slot(way));
          EXPECT_TRUE(taken.insert({places.slot(way), places.value(way)}).second) << "two fingerprints, one value in one slot";
          auto const back = cuckoo_places::stored(places.value(way), places.slot(way), map);
          EXPECT_EQ(back.window, window);
          EXPECT_EQ(back.tag, tag);
          EXPECT_EQ(back.second, places.second);
        }
        EXPECT_EQ(slots.size(), 4U) << "windows of one key overlap";
      }
    EXPECT_EQ(*numbers.rbegin() + 1, numbers.size());
  }
}

TEST(cuckoo_places, values_that_nobody_wrote_stay_inside) {
  plan::cuckoo_shape const shape{50, 9};
  cuckoo_map const map(shape);
  for (std::uint64_t slot = 0; slot < shape.slots(); ++slot)
    for (std::uint64_t value = 0; value < 512; ++value)
      for (unsigned way = 0; way < 4; ++way) ASSERT_LT(cuckoo_places::stored(value, slot, map).slot(way), shape.slots());
}

TEST(cuckoo_places, keys_use_all_windows_and_tags_evenly) {
  plan::cuckoo_shape const shape{97, 9};
  cuckoo_map const map(shape);
  std::vector<double> windows(97), tags(128);
  constexpr double keys = 1'000'000;
  for (std::uint64_t i = 0; i < 1'000'000; ++i) {
    auto const places = cuckoo_places::of(key(i), map);
    ++windows[places.window];
    ++tags[places.tag];
  }
  for (auto const count : windows) EXPECT_TRUE(binomial_band(keys, 1 / 97.0).holds(count)) << count;
  EXPECT_EQ(tags[0], 0) << "a slot that is 0 is free";
  for (std::size_t tag = 1; tag < tags.size(); ++tag) EXPECT_TRUE(binomial_band(keys, 1 / 127.0).holds(tags[tag])) << tag;
}

/// Keys fit up to 0.9649 of the slots in theory. This is how far the search gets.
TEST(cuckoo, fills_to_the_threshold) {
  for (double const fpr : {.03, 0x1p-8, 1e-4}) {
    cuckoo f(cuckoo::plan({.items = 400'000, .fpr = fpr}));
    std::uint64_t in = 0;
    while (f.insert(key(in))) ++in;
    EXPECT_GT(f.load(), .935) << fpr;
    EXPECT_LT(f.load(), .9649) << fpr;
    for (std::uint64_t i = 0; i < in; ++i) ASSERT_TRUE(f.may_contain(key(i)));
  }
}

TEST(cuckoo, rate_is_that_of_the_plan) {
  for (double const fpr : {.03, 0x1p-8, 1e-4}) {
    cuckoo f(cuckoo::plan({.items = 50'000, .fpr = fpr}));
    for (std::uint64_t i = 0; i < 50'000; ++i) ASSERT_TRUE(f.insert(key(i)));
    EXPECT_NEAR(f.fpr(), cuckoo::planned_fpr(f.shape(), 50'000), .02 * fpr);
    double const asked = 20'000'000;
    double hits = 0;
    for (std::uint64_t i = 0; i < 20'000'000; ++i) hits += f.may_contain(key(absent + i)) ? 1 : 0;
    EXPECT_TRUE(binomial_band(asked, f.fpr()).holds(hits)) << hits << " of " << asked << " at " << f.fpr();
    for (std::uint64_t i = 0; i < 50'000; ++i) ASSERT_TRUE(f.erase(key(i)));
    EXPECT_EQ(f.fpr(), 0);
    EXPECT_EQ(f, cuckoo(f.shape())) << "nothing stays behind";
  }
}

/// Copies do not use up the room of other keys, and cost the same however many there are.
TEST(cuckoo, copies_take_no_room) {
  cuckoo f(cuckoo::plan({.items = 10'000, .fpr = .001}));
  for (std::uint64_t round = 0; round < 5; ++round)
    for (std::uint64_t i = 0; i < 5'000; ++i) ASSERT_TRUE(f.insert(key(i)));
  for (std::uint64_t i = 5'000; i < 10'000; ++i) ASSERT_TRUE(f.insert(key(i)));
  EXPECT_LT(f.size_bytes(), cuckoo::planned_bytes(f.shape()) + 5'000 * 30);
  for (std::uint64_t i = 0; i < 1'000'000; ++i) ASSERT_TRUE(f.insert(key(7)));
  EXPECT_LT(f.size_bytes(), cuckoo::planned_bytes(f.shape()) + 5'000 * 30);
  EXPECT_GE(f.count(key(7)), 1'000'005U);
  EXPECT_LE(f.count(key(7)), 1'000'005U + 10) << "a neighbour has the same fingerprint, but not ten";
  EXPECT_NEAR(f.estimate().value, 10'000, 50);
  for (std::uint64_t i = 0; i < 10'000; ++i)
    for (std::uint64_t copies = i == 7 ? 1'000'005 : i < 5'000 ? 5 : 1; copies > 0; --copies) ASSERT_TRUE(f.erase(key(i)));
  EXPECT_EQ(f, cuckoo(f.shape()));
}

/// Large enough that batches prefetch, and that many keys are inserted in the order of memory.
TEST(cuckoo, many_keys_in_the_order_of_memory_are_all_there) {
  constexpr std::uint64_t items = 16'000'000;
  cuckoo f(cuckoo::plan({.items = items, .fpr = 1e-5}));
  ASSERT_TRUE(worth_ordering(f, items));
  std::vector<digest> xs;
  for (std::uint64_t i = 0; i < items; ++i) xs.push_back(key(i));
  ASSERT_EQ(insert_many(f, std::span<digest const>(xs)), items);
  std::vector<std::uint64_t> hits(items / 64);
  may_contain_all(f, std::span<digest const>(xs), hits.data());
  for (auto const word : hits) ASSERT_EQ(word, ~std::uint64_t{0});
  EXPECT_EQ(erase_all(f, std::span<digest const>(xs)), items);
  EXPECT_EQ(f, cuckoo(f.shape()));
}

/// Any content of the slots is safe: searches end, and nothing outside is read or written.
TEST(cuckoo, slots_that_nobody_wrote_do_no_harm) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    auto const bits = 7 + static_cast<unsigned>(seed % 51);
    cuckoo const shape({30, bits});
    field_writer out;
    cuckoo::fields(shape, out);
    auto scalars = out.scalars();
    scalars[0] = seed % 40;  // slots in use: a lie
    scalars[1] = seed % 40 / 2;
    memory cells(shape.cells().size());
    for (std::size_t i = 0; i + 16 < cells.size(); ++i)
      cells.data()[i] = seed % 3 == 0 ? std::byte{0xff} : static_cast<std::byte>(mix64(seed * 1000 + i));
    std::vector<memory> sections;
    sections.push_back(std::move(cells));
    sections.emplace_back(0U);
    cuckoo f;
    field_reader in(scalars, std::move(sections), false);  // as a mapped file, which is not verified
    cuckoo::fields(f, in);
    for (std::uint64_t i = 0; i < 200; ++i) {
      (void)f.erase(key(i % 50));
      (void)f.insert(key(i));
      EXPECT_EQ(f.may_contain(key(i)), f.count(key(i)) > 0);
    }
    EXPECT_LE(f.fpr(), 1);
    EXPECT_GE(f.estimate().high, f.estimate().low);
  }
}

TEST(cuckoo, a_file_that_lies_is_refused) {
  cuckoo good(cuckoo::plan({.items = 100, .fpr = .01}));
  for (std::uint64_t i = 0; i < 90; ++i)
    for (std::uint64_t copies = 0; copies < i % 4; ++copies) ASSERT_TRUE(good.insert(key(i)));
  field_writer out;
  cuckoo::fields(std::as_const(good), out);
  ASSERT_EQ(out.scalars().size(), 5U);  // slots in use, second copies, windows, slot bits, slots
  ASSERT_EQ(out.sections().size(), 2U);
  auto const read = [&](std::size_t changed, std::uint64_t value, std::size_t flipped_byte = ~std::size_t{0}) {
    auto scalars = out.scalars();
    if (changed < scalars.size()) scalars[changed] = value;
    std::vector<memory> sections;
    for (auto const& bytes : out.sections()) {
      sections.emplace_back(bytes.size());
      std::copy(bytes.begin(), bytes.end(), sections.back().data());
    }
    if (flipped_byte < sections[0].size()) sections[0].data()[flipped_byte] ^= std::byte{1};
    field_reader in(scalars, std::move(sections));
    cuckoo f;
    cuckoo::fields(f, in);
    return f;
  };
  EXPECT_EQ(read(9, 0), good);
  for (std::size_t const at : {0U, 1U, 2U, 3U, 4U})
    for (auto const value : {std::uint64_t{0}, out.scalars()[at] + 1, out.scalars()[at] - 1, ~std::uint64_t{0}})
      if (value != out.scalars()[at]) {
        EXPECT_THROW((void)read(at, value), error) << at << " " << value;
      }
  EXPECT_THROW((void)read(9, 0, good.cells().size() - 1), error) << "bytes past the slots are 0";
  EXPECT_THROW(cuckoo(cuckoo::params{}), error);
  EXPECT_THROW(cuckoo({1, 58}), error);
}

/// Blocks look up all their keys first: keys of the same block that share a slot or a fingerprint are the difficult ones. In a
/// filter of a few windows there are many.
TEST(cuckoo, blocks_do_what_single_keys_do_with_every_instruction_set) {
  std::mt19937_64 random(17);
  // One key in 7, or few enough that all second copies have slots.
  for (auto const& [items, duplicates] : {std::pair{1U, 7U}, {10U, 7U}, {100U, 7U}, {1000U, 7U}, {20000U, 7U}, {20000U, 300U}})
    for (double const fpr : {0.02, 1.0 / 256, 1e-6, 1e-10}) {
      std::vector<digest> keys(items > 1000 ? items : items * 12 / 10 + 1);  // small ones become full
      for (auto& key : keys) key = digest(random());
      for (std::size_t i = 3; i < keys.size(); i += duplicates) keys[i] = keys[i - 1 - random() % std::min<std::size_t>(i, 40)];
      std::vector<digest> gone(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(keys.size() / 2));
      for (std::size_t i = 5; i < gone.size(); i += 9) gone[i] = digest(random());
      for (std::size_t i = 7; i < gone.size(); i += 11) gone[i] = gone[i - 1 - random() % 5];  // more often than inserted

      cuckoo one_by_one(cuckoo::plan({items, fpr}));
      std::size_t in = 0, erased = 0;
      for (auto const x : keys) in += std::size_t{one_by_one.insert(x)};
      auto const full = one_by_one;
      for (auto const x : gone) erased += std::size_t{one_by_one.erase(x)};
      for (auto const target : kernels::targets()) {
        kernels::use_target(target);
        SCOPED_TRACE(std::string(target) + ", " + std::to_string(items) + " items at " + std::to_string(fpr));
        cuckoo in_blocks(cuckoo::plan({items, fpr}));
        EXPECT_EQ(insert_all(in_blocks, std::span<digest const>(keys)), in);
        EXPECT_EQ(in_blocks, full);
        EXPECT_EQ(in_blocks.fpr(), full.fpr());
        std::vector<std::uint64_t> hits(mask_words(keys.size()));
        may_contain_all(in_blocks, std::span<digest const>(keys), hits.data());
        for (std::size_t i = 0; i < keys.size(); ++i)
          ASSERT_EQ((hits[i / 64] >> i % 64 & 1) != 0, full.may_contain(keys[i])) << i;
        EXPECT_EQ(erase_all(in_blocks, std::span<digest const>(gone)), erased);
        EXPECT_EQ(in_blocks, one_by_one);
        EXPECT_EQ(in_blocks.fpr(), one_by_one.fpr());
      }
      kernels::use_target({});
    }
}

}  // namespace
}  // namespace hortus::testing
