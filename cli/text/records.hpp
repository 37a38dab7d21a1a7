#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/text/key_part.hpp"
#include "cli/text/lines.hpp"

namespace hortus::cli {

/// Lines and their keys, at most line_reader::block_lines, all from the same input and all of the same kind.
struct record_block {
  enum class kind {
    keys,    ///< each line has a key
    no_key,  ///< no line has one: the field or column is missing
    header,  ///< one line, the names of the columns of a CSV file
  };
  kind what = kind::keys;
  std::span<std::string_view const> lines;        ///< as they are printed
  std::span<std::string_view const> keys;         ///< one for each line; empty unless what is keys
  std::span<std::uint64_t const> numbers;         ///< the same as integers; empty unless keys are integers
  std::span<std::string_view const> values = {};  ///< one for each key, if lines have values
  std::string_view input;                         ///< where they come from; "-" is standard input, "" the command line
  std::uint64_t first_line = 1;                   ///< the number of the first line in its input
  bool integers = false;

  /// act(keys), or act(numbers) if keys are integers.
  template <class Act>
  auto with_keys(Act act) const {
    return integers ? act(numbers) : act(keys);
  }
};

/// What the start of an input tells about the rest of it.
struct input_start {
  std::uint64_t column = 0;        ///< of CSV: the column of the key
  std::uint64_t value_column = 0;  ///< and that of the value
  bool told_cr = false;            ///< there was a warning about the ends of lines, of this input or one before
};

/// How many lines had no key because their field or column is missing.
struct missing_keys {
  std::uint64_t lines = 0;
  std::uint64_t without_key = 0;

  /// For standard error; nothing if each line had one.
  [[nodiscard]] std::optional<std::string> text(key_part const& part) const;
};

/// Keys as a command gets them: first those of its command line, then one a line from its inputs.
///
///     record_reader in(keys, paths, format, part, warn);
///     for (record_block block; in.next(block);) ...
class record_reader {
 public:
  using tell = std::function<void(std::string const&)>;

  /// `given` are keys from the command line; if there are some and there are no paths, standard input is not read. `warn` is
  /// called with a text about an input that probably was not meant as it is read: line ends of another system, a byte-order
  /// mark, lines without the field.
  record_reader(std::span<std::string const> given, std::span<std::string const> paths, line_format format, key_part part,
                tell warn);
  /// The keys of a piece, which must outlive the reader. `start` is that of its input, which the reader of the first piece
  /// finds out.
  record_reader(text_piece const& piece, line_format format, key_part part, input_start start, tell warn);

  [[nodiscard]] input_start const& start() const noexcept { return start_; }
  [[nodiscard]] missing_keys const& missing() const noexcept { return missing_; }

  /// Do lines have values? Known when the first block was read.
  [[nodiscard]] bool has_values() const noexcept { return part_.with_value == key_part::values::all; }

  /// False at the end. Throws as line_reader does, and errc::bad_goal for a line that is no integer or no CSV, or that has no
  /// value where lines have values, or if a column is not there.
  [[nodiscard]] bool next(record_block& block);

  [[nodiscard]] std::uint64_t bytes_read() const noexcept { return in_.bytes_read(); }
  [[nodiscard]] std::uint64_t total_bytes() const noexcept { return in_.total_bytes(); }
  [[nodiscard]] bool streaming() const noexcept { return in_.streaming(); }

 private:
  bool read_lines();
  void look_at_start();
  void find_keys();
  void find_key(std::size_t i, char*& space);
  [[nodiscard]] std::string_view value_of(std::size_t i, char*& space) const;
  [[noreturn]] void refuse(std::size_t i, std::string const& why) const;

  std::span<std::string const> given_;
  bool reads_input_;
  line_format format_;
  key_part part_;
  tell warn_;
  line_reader in_;
  input_start start_;  // of the input being read
  bool is_piece_ = false;

  // The block of lines that was read last, and how much of it was delivered.
  std::vector<std::string_view> lines_;
  std::vector<std::string_view> keys_;  // not of whole lines, which are keys as they are
  bool lines_are_keys_ = false;
  std::vector<std::uint64_t> numbers_;
  std::vector<std::string_view> values_;
  std::vector<record_block::kind> kinds_;
  std::string changed_;  // keys that are not part of their line as it is
  std::string_view input_;
  std::uint64_t first_line_ = 1;
  std::size_t delivered_ = 0;
  std::size_t given_read_ = 0;

  missing_keys missing_;
};

}  // namespace hortus::cli
