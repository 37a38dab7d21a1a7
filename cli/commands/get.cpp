#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <optional>

#include "cli/command.hpp"
#include "cli/text/json.hpp"
#include "cli/text/output.hpp"

namespace hortus::cli {
namespace {

struct get_options {
  std::string file;
  key_file key;
  key_input input;
  bool invert = false;
  bool count_only = false;
  bool quiet = false;
  bool no_verify = false;
  bool json = false;
};

/// Writes keys and values as they come: KEY<TAB>VALUE, or the elements of a JSON array.
class value_writer {
 public:
  value_writer(get_options const& o, label_table labels, output& out)
      : labels_(std::move(labels)), out_(out), separator_(o.input.separator()), json_(o.json) {
    if (json_) out_.write("[");
  }
  /// Without a value: the line of an absent key.
  void write(record_block const& block, std::size_t i, std::optional<std::uint64_t> value) {
    bool const has_key = !block.keys.empty();
    if (json_) return write_json(block, i, value);
    if (!value) return out_.line(block.lines[i], separator_);
    out_.write(has_key ? block.keys[i] : block.lines[i]);
    out_.write("\t");
    if (labels_.empty())
      out_.print("{}", *value), out_.line("", separator_);
    else
      out_.line(labels_[*value], separator_);
  }
  void finish() {
    if (json_) out_.write(first_ ? "]\n" : "\n]\n");
    out_.flush();
  }

 private:
  void write_json(record_block const& block, std::size_t i, std::optional<std::uint64_t> value) {
    json_value row{{"key", nullptr}};
    if (!block.keys.empty()) row["key"] = block.keys[i];
    if (value && labels_.empty())
      row["value"] = *value;
    else if (value)
      row["value"] = labels_[*value];
    if (block.keys.empty() || block.keys[i] != block.lines[i]) row["line"] = block.lines[i];
    out_.print("{}\n  {}", first_ ? "" : ",", row.on_one_line());
    first_ = false;
  }

  label_table labels_;
  output& out_;
  char separator_;
  bool json_;
  bool first_ = true;
};

int get(get_options const& o) {
  if (o.quiet && (o.count_only || o.json)) throw error(errc::bad_goal, "-q prints nothing: it excludes --count and --json");
  auto const filter = open_filter(o.file, {.key = o.key.read(o.input.names()), .verify = !o.no_verify});
  check_has(filter, verb::find, o.file);
  check_takes(filter, o.file, o.input);
  check_apart(o.file, o.input.names());
  check_can_print(o.input.names());
  bool const silent = o.quiet || o.count_only;
  auto in = o.input.reader();
  progress shown("asking", in.total_bytes(), progress_unit::bytes, o.input.progress_mode());
  bool const prompt = in.streaming() || ::isatty(STDOUT_FILENO) == 1;  // as query does
  output out(STDOUT_FILENO, prompt ? flushing::each_block : flushing::when_full);
  std::optional<value_writer> rows;
  if (!silent) rows.emplace(o, filter.family().labels(), out);
  std::array<digest, line_reader::block_lines> digests;
  std::array<std::uint64_t, line_reader::block_lines> values;
  std::array<std::uint64_t, line_reader::block_lines / 64> hits;
  std::uint64_t asked = 0;
  std::uint64_t selected = 0;
  for (record_block block; !(o.quiet && selected != 0) && in.next(block); shown.update(in.bytes_read())) {
    if (block.what == record_block::kind::header) continue;
    hits.fill(0);  // a line without a key has no value
    if (block.what == record_block::kind::keys)
      filter.family().find(digests_of_block(filter.hash(), block, digests), {}, values.data(), hits.data());
    for (std::size_t i = 0; i < block.lines.size(); ++i) {
      ++asked;
      bool const found = (hits[i / 64] >> (i % 64) & 1) != 0;
      if (found == o.invert) continue;
      ++selected;
      if (rows) rows->write(block, i, found ? std::optional(values[i]) : std::nullopt);
    }
    out.block_done();
  }
  shown.hide();
  if (rows) rows->finish();
  if (o.count_only && o.json) {
    print_json({{"asked", asked}, {"selected", selected}});
  } else if (o.count_only) {
    out.print("{}\n", selected);
    out.flush();
  }
  return selected != 0 ? done : nothing_selected;
}

}  // namespace

void add_get(command_line& app, action& run) {
  auto const command = app.add_subcommand("get", "print the values of keys in a map; status 0 if there are any, else 1");
  auto const o = std::make_shared<get_options>();
  command->add_option("FILE", o->file, "the map; - is standard input")->required();
  command->add_flag("-v,--invert", o->invert, "print only the lines whose keys surely have no value");
  command->add_flag("-c,--count", o->count_only, "print only how many lines were selected");
  command->add_flag("-q,--quiet", o->quiet, "print nothing, end at the first line that is selected: the status tells");
  command->add_flag("--json", o->json, "an array of keys and values; with -c the numbers");
  command->add_flag("--no-verify", o->no_verify, "do not read the whole file first to verify its checksums");
  o->key.add_option(*command);
  o->input.add_options(*command);
  command->footer(
      "Prints KEY<TAB>VALUE for every key that has a value.\n"
      "Example: hortus get country.hortus -e ada\n"
      "Example: hortus get country.hortus --field 1 --delimiter ' ' access.log");
  command->callback([=, &run] { run = [o] { return get(*o); }; });
}

}  // namespace hortus::cli
