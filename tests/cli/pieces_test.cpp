#include "cli/text/pieces.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "cli/in_order.hpp"
#include "cli/text/lines.hpp"
#include "tests/cli/scratch_lines.hpp"

/// Pieces of inputs, which threads work on, have the lines that one reader finds.
namespace hortus::cli {
namespace {

struct numbered_line {
  std::string input;
  std::uint64_t number;
  std::string text;
  bool operator==(numbered_line const&) const = default;
};

void add_lines(line_reader& in, std::vector<numbered_line>& all) {
  for (std::vector<std::string_view> lines; in.next(lines);)
    for (std::size_t i = 0; i < lines.size(); ++i)
      all.push_back({std::string(in.input_name()), in.first_line() + i, std::string(lines[i])});
}
std::vector<numbered_line> by_one_reader(std::vector<std::string> const& paths, line_format format) {
  std::vector<numbered_line> all;
  line_reader in(paths, format);
  add_lines(in, all);
  return all;
}
std::vector<numbered_line> by_pieces(std::vector<std::string> const& paths, line_format format) {
  std::vector<numbered_line> all;
  piece_source source(line_inputs(paths), format);
  text_piece piece;
  std::uint64_t bytes = 0;
  while (source.next(piece)) {
    EXPECT_FALSE(piece.text().empty());
    EXPECT_GE(source.bytes_read(), bytes);  // equal for a last line without separator, which was read with the lines before
    bytes = source.bytes_read();
    line_reader in(piece, format);
    add_lines(in, all);
  }
  EXPECT_EQ(bytes, source.total_bytes());
  EXPECT_FALSE(source.next(piece)) << "the end stays the end";
  return all;
}

/// Lines of every length, also longer than a piece; with and without a separator at the end; empty files.
TEST(pieces, have_the_lines_that_one_reader_finds) {
  std::mt19937 random(1);
  for (char const separator : {'\n', '\0'})
    for (std::size_t const longest : {std::size_t{1}, std::size_t{20}, std::size_t{5'000}, 3 * piece_source::piece_bytes}) {
      std::vector<std::unique_ptr<scratch_file>> files;
      std::vector<std::string> paths;
      for (int i = 0; i < 4; ++i) {
        std::string text;
        while (i != 2 && text.size() < 3 * piece_source::piece_bytes / 2) {
          text.append(random() % longest, static_cast<char>('a' + random() % 26));
          if (i == 3 && random() % 2 == 0) text += '\r';
          text += separator;
        }
        if (i == 1) text += "the end";
        files.push_back(std::make_unique<scratch_file>(text));
        paths.push_back(files.back()->path);
      }
      for (bool const crlf : {false, true}) {
        line_format const format{.separator = separator, .crlf = crlf};
        auto const expected = by_one_reader(paths, format);
        auto const found = by_pieces(paths, format);
        ASSERT_GT(expected.size(), 3U);
        ASSERT_EQ(found.size(), expected.size()) << longest;
        EXPECT_TRUE(found == expected) << longest;
      }
    }
}

TEST(pieces, end_where_a_piece_ends) {
  for (std::size_t const size : {piece_source::piece_bytes - 1, piece_source::piece_bytes, piece_source::piece_bytes + 1}) {
    for (bool const ended : {false, true}) {
      std::string text(size, 'x');
      text[size / 2] = '\n';
      if (ended) text.back() = '\n';
      scratch_file const file(text);
      EXPECT_TRUE(by_pieces({file.path}, {}) == by_one_reader({file.path}, {})) << size;
    }
  }
}

TEST(in_order, works_in_threads_and_finishes_in_order) {
  for (unsigned const threads : {1U, 2U, 3U, 8U}) {
    int next = 0;
    std::vector<int> finished;
    std::atomic<int> worked = 0;
    in_order<int>(
        threads, [&](int& piece) { return (piece = next++) < 1000; },
        [&](int& piece) {
          if (piece % 100 == 7) std::this_thread::sleep_for(std::chrono::milliseconds(1));
          ++worked;
          piece *= 2;
        },
        [&](int piece) {
          finished.push_back(piece / 2);
          return true;
        },
        [] { ADD_FAILURE() << "nothing ended early"; });
    std::vector<int> all(1000);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(finished, all) << threads;
    EXPECT_EQ(worked, 1000);
  }
}

TEST(in_order, ends_when_enough_is_finished) {
  for (unsigned const threads : {1U, 2U, 8U}) {
    int next = 0;
    int stops = 0;
    std::vector<int> finished;
    in_order<int>(
        threads, [&](int& piece) { return piece = next++, true; }, [](int) {},
        [&](int piece) { return finished.push_back(piece), piece < 41; }, [&] { ++stops; });
    EXPECT_EQ(finished.size(), 42U) << threads;
    EXPECT_EQ(stops, 1);
  }
}

/// Whoever throws, what came before is finished, and nothing that comes after.
TEST(in_order, hands_on_the_first_error_in_the_order_of_the_input) {
  enum class who { take, work, finish };
  for (unsigned const threads : {1U, 2U, 8U})
    for (auto const thrower : {who::take, who::work, who::finish}) {
      int next = 0;
      int stops = 0;
      std::vector<int> finished;
      auto const maybe_throw = [&](who is, int piece) {
        if (is == thrower && piece >= 30) throw std::runtime_error(std::to_string(piece));
      };
      try {
        in_order<int>(
            threads, [&](int& piece) { return maybe_throw(who::take, piece = next++), piece < 1000; },
            [&](int piece) { maybe_throw(who::work, piece); },
            [&](int piece) { return maybe_throw(who::finish, piece), finished.push_back(piece), true; }, [&] { ++stops; });
        FAIL() << "nothing was thrown";
      } catch (std::runtime_error const& e) {
        EXPECT_STREQ(e.what(), "30");
      }
      EXPECT_EQ(finished.size(), 30U) << threads;
      EXPECT_EQ(stops, 1);
    }
}

}  // namespace
}  // namespace hortus::cli
