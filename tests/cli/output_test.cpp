#include "cli/text/output.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <random>
#include <string>
#include <thread>

#include <hortus/error.hpp>

namespace hortus::cli {
namespace {

struct pipe_pair {
  pipe_pair() {
    if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  }
  ~pipe_pair() {
    for (int const end : ends) {
      if (end >= 0) ::close(end);
    }
  }
  void close_end(std::size_t i) { ::close(std::exchange(ends[i], -1)); }
  std::array<int, 2> ends{-1, -1};
};

std::string read_all(int descriptor) {
  std::string all;
  std::array<char, 65536> buffer{};
  for (ssize_t got = 0; (got = ::read(descriptor, buffer.data(), buffer.size())) > 0;) {
    all.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return all;
}

bool has_bytes(int descriptor) {
  pollfd ready{descriptor, POLLIN, 0};
  return ::poll(&ready, 1, 0) == 1;
}

TEST(output, writes_every_byte_in_order_whatever_the_sizes) {
  std::mt19937_64 random(2);
  for (bool const non_blocking : {false, true}) {
    pipe_pair pipe;
    ASSERT_EQ(::fcntl(pipe.ends[1], F_SETFL, non_blocking ? O_NONBLOCK : 0), 0);
    std::string got;
    std::thread reader([&] { got = read_all(pipe.ends[0]); });
    std::string wanted;
    {
      output out(pipe.ends[1]);
      for (int i = 0; i < 3000; ++i) {
        // Mostly short lines; sometimes as large as the buffer, one byte less or more, or much larger.
        std::size_t const sizes[] = {0, 1, 20, 300, (256u << 10) - 1, 256u << 10, (256u << 10) + 1, 700'000};
        std::string const text(sizes[random() % (i % 300 == 0 ? 8 : 4)], static_cast<char>('a' + random() % 26));
        char const separator = random() % 2 == 0 ? '\n' : '\0';
        switch (random() % 3) {
          case 0:
            out.line(text, separator), wanted += text + separator;
            break;
          case 1:
            out.write(text), wanted += text;
            break;
          default:
            out.print("{}\t{}", i, text), wanted += std::to_string(i) + '\t' + text;
            break;
        }
      }
      out.flush();
    }
    pipe.close_end(1);
    reader.join();
    EXPECT_EQ(got.size(), wanted.size());
    EXPECT_TRUE(got == wanted);
  }
}

TEST(output, a_line_that_just_fits_the_buffer_or_just_does_not) {
  for (std::size_t const rest : {0u, 1u, 2u, 3u}) {
    pipe_pair pipe;
    std::string got;
    std::thread reader([&] { got = read_all(pipe.ends[0]); });
    auto const first = std::string((256u << 10) - rest, 'x');
    {
      output out(pipe.ends[1]);
      out.write(first);
      out.line("y");
    }
    pipe.close_end(1);
    reader.join();
    EXPECT_TRUE(got == first + "y\n") << rest;
  }
}

TEST(output, flushes_after_a_block_only_when_told_so) {
  for (auto const policy : {flushing::when_full, flushing::each_block}) {
    pipe_pair pipe;
    output out(pipe.ends[1], policy);
    out.line("answer");
    EXPECT_FALSE(has_bytes(pipe.ends[0]));
    out.block_done();
    EXPECT_EQ(has_bytes(pipe.ends[0]), policy == flushing::each_block);
  }
}

TEST(output, a_closed_pipe_is_an_exception_of_its_own) {
  ignore_broken_pipes();
  pipe_pair pipe;
  pipe.close_end(0);
  output out(pipe.ends[1]);
  out.line("nobody reads this");
  EXPECT_THROW(out.flush(), closed_pipe);
  static_assert(!std::is_base_of_v<hortus::error, closed_pipe>);
  EXPECT_NO_THROW(out.flush()) << "what failed was dropped";
}

TEST(output, a_full_disk_is_an_error_that_names_the_output) {
  int const full = ::open("/dev/full", O_WRONLY);
  ASSERT_GE(full, 0);
  {
    output out(full);
    out.line("lost");
    try {
      out.flush();
      ADD_FAILURE() << "the loss went unnoticed";
    } catch (error const& e) {
      EXPECT_EQ(e.code(), errc::io);
      EXPECT_EQ(std::string(e.what()), "cannot write standard output: No space left on device");
    }
    out.line("lost too");
    EXPECT_THROW(out.write(std::string(1 << 20, 'x')), error);
  }
  {
    output out(full);
    out.line("the destructor does not throw");
  }
  ::close(full);
}

TEST(output, the_destructor_writes_what_is_left) {
  pipe_pair pipe;
  { output(pipe.ends[1]).line("left"); }
  pipe.close_end(1);
  EXPECT_EQ(read_all(pipe.ends[0]), "left\n");
}

}  // namespace
}  // namespace hortus::cli
