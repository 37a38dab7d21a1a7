#include <gtest/gtest.h>

#include <numeric>

#include <hortus/any/any_filter.hpp>

#include "code_of.hpp"
#include "io/allocations.hpp"

/// Files that are written and read in pieces, as they come over a network.
namespace hortus::testing {
namespace {

using bytes = std::vector<std::byte>;

any_filter filled(std::string_view family, std::uint64_t items) {
  std::vector<std::uint64_t> keys(items);
  std::iota(keys.begin(), keys.end(), 0);
  return build_filter(family, keys, {.items = items, .fpr = 0.01, .settings = {}});
}

bytes piece(image const& file, std::uint64_t offset, std::uint64_t count) {
  bytes got;
  write_piece(file, offset, count, [&](std::span<std::byte const> some) { got.insert(got.end(), some.begin(), some.end()); });
  return got;
}

TEST(pieces, together_are_the_file) {
  for (auto const& family : catalogue()) {
    auto const filter = filled(family.name, 500);
    auto const whole = to_bytes(filter);
    auto const file = image_of(filter);
    for (std::uint64_t const step : {std::uint64_t{1}, std::uint64_t{63}, std::uint64_t{200}, std::uint64_t{1} << 40}) {
      if (step == 1 && family.name != "bloom") continue;
      bytes all;
      for (std::uint64_t at = 0; at < whole.size(); at += step) {
        auto const some = piece(file, at, step);
        EXPECT_EQ(some.size(), std::min(step, whole.size() - at));
        all.insert(all.end(), some.begin(), some.end());
      }
      EXPECT_EQ(all, whole) << family.name << " in pieces of " << step;
    }
    EXPECT_EQ(piece(file, whole.size(), 10), bytes()) << "nothing comes after the end";
    EXPECT_EQ(piece(file, ~std::uint64_t{0}, ~std::uint64_t{0}), bytes());
    EXPECT_EQ(piece(file, 5, ~std::uint64_t{0}), bytes(whole.begin() + 5, whole.end()));
  }
}

/// Reads a file whose size nobody knows, asking for one byte after the other.
any_filter read_in_order(bytes const& file, std::uint64_t there) {
  auto head = read_header(std::span(file).first(std::min<std::size_t>(file.size(), max_header_bytes)), unknown_size);
  std::uint64_t next = head.header_bytes;
  auto const source = [&](std::uint64_t offset, std::span<std::byte> into) {
    EXPECT_EQ(offset, next) << "bytes are asked for in order";
    if (offset + into.size() > there) throw error(errc::corrupt, "there is no more");
    std::copy_n(file.begin() + static_cast<std::ptrdiff_t>(offset), into.size(), into.begin());
    next += into.size();
  };
  auto sections = copy_sections(head, source, section_sizes::unproven);
  EXPECT_EQ(next, file.size());
  return assemble<any_filter>(std::move(head), std::move(sections), reading().verified());
}

TEST(pieces, are_read_in_order) {
  for (auto const& family : catalogue()) {
    auto const file = to_bytes(filled(family.name, 500));
    EXPECT_EQ(to_bytes(read_in_order(file, file.size())), file) << family.name;
  }
}

/// 150 MB: more than a section is given before its bytes come.
TEST(pieces, of_a_large_section_are_read_as_they_come) {
  auto const file = to_bytes(make_filter("blocked", {.items = 120'000'000, .fpr = 0.01, .settings = {}}));
  ASSERT_GT(file.size(), std::size_t{128} << 20);
  EXPECT_EQ(to_bytes(read_in_order(file, file.size())), file);
}

/// A header that says 150 MB in front of nothing costs 64 MiB for a moment; one that says a TB no more.
TEST(pieces, that_do_not_come_take_no_memory) {
  if (!allocations_counted) GTEST_SKIP() << "sanitizers allocate in their own way";
  auto const file = to_bytes(make_filter("blocked", {.items = 120'000'000, .fpr = 0.01, .settings = {}}));
  for (std::uint64_t const there : {std::uint64_t{4096}, std::uint64_t{1} << 20, std::uint64_t{10} << 20}) {
    auto const peak = peak_of([&] { EXPECT_EQ(code_of([&] { (void)read_in_order(file, there); }), errc::corrupt); });
    EXPECT_LT(peak, std::size_t{80} << 20) << there << " bytes came";
  }
}

}  // namespace
}  // namespace hortus::testing
