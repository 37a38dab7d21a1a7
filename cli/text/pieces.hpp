#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/text/input.hpp"
#include "cli/text/line_format.hpp"

namespace hortus::cli {

/// Some whole lines of one input, with the memory they are in: threads work on several pieces at the same time.
class text_piece {
 public:
  [[nodiscard]] std::string_view text() const noexcept { return {buffer_.get(), size_}; }
  [[nodiscard]] std::string_view input() const noexcept { return input_; }         ///< its path, or "-"
  [[nodiscard]] std::uint64_t first_line() const noexcept { return first_line_; }  ///< number of its first line in the input

 private:
  friend class piece_source;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
  std::string input_;
  std::uint64_t first_line_ = 1;
};

/// Divides inputs into pieces. As with line_reader, a piece has what one read delivers, up to its last separator, so that a
/// slow pipe makes nobody wait.
class piece_source {
 public:
  /// With smaller pieces threads wait for each other more often: docs/performance-history.md.
  static constexpr std::size_t piece_bytes = std::size_t{1} << 20;
  /// One thread waits for nobody, and small pieces leave the second-level cache to the filter.
  static constexpr std::size_t piece_bytes_of_one = std::size_t{256} << 10;

  piece_source(std::vector<line_input> inputs, line_format format, std::size_t bytes = piece_bytes);

  /// Fills the piece; false at the end. Not thread-safe. Throws as line_reader::next() does.
  [[nodiscard]] bool next(text_piece& piece);

  /// No more pieces are needed: next() returns false soon, also where it waits for a pipe. Any thread may call this.
  void stop() noexcept { stopped_ = true; }

  /// As those of line_reader.
  [[nodiscard]] std::uint64_t bytes_read() const noexcept { return bytes_read_; }
  [[nodiscard]] std::uint64_t total_bytes() const noexcept { return streaming_ ? 0 : total_bytes_; }
  [[nodiscard]] bool streaming() const noexcept { return streaming_; }

 private:
  [[nodiscard]] bool wait_for_bytes() const noexcept;
  bool read_behind(text_piece& piece, std::size_t& end);
  void finish(text_piece& piece, std::size_t size, std::size_t end);

  std::vector<line_input> inputs_;
  line_format format_;
  std::size_t bytes_;                // of a piece, unless a line is longer
  std::size_t current_ = 0;          // input being read
  std::optional<input_bytes> file_;  // that input, once it is open
  std::string rest_;                 // of the input: what follows its last separator
  std::uint64_t next_line_ = 1;
  std::uint64_t bytes_read_ = 0;
  std::uint64_t total_bytes_ = 0;
  bool streaming_ = false;
  std::atomic<bool> stopped_ = false;
};

}  // namespace hortus::cli
