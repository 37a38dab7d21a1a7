#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <hortus/any/any_filter.hpp>
#include <hortus/cells/label_table.hpp>

#include "cli/options.hpp"
#include "cli/shared_options.hpp"
#include "cli/text/records.hpp"

namespace hortus::cli {

/// Options of commands that make maps: what of a line is the value, and what kind of value it is.
struct value_options {
  std::string kind;  ///< "u64", "text", "none"; empty: found out
  std::string part;

  void add_options(subcommand const& command);
  /// The same input, with values. Throws errc::bad_goal if an option does not go with the family, or the kind is unknown.
  [[nodiscard]] key_input applied_to(key_input input, family_info const& family) const;
  /// Throws errc::bad_goal if an option was given: for a family that is no map.
  void check_unused(std::string_view family) const;
};

/// Turns the values of lines into numbers. A text becomes its place in a list of distinct texts.
class value_reader {
 public:
  /// With an empty kind the first block decides: integers, or text if one of its values is no integer.
  explicit value_reader(std::string const& kind);
  /// For a map that is there: one of its texts, or a number of at most `bits` bits.
  value_reader(label_table const& texts, unsigned bits);
  /// Of a map in which 0 is the value of absent keys.
  void refuse_zero() noexcept { refuses_zero_ = true; }

  /// One number for each line of the block. Throws errc::bad_goal, with the number of the line, for a value that is no integer.
  [[nodiscard]] std::span<std::uint64_t const> numbers(record_block const& block);
  [[nodiscard]] std::uint64_t largest() const noexcept { return largest_; }

  /// The texts in ascending order; empty where values are integers. So the order of the input does not matter.
  [[nodiscard]] label_table labels() const;
  /// The place in labels() of each number that numbers() gave.
  [[nodiscard]] std::vector<std::uint64_t> ranks() const;

 private:
  [[nodiscard]] std::vector<std::uint64_t> ascending() const;
  [[nodiscard]] std::uint64_t number_of(record_block const& block, std::size_t i) const;
  [[nodiscard]] std::uint64_t place_of(record_block const& block, std::size_t i);

  std::optional<bool> as_text_;
  bool texts_are_known_ = false;
  bool refuses_zero_ = false;
  unsigned bits_ = 64;
  std::uint64_t largest_ = 0;
  std::vector<std::uint64_t> numbers_;
  struct hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, std::uint64_t, hash, std::equal_to<>> places_;
  std::vector<std::string const*> texts_;  // by number; keys of places_
};

/// A decimal integer from 0 to 2^64-1 without sign and without needless zeros: the form in which values are printed.
[[nodiscard]] std::optional<std::uint64_t> value_of_text(std::string_view text) noexcept;

/// "line 7 of 'keys.txt'", for messages.
[[nodiscard]] std::string line_named(record_block const& block, std::size_t i);

}  // namespace hortus::cli
