#include "cli/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <hortus/error.hpp>

namespace hortus::cli {
namespace {

/// One line, padded as the widths say; the last cell of a line gets no blanks behind it.
template <class Cell>
std::string laid_out(std::vector<table::column> const& columns, std::vector<std::size_t> const& widths, Cell cell) {
  std::string line;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::string_view const text = cell(i);
    std::string const blanks(widths[i] - text_width(text), ' ');
    if (i != 0) line += "  ";
    line += columns[i].side == align::right ? blanks + std::string(text) : std::string(text) + blanks;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::size_t text_width(std::string_view text) noexcept {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string wrapped(std::string_view text, std::size_t indent) {
  constexpr std::size_t columns = 100;
  std::string lines;
  std::string line;
  for (std::size_t at = 0, end = 0; at <= text.size(); at = end + 1) {
    end = std::min(text.find(' ', at), text.size());
    auto const next = text.substr(at, end - at);
    bool const first = at == 0;
    if (!first && line.size() + 1 + next.size() > columns)
      lines += std::exchange(line, std::string(indent, ' ') + std::string(next)) + '\n';
    else
      line += (first ? "" : " ") + std::string(next);
  }
  return lines + line + '\n';
}

void table::row(std::vector<std::string> cells) {
  if (cells.size() > columns_.size()) {
    throw error(errc::bad_params,
                fmt::format("a row of {} cells does not fit a table of {} columns", cells.size(), columns_.size()));
  }
  cells.resize(columns_.size());
  for (auto& cell : cells) {
    std::replace_if(
        cell.begin(), cell.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  }
  rows_.push_back(std::move(cells));
}

std::string table::text(bool colour, std::size_t indent) const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    auto width = text_width(columns_[i].title);
    for (auto const& cells : rows_) width = std::max(width, text_width(cells[i]));
    widths.push_back(width);
  }
  std::string const margin(indent, ' ');
  auto const header = laid_out(columns_, widths, [&](std::size_t i) { return std::string_view(columns_[i].title); });
  auto all = fmt::format("{}{}{}{}\n", margin, colour ? "\x1b[1m" : "", header, colour ? "\x1b[0m" : "");
  for (auto const& cells : rows_) {
    all += margin + laid_out(columns_, widths, [&](std::size_t i) { return std::string_view(cells[i]); }) + '\n';
  }
  return all;
}

}  // namespace hortus::cli
