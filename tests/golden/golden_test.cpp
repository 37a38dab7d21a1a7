#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <map>

#include <hortus/any/any_filter.hpp>

#include "golden/answers.hpp"
#include "golden/cases.hpp"
#include "io/scratch_folder.hpp"

/// Files written by released versions must always be readable, give the same answers, and be written again byte for byte.
/// tools/golden_check.sh checks that the files do not change.
namespace hortus::testing {
namespace {

namespace fs = std::filesystem;
fs::path const root = fs::path(HORTUS_SOURCE_DIR) / "tests" / "golden" / "v1";

fs::path file_of(std::string_view family, golden_case const& c) { return root / family / (c.name + ".hortus"); }

/// act(case, path) for every golden file that should exist.
template <class Act>
void for_each_golden(Act act) {
  for (auto const& family : catalogue())
    for (auto const& c : golden_cases(family.name)) {
      auto const path = file_of(family.name, c);
      SCOPED_TRACE(std::string(family.name) + "/" + c.name);
      if (fs::exists(path))
        act(c, path);
      else
        ADD_FAILURE() << path
                      << " is missing: run this program with --gtest_also_run_disabled_tests --gtest_filter='*missing*'";
    }
}

/// Into a map that takes keys one by one, with small values.
void insert_members(any_filter& filter, golden_case const& c, std::uint64_t from, std::uint64_t count) {
  bool const puts = filter.family().has(verb::put);
  for (std::uint64_t i = from; i < from + count; ++i)
    with_golden_key(c.kind, i, [&](auto const& key) {
      for (auto times = c.times(i); times != 0; --times)
        if (puts)
          (void)filter.put(key, golden_small_value(i));
        else
          (void)filter.insert(key);
    });
}

any_filter built(family_info const& family, golden_case const& c) {
  request const wish{.items = golden_items(family.name, c), .fpr = c.fpr, .settings = {}};
  return with_golden_keys(c, [&](auto const& keys) {
    return family.build_map != nullptr ? build_map(family.name, keys, golden_values(keys.size()), wish, c.hash)
                                       : build_filter(family.name, keys, wish, c.hash);
  });
}

/// The filter of a case, in the shape of the file, because plan() may choose another one today: the file's filter is cleared,
/// and gets its keys again. A family that is built at once has to use plan().
any_filter planted(family_info const& family, golden_case const& c, any_filter const& golden) {
  if (family.has(verb::build)) return built(family, c);
  any_filter again(golden.family(), c.hash, envelope{.items_planned = golden_items(family.name, c), .fpr_planned = c.fpr});
  again.clear();
  insert_members(again, c, 0, c.count);
  return again;
}

/// Is the key found or, by a family that only counts, counted? One that only estimates knows a key whose insert changes
/// nothing.
bool found(any_filter const& filter, golden_case const& c, std::uint64_t i) {
  return with_golden_key(c.kind, i, [&](auto const& key) {
    if (filter.family().has(verb::may_contain)) return filter.may_contain(key);
    if (filter.family().has(verb::count)) return filter.count(key) != 0;
    auto with = filter;
    (void)with.insert(key);
    return with == filter;
  });
}

golden_answers answers_of(any_filter const& filter, golden_case const& c) {
  golden_answers answers;
  for (std::uint64_t i = 1'000'000; i < 1'000'000 + golden_probes; ++i)
    if (found(filter, c, i)) {
      ++answers.hits;
      if (answers.first.size() < 5) answers.first.push_back(i);
    }
  return answers;
}

TEST(golden, members_are_found_and_others_exactly_as_ever) {
  auto const recorded = golden_answers_by_name();
  for_each_golden([&](golden_case const& c, fs::path const& path) {
    auto const name = path.parent_path().filename().string() + "/" + c.name;
    auto const expected = recorded.find(name);
    ASSERT_NE(expected, recorded.end()) << "tests/golden/answers.hpp has no line for it";
    for (auto const& filter : {load(path, {.key = c.key, .verify = true}), open(path, {.key = c.key, .verify = true}),
                               from_bytes(contents(path), {.key = c.key, .verify = true})}) {
      auto const& kind = family_named(filter.family().kind());
      bool const sure = kind.has(verb::may_contain) ? !kind.forgets
                        : kind.has(verb::count)     ? kind.never_undercounts
                                                    : kind.has(verb::estimate);
      for (std::uint64_t i = 0; i < c.count && sure; ++i) ASSERT_TRUE(found(filter, c, i)) << i;
      for (std::uint64_t i = 0; i < c.count && c.most_times > 1 && kind.never_undercounts; ++i) {
        auto const counted = with_golden_key(c.kind, i, [&](auto const& key) { return filter.count(key); });
        ASSERT_GE(counted, static_cast<std::int64_t>(c.times(i))) << i;
      }
      for (std::uint64_t i = 0; i < c.count && kind.build_map != nullptr; ++i)
        ASSERT_EQ(with_golden_key(c.kind, i, [&](auto const& key) { return filter.find(key); }), golden_value(i)) << i;
      for (std::uint64_t i = 0; i < c.count && kind.finds_bounds; ++i)
        ASSERT_GE(with_golden_key(c.kind, i, [&](auto const& key) { return filter.at(key); }), golden_small_value(i)) << i;
      EXPECT_EQ(answers_of(filter, c), expected->second);
    }
  });
}

TEST(golden, headers_say_what_they_always_said) {
  for_each_golden([&](golden_case const& c, fs::path const& path) {
    auto const about = load(path).about();
    EXPECT_EQ(about.family, path.parent_path().filename());
    EXPECT_EQ(about.hash_id, c.hash.id());
    EXPECT_EQ(about.seed, c.hash.seed());
    EXPECT_EQ(about.key_check, c.hash.check());
    EXPECT_EQ(about.items_planned, golden_items(about.family, c));
    EXPECT_EQ(about.fpr_planned, c.fpr);
    EXPECT_EQ(about.items_inserted, c.inserts());
    EXPECT_EQ(about.kinds, c.kind == golden_keys::none       ? key_kind::none
                           : c.kind == golden_keys::text     ? key_kind::bytes
                           : c.kind == golden_keys::integers ? key_kind::integers
                                                             : key_kind::digests);
  });
}

TEST(golden, writing_them_again_gives_the_same_bytes) {
  for (auto const& family : catalogue())
    for (auto const& c : golden_cases(family.name)) {
      auto const path = file_of(family.name, c);
      SCOPED_TRACE(path);
      auto const golden = load(path, {.key = c.key, .verify = true});
      EXPECT_EQ(to_bytes(planted(family, c, golden)), contents(path));
    }
}

TEST(golden, they_go_on_as_if_never_saved) {
  for (auto const& family : catalogue())
    if (family.has(verb::insert) || family.finds_bounds)
      for (auto const& c : golden_cases(family.name)) {
        auto opened = open(file_of(family.name, c), {.key = c.key, .verify = false});
        auto never_saved = planted(family, c, opened);
        for (auto* filter : {&opened, &never_saved}) insert_members(*filter, c, 500'000, 500);
        EXPECT_EQ(to_bytes(opened), to_bytes(never_saved)) << family.name << "/" << c.name;
      }
}

TEST(golden, one_has_more_than_one_chunk) {
  EXPECT_TRUE(std::ranges::any_of(golden_cases("bloom"),
                                  [&](auto const& c) { return load(file_of("bloom", c)).size_bytes() > chunk_bytes; }));
}

TEST(golden, nothing_lies_about_that_is_not_a_case) {
  std::size_t files = 0;
  for (auto const& entry : fs::recursive_directory_iterator(root)) files += entry.is_regular_file() ? 1U : 0U;
  std::size_t cases = 0;
  for (auto const& family : catalogue()) cases += golden_cases(family.name).size();
  EXPECT_EQ(files, cases);
  EXPECT_EQ(golden_answers_by_name().size(), files);
}

/// For a new family or a new case: writes the missing files, never replaces one, and prints the lines that answers.hpp needs.
/// Then run tools/golden_check.sh --add.
TEST(golden, DISABLED_missing_ones_are_written) {
  auto const recorded = golden_answers_by_name();
  for (auto const& family : catalogue()) {
    fs::create_directories(root / family.name);
    for (auto const& c : golden_cases(family.name)) {
      auto const path = file_of(family.name, c);
      auto const name = std::string(family.name) + "/" + c.name;
      if (!fs::exists(path)) {
        if (family.finds_bounds) {
          auto map = make_filter(family.name, {.items = golden_items(family.name, c), .fpr = c.fpr, .settings = {}}, c.hash);
          insert_members(map, c, 0, c.count);
          save(map, path);
        } else {
          save(built(family, c), path);
        }
      }
      if (recorded.contains(name)) continue;
      auto const answers = answers_of(load(path, {.key = c.key, .verify = true}), c);
      std::printf("      {\"%s\", {%llu, {", name.c_str(), static_cast<unsigned long long>(answers.hits));
      for (std::size_t i = 0; i < answers.first.size(); ++i)
        std::printf("%s%llu", i == 0 ? "" : ", ", static_cast<unsigned long long>(answers.first[i]));
      std::printf("}}},\n");
    }
  }
}

}  // namespace
}  // namespace hortus::testing
