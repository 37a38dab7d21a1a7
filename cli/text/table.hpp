#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hortus::cli {

/// Columns a terminal needs for the text: one for every character of UTF-8 (wide and combining ones are not told apart).
[[nodiscard]] std::size_t text_width(std::string_view text) noexcept;

/// The text with every control character replaced by '?': a key or a file's name must not steer the terminal.
[[nodiscard]] std::string printable(std::string_view text);

/// No limit on the length of a line.
inline constexpr std::size_t any_width = ~std::size_t{0};

/// Columns that a line on this descriptor may take: what COLUMNS says, else the width of the terminal. A pipe or a file has no
/// limit, so that what reads it finds a row in one line.
[[nodiscard]] std::size_t columns_of(int descriptor);

/// Sentences in lines of at most so many columns and never more than 100, unless a word is longer; lines after the first are
/// indented by two.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t columns = any_width);

/// The head and beside it the text, in lines of at most so many columns; those after the first are indented by the head's
/// width.
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

  /// Missing cells are empty; more cells than columns throw errc::bad_params. The cells become printable().
  void row(std::vector<std::string> cells);

  [[nodiscard]] std::vector<column> const& columns() const noexcept { return columns_; }
  [[nodiscard]] std::vector<std::vector<std::string>> const& rows() const noexcept { return rows_; }

  /// Aligned, two spaces between columns, none at the end of a line. The header is bold with colour (see use_colour); without
  /// titles there is none. A table that is wider than `columns` is continued below itself: nothing is left out, and the first
  /// column, which names the row, is repeated. Text in the others is wrapped, numbers (aligned to the right) are not.
  [[nodiscard]] std::string text(bool colour = false, std::size_t columns = any_width) const;

 private:
  std::vector<column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace hortus::cli
