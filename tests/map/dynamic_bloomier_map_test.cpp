// Dynamic Bloomier maps: never wrong for legal operations, the number of collisions, the rate, misuse and how it is caught,
// a full map, files that lie.
#include <hortus/map/dynamic_bloomier_map.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include <hortus/batch.hpp>
#include <hortus/io/store.hpp>
#include <hortus/map/checked_map.hpp>

#include "key_sets.hpp"
#include "statistics.hpp"

namespace hortus::testing {
namespace {

using bloomier = dynamic_bloomier;
static_assert(membership<bloomier> && plannable<bloomier> && storable<bloomier> && changing_map<bloomier>);

digest key(std::uint64_t i) { return digest::of_hash(i); }
std::uint64_t random(std::uint64_t i) { return mix64(i * golden_ratio64 + 31); }
std::uint64_t value_of_bits(std::uint64_t i, unsigned bits) { return bits == 0 ? 0 : random(i + 900'000) >> (64 - bits); }
bloomier back(bloomier const& f) { return from_bytes<dynamic_bloomier_map>(to_bytes(dynamic_bloomier_map(f))).family(); }

/// Random legal operations against std::map: never wrong, at rates so high that many keys collide, and bytes come back.
TEST(dynamic_bloomier_map, is_never_wrong_for_its_keys) {
  for (std::uint64_t const items : {1U, 2U, 5U, 40U, 64U, 500U, 3000U})
    for (bloomier::params const shape :
         {bloomier::plan({.items = items, .fpr = .01, .value_bits = 8}),
          bloomier::plan({.items = items, .fpr = .5, .value_bits = 64}),
          // Signatures as short as possible: nearly all keys collide.
          bloomier::params{2 * items, static_cast<unsigned>(std::bit_width(2 * items)), 2 * items, 9},
          bloomier::params{2 * items, static_cast<unsigned>(std::bit_width(2 * items)) + 3, 2 * items, 0}}) {
      bloomier f(shape);
      std::map<std::uint64_t, std::uint64_t> model;
      std::vector<std::uint64_t> live;
      std::uint64_t most_collisions = 0, operations = std::min<std::uint64_t>(2000 + 20 * items, 30'000);
      for (std::uint64_t t = 0, next = 0; t < operations; ++t) {
        auto const value = value_of_bits(t, shape.value_bits);
        auto const what = random(t) >> 32 & 7;
        auto const any = live.empty() ? 0 : random(t) % live.size();
        if (live.size() < items && (what < 4 || live.empty())) {
          ASSERT_TRUE(f.put(key(next), value)) << "there is room: " << live.size() << " of " << items;
          model[next] = value;
          live.push_back(next++);
        } else if (what < 6 || live.size() == items) {
          ASSERT_TRUE(f.erase(key(live[any])));
          model.erase(live[any]);
          live[any] = live.back();
          live.pop_back();
        } else {
          ASSERT_TRUE(f.assign(key(live[any]), value));
          model[live[any]] = value;
        }
        most_collisions = std::max(most_collisions, f.collisions());
        ASSERT_EQ(f.size(), model.size());
        for (int i = 0; i < 3 && !live.empty(); ++i) {
          auto const asked = live[random(3 * t + static_cast<unsigned>(i)) % live.size()];
          ASSERT_EQ(f.find(key(asked)), model[asked]) << t;
        }
        if (t % 500 != 499) continue;
        for (auto const& [k, v] : model) ASSERT_EQ(f.find(key(k)), v) << "of " << items << " after " << t;
        ASSERT_EQ(back(f), f);
      }
      if (shape.signature_bits < 10 + static_cast<unsigned>(std::bit_width(items)) && items >= 40) {
        EXPECT_GT(most_collisions, 0U);
      }
      for (auto const k : live) ASSERT_TRUE(f.erase(key(k)));
      EXPECT_EQ(f, bloomier(shape)) << "nothing stays behind";
    }
}

/// The sheet: 10^5 keys; n eps / 2 collisions after a build, and still after 2 n replacements; the rate; none wrong. eps is the
/// rate that the map has, because its signatures have whole bits.
TEST(dynamic_bloomier_map, collisions_and_rate_of_the_sheet) {
  constexpr std::uint64_t items = 100'000;
  for (double const wanted : {.01, .001}) {
    bloomier f(bloomier::plan({.items = items, .fpr = wanted, .value_bits = 20}));
    double const eps = bloomier::planned_fpr(f.shape(), items);
    EXPECT_LE(eps, wanted);
    double const half = static_cast<double>(items) * eps / 2;
    auto const band = 6.2 * std::sqrt(half) + .01 * half + 2;
    std::vector<std::uint64_t> live;
    for (std::uint64_t i = 0; i < items; ++i) {
      ASSERT_TRUE(f.put(key(i), i & 0xfffff));
      live.push_back(i);
    }
    auto const built = f.collisions();
    EXPECT_NEAR(static_cast<double>(built), half, band) << wanted;
    std::uint64_t next = items;
    for (std::uint64_t t = 0; t < 2 * items; ++t) {
      auto& one = live[random(t) % items];
      ASSERT_TRUE(f.erase(key(one)));
      one = next++;
      ASSERT_TRUE(f.put(key(one), one & 0xfffff));
    }
    EXPECT_NEAR(static_cast<double>(f.collisions()), half, band) << wanted;
    EXPECT_LE(static_cast<double>(f.collisions()), 2 * static_cast<double>(items) * eps + 10);
    for (auto const k : live) ASSERT_EQ(f.find(key(k)), k & 0xfffff);
    EXPECT_DOUBLE_EQ(
        f.fpr(), static_cast<double>(items - f.collisions()) * std::ldexp(1.0, -static_cast<int>(f.shape().signature_bits)));
    double hits = 0;
    for (std::uint64_t i = 0; i < 1'000'000; ++i) hits += f.find(key(absent + i)).has_value() ? 1 : 0;
    EXPECT_TRUE(binomial_band(1e6, f.fpr()).holds(hits)) << hits << " " << f.fpr();
    RecordProperty("eps_" + std::to_string(wanted), std::to_string(eps));
    RecordProperty("built_" + std::to_string(wanted), std::to_string(built));
    RecordProperty("churned_" + std::to_string(wanted), std::to_string(f.collisions()));
    RecordProperty("rate_" + std::to_string(wanted), std::to_string(hits / 1e6));
    RecordProperty("bits_" + std::to_string(wanted), std::to_string(8.0 * static_cast<double>(f.size_bytes()) / items));
  }
}

TEST(dynamic_bloomier_map, is_as_large_as_planned) {
  for (std::uint64_t items = 0; items <= 1000; ++items)
    for (double const fpr : {.3, .01, 1e-6}) {
      auto const shape = bloomier::plan({.items = items, .fpr = fpr, .value_bits = 8});
      ASSERT_LE(bloomier::planned_fpr(shape, items), fpr);
      bloomier f(shape);
      ASSERT_EQ(f.size_bytes(), bloomier::planned_bytes(shape));
      ASSERT_EQ(f.shape(), shape);
      for (std::uint64_t i = 0; i < items; ++i) ASSERT_TRUE(f.put(key(i), i % 256));
      for (std::uint64_t i = 0; i < items; ++i) ASSERT_EQ(f.find(key(i)), i % 256);
    }
}

TEST(dynamic_bloomier_map, blocks_give_the_same_answers) {
  for (std::uint64_t const items : {1U, 70U, 3000U}) {
    bloomier f({2 * items, static_cast<unsigned>(std::bit_width(2 * items)) + 1, items, 12});
    for (std::uint64_t i = 0; i < items; ++i) ASSERT_TRUE(f.put(key(i), i % 4096));
    std::vector<digest> asked;
    for (std::uint64_t i = 0; i < 64; ++i) asked.push_back(key(random(i) % (3 * items)));
    std::vector<std::uint64_t> values(64, 99);
    std::uint64_t hits = 99, same = 99;
    for (auto const count : {64U, 1U, 63U, 0U}) {
      auto const block = std::span<digest const>(asked).first(count);
      hits = same = 0;
      find_block(f, block, asked, values.data(), &hits);
      may_contain_block(f, block, {}, &same);
      EXPECT_EQ(hits, same);
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(f.find(asked[i]).value_or(0), values[i]);
        ASSERT_EQ(f.find(asked[i]).has_value(), (hits >> i & 1) != 0);
        ASSERT_EQ(f.may_contain(asked[i]), (hits >> i & 1) != 0);
      }
    }
  }
}

/// Full is an answer: nothing changes. Either table may be the one without room.
TEST(dynamic_bloomier_map, a_full_map_says_so_and_loses_nothing) {
  for (bloomier::params const shape :
       {bloomier::params{100, 50, 10, 16}, bloomier::params{100, 7, 10, 16}, bloomier::params{1, 1, 0, 16}}) {
    bloomier f(shape);
    std::map<std::uint64_t, std::uint64_t> model;
    std::uint64_t refused = 0;
    for (std::uint64_t i = 0; i < 500; ++i) {
      auto const before = f;
      if (f.put(key(i), i)) {
        model[i] = i;
      } else {
        ++refused;
        ASSERT_EQ(f, before);
        ASSERT_EQ(f.size(), model.size());
      }
    }
    EXPECT_GT(refused, 300U);
    for (auto const& [k, v] : model) ASSERT_EQ(f.find(key(k)), v);
    for (auto const& [k, v] : model) ASSERT_TRUE(f.erase(key(k)));
    EXPECT_EQ(f, bloomier(shape));
  }
}

TEST(dynamic_bloomier_map, a_value_that_does_not_fit_is_named) {
  bloomier f(bloomier::plan({.items = 10, .value_bits = 5}));
  ASSERT_TRUE(f.put(key(1), 31));
  auto const before = f;
  try {
    (void)f.put(key(2), 32);
    FAIL();
  } catch (error const& e) {
    EXPECT_EQ(e.code(), errc::bad_params);
    EXPECT_EQ(std::string(e.what()), "the value 32 does not fit 5 bits (value_bits)");
  }
  EXPECT_THROW(f.assign(key(1), 32), error);
  EXPECT_EQ(f, before);
  bloomier none(bloomier::plan({.items = 10, .value_bits = 0}));
  EXPECT_TRUE(none.put(key(1), 0));
  EXPECT_EQ(none.find(key(1)), 0U);
  EXPECT_THROW((void)none.put(key(2), 1), error);
  EXPECT_THROW((void)bloomier::plan({.items = 10, .value_bits = 65}), error);
}

/// Calls that the map can tell to be wrong are refused.
TEST(dynamic_bloomier_map, certainly_absent_keys_are_refused) {
  bloomier f(bloomier::plan({.items = 1000, .fpr = 1e-9, .value_bits = 8}));
  for (std::uint64_t i = 0; i < 1000; ++i) ASSERT_TRUE(f.put(key(i), i % 256));
  auto const before = f;
  for (std::uint64_t i = 1000; i < 3000; ++i) {
    EXPECT_FALSE(f.erase(key(i)));
    EXPECT_FALSE(f.assign(key(i), 1));
  }
  EXPECT_EQ(f, before);
}

/// Two keys with one signature of 7 bits.
struct colliding_pair {
  std::uint64_t first, second;
};
colliding_pair two_with_one_signature() {
  auto const signature = [](std::uint64_t i) { return quotient_fingerprint::of(key(i), 7).top; };
  for (std::uint64_t i = 1;; ++i)
    if (signature(i) == signature(0)) return {0, i};
}

/// What the card says of misuse is what happens.
TEST(dynamic_bloomier_map, misuse_does_what_the_card_says) {
  auto const [a, b] = two_with_one_signature();
  bloomier const empty({64, 7, 10, 8});
  auto f = empty;
  ASSERT_TRUE(f.put(key(a), 1));
  ASSERT_TRUE(f.put(key(a), 2)) << "taken for another key with the same signature";
  EXPECT_FALSE(f.put(key(a), 3)) << "now its digest is known";
  EXPECT_EQ(f.find(key(a)), 2U);
  ASSERT_TRUE(f.erase(key(a)));
  EXPECT_EQ(f.find(key(a)), 1U) << "the old value is found again";
  f = empty;
  ASSERT_TRUE(f.put(key(a), 1));
  ASSERT_TRUE(f.assign(key(b), 9)) << "of an absent key";
  EXPECT_EQ(f.find(key(a)), 9U) << "changes another";
  ASSERT_TRUE(f.erase(key(b)));
  EXPECT_EQ(f.find(key(a)), std::nullopt) << "erases another";
}

/// When the owner of a signature is erased, another key takes its place; its digest is then not needed any more.
TEST(dynamic_bloomier_map, a_collision_takes_the_place_of_an_erased_owner) {
  auto const [a, b] = two_with_one_signature();
  bloomier f({64, 7, 10, 8});
  ASSERT_TRUE(f.put(key(a), 1));
  ASSERT_TRUE(f.put(key(b), 2));
  EXPECT_EQ(f.collisions(), 1U);
  ASSERT_TRUE(f.erase(key(a)));
  EXPECT_EQ(f.collisions(), 0U);
  EXPECT_EQ(f.find(key(b)), 2U);
  bloomier only({64, 7, 10, 8});
  ASSERT_TRUE(only.put(key(b), 2));
  EXPECT_EQ(f, only);
}

/// The checked map: wrong calls, most of them such that the map itself would be damaged, change nothing.
TEST(checked_map, refuses_misuse) {
  checked_map safe(bloomier({4000, 12, 3000, 10}));
  bloomier plain({4000, 12, 3000, 10});
  std::map<std::uint64_t, std::uint64_t> model;
  std::uint64_t misuses = 0, damage = 0;
  for (std::uint64_t t = 0; t < 30'000; ++t) {
    auto const k = random(t) % 4000;
    auto const value = random(t) >> 54;
    bool const there = model.contains(k);
    auto const before = safe.map();
    bool const wrong = (random(t) >> 50 & 3) == 0 ? there : !there;
    if ((random(t) >> 50 & 3) == 0) {
      ASSERT_EQ(safe.put(key(k), value), !there);
      damage += plain.put(key(k), value) && there ? 1U : 0U;
      if (!there) model[k] = value;
    } else if ((random(t) >> 50 & 3) == 1) {
      ASSERT_EQ(safe.erase(key(k)), there);
      damage += plain.erase(key(k)) && !there ? 1U : 0U;
      model.erase(k);
    } else {
      ASSERT_EQ(safe.assign(key(k), value), there);
      if (there) model[k] = value;
    }
    if (wrong) {
      ++misuses;
      if (t % 64 == 0) {
        ASSERT_EQ(safe.map(), before);
      }
    }
    ASSERT_EQ(safe.misuses(), misuses);
    auto const asked = random(t + 1) % 4000;
    ASSERT_EQ(safe.find(key(asked)), model.contains(asked) ? std::optional(model[asked]) : std::nullopt);
  }
  EXPECT_GT(misuses, 1000U);
  EXPECT_GT(damage, 100U) << "wrong calls that the map itself would have carried out";
  for (auto const& [k, v] : model) ASSERT_EQ(safe.map().find(key(k)), v);
  EXPECT_EQ(safe.map().size(), model.size());
  EXPECT_GT(safe.size_bytes(), safe.map().size_bytes());
}

TEST(checked_map, a_refused_key_is_not_a_member) {
  checked_map small(bloomier({10, 30, 0, 4}));
  std::uint64_t in = 0;
  for (std::uint64_t i = 0; i < 50; ++i) in += small.put(key(i), i % 16) ? 1U : 0U;
  EXPECT_EQ(in, 10U);
  EXPECT_EQ(small.misuses(), 0U) << "full is no misuse";
  EXPECT_THROW((void)small.put(key(100), 16), error);
  EXPECT_FALSE(small.contains(key(100)));
  for (std::uint64_t i = 0; i < 50; ++i) EXPECT_EQ(small.contains(key(i)), small.map().find(key(i)).has_value());
  bloomier used({10, 30, 0, 4});
  ASSERT_TRUE(used.put(key(1), 1));
  EXPECT_THROW(checked_map{used}, error);
}

/// Digests of all structures: sequential, equal in their top or low bits.
TEST(dynamic_bloomier_map, structured_digests_keep_rate_and_room) {
  for (int const way : {0, 1, 2}) {
    auto const selected = [&](std::uint64_t i) {
      return digest(way == 0 ? i : way == 1 ? random(i) >> 16 : random(i) << 16 | 1);
    };
    bloomier f(bloomier::plan({.items = 20'000, .fpr = .01, .value_bits = 8}));
    for (std::uint64_t i = 0; i < 20'000; ++i) ASSERT_TRUE(f.put(selected(i), i % 256)) << way;
    for (std::uint64_t i = 0; i < 20'000; ++i) ASSERT_EQ(f.find(selected(i)), i % 256);
    if (way == 0) continue;  // sequential digests are not random: their rate is none
    double hits = 0;
    for (std::uint64_t i = 0; i < 1'000'000; ++i) hits += f.may_contain(selected(absent + i)) ? 1 : 0;
    EXPECT_TRUE(binomial_band(1e6, f.fpr()).holds(hits)) << way << ": " << hits << " " << f.fpr();
  }
}

TEST(dynamic_bloomier_map, files_that_lie_are_refused) {
  bloomier f({60, 7, 30, 5});
  for (std::uint64_t i = 0; i < 40; ++i) ASSERT_TRUE(f.put(key(i), i % 32));
  ASSERT_GT(f.collisions(), 1U);
  field_writer out;
  bloomier::fields(std::as_const(f), out);
  ASSERT_EQ(out.scalars().size(), 9U);  // of each table: slots, bits of a print, bits of a value, used; and how many texts
  ASSERT_EQ(out.sections().size(), 4U);
  auto const copy = [](std::span<std::byte const> bytes) {
    memory m(bytes.size());
    std::copy(bytes.begin(), bytes.end(), m.data());
    return m;
  };
  auto const read = [&](std::vector<std::uint64_t> const& scalars, memory const& a, memory const& b, bool verifies) {
    field_reader in(scalars, {a, b, memory(0), memory(0)}, verifies);
    bloomier made;
    bloomier::fields(made, in);
    return made;
  };
  auto const a = copy(out.sections()[0]), b = copy(out.sections()[1]);
  EXPECT_EQ(read(out.scalars(), a, b, true), f);
  EXPECT_EQ(read(out.scalars(), a, b, false), f);
  for (std::size_t field = 0; field < 9; ++field)
    for (std::uint64_t const value :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{61}, std::uint64_t{1000}, ~std::uint64_t{0}}) {
      auto scalars = out.scalars();
      if (scalars[field] == value) continue;
      scalars[field] = value;
      EXPECT_THROW((void)read(scalars, a, b, true), error) << field << " " << value;
    }
  EXPECT_THROW((void)read(out.scalars(), b, a, true), error);
  EXPECT_THROW((void)read(out.scalars(), memory(0), b, true), error);
  // Collisions without the signature that they collide with.
  bloomier const none({60, 7, 30, 5});
  field_writer empty;
  bloomier::fields(none, empty);
  auto scalars = empty.scalars();
  scalars[7] = out.scalars()[7];
  try {
    (void)read(scalars, copy(empty.sections()[0]), b, true);
    FAIL();
  } catch (error const& e) {
    EXPECT_EQ(e.code(), errc::corrupt);
  }
  EXPECT_NO_THROW((void)read(scalars, copy(empty.sections()[0]), b, false)) << "believed: nothing is read that depends on it";
  // Every bit of both tables flipped, believed and not: refused, or a map that works.
  for (std::size_t bit = 0; bit < 8 * (a.size() + b.size()); ++bit)
    for (bool const verifies : {true, false}) {
      auto x = a, y = b;
      (bit < 8 * a.size() ? x.data()[bit / 8] : y.data()[bit / 8 - a.size()]) ^= static_cast<std::byte>(1U << bit % 8);
      try {
        auto made = read(out.scalars(), x, y, verifies);
        for (std::uint64_t i = 0; i < 60; ++i) {
          (void)made.find(key(i));
          if (i % 3 == 0) (void)made.erase(key(i));
          if (i % 3 == 1) (void)made.put(key(i + 100), 3);
          if (i % 3 == 2) made.assign(key(i), 4);
        }
      } catch (error const& e) {
        EXPECT_EQ(e.code(), errc::corrupt);
      }
    }
  EXPECT_THROW(bloomier(bloomier::params{}), error);
}

}  // namespace
}  // namespace hortus::testing
