#include "cli/text/records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <hortus/error.hpp>

namespace hortus::cli {
namespace {

/// Commands without INPUT read standard input, except if keys are on the command line.
std::vector<line_input> inputs_of(std::span<std::string const> paths, bool read, decompress how) {
  return read ? line_inputs(paths, how) : std::vector<line_input>{};
}

std::string quoted_input(std::string_view input) {
  return input == "-" ? std::string("standard input") : fmt::format("'{}'", input);
}

}  // namespace

record_reader::record_reader(std::span<std::string const> given, std::span<std::string const> paths, line_format format,
                             key_part part, tell warn)
    : given_(given),
      reads_input_(given.empty() || !paths.empty()),
      format_(format),
      part_(std::move(part)),
      warn_(std::move(warn)),
      in_(inputs_of(paths, reads_input_, format.unpack), format) {}

record_reader::record_reader(text_piece const& piece, line_format format, key_part part, input_start start, tell warn)
    : reads_input_(true),
      format_(format),
      part_(std::move(part)),
      warn_(std::move(warn)),
      in_(piece, format),
      start_(start),
      is_piece_(true) {}

std::optional<std::string> missing_keys::text(key_part const& part) const {
  if (without_key == 0) return std::nullopt;
  return fmt::format("{} of {} lines have no {} {}, and so no key", without_key, lines, part.is_csv() ? "column" : "field",
                     part.is_csv() ? part.column : std::to_string(part.field));
}

bool record_reader::next(record_block& block) {
  if (delivered_ == lines_.size() && !read_lines()) {
    if (!is_piece_) {  // else told once for all pieces
      if (auto const text = missing_.text(part_)) warn_(*text);
      missing_.without_key = 0;
    }
    block = {};
    return false;
  }
  auto const start = delivered_;
  auto const what = kinds_.empty() ? record_block::kind::keys : kinds_[start];
  auto end = lines_.size();
  if (!kinds_.empty())
    end = static_cast<std::size_t>(
        std::find_if(kinds_.begin() + static_cast<std::ptrdiff_t>(start), kinds_.end(), [&](auto k) { return k != what; }) -
        kinds_.begin());
  auto const some = [&](auto const& all) { return std::span(all).subspan(start, end - start); };
  block = {.what = what,
           .lines = some(lines_),
           .keys = {},
           .numbers = {},
           .input = input_,
           .first_line = first_line_ + start,
           .integers = part_.integers};
  if (what == record_block::kind::keys) {
    block.keys = lines_are_keys_ ? some(lines_) : some(keys_);
    if (has_values()) block.values = some(values_);
    if (part_.integers) block.numbers = some(numbers_);
  }
  delivered_ = end;
  return true;
}

/// The next block of lines and their keys. False at the end.
bool record_reader::read_lines() {
  delivered_ = 0;
  kinds_.clear();
  if (given_read_ < given_.size()) {
    auto const some = given_.subspan(given_read_, std::min(line_reader::block_lines, given_.size() - given_read_));
    lines_.assign(some.begin(), some.end());
    input_ = {};
    first_line_ = given_read_ + 1;
    given_read_ += some.size();
  } else {
    if (!in_.next(lines_)) return false;
    input_ = in_.input_name();
    first_line_ = in_.first_line();
    missing_.lines += lines_.size();
    if (first_line_ == 1) look_at_start();
  }
  find_keys();
  return true;
}

/// Notices what probably was not meant, at the first line of an input, and finds the column of a CSV file.
void record_reader::look_at_start() {
  auto& line = lines_.front();
  bool const marked = line.starts_with(byte_order_mark);
  if (marked && (format_.crlf || part_.is_csv())) line.remove_prefix(byte_order_mark.size());
  bool const cr = line.ends_with('\r') && !part_.is_csv();
  if (marked && !format_.crlf && !part_.is_csv() && format_.separator == '\n')
    warn_(fmt::format("{} starts with a byte-order mark, which is now part of its first key: --crlf leaves it out{}",
                      quoted_input(input_), cr ? ", and the CR at the end of each line too" : ""));
  else if (cr && format_.separator == '\n' && !std::exchange(start_.told_cr, true))
    warn_(fmt::format("the lines of {} end with CR LF, and the CR is now part of each key: --crlf leaves it out",
                      quoted_input(input_)));
  if (!part_.is_csv()) return;
  auto const delimiter = part_.delimiter.value_or(',');
  try {
    auto const number_of = [&](std::string const& column) {
      return part_.header ? column_number(column, line, delimiter, part_.ignore_case) : integer_of(column).value_or(0);
    };
    start_.column = number_of(part_.column);
    if (has_values()) start_.value_column = number_of(part_.value);
  } catch (error const& e) {
    throw error(e.code(), fmt::format("{} {}", quoted_input(input_), e.what()));
  }
}

/// The whole line as it is needs no work: keys are the lines.
void record_reader::find_keys() {
  using enum key_part::values;
  if (part_.with_value == if_tabbed) part_.with_value = lines_.front().find('\t') == std::string_view::npos ? none : all;
  bool const typed = input_.empty();  // on the command line: a key, not a line that contains one
  lines_are_keys_ = !has_values() && (typed || part_.is_whole_line()) && !part_.ignore_case && !part_.integers;
  if (lines_are_keys_) return;
  std::size_t most = 0;
  for (auto const line : lines_) most += line.size();
  changed_.resize(has_values() ? 2 * most : most);
  keys_.resize(lines_.size());
  values_.resize(has_values() ? lines_.size() : 0);
  kinds_.assign(lines_.size(), record_block::kind::keys);
  if (part_.integers) numbers_.resize(lines_.size());
  auto* space = changed_.data();
  for (std::size_t i = 0; i < lines_.size(); ++i) find_key(i, space);
}

void record_reader::find_key(std::size_t i, char*& space) try {
  auto const line = lines_[i];
  auto key = std::optional(line);
  if (!input_.empty()) {
    if (part_.is_csv() && part_.header && first_line_ + i == 1) {
      kinds_[i] = record_block::kind::header;
      return;
    }
    if (part_.is_csv())
      key = csv_column(line, start_.column, part_.delimiter.value_or(','), space);
    else if (part_.field != 0)
      key = field_of(line, part_.field, part_.delimiter);
  }
  if (has_values() && (input_.empty() || part_.is_whole_line())) {
    auto const tab = line.find('\t');
    if (tab == std::string_view::npos) throw error(errc::bad_goal, "there is no TAB: a line is KEY<TAB>VALUE");
    key = line.substr(0, tab);
    values_[i] = line.substr(tab + 1);
  } else if (has_values()) {
    if (!key)
      throw error(errc::bad_goal, fmt::format("there is no {} {}", part_.is_csv() ? "column" : "field",
                                              part_.is_csv() ? part_.column : std::to_string(part_.field)));
    if (key->data() == space) space += key->size();
    values_[i] = value_of(i, space);
  }
  if (!key) {
    ++missing_.without_key;
    kinds_[i] = record_block::kind::no_key;
    return;
  }
  if (part_.ignore_case) {
    if (key->data() != space) std::copy(key->begin(), key->end(), space);
    fold_case(space, key->size());
    key = std::string_view(space, key->size());
  }
  if (key->data() == space) space += key->size();
  keys_[i] = *key;
  if (!part_.integers) return;
  auto const number = integer_of(*key);
  if (!number) throw error(errc::bad_goal, fmt::format("'{}' is no integer from -2^63 to 2^64-1", key->substr(0, 40)));
  numbers_[i] = *number;
} catch (error const& e) {
  refuse(i, e.what());
}

std::string_view record_reader::value_of(std::size_t i, char*& space) const {
  auto const value = part_.is_csv() ? csv_column(lines_[i], start_.value_column, part_.delimiter.value_or(','), space)
                                    : field_of(lines_[i], integer_of(part_.value).value_or(0), part_.delimiter);
  if (!value)
    throw error(errc::bad_goal,
                fmt::format("there is no {} {}, which should be the value", part_.is_csv() ? "column" : "field", part_.value));
  if (value->data() == space) space += value->size();
  return *value;
}

void record_reader::refuse(std::size_t i, std::string const& why) const {
  if (input_.empty()) throw error(errc::bad_goal, fmt::format("-e: {}", why));
  throw error(errc::bad_goal, fmt::format("line {} of {}: {}", first_line_ + i, quoted_input(input_), why));
}

}  // namespace hortus::cli
