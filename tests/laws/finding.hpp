#pragma once
#include <map>

#include <hortus/cells/map_entry.hpp>

#include "laws/support.hpp"

/// Families that answer which value a key has.
namespace hortus::testing {

/// Values of so many bits for keys 0, 1, 2, ...: all sorts, or nearly all of them equal.
inline std::vector<std::uint64_t> some_values(std::uint64_t items, unsigned bits, unsigned percent_other) {
  std::vector<std::uint64_t> values(items);
  auto const mask = bits == 0 ? 0 : ~std::uint64_t{0} >> (64 - bits);
  for (std::uint64_t i = 0; i < items; ++i) {
    auto const random = mix64(i * 7 + 1);
    values[i] = (random % 100 < percent_other ? mix64(random) : std::uint64_t{1}) & mask;
  }
  if (items != 0) values[items / 2] = mask;  // the largest one is there
  return values;
}

template <map_buildable F>
of_keys<F> map_of(std::uint64_t items, unsigned bits, unsigned percent_other = 100, double fpr = 0.01) {
  return of_keys<F>::build(keys<random_keys>(0, items), some_values(items, bits, percent_other), goal_for<F>(items, fpr));
}

template <class F>
requires map_buildable<F>
void every_key_has_its_value() {
  auto const check = [](std::uint64_t items, unsigned bits, unsigned percent_other) {
    auto const values = some_values(items, bits, percent_other);
    auto const members = keys<random_keys>(0, items);
    auto const f = of_keys<F>::build(members, values, goal_for<F>(items));
    ASSERT_EQ(f.family().value_bits(), items == 0 ? 0 : bits);
    auto const found = f.find(members);
    for (std::uint64_t i = 0; i < items; ++i) ASSERT_EQ(found[i], values[i]) << i << " of " << items << ", bits " << bits;
    for (std::uint64_t i = 0; i < items; i += 1 + items / 300) ASSERT_EQ(f.find(members[i]), values[i]) << i << " of " << items;
  };
  for (std::uint64_t items = 0; items < 260; ++items) check(items, 1 + static_cast<unsigned>(items % 64), 50);
  for (std::uint64_t items = 260; items <= 100'000; items += 1 + items / (sanitized ? 2 : 5))
    for (unsigned const percent : {0U, 1U, 50U}) check(items, 1 + static_cast<unsigned>(items % 17), percent);
  for (unsigned const bits : {1U, 8U, 31U, 57U, 58U, 63U, 64U}) {
    if (bits > F::max_value_bits()) continue;
    for (std::uint64_t const items : {1U, 300U, 5000U}) check(items, bits, 100);
  }
}

/// Equal pairs count once, in any order; keys may be anything that hashes.
template <class F>
requires map_buildable<F>
void a_built_map_depends_on_its_entries_alone() {
  for (std::uint64_t const items : {0U, 1U, 2U, 100U, 5000U}) {
    auto members = keys<random_keys>(0, items);
    auto values = some_values(items, 9, 100);
    auto const f = of_keys<F>::build(members, values, goal_for<F>(items));
    EXPECT_EQ(f.about().items_inserted, items);
    for (std::uint64_t i = 0; i < items / 2; ++i) members.push_back(members[i]), values.push_back(values[i]);
    std::ranges::reverse(members);
    std::ranges::reverse(values);
    auto const again = of_keys<F>::build(members, values, goal_for<F>(3));
    EXPECT_EQ(again.family(), f.family()) << items;
    EXPECT_EQ(own_bytes(again), own_bytes(f)) << items;
  }
  for_each_key_set([&]<class Keys>() {
    auto const members = keys<Keys>(0, 3000);
    auto const values = some_values(3000, 16, 100);
    auto const f = of_keys<F>::build(members, values, goal_for<F>(3000));
    for (std::uint64_t i = 0; i < 3000; ++i) ASSERT_EQ(f.at(members[i]), values[i]) << Keys::name << i;
  });
}

template <class F>
requires map_buildable<F>
void a_key_with_two_values_is_refused() {
  for (std::uint64_t const items : {2U, 70U, 5000U}) {
    auto members = keys<random_keys>(0, items);
    auto values = some_values(items, 9, 100);
    members.push_back(members[1]);
    values.push_back(values[1] ^ 1);
    try {
      (void)of_keys<F>::build(members, values, goal_for<F>(items));
      ADD_FAILURE() << "two values were accepted";
    } catch (conflicting_values const& e) {
      EXPECT_EQ(e.code(), errc::bad_params);
      std::string const text = e.what();
      EXPECT_TRUE(text.starts_with("key 1 and key " + std::to_string(items) + " ")) << text;
    }
  }
  auto const members = keys<random_keys>(0, 10);
  EXPECT_EQ(code_of([&] { (void)of_keys<F>::build(members, some_values(9, 4, 100), goal_for<F>(10)); }), errc::bad_params);
  auto narrow = goal_for<F>(10);
  narrow.value_bits = 3;
  EXPECT_EQ(code_of([&] { (void)of_keys<F>::build(members, some_values(10, 4, 100), narrow); }), errc::bad_params);
  narrow.value_bits = 65;
  EXPECT_EQ(code_of([&] { (void)of_keys<F>::build(members, some_values(10, 4, 100), narrow); }), errc::bad_goal);
}

/// Fails by chance once in 10^9 runs.
template <class F>
requires map_buildable<F>
void absent_keys_rarely_have_a_value() {
  for (unsigned const bits : {1U, 8U, 20U})
    for (double const fpr : {0.1, 1.0 / 256, 0.003}) {
      std::uint64_t const items = 20'000;
      auto const f = map_of<F>(items, bits, 100, fpr);
      std::uint64_t const asked = 300'000;
      auto const found = f.find(keys<random_keys>(items, asked));
      auto const hits = static_cast<double>(found.hits.count());
      auto const expected = static_cast<double>(asked) * fpr;
      EXPECT_LE(hits, expected * 1.02 + 6 * std::sqrt(expected)) << bits << " bits at " << fpr;
      EXPECT_NEAR(f.fpr() * static_cast<double>(asked), hits, 0.02 * expected + 6 * std::sqrt(expected)) << bits;
      for (std::size_t i = 0; i < found.size(); ++i) {
        if (!found.hits[i]) {
          ASSERT_EQ(found.values[i], 0U);
        }
      }
    }
}

template <class F>
requires finding<F> && map_buildable<F>
void batches_find_what_single_lookups_find() {
  for (std::uint64_t const items : {0U, 1U, 700U, 300'000U}) {
    auto const f = map_of<F>(items, 12, 100, 0.2);
    for (std::uint64_t const asked : {0U, 1U, 63U, 64U, 65U, 1000U}) {
      auto const some = keys<random_keys>(items - std::min<std::uint64_t>(items, asked / 2), asked);
      auto const found = f.find(some);
      ASSERT_EQ(found.size(), asked);
      auto const hits = f.may_contain(some);
      for (std::size_t i = 0; i < asked; ++i) {
        ASSERT_EQ(found[i], f.find(some[i])) << items;
        ASSERT_EQ(found.hits[i], f.may_contain(some[i])) << items;
        ASSERT_EQ(found.hits[i], hits[i]) << items;
      }
    }
  }
  auto const f = map_of<F>(10, 4);
  EXPECT_EQ(code_of([&] { (void)of_keys<F>::build(keys<random_keys>(0, 0), goal_for<F>(0)).at(7); }), errc::absent);
  std::vector<std::uint64_t> few(1);
  EXPECT_EQ(code_of([&] { f.find(keys<random_keys>(0, 2), few, few); }), errc::bad_params);
}

/// Stored, and cleared.
template <class F>
requires map_buildable<F>
void a_stored_map_finds_the_same() {
  auto const f = map_of<F>(1000, 12);
  auto const bytes = to_bytes(f);
  auto const same = from_bytes<of_keys<F>>(bytes);
  EXPECT_EQ(same, f);
  auto const members = keys<random_keys>(0, 1000);
  EXPECT_EQ(same.find(members).values, some_values(1000, 12, 100));
  auto cleared = f;
  cleared.clear();
  EXPECT_EQ(cleared.find(members).hits.count(), 0U);
  for (auto const key : members) ASSERT_EQ(cleared.find(key), std::nullopt);
}

/// assign() changes the value of one key, and of no other.
template <class F>
requires map_buildable<F> && assigning<F>
void an_assigned_value_changes_no_other() {
  std::uint64_t const items = 3000;
  auto values = some_values(items, 12, 100);
  auto const members = keys<random_keys>(0, items);
  auto f = map_of<F>(items, 12);
  for (std::uint64_t turn = 0; turn < (sanitized ? 30 : 300); ++turn) {
    auto const i = mix64(turn) % items;
    values[i] = mix64(turn + 1) % 4096;
    ASSERT_TRUE(f.assign(members[i], values[i]));
    ASSERT_EQ(f.find(members).values, values) << turn;
  }
  EXPECT_EQ(code_of([&] { (void)f.assign(members[0], 4096); }), errc::bad_params);
  EXPECT_EQ(f.find(members).values, values);
}

/// A map beside one that changes: put, assign, erase and find agree, and all keys keep their values. Absent keys that are found
/// are left alone: to change them is misuse.
template <class F>
requires putting<F> && assigning<F> && erasable<F>
void a_changing_map_agrees_with_a_model() {
  for (double const fpr : {0.2, 0.001}) {
    auto goal = goal_for<F>(400, fpr);
    goal.value_bits = 10;
    of_keys<F> f(goal);
    std::map<std::uint64_t, std::uint64_t> model;
    numbers draw(static_cast<std::uint64_t>(1 / fpr));
    for (int step = 0; step < (sanitized ? 3000 : 20'000); ++step) {
      auto const key = random_keys::make(draw(600));
      auto const value = draw(1024);
      auto const known = model.find(key);
      switch (draw(4)) {
        case 0:
        case 1:
          if (known != model.end()) break;
          ASSERT_TRUE(f.put(key, value)) << step;
          model[key] = value;
          break;
        case 2:
          if (known == model.end()) break;
          ASSERT_TRUE(f.assign(key, value));
          known->second = value;
          break;
        default:
          if (known == model.end()) break;
          ASSERT_TRUE(f.erase(key));
          model.erase(known);
      }
      if (step % 100 == 0) {
        for (auto const& [k, v] : model) ASSERT_EQ(f.find(k), v) << step;
      }
      if (model.size() == 400) {  // room for half of them again
        for (auto it = model.begin(); model.size() > 200; it = model.erase(it)) ASSERT_TRUE(f.erase(it->first));
      }
    }
    EXPECT_EQ(from_bytes<of_keys<F>>(to_bytes(f)), f);
    for (auto const& [k, v] : model) ASSERT_TRUE(f.erase(k));
    EXPECT_EQ(own_bytes(f), own_bytes(of_keys<F>(goal)));
  }
}

/// Values that are put one by one are found, or larger ones where a map finds bounds; in any order, in batches, when stored.
template <class F>
requires putting<F>
void values_that_were_put_are_found() {
  constexpr bool bounds = requires { requires F::finds_bounds; };
  auto goal = goal_for<F>(2000);
  goal.value_bits = 12;
  for_each_key_set([&]<class Keys>() {
    auto const members = keys<Keys>(0, 2000);
    auto values = some_values(2000, 12, 100);
    for (auto& value : values) value |= 1;  // not 0
    of_keys<F> f(goal);
    auto const put = [&](of_keys<F>& to, std::size_t i) {
      if constexpr (std::is_void_v<decltype(to.put(members[i], values[i]))>) {
        to.put(members[i], values[i]);
      } else {
        ASSERT_TRUE(to.put(members[i], values[i])) << Keys::name << i;
      }
    };
    for (std::size_t i = 0; i < members.size(); ++i) put(f, i);
    EXPECT_EQ(f.about().items_inserted, members.size());
    std::uint64_t larger = 0;
    auto const found = f.find(members);
    for (std::size_t i = 0; i < members.size(); ++i) {
      auto const value = f.at(members[i]);
      ASSERT_EQ(value, found.values[i]);
      ASSERT_GE(value, values[i]) << Keys::name << i;
      larger += std::uint64_t{value != values[i]};
    }
    EXPECT_LE(larger, bounds ? 20U + members.size() / 50 : 0U) << Keys::name;
    EXPECT_EQ(from_bytes<of_keys<F>>(to_bytes(f)), f);
    if constexpr (bounds) {
      of_keys<F> backwards(goal);
      for (auto i = members.size(); i-- != 0;) put(backwards, i);
      EXPECT_EQ(to_bytes(backwards), to_bytes(f));
    }
  });
  of_keys<F> f(goal);
  EXPECT_EQ(code_of([&] { (void)f.put(7, 4096); }), errc::bad_params);
  EXPECT_EQ(to_bytes(f), to_bytes(of_keys<F>(goal)));
}

template <class F>
void register_finding_laws() {
  HORTUS_LAW(every_key_has_its_value);
  HORTUS_LAW(a_built_map_depends_on_its_entries_alone);
  HORTUS_LAW(a_key_with_two_values_is_refused);
  HORTUS_LAW(absent_keys_rarely_have_a_value);
  HORTUS_LAW(batches_find_what_single_lookups_find);
  HORTUS_LAW(a_stored_map_finds_the_same);
  HORTUS_LAW(an_assigned_value_changes_no_other);
  HORTUS_LAW(a_changing_map_agrees_with_a_model);
  HORTUS_LAW(values_that_were_put_are_found);
}

}  // namespace hortus::testing
