#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hortus::cli {

/// The columns that the text takes on a terminal: one per UTF-8 character (wide and combining ones are not distinguished).
[[nodiscard]] std::size_t text_width(std::string_view text) noexcept;

/// The text with every control character replaced by '?': a key or a file name must not control the terminal.
[[nodiscard]] std::string printable(std::string_view text);

/// No limit on the length of a line.
inline constexpr std::size_t any_width = ~std::size_t{0};

/// The columns that a line on this descriptor may take: COLUMNS, else the width of the terminal. A pipe or a file has no limit,
/// so that a program that reads it finds a row in one line.
[[nodiscard]] std::size_t columns_of(int descriptor);

/// Text in lines of at most `columns` columns and never more than 100, unless a word is longer. Lines after the first are
/// indented by two.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t columns = any_width);

/// The head and beside it the text, in lines of at most `columns` columns. Lines after the first are indented by the width of
/// the head.
[[nodiscard]] std::string beside(std::string_view head, std::string_view text, std::size_t columns);

enum class align { left, right };

/// Rows of text under a header, for a terminal or, by html_table(), for a page.
class table {
 public:
  struct column {
    std::string title;
    align side = align::left;
  };

  explicit table(std::vector<column> columns) : columns_(std::move(columns)) {}

  /// Adds a row. Missing cells are empty; more cells than columns throw errc::bad_params. Cells are made printable().
  void row(std::vector<std::string> cells);

  [[nodiscard]] std::vector<column> const& columns() const noexcept { return columns_; }
  [[nodiscard]] std::vector<std::vector<std::string>> const& rows() const noexcept { return rows_; }

  /// The table with aligned columns, two spaces between them, none at the end of a line. The header is bold with colour (see
  /// use_colour); without titles there is none. A table that is wider than `columns` is continued below itself: nothing is
  /// omitted, and the first column, which names the row, is repeated. Text in the other columns is wrapped; numbers, which are
  /// aligned to the right, are not.
  [[nodiscard]] std::string text(bool colour = false, std::size_t columns = any_width) const;

 private:
  std::vector<column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace hortus::cli
