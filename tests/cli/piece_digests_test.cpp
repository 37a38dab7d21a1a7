// Digests of pieces of inputs are those of the lines and fields that a reader finds.
#include "cli/piece_digests.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/cli/scratch_lines.hpp"

namespace hortus::cli {
namespace {

struct hashed {
  std::vector<digest> keys;
  std::uint64_t records = 0;
  std::uint64_t lines = 0;
  std::uint64_t without_key = 0;
  bool operator==(hashed const&) const = default;
};

/// By a reader of all lines, key by key.
hashed by_one_reader(key_input const& input, any_hash const& hash) {
  hashed all;
  auto in = input.quiet_reader();
  for (record_block block; in.next(block);) {
    if (block.what != record_block::kind::header) all.records += block.lines.size();
    if (block.what == record_block::kind::no_key) all.without_key += block.lines.size();
    if (block.what == record_block::kind::keys)
      block.with_keys([&](auto keys) {
        for (auto const& key : keys) all.keys.push_back(digest_of(hash, key));
      });
  }
  all.lines = in.missing().lines;
  return all;
}

/// By pieces, each asked for so many digests at a time.
hashed by_pieces(key_input const& input, any_hash const& hash, unsigned threads, std::size_t at_once) {
  hashed all;
  record_pieces pieces(input, threads, true);
  std::vector<digest> space(at_once);
  for (record_piece piece; pieces.next(piece);) {
    with_digests(pieces, piece, hash, [&](auto& fill) {
      for (std::size_t made = at_once; made == at_once;) {
        made = fill(std::span<digest>(space));
        all.keys.insert(all.keys.end(), space.begin(), space.begin() + static_cast<std::ptrdiff_t>(made));
      }
      EXPECT_EQ(fill(std::span<digest>(space)), 0U) << "the end stays the end";
      all.records += fill.records();
      all.lines += fill.missing().lines;
      all.without_key += fill.missing().without_key;
    });
  }
  return all;
}

/// Lines of every length up to that of two strides of 64 bytes, empty ones among them, with fields, CR and capitals.
std::string lines(std::mt19937& random, std::size_t bytes, char separator) {
  std::string text = "id,name\n";
  if (separator != '\n') text.back() = separator;
  while (text.size() < bytes) {
    text += std::to_string(random() % 100'000);
    if (random() % 3 != 0) text += ",Name " + std::string(random() % 100, static_cast<char>('A' + random() % 26));
    if (random() % 5 == 0) text += '\r';
    text += separator;
    if (random() % 50 == 0) text += separator;
  }
  return text;
}

TEST(piece_digests, are_those_of_the_keys_that_a_reader_finds) {
  std::mt19937 random(1);
  for (char const separator : {'\n', '\0'})
    for (bool const ended : {true, false}) {
      auto text = lines(random, 700'000, separator);  // three pieces of one thread
      if (!ended) text += "x";                        // of one byte
      scratch_file const first(text);
      scratch_file const second(lines(random, 1000, separator));
      key_input whole;
      whole.paths = {first.path, second.path};
      whole.null = separator == '\0';
      auto crlf = whole, lower = whole, field = whole, csv = whole;
      crlf.crlf = separator == '\n';
      lower.ignore_case = true;
      field.field = "2";
      field.delimiter = ",";
      csv.column = "name";
      for (auto const& input : {whole, crlf, lower, field, csv})
        for (any_hash const& hash : {any_hash(xxh3(7)), any_hash(xxh64(7))}) {
          auto const expected = by_one_reader(input, hash);
          ASSERT_GT(expected.keys.size(), 1000U);
          for (auto const at_once : {1U, 3U, 8U, 64U, 1000U, 1024U})
            EXPECT_TRUE(by_pieces(input, hash, 1 + at_once % 2, at_once) == expected) << at_once;
        }
    }
}

TEST(piece_digests, are_those_of_integers) {
  std::string text;
  for (int i = -1000; i < 2000; ++i) text += std::to_string(i) + "\n";
  scratch_file const file(text);
  key_input input;
  input.paths = {file.path};
  input.integers = true;
  auto const expected = by_one_reader(input, {});
  ASSERT_EQ(expected.keys.size(), 3000U);
  for (auto const at_once : {1U, 7U, 1024U}) EXPECT_TRUE(by_pieces(input, {}, 1, at_once) == expected) << at_once;
}

TEST(piece_digests, of_inputs_without_lines_are_none) {
  scratch_file const nothing("");
  key_input input;
  input.paths = {nothing.path, nothing.path};
  EXPECT_TRUE(by_pieces(input, {}, 1, 8) == hashed{});
}

TEST(piece_digests, replace_what_the_vector_had) {
  scratch_file const file("ada\neve\n");
  key_input input;
  input.paths = {file.path};
  record_pieces pieces(input, 1);
  record_piece piece;
  ASSERT_TRUE(pieces.next(piece));
  std::vector<digest> keys(5);
  EXPECT_EQ(hash_piece(pieces, piece, {}, keys).lines, 2U);
  EXPECT_EQ(keys, (std::vector{digest_of(any_hash(), "ada"), digest_of(any_hash(), "eve")}));
}

}  // namespace
}  // namespace hortus::cli
