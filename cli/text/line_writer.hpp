#pragma once
#include <cstdint>
#include <optional>

#include "cli/text/output.hpp"
#include "cli/text/records.hpp"

namespace hortus::cli {

/// How the lines that a command selects are printed, as grep has it.
struct line_style {
  char separator = '\n';
  bool with_filename = false;
  bool line_number = false;
  bool json = false;  ///< an array of objects: line, key (null if it has none), file, line_number, score if it has one
};

/// Writes selected lines to standard output. The header of CSV is written once, from the first input that has one, so that the
/// output is CSV too.
class line_writer {
 public:
  /// If someone may wait for the answers, at a pipe or a terminal, they are flushed after every block.
  explicit line_writer(line_style style, bool streaming);

  /// With a score, that stands before the line and a tab.
  void write(record_block const& block, std::size_t i, std::optional<std::uint64_t> score = std::nullopt);
  /// All lines of a block; of headers only the first.
  void whole_block(record_block const& block);
  void block_done() { out_.block_done(); }
  /// At the end: closes the array, and reports what could not be written.
  void finish();

 private:
  void write_json(record_block const& block, std::size_t i, std::optional<std::uint64_t> score);

  line_style style_;
  output out_;
  bool first_ = true;
  bool wrote_header_ = false;
};

}  // namespace hortus::cli
