#include "cli/map_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

namespace hortus::cli {

void value_options::add_options(subcommand const& command) {
  command
      .add_option("--values", kind,
                  "of a map: u64 are integers, text is anything, none are keys alone\n(default: as the first lines look)")
      ->type_name("KIND");
  command
      .add_option("--value", part,
                  "with --field or --csv, the field or column of the value\n(default: a line is KEY<TAB>VALUE)")
      ->type_name("FIELD");
}

void value_options::check_unused(std::string_view family) const {
  if (kind.empty() && part.empty()) return;
  throw error(errc::bad_goal, fmt::format("{} is about the values of a map, and {} has none",
                                          kind.empty() ? "--value" : "--values", one(family)));
}

key_input value_options::applied_to(key_input input, family_info const& family) const {
  using enum key_part::values;
  if (!kind.empty() && kind != "u64" && kind != "text" && kind != "none")
    throw error(errc::bad_goal, fmt::format("--values '{}': values are u64 (integers), text, or none", kind));
  if (kind == "none" && !part.empty())
    throw error(errc::bad_goal, "--value says where values are, and --values none that there are none");
  if (kind == "text" && family.finds_bounds)
    throw error(errc::bad_goal, fmt::format("the values of {} are numbers or sets of bits: --values u64", one(family.name)));
  bool const may_be_keys = kind.empty() && part.empty() && family.ranks_keys && input.field.empty() && input.column.empty();
  input.with_value = kind == "none" ? none : may_be_keys ? if_tabbed : all;
  input.value = part;
  return input;
}

std::optional<std::uint64_t> value_of_text(std::string_view text) noexcept {
  std::uint64_t value = 0;
  if (text.empty() || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  auto const [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string line_named(record_block const& block, std::size_t i) {
  if (block.input.empty()) return fmt::format("key {} of -e", block.first_line + i);
  return block.input == "-" ? fmt::format("line {} of standard input", block.first_line + i)
                            : fmt::format("line {} of '{}'", block.first_line + i, block.input);
}

value_reader::value_reader(std::string const& kind) {
  if (!kind.empty()) as_text_ = kind == "text";
}

value_reader::value_reader(label_table const& texts, unsigned bits)
    : as_text_(!texts.empty()), texts_are_known_(true), bits_(bits) {
  for (std::uint64_t i = 0; i < texts.size(); ++i) texts_.push_back(&places_.emplace(texts[i], i).first->first);
}

std::span<std::uint64_t const> value_reader::numbers(record_block const& block) {
  if (!as_text_) as_text_ = !std::ranges::all_of(block.values, [](auto text) { return value_of_text(text).has_value(); });
  numbers_.resize(block.values.size());
  for (std::size_t i = 0; i < block.values.size(); ++i) {
    numbers_[i] = *as_text_ ? place_of(block, i) : number_of(block, i);
    largest_ = std::max(largest_, numbers_[i]);
  }
  return numbers_;
}

std::uint64_t value_reader::number_of(record_block const& block, std::size_t i) const {
  auto const text = block.values[i];
  auto const value = value_of_text(text);
  if (!value)
    throw error(errc::bad_goal, fmt::format("{}: the value '{}' is no integer from 0 to 2^64-1{}", line_named(block, i),
                                            text.substr(0, 40), texts_are_known_ ? "" : "; --values text takes any text"));
  if (bits_of_value(*value) > bits_)
    throw error(errc::bad_goal, fmt::format("{}: the value {} has more than the {} bits of the map's values",
                                            line_named(block, i), text, bits_));
  if (refuses_zero_ && *value == 0)
    throw error(errc::bad_goal, fmt::format("{}: the value 0 is that of absent keys in this map", line_named(block, i)));
  return *value;
}

std::uint64_t value_reader::place_of(record_block const& block, std::size_t i) {
  auto const text = block.values[i];
  if (auto const known = places_.find(text); known != places_.end()) return known->second;
  if (texts_are_known_)
    throw error(errc::bad_goal, fmt::format("{}: '{}' is none of the {} values that the map was built with, such as '{}'",
                                            line_named(block, i), text.substr(0, 40), texts_.size(), *texts_.front()));
  texts_.push_back(&places_.emplace(text, texts_.size()).first->first);
  return texts_.size() - 1;
}

std::vector<std::uint64_t> value_reader::ascending() const {
  std::vector<std::uint64_t> order(texts_.size());
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::ranges::sort(order, [&](auto a, auto b) { return *texts_[a] < *texts_[b]; });
  return order;
}

label_table value_reader::labels() const {
  std::vector<std::string_view> sorted;
  for (auto const i : ascending()) sorted.emplace_back(*texts_[i]);
  return label_table(sorted);
}

std::vector<std::uint64_t> value_reader::ranks() const {
  std::vector<std::uint64_t> ranks(texts_.size());
  auto const order = ascending();
  for (std::size_t i = 0; i < order.size(); ++i) ranks[order[i]] = i;
  return ranks;
}

}  // namespace hortus::cli
