// Compact approximators: never too small, in any lattice; the errors of the plan; a Bloom filter for one bit; files that lie.
#include <hortus/map/compact_approximator.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include <hortus/bloom/bloom.hpp>
#include <hortus/index/triple_hashing.hpp>
#include <hortus/io/store.hpp>

#include "key_sets.hpp"
#include "statistics.hpp"

namespace hortus::testing {
namespace {

using numbers3 = compact_approximator<lattice::max<3>>;
using sets = compact_approximator<lattice::bit_sets<12>>;
using pair_lattice = lattice::product<lattice::max<5>, lattice::bit_sets<7>>;
using pairs = compact_approximator<pair_lattice>;
using run_time = compact_approximator<>;

static_assert(membership<run_time> && estimating<run_time> && mergeable<run_time> && foldable<run_time> && plannable<run_time>);
static_assert(batched_membership<run_time> && storable<run_time> && storable<pairs>);
static_assert(!foldable<compact_approximator<lattice::any, triple_hashing>>);

digest key(std::uint64_t i) { return digest::of_hash(i); }
std::uint64_t random(std::uint64_t i) { return mix64(i * golden_ratio64 + 99); }

TEST(lattices, are_lattices) {
  auto const check = [](auto const l) {
    auto const top = lattice::all_ones(l.bits());
    std::vector<std::uint64_t> some{0, 1, top};
    for (std::uint64_t i = 0; i < 30; ++i) some.push_back(random(i) & top);
    auto const below = [&](auto a, auto b) { return l.join(a, b) == b; };
    for (auto const a : some) {
      EXPECT_EQ(l.join(a, a), a);
      EXPECT_EQ(l.meet(a, a), a);
      EXPECT_EQ(l.join(a, 0), a) << "0 is the bottom";
      EXPECT_EQ(l.meet(a, 0), 0U);
      EXPECT_EQ(l.meet(a, top), a);
      EXPECT_EQ(l.atoms_of(a) == 0, a == 0);
      EXPECT_LE(l.atoms_of(a), lattice::all_ones(l.atoms()));
      for (auto const b : some) {
        EXPECT_EQ(l.join(a, b), l.join(b, a));
        EXPECT_EQ(l.meet(a, b), l.meet(b, a));
        EXPECT_EQ(l.join(a, l.meet(a, b)), a);
        EXPECT_EQ(l.meet(a, l.join(a, b)), a);
        EXPECT_EQ(below(a, b), l.meet(a, b) == a);
        EXPECT_EQ(l.atoms_of(l.meet(a, b)), l.atoms_of(a) & l.atoms_of(b)) << "an atom below both is below their meet";
        for (auto const c : some) {
          ASSERT_EQ(l.join(a, l.join(b, c)), l.join(l.join(a, b), c));
          ASSERT_EQ(l.meet(a, l.meet(b, c)), l.meet(l.meet(a, b), c));
        }
      }
    }
  };
  check(lattice::boolean());
  check(lattice::max<64>());
  check(lattice::bit_sets<64>());
  check(lattice::bit_sets<9>());
  check(pair_lattice());
  check(lattice::product<lattice::max<32>, lattice::product<lattice::bit_sets<1>, lattice::max<31>>>());
  check(lattice::any::made(64, lattice::max_kind));
  check(lattice::any::made(17, lattice::bit_sets_kind));
  EXPECT_EQ(pair_lattice::first(pair_lattice::pair(19, 100)), 19U);
  EXPECT_EQ(pair_lattice::second(pair_lattice::pair(19, 100)), 100U);
  EXPECT_THROW((void)lattice::any::made(0, 0), error);
  EXPECT_THROW((void)lattice::any::made(65, 0), error);
  EXPECT_THROW((void)lattice::any::made(8, lattice::product_kind), error);
  EXPECT_THROW((void)lattice::max<3>::made(4, 0), error);
  EXPECT_THROW((void)lattice::max<3>::made(3, 1), error);
}

/// Against a map of joined values: never below, whatever the order; and single lookups, blocks and both answers agree.
template <class F>
void never_below(F f, auto lattice, std::uint64_t items) {
  std::map<std::uint64_t, std::uint64_t> model;
  auto const top = lattice::all_ones(lattice.bits());
  for (std::uint64_t i = 0; i < items; ++i) {
    auto const at = random(i) % (items / 2 + 1);  // several values for some keys
    auto const value = random(i + 7777) & random(i + 8888) & top;
    f.put(key(at), value);
    model[at] = lattice.join(model[at], value);
  }
  std::vector<digest> asked;
  for (std::uint64_t i = 0; i < 3 * items + 70; ++i) asked.push_back(key(i));
  for (std::size_t from = 0; from < asked.size(); from += F::block_keys) {
    auto const block = std::span<digest const>(asked).subspan(from, std::min(F::block_keys, asked.size() - from));
    std::vector<std::uint64_t> values(block.size(), 55), hits(mask_words(block.size()), 55), same = hits;
    f.find(block, block, values.data(), hits.data());
    f.may_contain(block, {}, same.data());
    EXPECT_EQ(hits, same);
    for (std::size_t i = 0; i < block.size(); ++i) {
      auto const found = f.find(block[i]);
      auto const truth = model.contains(from + i) ? model[from + i] : 0;
      ASSERT_EQ(lattice.join(found.value_or(0), truth), found.value_or(0)) << "never below";
      ASSERT_NE(found, std::optional<std::uint64_t>(0)) << "the bottom is nothing";
      ASSERT_EQ(found.value_or(0), values[i]);
      ASSERT_EQ(found.has_value(), (hits[i / 64] >> (i % 64) & 1) != 0);
      ASSERT_EQ(found.has_value(), f.may_contain(block[i]));
    }
  }
}

TEST(compact_approximator, is_never_below) {
  for (std::uint64_t const items : {0U, 1U, 2U, 3U, 10U, 100U, 1000U, 5000U}) {
    never_below(numbers3(numbers3::plan({.items = items, .fpr = .1})), lattice::max<3>(), items);
    never_below(sets(sets::plan({.items = items, .fpr = .3})), lattice::bit_sets<12>(), items);
    never_below(pairs(pairs::plan({.items = items, .fpr = .3})), pair_lattice(), items);
    for (unsigned const bits : {1U, 2U, 4U, 5U, 8U, 31U, 33U, 63U, 64U})
      for (unsigned const kind : {0U, 1U})
        never_below(run_time(run_time::plan({.items = items, .fpr = .2, .value_bits = bits, .lattice = kind})),
                    lattice::any::made(bits, kind), items);
  }
}

/// In an array beyond the cache, where blocks go in rounds.
TEST(compact_approximator, large_blocks_give_the_same_answers) {
  never_below(run_time({300'000, 9, 64, 0}), lattice::any::made(64, 0), 60'000);
  never_below(run_time({5'000'000, 4, 5, 1}), lattice::any::made(5, 1), 600'000);
}

TEST(compact_approximator, order_and_repetition_change_no_byte) {
  for (unsigned const kind : {0U, 1U}) {
    run_time forward({3000, 6, 11, kind}), backward({3000, 6, 11, kind});
    for (std::uint64_t i = 0; i < 400; ++i) forward.put(key(i % 300), random(i) & 2047);
    for (int times = 0; times < 2; ++times)
      for (std::uint64_t i = 400; i-- > 0;) backward.put(key(i % 300), random(i) & 2047);
    EXPECT_EQ(forward, backward);
    EXPECT_EQ(to_bytes(compact_approximator_map(forward)), to_bytes(compact_approximator_map(backward)));
  }
}

TEST(compact_approximator, the_bottom_is_not_stored) {
  run_time f(run_time::plan({.items = 10}));
  for (std::uint64_t i = 0; i < 10; ++i) f.put(key(i), 0);
  EXPECT_EQ(f, run_time(f.shape()));
  EXPECT_EQ(f.find(key(1)), std::nullopt);
  EXPECT_EQ(f.fpr(), 0);
}

TEST(compact_approximator, a_value_that_does_not_fit_is_named) {
  run_time f(run_time::plan({.items = 10, .value_bits = 5}));
  auto const empty = f;
  f.put(key(1), 31);
  try {
    f.put(key(2), 32);
    FAIL();
  } catch (error const& e) {
    EXPECT_EQ(e.code(), errc::bad_params);
    EXPECT_EQ(std::string(e.what()), "the value 32 does not fit 5 bits (value_bits)");
  }
  EXPECT_EQ(f.find(key(1)), 31U);
  f.clear();
  EXPECT_EQ(f, empty);
}

/// The sheet: 20,000 keys, values 1 to 4 at random, 10 cells per key, 7 probes; 30 runs. Given the cells, keys are not
/// independent of each other, but hits of different keys nearly are; a band for each value.
TEST(compact_approximator, errors_of_the_sheet) {
  constexpr std::uint64_t items = 20'000, runs = 30;
  std::array<double, 5> wrong{}, keys{};
  double absent_found = 0, absent_expected = 0;
  for (std::uint64_t run = 0; run < runs; ++run) {
    numbers3 f({200'000, 7, 3, 0});
    auto const value = [&](std::uint64_t i) { return 1 + random(run * items + i) % 4; };
    for (std::uint64_t i = 0; i < items; ++i) f.put(key(run << 32 | i), value(i));
    for (std::uint64_t i = 0; i < items; ++i) {
      auto const found = f.find(key(run << 32 | i));
      ASSERT_TRUE(found && *found >= value(i));
      keys[value(i)] += 1;
      wrong[value(i)] += *found != value(i) ? 1 : 0;
    }
    for (std::uint64_t i = 0; i < 100'000; ++i) absent_found += f.may_contain(key(run << 32 | (absent + i))) ? 1 : 0;
    absent_expected += f.fpr() / runs;
  }
  plan::approximator_shape const shape{200'000, 7, 3};
  for (std::uint64_t v = 1; v <= 4; ++v) {
    double const planned = plan::approximator_error(shape, (4 - v) * items / 4);
    EXPECT_TRUE(binomial_band(keys[v], planned).holds(wrong[v])) << v << ": " << wrong[v] / keys[v] << ", planned " << planned;
  }
  for (std::size_t v = 1; v <= 4; ++v) RecordProperty("wrong_at_" + std::to_string(v), std::to_string(wrong[v] / keys[v]));
  RecordProperty("absent", std::to_string(absent_found / runs / 1e5));
  EXPECT_EQ(wrong[4], 0) << "the largest value is never wrong";
  EXPECT_NEAR(absent_expected, plan::approximator_fpr(shape, items), 1e-4);
  EXPECT_TRUE(binomial_band(runs * 100'000.0, absent_expected).holds(absent_found)) << absent_found / runs / 1e5;
}

/// At one bit: the same positions, answers, rate, estimate, merge and fold as bloom, and the same bytes.
TEST(compact_approximator, of_one_bit_is_a_bloom_filter) {
  for (std::uint64_t const items : {0U, 1U, 7U, 1000U, 20'000U})
    for (double const fpr : {.3, .01, 1e-4}) {
      bloom<> bits(bloom<>::plan({.items = items, .fpr = fpr}));
      using boolean = compact_approximator<lattice::boolean>;
      boolean f(boolean::plan({.items = items, .fpr = fpr}));
      EXPECT_EQ(f.shape().cells, bits.shape().bits);
      EXPECT_EQ(f.shape().probes, bits.shape().probes);
      auto other_bits = bits;
      auto other = f;
      for (std::uint64_t i = 0; i < items; ++i) {
        (i % 2 == 0 ? bits : other_bits).insert(key(i));
        (i % 2 == 0 ? f : other).put(key(i), 1);
      }
      auto const same = [&] {
        ASSERT_EQ(f.size_bytes(), bits.size_bytes());
        ASSERT_EQ(std::memcmp(f.cells().data(), bits.cells().data(), f.size_bytes()), 0);
        EXPECT_DOUBLE_EQ(f.fpr(), bits.fpr());
        EXPECT_EQ(f.estimate(), bits.estimate());
        for (std::uint64_t i = 0; i < 3 * items + 300; ++i) ASSERT_EQ(f.may_contain(key(i)), bits.may_contain(key(i)));
      };
      same();
      bits.merge(other_bits);
      f.merge(other);
      same();
      for (auto const by : plan::divisors(f.fold_width())) {
        if (by > 12) break;
        EXPECT_DOUBLE_EQ(f.fpr_folded(by), bits.fpr_folded(by));
        auto whole = f;
        auto whole_bits = bits;
        f.fold(by);
        bits.fold(by);
        same();
        f = whole;
        bits = whole_bits;
      }
    }
}

TEST(compact_approximator, merge_and_fold_are_exact) {
  for (unsigned const kind : {0U, 1U}) {
    auto const shape = run_time::plan({.items = 3000, .fpr = .05, .value_bits = 9, .lattice = kind});
    run_time a(shape), b(shape), both(shape), small({shape.cells / 2, shape.probes, 9, kind});
    for (std::uint64_t i = 0; i < 3000; ++i) {
      auto const value = random(i) & 511;
      if (i % 3 != 0) a.put(key(i), value);
      if (i % 3 != 1) b.put(key(i), value ^ (i % 3 == 2 ? 0 : 1));
      if (i % 3 != 0) both.put(key(i), value);
      if (i % 3 != 1) both.put(key(i), value ^ (i % 3 == 2 ? 0 : 1));
    }
    a.merge(b);
    EXPECT_EQ(a, both);
    for (std::uint64_t i = 0; i < 3000; ++i) small.put(key(i), random(i) & 511);
    run_time large(shape);
    for (std::uint64_t i = 0; i < 3000; ++i) large.put(key(i), random(i) & 511);
    large.fold(2);
    EXPECT_EQ(large, small) << "as if it had been made small";
  }
  run_time f({100, 3, 8, 0});
  for (auto const& other :
       {run_time({200, 3, 8, 0}), run_time({100, 4, 8, 0}), run_time({100, 3, 9, 0}), run_time({100, 3, 8, 1})})
    EXPECT_THROW(f.merge(other), error);
}

/// Sets and pairs: what fpr() says is an upper bound, exact where all keys have one set, and close where each has one bit.
TEST(compact_approximator, rates_of_sets_and_pairs_are_bounded) {
  for (int const way : {0, 1, 2}) {  // all bits, one bit, random bits
    sets f(sets::plan({.items = 3000, .fpr = .1}));
    for (std::uint64_t i = 0; i < 3000; ++i)
      f.put(key(i), way == 0 ? 4095 : way == 1 ? std::uint64_t{1} << random(i) % 12 : random(i) & random(i + 5000) & 4095);
    double hits = 0;
    for (std::uint64_t i = 0; i < 300'000; ++i) hits += f.may_contain(key(absent + i)) ? 1 : 0;
    EXPECT_LE(hits, binomial_band(3e5, f.fpr()).high) << way;
    EXPECT_LE(f.fpr(), 1.1 * sets::planned_fpr(f.shape(), 3000)) << way;
    if (way != 2) {
      EXPECT_GE(hits, binomial_band(3e5, .9 * f.fpr()).low) << way;
    }
  }
  pairs f(pairs::plan({.items = 3000, .fpr = .1}));
  for (std::uint64_t i = 0; i < 3000; ++i)
    f.put(key(i), i % 2 == 0 ? pair_lattice::pair(1 + i % 31, 0) : pair_lattice::pair(0, 1 + i % 127));
  double hits = 0;
  for (std::uint64_t i = 0; i < 300'000; ++i) hits += f.may_contain(key(absent + i)) ? 1 : 0;
  EXPECT_LE(hits, binomial_band(3e5, f.fpr()).high);
  for (std::uint64_t i = 0; i < 3000; ++i) {
    auto const found = *f.find(key(i));
    if (i % 2 == 0) {
      ASSERT_GE(pair_lattice::first(found), 1 + i % 31);
    } else {
      ASSERT_EQ(pair_lattice::second(found) & (1 + i % 127), 1 + i % 127);
    }
  }
}

/// Digests of all structures: sequential, equal in their top or low bits.
TEST(compact_approximator, structured_digests_keep_the_rate) {
  for (int const way : {1, 2}) {
    auto const selected = [&](std::uint64_t i) { return digest(way == 1 ? random(i) >> 16 : random(i) << 16 | 1); };
    run_time f(run_time::plan({.items = 20'000, .fpr = .01, .value_bits = 4}));
    for (std::uint64_t i = 0; i < 20'000; ++i) f.put(selected(i), 1 + i % 15);
    for (std::uint64_t i = 0; i < 20'000; ++i) ASSERT_GE(f.find(selected(i)).value_or(0), 1 + i % 15);
    double hits = 0;
    for (std::uint64_t i = 0; i < 1'000'000; ++i) hits += f.may_contain(selected(absent + i)) ? 1 : 0;
    EXPECT_TRUE(binomial_band(1e6, f.fpr()).holds(hits)) << way << ": " << hits << " " << f.fpr();
  }
  run_time f(run_time::plan({.items = 20'000}));
  for (std::uint64_t i = 0; i < 20'000; ++i) f.put(digest(i), 1 + i % 255);
  for (std::uint64_t i = 0; i < 20'000; ++i) ASSERT_GE(f.find(digest(i)).value_or(0), 1 + i % 255);
}

TEST(compact_approximator, estimates_its_keys) {
  run_time f(run_time::plan({.items = 10'000}));
  for (std::uint64_t i = 0; i < 10'000; ++i) f.put(key(i), 1 + i % 200);
  EXPECT_NEAR(f.estimate().value, 10'000, 200);
}

TEST(compact_approximator, comes_back_from_bytes) {
  for (unsigned const bits : {1U, 7U, 64U})
    for (unsigned const kind : {0U, 1U})
      for (std::uint64_t const items : {0U, 1U, 500U}) {
        run_time f(run_time::plan({.items = items, .value_bits = bits, .lattice = kind}));
        for (std::uint64_t i = 0; i < items; ++i) f.put(key(i), random(i) >> (64 - bits));
        EXPECT_EQ(f.size_bytes(), run_time::planned_bytes(f.shape()));
        auto const back = from_bytes<compact_approximator_map>(to_bytes(compact_approximator_map(f))).family();
        EXPECT_EQ(back, f);
        EXPECT_EQ(back.shape(), f.shape());
      }
  // A lattice that is fixed in the program reads what the run-time one wrote, if it is the same.
  run_time f({50, 3, 3, 0});
  f.put(key(1), 5);
  field_writer out;
  run_time::fields(f, out);
  std::vector<memory> cells{f.cells()};
  field_reader in(out.scalars(), cells);
  numbers3 fixed;
  numbers3::fields(fixed, in);
  EXPECT_EQ(fixed.find(key(1)), 5U);
  field_reader again(out.scalars(), cells);
  compact_approximator<lattice::max<4>> other;
  EXPECT_THROW(decltype(other)::fields(other, again), error);
}

TEST(compact_approximator, files_that_lie_are_refused) {
  run_time f({100, 4, 6, 1});
  for (std::uint64_t i = 0; i < 20; ++i) f.put(key(i), i);
  field_writer out;
  run_time::fields(f, out);
  ASSERT_EQ(out.scalars().size(), 6U);  // index, lattice, bits, probes, width, cells
  auto const read = [&](std::size_t field, std::uint64_t value, memory const& cells) {
    auto scalars = out.scalars();
    scalars[field] = value;
    field_reader in(scalars, {cells});
    run_time back;
    run_time::fields(back, in);
    return back.valid();
  };
  EXPECT_TRUE(read(0, out.scalars()[0], f.cells()));
  EXPECT_TRUE(read(1, 0, f.cells())) << "any cells are values of any lattice";
  EXPECT_THROW((void)read(0, 77, f.cells()), error);
  for (auto const& [field, value] : std::vector<std::pair<std::size_t, std::uint64_t>>{
           {1, 2}, {1, 1000}, {2, 0}, {2, 5}, {2, 65}, {3, 0}, {3, 65}, {4, 0}, {4, 7}, {5, 0}, {5, 99}, {5, 1ULL << 60}})
    EXPECT_FALSE(read(field, value, f.cells())) << field << " " << value;
  EXPECT_FALSE(read(5, 100, memory(72)));
  EXPECT_FALSE(read(5, 100, memory(0)));
  auto dirty = f.cells();
  dirty.data()[dirty.size() - 1] = std::byte{0x80};
  EXPECT_FALSE(read(5, 100, dirty)) << "bits past the last cell";
  EXPECT_THROW(run_time(run_time::params{}), error);
  EXPECT_THROW(run_time({10, 3, 8, 2}), error);
  EXPECT_THROW((void)run_time::plan({.items = 10, .lattice = 3}), error);
}

}  // namespace
}  // namespace hortus::testing
