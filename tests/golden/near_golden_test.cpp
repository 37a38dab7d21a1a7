#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include <hortus/any/any_near.hpp>
#include <hortus/hash/mix64.hpp>
#include <hortus/io/store.hpp>

/// Files of filters that ask how near a key is, for ever, as those of the other families: golden_test.cpp. read_near.py reads
/// them, too. A case never changes once its file is committed; new ones are added at the end.
namespace hortus::testing {
namespace {

namespace fs = std::filesystem;
fs::path const root = fs::path(HORTUS_SOURCE_DIR) / "tests" / "golden" / "near" / "v1";

/// 00 01 02 ... 0f, as in cases.hpp.
secret_key golden_secret() {
  std::array<std::byte, secret_key::size> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
  return secret_key(bytes);
}

struct near_case {
  std::string name;
  std::string metric;
  any_hash hash;
  std::uint64_t count;                           ///< keys 0 ... count - 1 are members
  std::uint64_t probes_near;                     ///< of keys 100000 ... 100099, how many are near a member
  std::uint64_t probes_score;                    ///< the sum of their scores
  std::optional<secret_key> key = std::nullopt;  ///< the secret key of the hash
  std::vector<std::pair<std::string, std::string>> settings = {};
};

std::vector<near_case> near_cases() {
  auto const key = golden_secret();
  return {
      {"empty", "hamming", xxh3(), 0, 0, 0},
      {"bits", "hamming", xxh3(), 50, 0, 855},
      {"bits_seeded", "hamming", xxh64(7), 50, 1, 823},
      {"bits_keyed", "hamming", siphash(key), 50, 1, 830, key},
      {"texts", "jaccard", xxh3(0x5eed), 50, 19, 672, std::nullopt, {{"gram", "3"}, {"near", "0.1"}, {"far", "0.9"}}},
      {"vectors", "angle", xxh3(), 50, 37, 1616},
  };
}

/// Key number i: 64 bits; "text number i of many"; five numbers.
template <class Act>
void with_key(near_case const& c, std::uint64_t i, Act act) {
  if (c.metric == "hamming") {
    auto const bytes = little_endian_bytes(mix64(i));
    act(near_key(bit_string{bytes, 64}));
  } else if (c.metric == "jaccard") {
    auto const text = "text number " + std::to_string(mix64(i)) + " of many";
    act(near_key(std::string_view(text)));
  } else {
    std::array<double, 5> numbers{};
    for (std::uint64_t j = 0; j < numbers.size(); ++j) numbers[j] = static_cast<double>(mix64(i * 5 + j) >> 12) - 0x1p51;
    act(near_key(std::span<double const>(numbers)));
  }
}

void insert_members(any_near_filter& filter, near_case const& c) {
  for (std::uint64_t i = 0; i < c.count; ++i) with_key(c, i, [&](near_key const& key) { filter.insert(key); });
}

/// act(case, path) for every file.
template <class Act>
void for_each_golden(Act act) {
  for (auto const& c : near_cases()) {
    SCOPED_TRACE(c.name);
    act(c, root / (c.name + ".hortus"));
  }
}

TEST(near_golden, files_give_the_answers_that_they_gave) {
  for_each_golden([](near_case const& c, fs::path const& path) {
    auto const filter = load<any_near_filter>(path, {.key = c.key});
    EXPECT_EQ(filter.family().metric_used().kind(), c.metric);
    EXPECT_EQ(filter.about().items_inserted, c.count);
    for (std::uint64_t i = 0; i < c.count; ++i)
      with_key(c, i, [&](near_key const& key) { EXPECT_EQ(filter.score(key), filter.arrays()); });
    std::uint64_t near = 0;
    std::uint64_t score = 0;
    for (std::uint64_t i = 100'000; i < 100'100; ++i)
      with_key(c, i, [&](near_key const& key) {
        near += filter.is_near(key) ? 1U : 0U;
        score += filter.score(key);
      });
    EXPECT_EQ(near, c.probes_near);
    EXPECT_EQ(score, c.probes_score);
  });
}

/// In the shape of the file, because plan() may choose another one today.
TEST(near_golden, files_are_written_again_byte_for_byte) {
  for_each_golden([](near_case const& c, fs::path const& path) {
    auto const golden = load<any_near_filter>(path, {.key = c.key});
    EXPECT_EQ(to_bytes(golden), to_bytes(open<any_near_filter>(path, {.key = c.key})));
    any_near_filter again(any_near_family(golden.family().shape()), c.hash,
                          envelope{.items_planned = golden.about().items_planned, .fpr_planned = golden.about().fpr_planned});
    insert_members(again, c);
    EXPECT_EQ(to_bytes(again), to_bytes(golden));
    EXPECT_EQ(fs::file_size(path), stored_size(again));
  });
}

TEST(near_golden, nothing_lies_about_that_is_not_a_case) {
  std::size_t files = 0;
  for (auto const& entry : fs::directory_iterator(root)) files += entry.is_regular_file() ? 1U : 0U;
  EXPECT_EQ(files, near_cases().size());
}

/// For a new case: writes the missing files and never replaces one. Then run tools/golden_check.sh --add.
TEST(near_golden, DISABLED_missing_ones_are_written) {
  fs::create_directories(root);
  for_each_golden([](near_case const& c, fs::path const& path) {
    if (fs::exists(path)) return;
    request wish{.items = 50, .fpr = 0.01, .settings = c.settings};
    if (c.settings.empty()) wish.settings = {{"near", "0.05"}, {"far", "0.4"}};
    wish.settings.emplace_back("metric", c.metric);
    auto filter = make_near_filter(wish, c.hash);
    insert_members(filter, c);
    save(filter, path);
  });
}

}  // namespace
}  // namespace hortus::testing
