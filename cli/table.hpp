#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hortus::cli {

/// Columns a terminal needs for the text: one for every character of UTF-8 (wide and combining ones are not told apart).
[[nodiscard]] std::size_t text_width(std::string_view text) noexcept;

/// The text in lines of no more columns than a terminal has, unless a word is longer; those that follow are indented.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent = 2);

enum class align { left, right };

/// Rows of text under a header, for a terminal or, by html_table(), for a page.
class table {
 public:
  struct column {
    std::string title;
    align side = align::left;
  };

  explicit table(std::vector<column> columns) : columns_(std::move(columns)) {}

  /// Missing cells are empty; more cells than columns throw errc::bad_params. Control characters become '?': a key or a file's
  /// name must not steer the terminal.
  void row(std::vector<std::string> cells);

  [[nodiscard]] std::vector<column> const& columns() const noexcept { return columns_; }
  [[nodiscard]] std::vector<std::vector<std::string>> const& rows() const noexcept { return rows_; }

  /// Aligned, two spaces between columns, none at the end of a line. The header is bold with colour (see use_colour).
  [[nodiscard]] std::string text(bool colour = false, std::size_t indent = 0) const;

 private:
  std::vector<column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace hortus::cli
