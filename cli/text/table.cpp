#include "cli/text/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

#include <hortus/error.hpp>

namespace hortus::cli {
namespace {

constexpr std::size_t gap = 2;             // blanks between two columns
constexpr std::size_t least_wrapped = 30;  // text in a narrower column is hard to read

/// The text broken at blanks: the first line has at most `first` columns, the others at most `rest`. A longer word stays whole.
std::vector<std::string> lines_of(std::string_view text, std::size_t first, std::size_t rest) {
  std::vector<std::string> lines{""};
  for (std::size_t at = 0, end = 0; at <= text.size(); at = end + 1) {
    end = std::min(text.find(' ', at), text.size());
    auto const word = text.substr(at, end - at);
    auto const most = lines.size() == 1 ? first : rest;
    if (!lines.back().empty() && text_width(lines.back()) + 1 + text_width(word) > most) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + std::string(word);
  }
  return lines;
}

std::string joined(std::vector<std::string> const& lines, std::size_t indent) {
  return fmt::format("{}\n", fmt::join(lines, "\n" + std::string(indent, ' ')));
}

/// One part of a table: some of its columns, each with its width.
struct part {
  struct shown {
    std::size_t column;
    std::size_t width;
  };
  std::vector<shown> columns;
  std::size_t used = 0;

  void add(std::size_t column, std::size_t width) {
    used += width + (columns.empty() ? 0 : gap);
    columns.push_back({column, width});
  }
};

/// Divides the columns into parts that fit the limit on their width. Every part starts with the first column and has at least
/// one more.
std::vector<part> parts_of(std::vector<table::column> const& columns, std::vector<std::size_t> const& widths,
                           std::size_t most) {
  std::vector<part> parts(1);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    bool const wraps = i > 0 && columns[i].side == align::left;
    auto const least = wraps ? std::min(widths[i], least_wrapped) : widths[i];
    if (parts.back().columns.size() > 1 && parts.back().used + gap + least > most) {
      parts.emplace_back();
      parts.back().add(0, widths[0]);
    }
    auto const taken = parts.back().used + gap;
    auto const left = most > taken ? most - taken : 0;
    parts.back().add(i, wraps ? std::min(widths[i], std::max(left, least)) : widths[i]);
  }
  return parts;
}

/// One row of a part, padded, without blanks at the end of a line. It has several lines if the last cell is wrapped. A wrapped
/// column takes all the remaining width, so no other follows it.
template <class Cell>
std::string laid_out(part const& of, std::vector<table::column> const& columns, Cell cell) {
  std::string line;
  for (auto const& [column, width] : of.columns) {
    if (column != of.columns.front().column) line += std::string(gap, ' ');
    std::string_view const text = cell(column);
    if (text_width(text) > width) return beside(line, text, text_width(line) + width);
    std::string const blanks(width - text_width(text), ' ');
    line += columns[column].side == align::right ? blanks + std::string(text) : std::string(text) + blanks;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

}  // namespace

std::size_t text_width(std::string_view text) noexcept {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string printable(std::string_view text) {
  std::string shown(text);
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  return shown;
}

std::size_t columns_of(int descriptor) {
  std::size_t columns = 0;
  if (char const* const said = std::getenv("COLUMNS")) {
    std::string_view const text(said);
    auto const read = std::from_chars(text.data(), text.data() + text.size(), columns);
    if (read.ec == std::errc() && read.ptr == text.data() + text.size() && columns > 0) return columns;
  }
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : any_width;
}

std::string wrapped(std::string_view text, std::size_t columns) {
  constexpr std::size_t longest = 100;  // longer lines are hard to read on any screen
  constexpr std::size_t indent = 2;
  auto const most = std::min(columns, longest);
  return joined(lines_of(text, most, most > indent ? most - indent : 0), indent);
}

std::string beside(std::string_view head, std::string_view text, std::size_t columns) {
  auto const indent = text_width(head);
  auto const left = columns > indent ? columns - indent : 0;
  return std::string(head) + joined(lines_of(text, left, left), indent);
}

void table::row(std::vector<std::string> cells) {
  if (cells.size() > columns_.size()) {
    throw error(errc::bad_params,
                fmt::format("a row of {} cells does not fit a table of {} columns", cells.size(), columns_.size()));
  }
  cells.resize(columns_.size());
  for (auto& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::string table::text(bool colour, std::size_t columns) const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    auto width = text_width(columns_[i].title);
    for (auto const& cells : rows_) width = std::max(width, text_width(cells[i]));
    widths.push_back(width);
  }
  bool const titled = std::any_of(columns_.begin(), columns_.end(), [](column const& c) { return !c.title.empty(); });
  std::string all;
  for (auto const& shown : parts_of(columns_, widths, columns)) {
    if (!all.empty()) all += '\n';
    if (titled) {
      auto header = laid_out(shown, columns_, [&](std::size_t i) { return std::string_view(columns_[i].title); });
      header.pop_back();
      all += fmt::format("{}{}{}\n", colour ? "\x1b[1m" : "", header, colour ? "\x1b[0m" : "");
    }
    for (auto const& cells : rows_) all += laid_out(shown, columns_, [&](std::size_t i) { return std::string_view(cells[i]); });
  }
  return all;
}

}  // namespace hortus::cli
