#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace hortus::cli {

/// May output to this descriptor be coloured? Only on a terminal that is not dumb, and never if NO_COLOR is set and not empty
/// (no-color.org).
[[nodiscard]] bool use_colour(int descriptor);

/// When progress is shown.
enum class show_progress {
  automatic,  ///< on a terminal only
  on,         ///< always: on a terminal one line that changes, else plain lines
  off,        ///< never
};

/// The unit of progress.
enum class progress_unit { bytes, items };

/// The text of one report: amount, percentage, rate and time left, as far as they are known. Pure, so that it can be tested.
[[nodiscard]] std::string progress_text(std::string_view label, std::uint64_t done, std::uint64_t total, progress_unit unit,
                                        double seconds);

/// Clears the line of progress on the screen, if there is one, before something else is written there.
void hide_progress() noexcept;

/// Shows the progress of a long job on standard error. On a terminal it is one line, redrawn at most ten times a second and
/// cleared at the end. Elsewhere, if requested, plain lines at most once a second and a last one at the end. Call update() once
/// per block of keys: it costs a comparison if nothing is shown, else a read of the clock.
class progress {
 public:
  /// A total of 0 means unknown, as for a pipe.
  progress(std::string label, std::uint64_t total, progress_unit unit = progress_unit::bytes,
           show_progress mode = show_progress::automatic, int descriptor = 2);
  progress(progress const&) = delete;
  progress& operator=(progress const&) = delete;
  ~progress() { finish(); }

  void update(std::uint64_t done) noexcept {
    if (style_ != style::silent) consider(done);
  }
  /// Clears the line; the next update draws it again.
  void hide() noexcept;
  /// The job is over, whether it succeeded or not.
  void finish() noexcept;

 private:
  enum class style { silent, redrawn, plain };
  using clock = std::chrono::steady_clock;

  void consider(std::uint64_t done) noexcept;
  void draw(clock::time_point now) noexcept;
  void put(std::string_view text) const noexcept;

  std::string label_;
  std::uint64_t total_;
  progress_unit unit_;
  int descriptor_;
  style style_ = style::silent;
  std::uint64_t done_ = 0;
  std::size_t shown_ = 0;  // columns on the screen now
  clock::time_point start_;
  clock::time_point drawn_;
};

}  // namespace hortus::cli
