#include "cli/text/line_writer.hpp"

#include <unistd.h>

#include "cli/text/json.hpp"

namespace hortus::cli {

// On a terminal the lines share the screen with the line of progress, which is hidden when they are flushed.
line_writer::line_writer(line_style style, bool streaming)
    : style_(style),
      out_(STDOUT_FILENO, streaming || ::isatty(STDOUT_FILENO) == 1 ? flushing::each_block : flushing::when_full) {
  if (style_.json) out_.write("[");
}

void line_writer::write(record_block const& block, std::size_t i, std::optional<std::uint64_t> score) {
  if (style_.json) return write_json(block, i, score);
  // The command line has no name. grep calls standard input so.
  if (style_.with_filename) out_.print("{}:", block.input == "-" ? "(standard input)" : block.input);
  if (style_.line_number) out_.print("{}:", block.first_line + i);
  if (score) out_.print("{}\t", *score);
  out_.line(block.lines[i], style_.separator);
}

void line_writer::write_json(record_block const& block, std::size_t i, std::optional<std::uint64_t> score) {
  json_value row{{"line", block.lines[i]}, {"key", nullptr}};
  if (!block.keys.empty()) row["key"] = block.keys[i];
  row["file"] = block.input;
  row["line_number"] = block.first_line + i;
  if (score) row["score"] = *score;
  // Lines may contain any bytes; JSON is UTF-8.
  out_.print("{}\n  {}", first_ ? "" : ",", row.on_one_line());
  first_ = false;
}

void line_writer::whole_block(record_block const& block) {
  if (block.what == record_block::kind::header) {
    if (!style_.json && !wrote_header_) out_.line(block.lines.front(), style_.separator);
    wrote_header_ = true;
    return;
  }
  for (std::size_t i = 0; i < block.lines.size(); ++i) write(block, i);
}

void line_writer::finish() {
  if (style_.json) out_.write(first_ ? "]\n" : "\n]\n");
  out_.flush();
}

}  // namespace hortus::cli
