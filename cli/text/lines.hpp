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

namespace hortus::cli {

/// How keys stand in the input. They are bytes: no locale, no encoding, no length limit below memory.
struct line_format {
  char separator = '\n';  ///< '\0' for --null
  bool crlf = false;      ///< take one CR off the end of every key
  decompress unpack = decompress::yes;
};

/// Keys from files, pipes and terminals, in blocks.
///
///     line_reader in(paths, {.separator = '\n'});
///     for (std::vector<std::string_view> keys; in.next(keys);) filter.insert(keys);
///
/// Compressed input (gzip, zstd) is unpacked. The final separator is optional; an empty line is the empty key; an empty file
/// has no keys; a file's unfinished last line is not glued to the first of the next. Memory is a buffer of 256 KiB (as fast as
/// 1 MiB, and leaves the second-level cache to the filter), doubled only for a longer line. Every read hands on what came, so a
/// slow pipe is not waited for.
class line_reader {
 public:
  static constexpr std::size_t block_lines = 1024;

  explicit line_reader(std::span<std::string const> paths, line_format format = {});
  /// Reads a descriptor that stays the caller's; `name` is for messages.
  line_reader(int descriptor, std::string name, line_format format = {});

  /// The next 1 to 1024 keys, valid until the next call; false (and no keys) at the end. Throws errc::io, and errc::corrupt for
  /// compressed input that is damaged or cut off.
  [[nodiscard]] bool next(std::vector<std::string_view>& lines);

  /// Bytes handed out so far, separators included; of a compressed input the compressed bytes that were read.
  [[nodiscard]] std::uint64_t bytes_read() const noexcept { return bytes_read_; }
  /// What bytes_read() will be at the end, when all inputs are regular files; else 0.
  [[nodiscard]] std::uint64_t total_bytes() const noexcept { return streaming() ? 0 : total_bytes_; }
  /// Is an input a pipe, a terminal, a socket? Then answers should be flushed after every block: someone may wait for them.
  [[nodiscard]] bool streaming() const noexcept { return streaming_; }

 private:
  line_reader(std::vector<line_input> inputs, line_format format);
  void split(std::vector<std::string_view>& lines);
  bool fill();
  void grow();

  std::vector<line_input> inputs_;
  line_format format_;
  std::size_t current_ = 0;          // input being read
  std::optional<input_bytes> file_;  // it, once open
  std::uint64_t bytes_read_ = 0;
  std::uint64_t total_bytes_ = 0;
  bool streaming_ = false;

  // buffer_: [0, start_) handed out, [start_, scanned_) a line not finished yet, [scanned_, end_) not looked at.
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t start_ = 0;
  std::size_t scanned_ = 0;
  std::size_t end_ = 0;
};

/// The number of keys line_reader would give, by a faster pass that keeps none of them; nothing when an input is not a regular
/// file and so cannot be read twice. Descriptors keep their position. `seen` is told the bytes read so far, now and then.
[[nodiscard]] std::optional<std::uint64_t> count_lines(std::span<std::string const> paths, line_format format = {},
                                                       std::function<void(std::uint64_t)> const& seen = {});

/// Bit i: is at[i] the separator, for 64 bytes? With SSE2, which every x86-64 has, or else as the portable one. Splitting 10 M
/// lines of 12 to 26 bytes, reading included: 5.5 ns a line with SSE2, 8.1 portably; a memchr a line takes 9.7, for such lines
/// are too short to pay for its start.
[[nodiscard]] std::uint64_t separator_mask(char const* at, char separator) noexcept;
/// The specification of the former, by words of eight bytes.
[[nodiscard]] std::uint64_t separator_mask_portable(char const* at, char separator) noexcept;

}  // namespace hortus::cli
