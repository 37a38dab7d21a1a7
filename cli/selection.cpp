#include "cli/selection.hpp"

#include <unistd.h>

#include "cli/command.hpp"
#include "cli/text/numbers.hpp"
#include "cli/text/output.hpp"

namespace hortus::cli {

void selection_options::add_options(subcommand const& command) {
  command.add_flag("-v,--invert", invert, "print the lines that surely are no members");
  command.add_flag("-c,--count", count_only, "print only how many lines were selected");
  command.add_flag("-q,--quiet", quiet, "print nothing, end at the first line that is selected: the status tells");
  command.add_option("-m,--max-count", most, "end after N selected lines")->type_name("N");
  command.add_flag("-H,--with-filename", with_filename, "print the name of the INPUT before each line");
  command.add_flag("-n,--line-number", line_number, "print the number of the line in its INPUT before each line");
  command.add_flag("--json", json, "an array of the selected lines; with -c the numbers");
}

void selection_options::check() const {
  if (quiet && (count_only || json)) throw error(errc::bad_goal, "-q prints nothing: it excludes --count and --json");
  if (silent() && (with_filename || line_number))
    throw error(errc::bad_goal, "-H and --line-number are about printed lines: -q and --count print none");
}

std::uint64_t selection_options::limit() const {
  return quiet ? 1 : most.empty() ? ~std::uint64_t{0} : parse_count("-m", most, 1);
}

selection::selection(selection_options const& how, char separator, bool streaming)
    : how_(how),
      limit_(how.limit()),
      lines_({.separator = separator,
              .with_filename = how.with_filename,
              .line_number = how.line_number,
              .json = how.json && !how.silent()},
             streaming) {}

void selection::header(record_block const& block) {
  if (!how_.silent()) lines_.whole_block(block);
}

int selection::finish() {
  lines_.finish();
  if (how_.count_only && how_.json) {
    print_json({{"asked", asked_}, {"selected", selected_}});
  } else if (how_.count_only) {
    output out(STDOUT_FILENO);
    out.print("{}\n", selected_);
    out.flush();
  }
  return selected_ != 0 ? done : nothing_selected;
}

}  // namespace hortus::cli
