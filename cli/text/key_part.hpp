#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The part of a line that is the key: the whole line, a field, or a column of a CSV file.
namespace hortus::cli {

struct key_part {
  std::uint64_t field = 0;                       ///< from 1; 0: the whole line
  std::optional<char> delimiter = std::nullopt;  ///< between fields; without it runs of blanks, or a comma in CSV
  std::string column = {};                       ///< of CSV, by number from 1 or by name; empty: no CSV
  bool header = true;                            ///< the first line of a CSV file names the columns and has no key
  bool ignore_case = false;                      ///< A to Z are the same as a to z; all other bytes are compared as they are
  bool integers = false;                         ///< keys are decimal integers, as programs insert them
  enum class values {
    none,
    all,        ///< each line has a value, too
    if_tabbed,  ///< if the first line has a TAB
  } with_value = values::none;
  std::string value = {};  ///< its field or column; empty: what follows the first TAB, and the key is before it

  [[nodiscard]] bool is_csv() const noexcept { return !column.empty(); }
  [[nodiscard]] bool is_whole_line() const noexcept { return field == 0 && !is_csv(); }
  /// Is a key its whole line, byte for byte?
  [[nodiscard]] bool is_line_as_it_is() const noexcept {
    return is_whole_line() && !ignore_case && !integers && with_value == values::none;
  }
};

/// The field with this number, from 1. Fields are what is between delimiters, also if it is empty, as cut has it; without a
/// delimiter they are what is between runs of blanks, as awk has it. Nothing if the line has fewer fields.
[[nodiscard]] std::optional<std::string_view> field_of(std::string_view line, std::uint64_t number,
                                                       std::optional<char> delimiter);

/// The column of a CSV record (RFC 4180), from 1, without its quotes. A value that has doubled quotes is written into `space`,
/// which the caller provides for at least line.size() bytes. A CR at the end of the line is no part of the record. Nothing if
/// the record has fewer columns. Throws errc::bad_goal if the line ends inside quotes: a record is one line here.
[[nodiscard]] std::optional<std::string_view> csv_column(std::string_view line, std::uint64_t number, char delimiter,
                                                         char* space);

/// All columns of a record.
[[nodiscard]] std::vector<std::string> csv_columns(std::string_view line, char delimiter);

/// The number of the column that is called so in this header, or that has this number. Throws errc::bad_goal if there is none;
/// the message names those there are.
[[nodiscard]] std::uint64_t column_number(std::string_view column, std::string_view header, char delimiter, bool ignore_case);

/// A to Z as a to z, in place.
void fold_case(char* bytes, std::size_t size) noexcept;

/// "-12" and "12" as integers hash. Nothing if the text is no integer from -2^63 to 2^64-1.
[[nodiscard]] std::optional<std::uint64_t> integer_of(std::string_view text);

/// The bytes that some editors put before UTF-8 text.
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

}  // namespace hortus::cli
