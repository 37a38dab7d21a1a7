// Reading without exceptions: the same outcome as with them, whatever the bytes are.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include <hortus/any/any_filter.hpp>
#include <hortus/bloom/bloom.hpp>
#include <hortus/growing/scalable.hpp>

#include "io/allocations.hpp"
#include "io/parts.hpp"
#include "io/scratch_folder.hpp"

namespace hortus::testing {
namespace {

static_assert(noexcept(try_from_bytes<bloom_filter>({})) && noexcept(try_view<bloom_filter>({})));
static_assert(noexcept(try_load<bloom_filter>(std::declval<std::filesystem::path const&>())));
static_assert(noexcept(try_open<bloom_filter>(std::declval<std::filesystem::path const&>())));
static_assert(noexcept(try_from_bytes({})) && noexcept(try_view({})));

/// What read() throws, or nothing.
template <class Read>
std::optional<error> thrown(Read read) {
  try {
    (void)read();
  } catch (error const& e) {
    return e;
  }
  return std::nullopt;
}

template <class Result>
void expect_the_same(Result const& got, std::optional<error> const& why) {
  ASSERT_EQ(got.has_value(), !why.has_value());
  if (!why) return;
  EXPECT_EQ(got.code(), why->code());
  EXPECT_STREQ(got.message(), why->what());
}

TEST(try_reading, gives_the_filter_that_was_stored) {
  scratch_folder const folder;
  bloom_filter f({.items = 1000, .fpr = 0.01});
  f.insert("ada");
  save(f, folder / "f");
  auto const bytes = to_bytes(f);
  EXPECT_EQ(*try_from_bytes<bloom_filter>(bytes), f);
  EXPECT_EQ(**try_view<bloom_filter>(bytes), f);
  EXPECT_EQ(try_load<bloom_filter>(folder / "f").value(), f);
  EXPECT_TRUE(try_open<bloom_filter>(folder / "f")->may_contain("ada"));
  EXPECT_EQ(try_load(folder / "f")->family().kind(), "bloom");
  EXPECT_EQ(try_open(folder / "f")->family().kind(), "bloom");
  EXPECT_EQ(try_from_bytes(bytes)->family().kind(), "bloom");
  EXPECT_TRUE((*try_view(bytes))->may_contain("ada"));
  bloom_filter const moved = *try_from_bytes<bloom_filter>(bytes);
  EXPECT_EQ(moved, f);
}

TEST(try_reading, says_what_is_wrong) {
  scratch_folder const folder;
  auto const missing = try_load<bloom_filter>(folder / "none");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.code(), errc::io);
  EXPECT_NE(std::string(missing.message()).find("none"), std::string::npos);
  EXPECT_THROW((void)missing.value(), error);
  EXPECT_EQ(try_open<bloom_filter>(folder / "none").code(), errc::io);
  bloom_filter f({.items = 1000, .fpr = 0.01});
  save(f, folder / "f");
  EXPECT_EQ(try_load<scalable_filter>(folder / "f").code(), errc::incompatible);
  auto const other = to_bytes(of_keys<bloom<>, siphash>({.items = 10, .fpr = 0.01}, siphash(secret_key())));
  using keyed = of_keys<bloom<>, siphash>;
  EXPECT_EQ(try_from_bytes<keyed>(other).code(), errc::wrong_key);
  EXPECT_TRUE(try_from_bytes<keyed>(other, {.key = secret_key()}));
}

/// Every field of the header with values where arithmetic breaks, and cut off anywhere.
TEST(try_reading, agrees_with_the_functions_that_throw_on_headers_that_lie) {
  std::size_t refused = 0;
  std::mt19937_64 random(20'261'115);
  for (auto const* const family : {"bloom", "spectral_selection", "dynamic", "bitwise_frozen"}) {
    std::vector<std::uint64_t> const keys{1, 2, 3, 3, 3};
    auto const original = to_bytes(build_filter(family, keys, {.items = 50, .fpr = 0.01, .settings = {}}));
    for (int round = 0; round < 1500; ++round) {
      auto file = original;
      if (round % 10 == 0) {
        file.resize(random() % file.size());
      } else {
        auto const header = get<std::uint32_t>(file, at::header_bytes);
        auto const at = random() % (header / 8 - 1) * 8;
        std::uint64_t const values[]{
            0, 1, random(), ~std::uint64_t{0}, get<std::uint64_t>(file, at) + 1, std::uint64_t{1} << 63};
        put(file, at, values[random() % 6]);
        sign(file);
      }
      auto const why = thrown([&] { return from_bytes(file); });
      expect_the_same(try_from_bytes(file), why);
      expect_the_same(try_view(file), thrown([&] { return view(file); }));
      expect_the_same(try_from_bytes<scalable_filter>(file), thrown([&] { return from_bytes<scalable_filter>(file); }));
      refused += why ? 1U : 0U;
    }
  }
  EXPECT_GT(refused, 3000U);
}

TEST(try_reading, reports_that_there_is_no_memory) {
  if (!allocations_counted) GTEST_SKIP() << "sanitizers allocate in their own way";
  auto const bytes = to_bytes(make_filter("scalable", {.items = 1000, .fpr = 0.01, .settings = {}}));
  auto damaged = bytes;
  damaged.at(damaged.size() - 1) ^= std::byte{1};
  for (auto const& file : {bytes, damaged}) {
    int failures = 0;
    for (std::ptrdiff_t allowed = 0;; ++allowed) {
      allocations = {.until_failure = allowed};
      auto const got = try_from_bytes(file);
      bool const failed = allocations.until_failure < 0;
      allocations = {};
      if (!failed) {
        EXPECT_EQ(got.has_value(), file == bytes);
        break;
      }
      ++failures;
      ASSERT_FALSE(got);
      EXPECT_EQ(got.code(), errc::no_memory);
      EXPECT_STREQ(got.message(), "there is not enough memory for it");
      EXPECT_THROW((void)got.value(), std::bad_alloc);
    }
    EXPECT_GT(failures, 3);
  }
}

}  // namespace
}  // namespace hortus::testing
