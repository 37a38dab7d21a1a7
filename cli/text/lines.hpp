#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/text/input.hpp"
#include "cli/text/line_format.hpp"
#include "cli/text/pieces.hpp"

namespace hortus::cli {

/// Keys from files, pipes and terminals, in blocks.
///
///     line_reader in(paths, {.separator = '\n'});
///     for (std::vector<std::string_view> keys; in.next(keys);) filter.insert(keys);
///
/// Compressed input (gzip, zstd) is decompressed. The final separator is optional. An empty line is the empty key. An empty
/// file has no keys. The unfinished last line of a file is not joined with the first of the next. The buffer has 256 KiB
/// (as fast as 1 MiB, and leaves the second-level cache to the filter); it is doubled only for a longer line. Every read
/// delivers the lines that are available, without waiting for more from a slow pipe.
class line_reader {
 public:
  static constexpr std::size_t block_lines = 1024;

  explicit line_reader(std::span<std::string const> paths, line_format format = {});
  /// Inputs that were looked at before; none of them: there are no keys.
  line_reader(std::vector<line_input> inputs, line_format format);
  /// Reads a descriptor that the caller owns; `name` is for messages.
  line_reader(int descriptor, std::string name, line_format format = {});
  /// The lines of a piece, which must outlive the reader.
  line_reader(text_piece const& piece, line_format format);

  /// The next 1 to 1024 keys, valid until the next call; false (and no keys) at the end. Throws errc::io, and errc::corrupt for
  /// compressed input that is damaged or truncated.
  [[nodiscard]] bool next(std::vector<std::string_view>& lines);

  /// The input of the lines that were delivered last, all of one input: its path, or the name that was given.
  [[nodiscard]] std::string_view input_name() const { return inputs_[delivered_from_].path; }
  /// The number, from 1, that the first of these lines has in its input.
  [[nodiscard]] std::uint64_t first_line() const noexcept { return first_line_; }

  /// Bytes delivered so far, including separators; for a compressed input, the compressed bytes read.
  [[nodiscard]] std::uint64_t bytes_read() const noexcept { return bytes_read_; }
  /// The value of bytes_read() at the end if all inputs are regular files; else 0.
  [[nodiscard]] std::uint64_t total_bytes() const noexcept { return streaming() ? 0 : total_bytes_; }
  /// Is an input a pipe, a terminal, a socket? Then answers should be flushed after every block: someone may wait for them.
  [[nodiscard]] bool streaming() const noexcept { return streaming_; }

 private:
  void split(std::vector<std::string_view>& lines);
  bool fill();
  void grow();

  std::vector<line_input> inputs_;
  line_format format_;
  std::size_t current_ = 0;          // input being read
  std::size_t delivered_from_ = 0;   // input of the lines delivered last
  std::uint64_t first_line_ = 1;     // number of the first of them
  std::uint64_t next_line_ = 1;      // number of the next line of the input being read
  std::optional<input_bytes> file_;  // that input, once it is open
  std::uint64_t bytes_read_ = 0;
  std::uint64_t total_bytes_ = 0;
  bool streaming_ = false;

  // base_: [0, start_) delivered, [start_, scanned_) an unfinished line, [scanned_, end_) not scanned yet.
  std::unique_ptr<char[]> buffer_;
  char const* base_ = nullptr;  // the buffer, or a piece that was read before
  std::size_t capacity_ = 0;
  std::size_t start_ = 0;
  std::size_t scanned_ = 0;
  std::size_t end_ = 0;
};

/// Room for so many bytes of a line. Throws errc::io, with the name of the input, if there is no memory for it.
[[nodiscard]] std::unique_ptr<char[]> grown_buffer(std::size_t bytes, line_input const& input);

/// Bit i of 64: is at[i] the separator? With SSE2, which every x86-64 has, otherwise as the portable version. Reading and
/// splitting 10 M lines of 12 to 26 bytes takes 5.5 ns per line with SSE2, 8.1 portably, and 9.7 with one memchr per line,
/// whose startup cost is too high for such short lines.
[[nodiscard]] std::uint64_t separator_mask(char const* at, char separator) noexcept;
/// The same of `bytes` bytes, without reading past them; at most 64.
[[nodiscard]] std::uint64_t separator_mask(char const* at, std::size_t bytes, char separator) noexcept;
/// The portable version and specification of separator_mask, by words of eight bytes.
[[nodiscard]] std::uint64_t separator_mask_portable(char const* at, char separator) noexcept;

}  // namespace hortus::cli
