#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iomanip>
#include <regex>
#include <sstream>

#include <hortus/hash/any_hash.hpp>
#include <hortus/hash/keys.hpp>
#include <hortus/index/multiply_chain.hpp>

#include "golden/cases.hpp"
#include "io/scratch_folder.hpp"

/// docs/file-format.md is what others write readers from: its numbers are those of the library.
namespace hortus::testing {
namespace {

std::string const root = HORTUS_SOURCE_DIR;

std::vector<std::string> lines_of_page() {
  std::ifstream page(root + "/docs/file-format.md");
  std::vector<std::string> lines;
  for (std::string line; std::getline(page, line);) lines.push_back(line);
  return lines;
}

std::string hex(std::uint64_t word) {
  std::ostringstream text;
  text << '`' << std::hex << std::setfill('0') << std::setw(16) << word << '`';
  return text.str();
}

/// The line that begins so; the test fails if there is none.
std::string line_with(std::string const& start) {
  for (auto const& line : lines_of_page())
    if (line.starts_with(start)) return line;
  ADD_FAILURE() << "no line begins with " << start;
  return "";
}

/// What each of them stores is read from there by tests/golden/read_golden.py.
TEST(format_page, has_a_heading_for_every_family) {
  auto const page = lines_of_page();
  for (auto const& family : catalogue())
    EXPECT_EQ(std::ranges::count(page, "### `" + std::string(family.name) + "`"), 1) << family.name;
}

TEST(format_page, fits_into_120_columns) {
  for (auto const& line : lines_of_page())
    if (!line.starts_with('|')) {
      EXPECT_LE(line.size(), 120U) << line;
    }
}

TEST(format_page, dumps_the_golden_file) {
  std::vector<std::byte> dumped;
  std::regex const row("^[0-9a-f]{4}  ((?:[0-9a-f]{2} {1,2}){16})");
  for (auto const& line : lines_of_page()) {
    std::smatch match;
    if (!std::regex_search(line, match, row)) continue;
    std::istringstream numbers(match[1]);
    for (unsigned byte = 0; numbers >> std::hex >> byte;) dumped.push_back(static_cast<std::byte>(byte));
  }
  EXPECT_EQ(dumped, contents(root + "/tests/golden/v1/bloom/one_key.hortus"));
}

TEST(format_page, has_the_digests_right) {
  auto const key = golden_secret();
  any_hash const hashes[] = {xxh3(), xxh3(0x5eed), xxh64(), siphash(key), siphash24(key)};
  auto const row = [&](auto const& of) {
    std::string text;
    for (auto const& hash : hashes) text += " | " + hex(digest_of(hash, of).bits());
    return text + " |";
  };
  EXPECT_EQ(line_with("| no bytes"), "| no bytes" + row(""));
  EXPECT_EQ(line_with("| `key 0`"), "| `key 0`" + row("key 0"));
  EXPECT_EQ(line_with("| integer 0"), "| integer 0" + row(0));
  EXPECT_EQ(line_with("| integer 2^33"), "| integer 2^33" + row(std::uint64_t{1} << 33));
  auto const page = lines_of_page();
  EXPECT_TRUE(std::ranges::any_of(page, [&](auto const& line) { return line.find(hex(siphash(key).check())) != line.npos; }));
}

TEST(format_page, follows_the_chain) {
  auto state = xxh3().of_bytes(std::as_bytes(std::span("key 0", 5))).bits() | 1;
  multiply_chain chain(digest(state), 11);
  for (int probe = 0; probe < 6; ++probe) {
    state *= 0xf1357aea2e62a9c5U;
    auto const line = "| " + hex(state) + " | " + std::to_string(chain.next()) + " |";
    EXPECT_EQ(line_with(line), line);
  }
}

}  // namespace
}  // namespace hortus::testing
