// What is peculiar to hyperloglog and exaloglog: registers beside a model, tokens, digests that are not random, hostile files.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <vector>

#include <hortus/sketch/exaloglog.hpp>
#include <hortus/sketch/hyperloglog.hpp>

#include "io/parts.hpp"
#include "laws/support.hpp"

namespace hortus::testing {
namespace {

template <class F>
F sketch(unsigned precision) {
  typename F::goal goal;
  goal.precision = precision;
  return F(F::plan(goal));
}
template <class F>
F sketch(unsigned precision, std::vector<digest> const& xs) {
  auto f = sketch<F>(precision);
  insert_all(f, std::span(xs));
  return f;
}

/// Digests as good hashes give them, and as bad ones do.
std::map<std::string, std::vector<digest>> digest_sets(std::uint64_t count) {
  std::map<std::string, std::vector<digest>> sets;
  for (std::uint64_t i = 0; i < count; ++i) {
    auto const word = mix64(i + 1);
    sets["random"].emplace_back(word);
    sets["sequential"].emplace_back(i);
    sets["equal top bits"].emplace_back(word >> 20 | std::uint64_t{0xabc} << 52);
    sets["equal low bits"].emplace_back(word << 20 | 0x12345);
    sets["low bits 0"].emplace_back(word << 45);
    sets["the last ones"].emplace_back(~std::uint64_t{0} - i);
  }
  return sets;
}

/// Bits [from, from + bits) of the cells.
std::uint64_t bits_of(memory const& cells, std::uint64_t from, unsigned bits) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < bits; ++i) {
    auto const at = from + i;
    value |= (std::to_integer<std::uint64_t>(cells.data()[at / 8]) >> (at % 8) & 1) << i;
  }
  return value;
}

/// What the registers must be, from the definition: the number from the first bits, the zeros from the last.
std::vector<std::uint64_t> ranks(std::vector<digest> const& xs, unsigned p) {
  std::vector<std::uint64_t> all(std::size_t{1} << p);
  for (auto const x : xs) {
    std::uint64_t rank = 1;
    while (rank <= 64 - p && (x.bits() >> (rank - 1) & 1) == 0) ++rank;
    auto& one = all[x.bits() >> (64 - p)];
    one = std::max(one, rank);
  }
  return all;
}
std::vector<std::uint64_t> histories(std::vector<digest> const& xs, unsigned p) {
  std::vector<std::set<std::uint64_t>> values(std::size_t{1} << p);
  for (auto const x : xs) {
    std::uint64_t zeros = 0;
    while (zeros < 62 - p && (x.bits() >> (zeros + 2) & 1) == 0) ++zeros;
    values[x.bits() >> (64 - p)].insert(4 * zeros + x.bits() % 4 + 1);
  }
  std::vector<std::uint64_t> all;
  for (auto const& met : values) {
    auto const largest = met.empty() ? 0 : *met.rbegin();
    auto one = largest << 20;
    for (auto const value : met)
      if (value < largest && largest - value <= 20) one |= std::uint64_t{1} << (20 - (largest - value));
    all.push_back(one);
  }
  return all;
}

template <class F>
void compare_registers(F const& f, std::vector<std::uint64_t> const& expected, unsigned bits, std::string const& what) {
  ASSERT_TRUE(f.has_registers()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_EQ(bits_of(f.cells(), bits * i, bits), expected[i]) << what << ", register " << i;
}

/// One by one, in batches, from tokens, folded and merged.
template <class F>
void registers_are_those_of_the_model(auto model, unsigned bits) {
  for (auto const& [what, some] : digest_sets(6000)) {
    auto xs = some;  // and random ones, because structured digests may have few tokens
    for (std::uint64_t i = 0; i < 1000; ++i) xs.emplace_back(mix64(absent + i));
    for (unsigned const p : {4U, 5U, 9U, 10U}) {
      auto const expected = model(xs, p);
      auto const f = sketch<F>(p, xs);
      compare_registers(f, expected, bits, what);
      auto singly = sketch<F>(p);
      for (auto const x : xs) singly.insert(x);
      EXPECT_EQ(singly, f) << what;
      auto larger = sketch<F>(p + 7, xs);  // tokens, or registers
      larger.fold(1 << 7);
      compare_registers(larger, expected, bits, what + ", folded");
      auto halves = sketch<F>(p + 1, {xs.begin(), xs.begin() + 3500});
      halves.merge(sketch<F>(p, {xs.begin() + 2500, xs.end()}));
      compare_registers(halves, expected, bits, what + ", merged");
    }
  }
}
TEST(hyperloglog, registers_are_those_of_the_model) { registers_are_those_of_the_model<hyperloglog>(ranks, 6); }
TEST(exaloglog, registers_are_those_of_the_model) { registers_are_those_of_the_model<exaloglog>(histories, 28); }

template <class R>
void a_token_stands_for_its_digest() {
  for (auto const& [what, xs] : digest_sets(500))
    for (auto const x : xs) {
      auto const token = R::token_of(x);
      ASSERT_TRUE(R::is_token(token)) << what;
      ASSERT_NE(token, 0U);
      ASSERT_EQ(R::token_of(R::digest_of(token)), token) << what;
      for (unsigned p = R::kind.least; p <= 12; ++p)
        ASSERT_EQ((sketch<distinct_counter<R>>(p, std::vector(1, x))),
                  (sketch<distinct_counter<R>>(p, std::vector(1, R::digest_of(token)))))
            << what;
    }
}
TEST(hyperloglog, a_token_stands_for_its_digest) { a_token_stands_for_its_digest<hyperloglog_registers>(); }
TEST(exaloglog, a_token_stands_for_its_digest) { a_token_stands_for_its_digest<exaloglog_registers>(); }

/// While there are tokens, and that is up to 5/8 of a word each in the space of the registers.
template <class F>
void few_keys_are_counted_exactly(unsigned p, std::uint64_t at_least) {
  F f = sketch<F>(p);
  std::uint64_t n = 0;
  for (; !f.has_registers(); ++n) {
    auto const e = f.estimate();
    ASSERT_EQ(e.value, static_cast<double>(n));
    ASSERT_LE(e.low, e.value);
    ASSERT_LE(e.high, e.value + 1);
    ASSERT_LE(f.size_bytes(), f.planned_bytes(f.shape()));
    f.insert(digest(mix64(n + 1)));
  }
  EXPECT_GE(n, at_least);
  EXPECT_LE(n, f.planned_bytes(f.shape()) / 4);
  auto const e = f.estimate();
  EXPECT_NEAR(e.value, static_cast<double>(n), 6 * f.error() * static_cast<double>(n));
}
TEST(hyperloglog, few_keys_are_counted_exactly) {
  few_keys_are_counted_exactly<hyperloglog>(6, 5);
  few_keys_are_counted_exactly<hyperloglog>(14, 1900);
}
TEST(exaloglog, few_keys_are_counted_exactly) {
  few_keys_are_counted_exactly<exaloglog>(4, 5);
  few_keys_are_counted_exactly<exaloglog>(11, 1100);
}

/// Tokens whose homes are all at the end of the table leave it early. That, too, depends on the set alone.
template <class F>
void crowded_tokens_become_registers_in_any_order() {
  std::vector<digest> xs;
  for (std::uint64_t i = 0; i < 700; ++i) xs.emplace_back(std::uint64_t{0xfff} << 52 | mix64(i) >> 12);
  for (std::size_t n = 1; n < xs.size(); n += 7) {
    std::vector<digest> some(xs.begin(), xs.begin() + static_cast<std::ptrdiff_t>(n));
    auto const f = sketch<F>(12, some);
    EXPECT_TRUE(f.has_registers() || n < 500) << n;  // there are 96 or 448 slots behind the last home
    std::ranges::reverse(some);
    ASSERT_EQ((sketch<F>(12, some)), f) << n;
    auto merged = sketch<F>(12, {some.begin(), some.begin() + static_cast<std::ptrdiff_t>(n / 2)});
    merged.merge(sketch<F>(12, {some.begin() + static_cast<std::ptrdiff_t>(n / 3), some.end()}));
    ASSERT_EQ(merged, f) << n;
    for (unsigned const p : {4U, 8U, 11U}) {  // registers of one digest, where there would be space for its token
      auto const expected = sketch<F>(p, some);
      auto folded = f;
      folded.fold(1 << (12 - p));
      ASSERT_EQ(folded, expected) << n << " in precision " << p;
      auto lower = sketch<F>(p);
      lower.merge(f);
      ASSERT_EQ(lower, expected) << n << " in precision " << p;
    }
  }
}
TEST(hyperloglog, crowded_tokens_become_registers_in_any_order) { crowded_tokens_become_registers_in_any_order<hyperloglog>(); }
TEST(exaloglog, crowded_tokens_become_registers_in_any_order) { crowded_tokens_become_registers_in_any_order<exaloglog>(); }

/// A hash that is 0, or all ones, or any other: no estimate is not a number.
template <class F>
void estimates_of_digests_that_are_not_random_are_numbers() {
  for (std::uint64_t const count : {1U, 100U, 20'000U})
    for (auto const& [what, xs] : digest_sets(count))
      for (unsigned const p : {4U, 9U, 14U}) {
        auto const e = sketch<F>(p, xs).estimate();
        EXPECT_GT(e.low, 0) << what;
        EXPECT_LE(e.low, e.value) << what;
        EXPECT_LE(e.value, e.high) << what;
      }
  auto f = sketch<F>(4);
  for (std::uint64_t i = 0; i < 16; ++i) f.insert(digest(i << 60));
  for (std::uint64_t i = 0; i < 16; ++i) f.insert(digest(i << 60 | 3));
  EXPECT_GT(f.estimate().high, 1e16);
}
TEST(hyperloglog, estimates_of_digests_that_are_not_random_are_numbers) {
  estimates_of_digests_that_are_not_random_are_numbers<hyperloglog>();
}
TEST(exaloglog, estimates_of_digests_that_are_not_random_are_numbers) {
  estimates_of_digests_that_are_not_random_are_numbers<exaloglog>();
}

/// A failed merge changes nothing, and one with itself neither.
template <class F>
void merged_with_itself_it_stays_as_it_is() {
  for (auto const n : {0, 3, 100, 5000}) {
    auto f = of_keys<F>(goal_for<F>(0, 0.03));
    fill(f, keys<random_keys>(0, static_cast<std::uint64_t>(n)));
    auto const before = own_bytes(f);
    f.merge(f);
    EXPECT_EQ(own_bytes(f), before) << n;
  }
}
TEST(hyperloglog, merged_with_itself_it_stays_as_it_is) { merged_with_itself_it_stays_as_it_is<hyperloglog>(); }
TEST(exaloglog, merged_with_itself_it_stays_as_it_is) { merged_with_itself_it_stays_as_it_is<exaloglog>(); }

/// Scalars: precision, tokens. Sections: tokens, registers.
template <class F>
class hostile_sketch {
 public:
  explicit hostile_sketch(std::uint64_t keys) {
    of_keys<F> f(goal_for<F>(0, 0.05));
    fill(f, testing::keys<random_keys>(0, keys));
    parts = take_apart(to_bytes(f));
  }
  [[nodiscard]] bool is_accepted() const {
    try {
      use(from_bytes<of_keys<F>>(put_together(parts)));
      return true;
    } catch (error const& e) {
      EXPECT_EQ(e.code(), errc::corrupt) << e.what();
      return false;
    }
  }
  [[nodiscard]] std::uint32_t slot(std::size_t i) const { return get<std::uint32_t>(parts.sections[0], 4 * i); }
  void set_slot(std::size_t i, std::uint32_t token) { put(parts.sections[0], 4 * i, token); }
  file_parts parts;

 private:
  static void use(of_keys<F> f) {
    auto const e = f.estimate();
    EXPECT_LE(e.low, e.value);
    EXPECT_LE(e.value, e.high);
    fill(f, testing::keys<random_keys>(absent, 5000));
    auto other = f;
    f.fold(2);
    f.merge(other);
    (void)f.estimate();
  }
};

template <class F>
void hostile_tokens_are_refused() {
  hostile_sketch<F> const good(30);
  ASSERT_TRUE(good.is_accepted());
  auto const slots = good.parts.sections[0].size() / 4;
  ASSERT_EQ(good.parts.sections[1].size(), 0U);
  for (std::size_t i = 0; i < slots; ++i) {
    auto bad = good;
    bad.set_slot(i, good.slot(i) == 0 ? 1 : 0);  // a token too many, or one too few
    EXPECT_FALSE(bad.is_accepted()) << i;
    bad = good;
    if (good.slot(i) == 0) continue;
    bad.set_slot(i, good.slot(i) | 255);  // a rank that no digest has, or another place
    EXPECT_FALSE(bad.is_accepted()) << i;
    if (i + 1 == slots) continue;
    bad = good;
    bad.set_slot(i, good.slot(i + 1));
    bad.set_slot(i + 1, good.slot(i));  // out of order, or not at home
    EXPECT_FALSE(bad.is_accepted()) << i;
  }
  for (std::uint64_t const wrong : {0U, 29U, 31U, 1000U}) {
    auto bad = good;
    bad.parts.scalars[1] = wrong;
    EXPECT_FALSE(bad.is_accepted()) << wrong;
  }
  for (std::uint64_t const wrong : {0U, 3U, 4U, 27U, 64U}) {
    auto bad = good;
    bad.parts.scalars[0] = wrong;
    EXPECT_FALSE(bad.is_accepted()) << wrong;
  }
  for (std::size_t const wrong : {0U, 4U, 5U, 16U, 52U, 60U, 64U}) {
    auto bad = good;
    bad.parts.sections[0].resize(wrong);
    EXPECT_FALSE(bad.is_accepted()) << wrong;
  }
  auto both = good;
  both.parts.sections[1].resize(F::planned_bytes({static_cast<unsigned>(good.parts.scalars[0])}));
  EXPECT_FALSE(both.is_accepted());
}
TEST(hyperloglog, hostile_tokens_are_refused) { hostile_tokens_are_refused<hyperloglog>(); }
TEST(exaloglog, hostile_tokens_are_refused) { hostile_tokens_are_refused<exaloglog>(); }

/// Registers may have any bytes: no answer is right, and none crashes.
template <class F>
void hostile_registers_do_no_harm() {
  hostile_sketch<F> const good(20'000);
  ASSERT_TRUE(good.is_accepted());
  for (unsigned const value : {0x00U, 0xffU, 0x55U, 0x80U, 0x3fU}) {
    auto bad = good;
    std::ranges::fill(bad.parts.sections[1], std::byte(value));
    EXPECT_TRUE(bad.is_accepted()) << value;
  }
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    auto bad = good;
    numbers draw(seed);
    for (auto& one : bad.parts.sections[1]) one = std::byte(draw(256));
    EXPECT_TRUE(bad.is_accepted()) << seed;
  }
  for (std::uint64_t const wrong : {0U, 4U, 8U, 12U, 24U, 25U}) {
    auto bad = good;
    bad.parts.scalars[0] = wrong;
    EXPECT_FALSE(bad.is_accepted()) << wrong;
  }
  for (int const change : {-64, -1, 1, 64}) {
    auto bad = good;
    bad.parts.sections[1].resize(bad.parts.sections[1].size() + static_cast<std::size_t>(change));
    EXPECT_FALSE(bad.is_accepted()) << change;
  }
  auto bad = good;
  bad.parts.scalars[1] = 1;
  EXPECT_FALSE(bad.is_accepted());
}
TEST(hyperloglog, hostile_registers_do_no_harm) { hostile_registers_do_no_harm<hyperloglog>(); }
TEST(exaloglog, hostile_registers_do_no_harm) { hostile_registers_do_no_harm<exaloglog>(); }

}  // namespace
}  // namespace hortus::testing
