#include <hortus/frozen/golomb_set.hpp>
#include <hortus/frozen/golomb_sorted.hpp>

#include <gtest/gtest.h>

#include <random>
#include <set>

#include <hortus/io/store.hpp>

#include "with_target.hpp"

namespace hortus::testing {
namespace {

std::vector<digest> random_digests(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  std::vector<digest> xs;
  for (std::size_t i = 0; i < count; ++i) xs.emplace_back(random());
  return xs;
}

std::vector<std::uint64_t> values_of(golomb_set const& set) {
  std::vector<std::uint64_t> all;
  set.for_each_value([&](std::uint64_t value) { all.push_back(value); });
  return all;
}

/// What a set of these keys has to answer: a set of their numbers.
void expect_exact(golomb_set const& set, std::vector<digest> const& keys, std::vector<digest> const& asked) {
  std::set<std::uint64_t> numbers;
  for (auto const key : keys) numbers.insert(set.value_of(key));
  EXPECT_EQ(values_of(set), std::vector<std::uint64_t>(numbers.begin(), numbers.end()));
  EXPECT_EQ(set.values(), numbers.size());
  EXPECT_TRUE(set.blocks().consistent());
  EXPECT_DOUBLE_EQ(set.fpr(), static_cast<double>(numbers.size()) / static_cast<double>(set.range()));
  for (auto const& xs : {keys, asked}) {
    std::vector<std::uint64_t> hits(xs.size() / 64 + 1);
    may_contain_all(set, std::span(xs), hits.data());
    for (std::size_t i = 0; i < xs.size(); ++i) {
      ASSERT_LT(set.value_of(xs[i]), set.range());
      ASSERT_EQ(set.may_contain(xs[i]), numbers.contains(set.value_of(xs[i]))) << i;
      ASSERT_EQ((hits[i / 64] >> (i % 64) & 1) != 0, set.may_contain(xs[i])) << i;
    }
  }
}

TEST(golomb_set, of_every_small_number_of_keys_answers_like_a_set_of_numbers) {
  for (std::size_t items = 0; items <= 1000; items += items < 130 ? 1 : 29)
    for (double const fpr : {.9, .5, .1, .01, 1e-5, 1e-12}) {
      auto const keys = random_digests(items, items);
      SCOPED_TRACE(std::to_string(items) + " at " + std::to_string(fpr));
      expect_exact(golomb_set::build(keys, {.fpr = fpr}), keys, random_digests(items + 5000, 100));
    }
}

/// Every version of the kernel, at short and long remainders, and in blocks that are long, too.
TEST(golomb_set, kernels_of_all_instruction_sets_agree) {
  for (double const fpr : {.7, .3, .1, .01, 1 / 256.0, 1e-4, 1e-9, 1e-13})
    for (bool const crowded : {false, true}) {
      auto keys = random_digests(1, 20'000);
      if (crowded)
        for (auto& x : keys) x = digest(x.bits() >> 12);
      auto const set = golomb_set::build(keys, {.fpr = fpr});
      auto asked = random_digests(2, 1000);
      for (std::size_t i = 0; i < 1000; ++i) asked.push_back(keys[7 * i]);
      if (crowded)
        for (std::size_t i = 0; i < 1000; ++i) asked.push_back(digest(keys[7 * i].bits() + (std::uint64_t{1} << (i % 50))));
      for (auto const name : kernels::targets()) {
        with_target const chosen(name);
        std::vector<std::uint64_t> hits(asked.size() / 64 + 1);
        may_contain_all(set, std::span<digest const>(asked), hits.data());
        for (std::size_t i = 0; i < asked.size(); ++i) {
          ASSERT_EQ((hits[i / 64] >> (i % 64) & 1) != 0, set.may_contain(asked[i])) << name << ", " << i << " at " << fpr;
        }
        for (std::size_t count = 0; count <= 64; ++count) {
          std::uint64_t few = ~std::uint64_t{0};
          set.may_contain(std::span<digest const>(asked).subspan(990, count), {}, &few);
          EXPECT_EQ(few, count == 0 ? 0 : (hits[15] >> 30 | hits[16] << 34) & ~std::uint64_t{0} >> (64 - count)) << name;
        }
      }
    }
}

/// Quotients of several windows, remainders of up to 63 bits: more than planned sets have.
TEST(golomb_code, of_any_divisor_and_any_gaps_is_decoded_by_every_kernel) {
  std::mt19937_64 random(30);
  for (std::uint64_t const divisor : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{64},
                                      std::uint64_t{177}, (std::uint64_t{1} << 32) - 1, std::uint64_t{1} << 32,
                                      std::uint64_t{1} << 62, (std::uint64_t{1} << 63) - 1, std::uint64_t{1} << 63})
    for (std::uint64_t const longest : {1U, 3U, 63U, 64U, 65U, 300U}) {
      golomb_code const code(divisor);
      golomb_writer writer(code);
      std::vector<std::vector<std::uint64_t>> blocks;
      for (int block = 0; block < 64; ++block) {
        std::vector<std::uint64_t> values;
        std::uint64_t next = 0;
        for (auto left = random() % 20; left != 0; --left) {
          auto const most = std::min((std::uint64_t{1} << 63) - 1,
                                     divisor > (std::uint64_t{1} << 50) ? ~std::uint64_t{0} : divisor * longest);
          auto const gap = random() % (std::min(most, (std::uint64_t{1} << 63) - 1 - next) + 1);
          values.push_back(next + gap);
          next += gap + 1;
          if (next >= (std::uint64_t{1} << 63) - 1) break;
        }
        writer.block(values);
        blocks.push_back(values);
      }
      std::vector<std::uint64_t> words(writer.bits() / 64 + 4);
      writer.copy(words.data() + 1, 0);
      for (auto const name : kernels::targets()) {
        with_target const chosen(name);
        kernels::golomb_lookups present{}, absent{};
        std::uint64_t at = 0, expected = 0;
        for (std::size_t i = 0; i < 64; ++i) {
          std::vector<std::uint64_t> decoded;
          present.begins[i] = absent.begins[i] = at;
          at += writer.lengths()[i];
          present.ends[i] = absent.ends[i] = at;
          code.scan(words.data() + 1, present.begins[i], at,
                    [&](std::uint64_t value) { return decoded.push_back(value), false; });
          ASSERT_EQ(decoded, blocks[i]) << divisor << ", " << longest;
          expected |= std::uint64_t{!decoded.empty()} << i;
          present.values[i] = decoded.empty() ? 5 : decoded[random() % decoded.size()];
          do absent.values[i] = random() >> 1;
          while (std::ranges::binary_search(decoded, absent.values[i]));
        }
        EXPECT_EQ(kernels::golomb_find(code, words.data() + 1, present, 64), expected) << name << ", " << divisor;
        EXPECT_EQ(kernels::golomb_find(code, words.data() + 1, absent, 64), 0U) << name << ", " << divisor;
      }
    }
}

/// Digests that are no hashes: in sequence, with equal first bits, with equal last bits. Positions and codes may then need more
/// room than planned.
TEST(golomb_set, structured_digests_cost_space_but_no_answer) {
  auto const check = [](std::vector<digest> const& keys) {
    for (double const fpr : {.5, .01, 1e-9}) {
      auto const set = golomb_set::build(keys, {.fpr = fpr});
      std::vector<digest> others;
      for (std::size_t i = 0; i < keys.size(); i += 5) others.push_back(digest(keys[i].bits() + 1));
      expect_exact(set, keys, others);
      std::vector<std::byte> const bytes = to_bytes(golomb_set_filter(set));
      EXPECT_EQ(from_bytes<golomb_set_filter>(bytes).family(), set);
    }
  };
  for (unsigned const shift : {0U, 10U, 30U, 40U, 50U}) {
    std::vector<digest> keys;
    for (std::uint64_t i = 0; i < 3000; ++i) keys.emplace_back(i << shift);
    check(keys);
    for (auto& x : keys) x = digest(~x.bits());
    check(keys);
  }
  for (unsigned const bits : {1U, 5U, 8U, 20U}) {
    auto keys = random_digests(bits, 5000);
    for (auto& x : keys) x = digest(x.bits() >> bits | std::uint64_t{0xA5} << 56);  // close to each other, in the middle
    check(keys);
    for (auto& x : keys) x = digest(x.bits() << 20);
    check(keys);
  }
  check({5000, digest(77)});
  check({digest(0), digest(~std::uint64_t{0})});
}

/// Two keys that are far apart at a low rate: one gap of 2^62, one block with both ends, empty blocks between.
TEST(golomb_set, gaps_above_32_bits) {
  for (double const fpr : {1e-12, 1e-15, 1e-17, 4e-19}) {
    std::vector<digest> keys{digest(0), digest(1), digest(std::uint64_t{1} << 60), digest(~std::uint64_t{0} - 1)};
    if (fpr < 1e-18) keys.resize(1);
    expect_exact(golomb_set::build(keys, {.fpr = fpr}), keys, random_digests(3, 1000));
  }
  EXPECT_THROW((void)golomb_set::build(random_digests(1, 1000), {.fpr = 1e-17}), error);
}

TEST(golomb_set, keys_in_order_are_looked_up_in_one_pass) {
  for (std::size_t const items : {0U, 1U, 100U, 20'000U})
    for (std::size_t const asked : {0U, 1U, 50U, 3000U, 100'000U}) {
      auto const members = random_digests(20, items);
      auto const set = golomb_set::build(members, {.fpr = .05});
      auto keys = random_digests(21, asked);
      for (std::size_t i = 0; i < items && i < asked; i += 3) keys[i] = members[i];
      if (asked > 1) keys[asked - 1] = keys[0];  // twice
      std::ranges::sort(keys, {}, &digest::bits);
      std::vector<std::size_t> found, expected;
      for_each_found(set, keys, [&](std::size_t i) { found.push_back(i); });
      for (std::size_t i = 0; i < keys.size(); ++i)
        if (set.may_contain(keys[i])) expected.push_back(i);
      EXPECT_EQ(found, expected) << items << ", " << asked;
    }
}

TEST(golomb_set, bytes_do_not_depend_on_order_duplicates_or_threads) {
  auto keys = random_digests(4, 600'000);
  auto const set = golomb_set::build(keys, {});
  EXPECT_EQ(golomb_set::parts(keys.size()).count(), 4U);
  std::reverse(keys.begin(), keys.end());
  keys.insert(keys.end(), keys.begin(), keys.begin() + 100'000);
  EXPECT_EQ(golomb_set::build(keys, {}), set);
  auto const words = distinct_words(keys);
  auto const backwards = build_of_words<golomb_set>(words, {}, [](std::uint64_t count, auto act) {
    for (std::uint64_t part = count; part != 0; --part) act(part - 1);
  });
  EXPECT_EQ(backwards, set);
}

TEST(golomb_set, sets_of_equal_capacity_combine_exactly) {
  golomb_set::goal const goal{.items = 0, .fpr = .01, .capacity = 600'000};
  for (std::size_t const items : {0U, 1U, 3000U, 300'000U}) {
    auto const a = random_digests(5, items), b = random_digests(6, 2 * items);
    auto all = a;
    all.insert(all.end(), b.begin(), b.end());
    if (all.size() > goal.capacity) all.resize(goal.capacity);
    std::vector<digest> const of_b(all.begin() + static_cast<long>(items), all.end());
    auto const in_a = golomb_set::build(a, goal), in_b = golomb_set::build(of_b, goal);
    auto both = in_a;
    both.merge(in_b);
    EXPECT_EQ(both, golomb_set::build(all, goal));
    auto common = in_a;
    common.intersect(in_b);
    std::vector<std::uint64_t> expected;
    std::ranges::set_intersection(values_of(in_a), values_of(in_b), std::back_inserter(expected));
    EXPECT_EQ(values_of(common), expected);
    both.intersect(in_a);
    EXPECT_EQ(both, in_a);
    both.merge(golomb_set::build({}, goal));
    EXPECT_EQ(both, in_a);
  }
  auto one = golomb_set::build(random_digests(7, 100), goal);
  auto const before = one;
  EXPECT_THROW(one.merge(golomb_set::build(random_digests(7, 100), {.fpr = .01, .capacity = 600'001 * 2})), error);
  EXPECT_THROW(one.intersect(golomb_set::build(random_digests(7, 100), {.fpr = .02, .capacity = 600'000})), error);
  EXPECT_EQ(one, before);
}

TEST(golomb_set, more_keys_than_the_capacity_are_refused) {
  auto const keys = random_digests(8, 1000);
  EXPECT_NO_THROW((void)golomb_set::build(keys, {.capacity = 1000}));
  try {
    (void)golomb_set::build(keys, {.capacity = 999});
    ADD_FAILURE();
  } catch (error const& e) {
    EXPECT_EQ(e.code(), errc::bad_goal);
    EXPECT_NE(std::string(e.what()).find("1000 distinct keys"), std::string::npos) << e.what();
  }
  // Merging goes beyond it, at a higher rate.
  auto both = golomb_set::build(keys, {.capacity = 1000});
  both.merge(golomb_set::build(random_digests(9, 1000), {.capacity = 1000}));
  EXPECT_NEAR(both.fpr(), .02, .001);
  for (auto const key : keys) EXPECT_TRUE(both.may_contain(key));
}

/// Lengths of blocks for which a field of the index is just long enough, or one bit too short.
TEST(golomb_blocks, fields_grow_when_a_position_does_not_fit) {
  for (std::uint64_t value = 0; value < 200; ++value)
    for (bool const second : {false, true}) {
      golomb_writer writer(golomb_code(1));
      std::vector<std::uint64_t> const far{value}, none;
      writer.block(second ? none : far);
      writer.block(second ? far : none);
      golomb_blocks const made({1, 2, 1000, 1, 4, 1}, std::span<golomb_writer const>(&writer, 1));
      EXPECT_TRUE(made.consistent()) << value;
      EXPECT_TRUE(made.contains({0, second ? 1U : 0U, value})) << value;
    }
}

/// Any bytes as index and codes: no read outside (the sanitizers look), no endless loop, the same answers in batches.
TEST(golomb_set, hostile_bytes_are_answered_or_refused) {
  std::mt19937_64 random(10);
  auto const asked = random_digests(11, 2000);
  // Of small files everything is verified; this one is large enough that damage in the middle is not noticed.
  for (double const fpr : {.5, .01, 1e-9}) {
    auto const good = golomb_set::build(random_digests(12, 100'000), {.fpr = fpr});
    field_writer stored;
    stored(good);
    std::size_t accepted = 0;
    for (int run = 0; run < 60; ++run) {
      auto scalars = stored.scalars();
      std::vector<memory> sections;
      for (auto const section : stored.sections()) {
        memory copy(section.size());
        std::copy(section.begin(), section.end(), copy.data());
        for (std::size_t i = copy.size() * 9 / 20; i < copy.size() * 11 / 20; ++i) {
          auto const kind = run % 4;
          if (kind == 0 && random() % 50 == 0) copy.data()[i] ^= static_cast<std::byte>(random());
          if (kind == 1) copy.data()[i] = static_cast<std::byte>(random());
          if (kind == 2) copy.data()[i] = std::byte{0xff};
          if (kind == 3 && sections.empty()) copy.data()[i] = static_cast<std::byte>(random() % 2 == 0 ? 0 : random());
        }
        sections.push_back(std::move(copy));
      }
      if (run % 3 == 0) scalars[random() % scalars.size()] = random() >> random() % 64;
      golomb_set set;
      try {
        field_reader in(scalars, std::move(sections), false);
        golomb_set::fields(set, in);
      } catch (error const& e) {
        EXPECT_EQ(e.code(), errc::corrupt);
        continue;
      }
      ++accepted;
      std::vector<std::uint64_t> hits(asked.size() / 64 + 1);
      may_contain_all(set, std::span<digest const>(asked), hits.data());
      for (std::size_t i = 0; i < asked.size(); ++i)
        EXPECT_EQ((hits[i / 64] >> (i % 64) & 1) != 0, set.may_contain(asked[i])) << run << ", " << i;
      EXPECT_FALSE(set.blocks().consistent());
      EXPECT_THROW(set.merge(golomb_set(good)), error);
    }
    EXPECT_GE(accepted, 40U);
  }
}

TEST(golomb_set, a_verified_file_has_codes_that_fit_together) {
  auto const good = golomb_set::build(random_digests(13, 500), {});
  field_writer stored;
  stored(good);
  auto const read = [&](std::vector<std::uint64_t> scalars) {
    std::vector<memory> sections;
    for (auto const part : stored.sections()) {
      memory copy(part.size());
      std::copy(part.begin(), part.end(), copy.data());
      sections.push_back(std::move(copy));
    }
    golomb_set set;
    field_reader in(std::move(scalars), std::move(sections), true);
    golomb_set::fields(set, in);
  };
  EXPECT_NO_THROW(read(stored.scalars()));
  for (auto const other : {good.values() - 1, good.values() + 1}) {
    auto scalars = stored.scalars();
    scalars.back() = other;
    EXPECT_THROW(read(scalars), error) << "another number of values";
  }
  std::size_t refused = 0, changes = 0;
  for (std::size_t section = 0; section < 2; ++section)
    for (std::size_t i = 0; i < stored.sections()[section].size(); ++i) {
      std::vector<memory> sections;
      for (auto const part : stored.sections()) {
        memory copy(part.size());
        std::copy(part.begin(), part.end(), copy.data());
        sections.push_back(std::move(copy));
      }
      sections[section].data()[i] ^= std::byte{4};
      golomb_set set;
      ++changes;
      try {
        field_reader in(stored.scalars(), std::move(sections), true);
        golomb_set::fields(set, in);
        EXPECT_EQ(set.blocks().values(), good.values());
      } catch (error const&) {
        ++refused;
      }
    }
  EXPECT_GT(refused, changes / 3) << "another remainder is another set, but most quotients and positions no longer fit";
}

}  // namespace
}  // namespace hortus::testing
