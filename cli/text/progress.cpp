#include "cli/text/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "cli/text/numbers.hpp"
#include "cli/text/table.hpp"

namespace hortus::cli {
namespace {

std::string amount(std::uint64_t count, progress_unit unit) {
  return unit == progress_unit::bytes ? human_bytes(count) : human_count(count);
}

/// Columns of a terminal minus one: writing into the last column makes some terminals wrap.
std::size_t columns(int descriptor) noexcept {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col < 2) return 79;
  return size.ws_col - 1u;
}

/// Cuts the text to at most `most` columns, never within a UTF-8 character.
void truncate(std::string& text, std::size_t most) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool const starts = (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80;
    if (starts && width++ == most) return text.resize(i);
  }
}

std::string_view environment(char const* name) {
  auto const* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

/// The progress whose line is on the screen now; the last one drawn, if there are several.
progress* on_screen = nullptr;

/// A terminal that can move its cursor back.
bool is_terminal(int descriptor) { return ::isatty(descriptor) == 1 && environment("TERM") != "dumb"; }

}  // namespace

bool use_colour(int descriptor) {
  return is_terminal(descriptor) && !environment("TERM").empty() && environment("NO_COLOR").empty();
}

std::string progress_text(std::string_view label, std::uint64_t done, std::uint64_t total, progress_unit unit, double seconds) {
  auto text = fmt::format("{}: {}", label, amount(done, unit));
  if (total != 0) {
    done = std::min(done, total);  // a file may grow while it is read
    text = fmt::format("{}: {:3.0f} % of {}", label, std::floor(100 * static_cast<double>(done) / static_cast<double>(total)),
                       amount(total, unit));
  }
  if (!(seconds > 0)) return text;
  auto const per_second = static_cast<double>(done) / seconds;
  text += fmt::format(", {}/s", amount(static_cast<std::uint64_t>(std::min(per_second, 1e18)), unit));
  if (total == 0 || done == total) return text + fmt::format(", {}", human_duration(seconds));
  if (done == 0) return text;
  return text + fmt::format(", {} left", human_duration(static_cast<double>(total - done) / per_second));
}

progress::progress(std::string label, std::uint64_t total, progress_unit unit, show_progress mode, int descriptor)
    : label_(std::move(label)), total_(total), unit_(unit), descriptor_(descriptor) {
  if (mode == show_progress::off) return;
  if (is_terminal(descriptor)) {
    style_ = style::redrawn;
  } else if (mode == show_progress::on) {
    style_ = style::plain;
  }
  start_ = drawn_ = clock::now();  // a job shorter than the first interval shows nothing on a terminal
}

void progress::consider(std::uint64_t done) noexcept {
  using namespace std::chrono_literals;
  done_ = done;
  auto const now = clock::now();
  if (now - drawn_ >= (style_ == style::redrawn ? 100ms : 1000ms)) draw(now);
}

void progress::draw(clock::time_point now) noexcept try {
  drawn_ = now;
  auto text = progress_text(label_, done_, total_, unit_, std::chrono::duration<double>(now - start_).count());
  if (style_ == style::plain) return put(text + '\n');
  truncate(text, columns(descriptor_));
  auto const width = text_width(text);
  // Blanks overwrite the rest of a longer previous line. No escape sequences, so that it works on every terminal.
  put('\r' + text + std::string(shown_ > width ? shown_ - width : 0, ' '));
  shown_ = width;
  on_screen = this;
} catch (...) {  // out of memory: the job goes on without progress
}

void hide_progress() noexcept {
  if (on_screen != nullptr) on_screen->hide();
}

void progress::hide() noexcept try {
  if (on_screen == this) on_screen = nullptr;
  if (auto const width = std::exchange(shown_, 0); width != 0) put('\r' + std::string(width, ' ') + '\r');
} catch (...) {
}

void progress::finish() noexcept {
  if (style_ == style::plain) draw(clock::now());
  hide();
  style_ = style::silent;
}

void progress::put(std::string_view text) const noexcept {
  while (!text.empty()) {
    auto const done = ::write(descriptor_, text.data(), text.size());
    if (done > 0) text.remove_prefix(static_cast<std::size_t>(done));
    if (done < 0 && errno != EINTR) return;
  }
}

}  // namespace hortus::cli
