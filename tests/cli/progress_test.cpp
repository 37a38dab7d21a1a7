#include "cli/text/progress.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "cli/text/output.hpp"

namespace hortus::cli {
namespace {

using namespace std::chrono_literals;

/// A pseudo-terminal: what is written to `screen` can be read from `far`.
struct terminal {
  explicit terminal(unsigned short columns = 80) : far(::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK)) {
    if (far < 0 || ::grantpt(far) != 0 || ::unlockpt(far) != 0) throw std::runtime_error("no pseudo-terminal");
    screen = ::open(::ptsname(far), O_RDWR | O_NOCTTY);
    termios raw{};
    ::tcgetattr(screen, &raw);
    ::cfmakeraw(&raw);
    ::tcsetattr(screen, TCSANOW, &raw);
    winsize size{24, columns, 0, 0};
    ::ioctl(screen, TIOCSWINSZ, &size);
  }
  ~terminal() {
    ::close(screen);
    ::close(far);
  }
  std::string written() const {
    std::string all;
    std::array<char, 4096> buffer{};
    for (ssize_t got = 0; (got = ::read(far, buffer.data(), buffer.size())) > 0;) {
      all.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return all;
  }
  int far;
  int screen = -1;
};

/// The content of a screen line after these bytes.
std::string on_screen(std::string const& bytes) {
  std::string line;
  std::size_t cursor = 0;
  for (char const c : bytes) {
    if (c == '\r') {
      cursor = 0;
    } else {
      line.resize(std::max(line.size(), cursor + 1), ' ');
      line[cursor++] = c;
    }
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

/// Temporarily sets environment variables; nullptr removes one.
class environment {
 public:
  environment(char const* name, char const* value) : name_(name) {
    if (auto const* const old = ::getenv(name)) old_ = old, had_ = true;
    value != nullptr ? ::setenv(name, value, 1) : ::unsetenv(name);
  }
  ~environment() { had_ ? ::setenv(name_, old_.c_str(), 1) : ::unsetenv(name_); }
  environment(environment const&) = delete;
  environment& operator=(environment const&) = delete;

 private:
  char const* name_;
  std::string old_;
  bool had_ = false;
};

/// Updates without pause, like a fast job.
void work(progress& p, std::chrono::milliseconds time) {
  auto const end = std::chrono::steady_clock::now() + time;
  for (std::uint64_t i = 0; std::chrono::steady_clock::now() < end; ++i) p.update(i);
}

TEST(progress_text, says_what_is_known) {
  EXPECT_EQ(progress_text("adding", 512ull << 20, 1ull << 30, progress_unit::bytes, 2),
            "adding:  50 % of 1 GiB, 256 MiB/s, 2.0 s left");
  EXPECT_EQ(progress_text("adding", 2'000'000, 0, progress_unit::items, 4), "adding: 2 M, 500 k/s, 4.0 s");
  EXPECT_EQ(progress_text("adding", 100, 100, progress_unit::items, 4), "adding: 100 % of 100, 25/s, 4.0 s");
  EXPECT_EQ(progress_text("adding", 0, 100, progress_unit::items, 4), "adding:   0 % of 100, 0/s");
  EXPECT_EQ(progress_text("adding", 0, 0, progress_unit::items, 0), "adding: 0");
}

TEST(progress_text, is_never_done_too_early_nor_more_than_done) {
  EXPECT_NE(progress_text("x", 9999, 10'000, progress_unit::items, 1).find(" 99 %"), std::string::npos);
  EXPECT_NE(progress_text("x", 200, 100, progress_unit::items, 1).find("100 %"), std::string::npos);
}

TEST(progress, on_a_terminal_redraws_one_line_ten_times_a_second_and_wipes_it) {
  environment const term("TERM", "xterm");
  terminal t;
  std::string drawn;
  {
    progress p("adding", 1'000'000'000, progress_unit::items, show_progress::automatic, t.screen);
    work(p, 450ms);
    drawn = t.written();
    p.update(1);
  }
  auto const draws = std::count(drawn.begin(), drawn.end(), '\r');
  EXPECT_GE(draws, 1);
  EXPECT_LE(draws, 4);  // at 0.1, 0.2, 0.3 and 0.4 seconds, or fewer on a busy machine
  EXPECT_TRUE(on_screen(drawn).starts_with("adding: ")) << on_screen(drawn);
  EXPECT_EQ(drawn.find('\n'), std::string::npos);
  EXPECT_EQ(on_screen(drawn + t.written()), "");
}

TEST(progress, a_short_job_shows_nothing_on_a_terminal) {
  environment const term("TERM", "xterm");
  terminal t;
  { progress("adding", 10, progress_unit::items, show_progress::on, t.screen).update(10); }
  EXPECT_EQ(t.written(), "");
}

TEST(progress, does_not_wrap_on_a_narrow_terminal) {
  environment const term("TERM", "xterm");
  terminal t(20);
  progress p("a label that is longer than the screen is wide", 100, progress_unit::items, show_progress::automatic, t.screen);
  std::this_thread::sleep_for(110ms);
  p.update(50);
  EXPECT_EQ(t.written(), "\ra label that is lon");
}

TEST(progress, hide_wipes_the_line_for_other_words) {
  environment const term("TERM", "xterm");
  terminal t;
  progress p("adding", 100, progress_unit::items, show_progress::automatic, t.screen);
  std::this_thread::sleep_for(110ms);
  p.update(50);
  auto bytes = t.written();
  EXPECT_NE(on_screen(bytes), "");
  p.hide();
  bytes += t.written();
  EXPECT_EQ(on_screen(bytes), "");
}

TEST(progress, gives_way_to_what_is_printed_on_a_terminal) {
  environment const term("TERM", "xterm");
  terminal t;
  progress p("asking", 100, progress_unit::items, show_progress::automatic, t.screen);
  std::this_thread::sleep_for(110ms);
  p.update(50);
  auto bytes = t.written();
  ASSERT_NE(on_screen(bytes), "");
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_NONBLOCK), 0);
  output(ends[1]).write("elsewhere\n");
  EXPECT_EQ(t.written(), "") << "what goes elsewhere does not make it flicker";
  output(t.screen).write("12345");
  EXPECT_EQ(on_screen(bytes + t.written()), "12345");
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(progress, that_is_over_is_not_hidden_again) {
  environment const term("TERM", "xterm");
  terminal t;
  {
    progress p("asking", 100, progress_unit::items, show_progress::automatic, t.screen);
    std::this_thread::sleep_for(110ms);
    p.update(50);
  }
  (void)t.written();
  hide_progress();
  EXPECT_EQ(t.written(), "");
}

TEST(progress, is_silent_where_nobody_looks_or_wants_it) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_NONBLOCK), 0);
  terminal t;
  {
    progress not_a_terminal("adding", 0, progress_unit::items, show_progress::automatic, ends[1]);
    progress off("adding", 0, progress_unit::items, show_progress::off, t.screen);
    environment const dumb("TERM", "dumb");
    progress dumb_terminal("adding", 0, progress_unit::items, show_progress::automatic, t.screen);
    std::this_thread::sleep_for(110ms);
    for (auto* p : {&not_a_terminal, &off, &dumb_terminal}) p->update(7);
  }
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), -1);
  EXPECT_EQ(t.written(), "");
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(progress, asked_for_without_a_terminal_prints_plain_lines_once_a_second) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_NONBLOCK), 0);
  {
    progress p("adding", 0, progress_unit::items, show_progress::on, ends[1]);
    work(p, 1200ms);
    p.update(12'345'678);
  }
  std::array<char, 4096> buffer{};
  auto const got = ::read(ends[0], buffer.data(), buffer.size());
  ASSERT_GT(got, 0);
  std::string const text(buffer.data(), static_cast<std::size_t>(got));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;  // after a second, and at the end
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_NE(text.find("adding: 12.3 M"), std::string::npos) << text;
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(use_colour, wants_a_terminal_that_is_not_dumb_and_no_NO_COLOR) {
  terminal t;
  environment const term("TERM", "xterm");
  environment const none("NO_COLOR", nullptr);
  EXPECT_TRUE(use_colour(t.screen));
  {
    environment const set("NO_COLOR", "1");
    EXPECT_FALSE(use_colour(t.screen));
  }
  {
    environment const empty("NO_COLOR", "");
    EXPECT_TRUE(use_colour(t.screen));
  }
  for (char const* const bad : {"dumb", "", static_cast<char const*>(nullptr)}) {
    environment const set("TERM", bad);
    EXPECT_FALSE(use_colour(t.screen));
  }
  int const null = ::open("/dev/null", O_WRONLY);
  EXPECT_FALSE(use_colour(null));
  ::close(null);
  EXPECT_FALSE(use_colour(-1));
}

}  // namespace
}  // namespace hortus::cli
