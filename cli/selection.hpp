#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "cli/options.hpp"
#include "cli/text/line_writer.hpp"
#include "cli/text/records.hpp"

/// What query does with the lines it selects, whether a file is asked or a server.
namespace hortus::cli {

struct selection_options {
  std::string most;
  bool invert = false;
  bool count_only = false;
  bool quiet = false;
  bool with_filename = false;
  bool line_number = false;
  bool json = false;

  void add_options(subcommand const& command);
  /// Throws errc::bad_goal if options exclude each other.
  void check() const;
  [[nodiscard]] bool silent() const noexcept { return quiet || count_only; }
  /// Is only the number of all selected lines wanted?
  [[nodiscard]] bool counts_only() const noexcept { return count_only && most.empty(); }
  /// So many lines are selected at most.
  [[nodiscard]] std::uint64_t limit() const;
};

/// Counts the lines that are selected, and prints them or their number.
class selection {
 public:
  selection(selection_options const& how, char separator, bool streaming);

  [[nodiscard]] bool is_full() const noexcept { return selected_ >= limit_; }
  /// The header of CSV, which has no key.
  void header(record_block const& block);
  /// A line: is its key a member?
  void line(record_block const& block, std::size_t i, bool is_member, std::optional<std::uint64_t> score = std::nullopt) {
    ++asked_;
    if (is_member == how_.invert) return;
    ++selected_;
    if (!how_.silent()) lines_.write(block, i, score);
  }
  [[nodiscard]] bool counts_only() const noexcept { return how_.counts_only(); }
  /// How many of so many lines are selected.
  [[nodiscard]] std::uint64_t selects(std::uint64_t lines, std::uint64_t members) const noexcept {
    return how_.invert ? lines - members : members;
  }
  /// Lines that are only counted. Pre: counts_only(), or none of them is selected.
  void count(std::uint64_t lines, std::uint64_t members) noexcept {
    asked_ += lines;
    selected_ += selects(lines, members);
  }
  void block_done() { lines_.block_done(); }
  /// Prints what is left, or the number. Returns the status.
  [[nodiscard]] int finish();

 private:
  selection_options const& how_;
  std::uint64_t limit_;
  line_writer lines_;
  std::uint64_t asked_ = 0;
  std::uint64_t selected_ = 0;
};

}  // namespace hortus::cli
