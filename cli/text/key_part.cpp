#include "cli/text/key_part.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <system_error>

#include <hortus/error.hpp>

namespace hortus::cli {
namespace {

constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }

std::optional<std::string_view> blank_separated(std::string_view line, std::uint64_t number) {
  auto const* at = line.begin();
  for (;;) {
    at = std::find_if_not(at, line.end(), is_blank);
    if (at == line.end()) return std::nullopt;
    auto const* const end = std::find_if(at, line.end(), is_blank);
    if (--number == 0) return std::string_view(at, static_cast<std::size_t>(end - at));
    at = end;
  }
}

std::string_view without_cr(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// The end of a value that starts with a quote: its closing quote. Doubled quotes are part of the value.
std::size_t closing_quote(std::string_view record) {
  for (std::size_t at = 1; at < record.size(); ++at) {
    if (record[at] != '"') continue;
    if (at + 1 == record.size() || record[at + 1] != '"') return at;
    ++at;
  }
  throw error(errc::bad_goal, "ends inside a quoted value: one record is one line here");
}

/// Removes the next value and its delimiter from the record. `more` says whether a delimiter came after it.
std::string_view take_raw(std::string_view& record, char delimiter, bool& more) {
  auto const start = record.starts_with('"') ? closing_quote(record) : 0;
  auto const end = record.find(delimiter, start);
  more = end != std::string_view::npos;
  auto const value = record.substr(0, end);
  record.remove_prefix(more ? end + 1 : record.size());
  return value;
}

/// Without quotes around it, and with doubled quotes as one. What follows the closing quote against the rules is kept.
std::string_view unquoted(std::string_view raw, char* space) {
  if (!raw.starts_with('"')) return raw;
  auto const last = closing_quote(raw);
  auto const inner = raw.substr(1, last - 1);
  auto const rest = raw.substr(last + 1);
  if (rest.empty() && inner.find('"') == std::string_view::npos) return inner;
  char* out = space;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    *out++ = inner[i];
    if (inner[i] == '"') ++i;  // the second one of a pair
  }
  out = std::copy(rest.begin(), rest.end(), out);
  return {space, static_cast<std::size_t>(out - space)};
}

bool equal_names(std::string a, std::string b, bool ignore_case) {
  if (ignore_case) {
    fold_case(a.data(), a.size());
    fold_case(b.data(), b.size());
  }
  return a == b;
}

}  // namespace

std::optional<std::string_view> field_of(std::string_view line, std::uint64_t number, std::optional<char> delimiter) {
  if (!delimiter) return blank_separated(line, number);
  for (; number > 1; --number) {
    auto const end = line.find(*delimiter);
    if (end == std::string_view::npos) return std::nullopt;
    line.remove_prefix(end + 1);
  }
  return line.substr(0, line.find(*delimiter));
}

std::optional<std::string_view> csv_column(std::string_view line, std::uint64_t number, char delimiter, char* space) {
  auto record = without_cr(line);
  bool more = true;
  for (; more; --number) {
    auto const raw = take_raw(record, delimiter, more);
    if (number == 1) return unquoted(raw, space);
  }
  return std::nullopt;
}

std::vector<std::string> csv_columns(std::string_view line, char delimiter) {
  std::vector<std::string> all;
  std::string space(line.size(), '\0');
  auto record = without_cr(line);
  for (bool more = true; more;) all.emplace_back(unquoted(take_raw(record, delimiter, more), space.data()));
  return all;
}

std::uint64_t column_number(std::string_view column, std::string_view header, char delimiter, bool ignore_case) {
  auto const names = csv_columns(header, delimiter);
  std::uint64_t number = 0;
  auto const* const end = column.data() + column.size();
  if (auto const read = std::from_chars(column.data(), end, number); read.ec == std::errc() && read.ptr == end) {
    if (number >= 1 && number <= names.size()) return number;
  } else {
    auto const found = std::ranges::find_if(
        names, [&](std::string const& name) { return equal_names(name, std::string(column), ignore_case); });
    if (found != names.end()) return static_cast<std::uint64_t>(found - names.begin()) + 1;
  }
  throw error(errc::bad_goal,
              fmt::format("has no column '{}'; there are {}: {}", column, names.size(), fmt::join(names, ", ")));
}

void fold_case(char* bytes, std::size_t size) noexcept {
  for (std::size_t i = 0; i < size; ++i) {
    auto const c = static_cast<unsigned char>(bytes[i]);
    bytes[i] = static_cast<char>(c | (static_cast<unsigned>(c - 'A') < 26u ? 0x20u : 0u));
  }
}

std::optional<std::uint64_t> integer_of(std::string_view text) {
  auto const* const end = text.data() + text.size();
  auto const read = [&](auto number) -> std::optional<std::uint64_t> {
    auto const got = std::from_chars(text.data(), end, number);
    if (got.ec != std::errc() || got.ptr != end) return std::nullopt;
    return static_cast<std::uint64_t>(number);
  };
  return text.starts_with('-') ? read(std::int64_t{}) : read(std::uint64_t{});
}

}  // namespace hortus::cli
