#include "cli/text/lines.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>

#include <hortus/error.hpp>

#include "tests/cli/scratch_lines.hpp"

namespace hortus::cli {
namespace {

using keys = std::vector<std::string>;

/// A pipe that a thread fills with the given pieces.
struct fed_pipe {
  explicit fed_pipe(std::vector<std::string> pieces) {
    if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
    writer = std::thread([this, pieces = std::move(pieces)] {
      for (auto const& piece : pieces) write_all(ends[1], piece);
      ::close(ends[1]);
    });
  }
  fed_pipe(fed_pipe const&) = delete;
  fed_pipe& operator=(fed_pipe const&) = delete;
  ~fed_pipe() {
    writer.join();
    ::close(ends[0]);
  }
  std::array<int, 2> ends{};
  std::thread writer;
};

keys read_all(line_reader& in) {
  keys all;
  std::vector<std::string_view> block;
  while (in.next(block)) {
    EXPECT_FALSE(block.empty());
    EXPECT_LE(block.size(), line_reader::block_lines);
    all.insert(all.end(), block.begin(), block.end());
  }
  EXPECT_TRUE(block.empty());
  EXPECT_FALSE(in.next(block)) << "the end stays the end";
  return all;
}

keys read_files(std::vector<std::string> const& paths, line_format format = {}) {
  line_reader in(paths, format);
  auto const total = in.total_bytes();
  auto all = read_all(in);
  EXPECT_EQ(in.bytes_read(), total);
  return all;
}

/// The rules as a simple loop, byte by byte.
keys naive(std::string_view bytes, line_format format) {
  keys all;
  std::string line;
  bool open = false;
  auto const finish = [&] {
    if (format.crlf && line.ends_with('\r')) line.pop_back();
    all.push_back(std::exchange(line, {}));
    open = false;
  };
  for (char const c : bytes) {
    if (c == format.separator) {
      finish();
    } else {
      line += c;
      open = true;
    }
  }
  if (open) finish();
  return all;
}

std::string random_bytes(std::mt19937_64& random, std::size_t size) {
  static constexpr std::string_view alphabet("\n\0\r\x80\xffxyz", 8);
  auto const letters = 1 + random() % alphabet.size();
  bool const sparse = random() % 2 == 0;
  std::string bytes(size, 'q');
  for (char& c : bytes) {
    if (!sparse || random() % 50 == 0) c = alphabet[random() % letters];
  }
  return bytes;
}

std::vector<std::string> cut(std::mt19937_64& random, std::string_view bytes) {
  std::vector<std::string> pieces;
  auto const largest = 1 + random() % (random() % 2 == 0 ? 10 : 100'000);
  while (!bytes.empty()) {
    auto const size = std::min<std::size_t>(1 + random() % largest, bytes.size());
    pieces.emplace_back(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  return pieces;
}

template <class Do>
std::string io_error(Do what) {
  try {
    what();
  } catch (error const& e) {
    EXPECT_EQ(e.code(), errc::io);
    return e.what();
  }
  return "no error";
}

TEST(lines, the_rules) {
  auto const lines = [](std::string_view bytes, line_format format = {}) {
    scratch_file const file(bytes);
    return read_files({file.path}, format);
  };
  EXPECT_EQ(lines(""), keys{});
  EXPECT_EQ(lines("\n"), keys{""});
  EXPECT_EQ(lines("\n\n"), (keys{"", ""}));
  EXPECT_EQ(lines("a\nb\n"), (keys{"a", "b"}));
  EXPECT_EQ(lines("a\nb"), (keys{"a", "b"}));
  EXPECT_EQ(lines("a\n\nb"), (keys{"a", "", "b"}));
  EXPECT_EQ(lines("a\r\nb\r\n"), (keys{"a\r", "b\r"})) << "CR is part of the key";
  EXPECT_EQ(lines("a\r\nb\r\r\nc\r\n\r\nd\re\r", {.crlf = true}), (keys{"a", "b\r", "c", "", "d\re"}));
  EXPECT_EQ(lines({"a\nb\0c\0\0", 7}, {.separator = '\0'}), (keys{"a\nb", "c", ""}));
  EXPECT_EQ(lines({"a\0b\n", 4}), keys{std::string("a\0b", 3)}) << "NUL is a byte like others";
}

TEST(lines, files_follow_each_other_without_glue) {
  scratch_file const a("one\ntwo");
  scratch_file const none("");
  scratch_file const b("three\n");
  scratch_file const c("\nfour");
  EXPECT_EQ(read_files({a.path, none.path, b.path, c.path, a.path}), (keys{"one", "two", "three", "", "four", "one", "two"}));
}

TEST(lines, agree_with_a_naive_splitter_on_random_files) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 400; ++round) {
    line_format const format{random() % 2 == 0 ? '\n' : '\0', random() % 2 == 0};
    auto const size = random() % (round % 20 == 0 ? 1'500'000 : 3'000);
    auto const bytes = random_bytes(random, size);
    scratch_file const file(bytes);
    auto const wanted = naive(bytes, format);
    EXPECT_EQ(read_files({file.path}, format), wanted) << round;
  }
}

TEST(lines, agree_with_a_naive_splitter_on_pipes_written_in_random_pieces) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 300; ++round) {
    line_format const format{random() % 2 == 0 ? '\n' : '\0', random() % 2 == 0};
    auto const bytes = random_bytes(random, random() % (round % 30 == 0 ? 800'000 : 2'000));
    fed_pipe const pipe(cut(random, bytes));
    line_reader in(pipe.ends[0], "pipe", format);
    EXPECT_EQ(read_all(in), naive(bytes, format)) << round;
    EXPECT_EQ(in.bytes_read(), bytes.size());
    EXPECT_EQ(in.total_bytes(), 0u);
  }
}

TEST(lines, sizes_around_the_buffer_and_the_stride) {
  for (std::size_t const around : {std::size_t{64}, std::size_t{128}, std::size_t{256} << 10, std::size_t{512} << 10}) {
    for (std::size_t size = around - 2; size <= around + 2; ++size) {
      for (auto const* const end : {"", "\n", "\nx", "\n\n"}) {
        auto const bytes = std::string(size, 'k') + end;
        scratch_file const file(bytes);
        EXPECT_EQ(read_files({file.path}), naive(bytes, {})) << size;
      }
    }
  }
}

TEST(lines, have_no_length_limit) {
  std::string long_line(20'000'000, 'x');
  long_line[12'345'678] = '\r';
  fed_pipe const pipe({"before\n", long_line, "\nafter"});
  line_reader in(pipe.ends[0], "pipe");
  auto const all = read_all(in);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0], "before");
  EXPECT_TRUE(all[1] == long_line);
  EXPECT_EQ(all[2], "after");
}

TEST(lines, a_large_file_is_read_in_bounded_memory) {
  std::string bytes;
  for (int i = 0; i < 2'000'000; ++i) bytes += "a line of some length\n";
  scratch_file const file(bytes);
  auto const in_use = [] {
    auto const info = ::mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  auto const before = in_use();
  line_reader in(std::vector{file.path});
  std::vector<std::string_view> block;
  std::size_t most = 0;
  std::size_t lines = 0;
  while (in.next(block)) {
    lines += block.size();
    most = std::max(most, in_use());
  }
  EXPECT_EQ(lines, 2'000'000u);
  EXPECT_LT(most - before, std::size_t{400} << 10);
}

TEST(lines, a_slow_pipe_is_answered_at_once) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  line_reader in(ends[0], "pipe");
  EXPECT_TRUE(in.streaming());
  std::vector<std::string_view> block;
  write_all(ends[1], "a\nb\nunfini");
  ASSERT_TRUE(in.next(block));  // would wait for ever if it wanted a full buffer
  EXPECT_EQ(keys(block.begin(), block.end()), (keys{"a", "b"}));
  write_all(ends[1], "shed\n");
  ASSERT_TRUE(in.next(block));
  EXPECT_EQ(keys(block.begin(), block.end()), keys{"unfinished"});
  ::close(ends[1]);
  EXPECT_FALSE(in.next(block));
  ::close(ends[0]);
}

TEST(lines, a_descriptor_made_non_blocking_by_somebody_is_waited_for) {
  std::vector<std::string> const pieces(2000, "key\nk");
  fed_pipe const pipe(pieces);
  ASSERT_EQ(::fcntl(pipe.ends[0], F_SETFL, O_NONBLOCK), 0);
  line_reader in(pipe.ends[0], "pipe");
  EXPECT_EQ(read_all(in).size(), 2001u);
}

std::atomic<int> signals{0};

TEST(lines, a_signal_does_not_end_a_read) {
  struct sigaction quick {};
  struct sigaction old {};
  quick.sa_handler = [](int) { ++signals; };  // without SA_RESTART: read fails with EINTR
  ASSERT_EQ(::sigaction(SIGUSR1, &quick, &old), 0);
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  auto const reader = ::pthread_self();
  std::thread writer([&] {
    for (int i = 0; i < 20; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      ::pthread_kill(reader, SIGUSR1);
      if (i % 5 == 0) write_all(ends[1], "key\n");
    }
    ::close(ends[1]);
  });
  line_reader in(ends[0], "pipe");
  EXPECT_EQ(read_all(in).size(), 4u);
  writer.join();
  EXPECT_GT(signals, 0);
  ::close(ends[0]);
  ::sigaction(SIGUSR1, &old, nullptr);
}

TEST(lines, what_cannot_be_read_is_an_error_with_its_name) {
  auto const open = [](std::string path) { line_reader const in(std::vector{std::move(path)}); };
  EXPECT_EQ(io_error([&] { open("/no/such/file"); }),
            "cannot read '/no/such/file': No such file or directory (a key on the command line is -e '/no/such/file')");
  auto const directory = testing::TempDir();
  EXPECT_EQ(io_error([&] { open(directory); }), "cannot read '" + directory + "': Is a directory");
  // Readable by its mode, but page 0 of this process is not mapped: the read itself fails.
  EXPECT_EQ(io_error([] { (void)read_files({"/proc/self/mem"}); }), "cannot read '/proc/self/mem': Input/output error");
  EXPECT_EQ(io_error([] { line_reader const in(-1, "nothing"); }), "cannot read 'nothing': Bad file descriptor");
  EXPECT_EQ(io_error([] { line_reader const in(999, "nothing"); }), "cannot read 'nothing': Bad file descriptor");
}

TEST(lines, a_missing_last_file_is_reported_before_the_first_is_read) {
  scratch_file const file("a\n");
  EXPECT_NE(io_error([&] { line_reader const in(std::vector<std::string>{file.path, "/no/such/file"}); }), "no error");
}

TEST(lines, descriptors_are_closed_and_those_of_others_left_open) {
  scratch_file const file("a\nb\n");
  auto const open_descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  };
  auto const before = open_descriptors();
  std::vector<std::string_view> block;
  {
    line_reader in(std::vector{file.path, file.path});
    ASSERT_TRUE(in.next(block));  // left in the middle
  }
  (void)read_files({file.path, file.path});
  EXPECT_EQ(open_descriptors(), before);
  int const mine = ::open(file.path.c_str(), O_RDONLY);
  {
    line_reader in(mine, "mine");
    (void)read_all(in);
  }
  EXPECT_EQ(::lseek(mine, 0, SEEK_CUR), 4) << "still open";
  ::close(mine);
}

/// Temporarily replaces standard input by another file.
class standard_input {
 public:
  explicit standard_input(int descriptor) : saved_(::dup(0)) { ::dup2(descriptor, 0); }
  ~standard_input() {
    ::dup2(saved_, 0);
    ::close(saved_);
  }
  standard_input(standard_input const&) = delete;
  standard_input& operator=(standard_input const&) = delete;

 private:
  int saved_;
};

TEST(lines, standard_input_when_there_are_no_paths_or_a_dash) {
  scratch_file const other("x");
  for (std::vector<std::string> const& paths : {std::vector<std::string>{}, {"-"}, {other.path, "-", other.path, "-"}}) {
    fed_pipe const pipe({"from\nstdin"});
    standard_input const in_place(pipe.ends[0]);
    line_reader in(paths);
    EXPECT_TRUE(in.streaming());
    EXPECT_EQ(read_all(in), paths.size() < 2 ? (keys{"from", "stdin"}) : (keys{"x", "from", "stdin", "x"}));
  }
}

TEST(lines, know_their_input_and_their_number_in_it) {
  std::string many;
  for (int i = 0; i < 5000; ++i) many += "line\n";
  scratch_file const a(many + "last");
  scratch_file const nothing("");
  scratch_file const b("x\ny\n");
  line_reader in(std::vector{a.path, nothing.path, b.path});
  std::map<std::string, std::uint64_t> next{{a.path, 1}, {b.path, 1}};
  for (std::vector<std::string_view> block; in.next(block);) {
    auto& line = next.at(std::string(in.input_name()));
    EXPECT_EQ(in.first_line(), line);
    line += block.size();
  }
  EXPECT_EQ(next.at(a.path), 5002u);
  EXPECT_EQ(next.at(b.path), 3u);
}

TEST(lines, redirected_standard_input_is_read_from_where_it_stands) {
  scratch_file const file("skipped\none\ntwo");
  int const descriptor = ::open(file.path.c_str(), O_RDONLY);
  ASSERT_EQ(::lseek(descriptor, 8, SEEK_SET), 8);
  {
    standard_input const in_place(descriptor);
    line_reader in(std::vector<std::string>{"-", "-"});
    EXPECT_EQ(in.total_bytes(), 7u);
    EXPECT_EQ(read_all(in), (keys{"one", "two"}));
  }
  ::close(descriptor);
}

TEST(lines, totals_of_regular_files) {
  scratch_file const a("12345\n");
  scratch_file const b("12");
  line_reader const in(std::vector{a.path, b.path});
  EXPECT_EQ(in.total_bytes(), 8u);
  EXPECT_FALSE(in.streaming());
  EXPECT_EQ(line_reader(std::vector<std::string>{a.path, "/dev/null"}).total_bytes(), 0u);
}

TEST(lines, the_mask_is_what_its_portable_form_and_a_loop_say) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 20'000; ++round) {
    auto const bytes = random_bytes(random, 64);
    char const separator = round % 3 == 0 ? '\xff' : round % 3 == 1 ? '\n' : '\0';
    std::uint64_t wanted = 0;
    for (std::size_t i = 0; i < 64; ++i) wanted |= std::uint64_t{bytes[i] == separator} << i;
    ASSERT_EQ(separator_mask(bytes.data(), separator), wanted);
    ASSERT_EQ(separator_mask_portable(bytes.data(), separator), wanted);
  }
}

}  // namespace
}  // namespace hortus::cli
