#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/text/table.hpp"

namespace hortus::cli {

/// A page of charts and tables: one HTML file without scripts or external resources, for light and dark screens and for print.

/// A table for a page. The first column names the row. headings[i], if not empty, is shown above row i and applies to the rows
/// that follow.
[[nodiscard]] std::string html_table(table const& rows, std::string_view caption = {},
                                     std::vector<std::string> const& headings = {});

/// A list of terms, each with a sentence or two.
[[nodiscard]] std::string html_terms(std::vector<std::pair<std::string, std::string>> const& terms);

struct page_section {
  std::string heading;
  std::string text;                  ///< plain text; an empty line starts a paragraph
  std::vector<std::string> parts{};  ///< results of figure(), panels(), html_table() and html_terms(), in order
};

struct report_page {
  std::string title;
  std::string intro;                                         ///< plain text; an empty line starts a paragraph
  std::vector<std::pair<std::string, std::string>> facts{};  ///< a few labels and values, shown large at the top
  std::vector<page_section> sections{};
  std::string footer{};
};

/// The whole file. With three sections or more it starts with a list of them.
[[nodiscard]] std::string html(report_page const& page);

/// The end of the file of a page with this footer, by which a program recognises its own pages.
[[nodiscard]] std::string html_end(std::string_view footer);

}  // namespace hortus::cli
