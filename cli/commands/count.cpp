#include <unistd.h>

#include <algorithm>
#include <array>
#include <concepts>

#include "cli/command.hpp"
#include "cli/distinct_count.hpp"
#include "cli/text/json.hpp"
#include "cli/text/numbers.hpp"
#include "cli/text/output.hpp"

namespace hortus::cli {
namespace {

struct count_options {
  std::string file;
  std::string top;
  std::string memory;
  distinct_options distinct;
  bool is_distinct = false;
  key_file key;
  key_input input;
  bool no_verify = false;
  bool json = false;
};

/// Writes counts as they come: one line each, or the elements of a JSON array.
class count_writer {
 public:
  count_writer(count_options const& o, output& out) : out_(out), separator_(o.input.separator()), json_(o.json) {
    if (json_) out_.write("[");
  }
  /// std::uint64_t, or std::int64_t where counts may be negative.
  void write(record_block const& block, std::size_t i, std::integral auto count) {
    auto const line = block.lines[i];
    if (json_) {
      json_value row{{"key", nullptr}, {"count", count}};
      if (!block.keys.empty()) row["key"] = block.keys[i];
      if (block.keys.empty() || block.keys[i] != line) row["line"] = line;
      out_.print("{}\n  {}", first_ ? "" : ",", row.on_one_line());
      first_ = false;
    } else {
      out_.print("{}\t", count);
      out_.line(line, separator_);
    }
  }
  void finish() {
    if (json_) out_.write(first_ ? "]\n" : "\n]\n");
    out_.flush();
  }

 private:
  output& out_;
  char separator_;
  bool json_;
  bool first_ = true;
};

int count_in(count_options const& o) {
  if (o.file.empty())
    throw error(
        errc::bad_goal,
        "count needs a FILE to ask, --top N for the most frequent keys of a stream, or --distinct for how many there are");
  if (!o.memory.empty()) throw error(errc::bad_goal, "--memory goes with --top: a FILE has the size it has");
  auto const filter = open_filter(o.file, {.key = o.key.read(o.input.names()), .verify = !o.no_verify});
  check_has(filter, verb::count, o.file);
  check_takes(filter, o.file, o.input);
  check_apart(o.file, o.input.names());
  check_can_print(o.input.names());
  auto in = o.input.reader();
  progress shown("counting", in.total_bytes(), progress_unit::bytes, o.input.progress_mode());
  bool const prompt = in.streaming() || ::isatty(STDOUT_FILENO) == 1;  // as query does
  output out(STDOUT_FILENO, prompt ? flushing::each_block : flushing::when_full);
  count_writer rows(o, out);
  std::array<digest, line_reader::block_lines> block;
  std::array<std::uint64_t, line_reader::block_lines> counts;
  bool const may_be_negative = filter.family().counts_are_signed();
  for (record_block some; in.next(some); shown.update(in.bytes_read())) {
    if (some.what == record_block::kind::header) continue;
    if (some.what == record_block::kind::keys)
      filter.family().whole_count(digests_of_block(filter.hash(), some, block), counts.data());
    else
      counts.fill(0);  // a line without a key was never inserted
    for (std::size_t i = 0; i < some.lines.size(); ++i)
      may_be_negative ? rows.write(some, i, static_cast<std::int64_t>(counts[i])) : rows.write(some, i, counts[i]);
    out.block_done();
  }
  rows.finish();
  return done;
}

/// An integer in decimal. For a key that came as a digest, the digest, because nothing else is known.
std::string shown_key(frequent_key const& key) {
  if (key.kind == key_kind::integers) return fmt::format("{}", key.integer());
  return key.kind == key_kind::digests ? fmt::format("{:#018x}", key.of.bits()) : std::string(key.bytes);
}

json_value to_json(top_keys const& top) {
  json_value all;
  all["top"] = json_value::array();
  for (auto const& key : top.keys) {
    json_value row{{"key", shown_key(key)}, {"count", key.count}, {"at_least", key.at_least()}};
    if (key.is_cut()) row["key_bytes"] = key.length;  // of the whole key, which is not kept
    all["top"].push_back(std::move(row));
  }
  all["keys_read"] = top.inserted;
  all["certain_ranks"] = top.certain;
  all["others_at_most"] = top.others_at_most;
  return all;
}

/// Warns that counts or order may be wrong. `holds` ends the phrase "there are more distinct keys than".
void warn_of_errors(top_keys const& top, std::string const& holds) {
  if (auto const off = top.most_too_high(); top.certain < top.keys.size() || off != 0)
    warn(fmt::format("there are more distinct keys than {}: counts may be up to {} too high, {}", holds, off,
                     top.certain == top.keys.size()
                         ? std::string("the order is right all the same")
                         : fmt::format("and the order is certain for the first {} only", top.certain)));
  if (auto const cut = std::ranges::count_if(top.keys, &frequent_key::is_cut); cut != 0)
    warn(fmt::format("{} of these keys {} longer than what is kept of a key: shown is the beginning", cut,
                     cut == 1 ? "is" : "are"));
}

int print_top(count_options const& o, top_keys const& top) {
  if (o.json) {
    print_json(to_json(top));
    return done;
  }
  output out(STDOUT_FILENO);
  for (auto const& key : top.keys) {
    out.print("{}\t", key.count);
    out.line(shown_key(key), o.input.separator());
  }
  out.flush();
  return done;
}

int top_of_file(count_options const& o, std::uint64_t wanted) {
  if (!o.memory.empty()) throw error(errc::bad_goal, "--memory is for counting an input: a FILE has the size it has");
  if (o.input.is_given())
    throw error(errc::bad_goal, fmt::format("'{}' is a filter, and --top asks it: it takes no INPUT, and no option about one; "
                                            "hortus add does",
                                            o.file));
  auto const filter = open_filter(o.file, {.key = o.key.read(o.input.names()), .verify = !o.no_verify});
  check_has(filter, verb::top, o.file);
  auto const top = filter.top(wanted);
  warn_of_errors(top, "it has counters");
  return print_top(o, top);
}

/// As many counters as fit --memory. A key may take a 64th of it, so that a few long keys do not evict all others.
any_filter counters_in(std::uint64_t memory) {
  auto const& family = family_named("space_saving");
  auto const key_bytes = std::clamp<std::uint64_t>(memory / 64, 64, std::uint64_t{1} << 20);
  request wish{.items = 0, .fpr = 0.99, .settings = {{"key_bytes", std::to_string(key_bytes)}}};
  wish.fpr = best_fpr_in(family, wish, std::max(memory, family.plan(wish).size_bytes));
  return make_filter(family.name, wish);
}

/// The FILE, if there is one, is the first INPUT.
std::vector<std::string> all_inputs(count_options const& o) {
  auto paths = o.input.paths;
  if (!o.file.empty()) paths.insert(paths.begin(), o.file);
  return paths;
}

int count_top(count_options const& o) {
  auto const wanted = parse_count("--top", o.top, 1);
  if (is_filter(o.file)) return top_of_file(o, wanted);  // it is queried: counting the lines of a filter makes no sense
  if (!o.key.path.empty()) throw error(errc::bad_goal, "--top counts the lines themselves: there is nothing for a --key-file");
  if (o.no_verify) throw error(errc::bad_goal, "--top reads no filter: there is nothing for --no-verify to leave out");
  auto const memory = o.memory.empty() ? default_memory_bytes : parse_bytes("--memory", o.memory);
  auto const paths = all_inputs(o);
  check_can_print(paths.empty() ? o.input.names() : paths);
  auto in = o.input.reader(paths);
  auto counters = counters_in(memory);
  {
    progress shown("counting", in.total_bytes(), progress_unit::bytes, o.input.progress_mode());
    fitting("what --memory holds of the keys", [&] {
      for (record_block block; in.next(block); shown.update(in.bytes_read()))
        if (block.what == record_block::kind::keys) block.with_keys([&](auto keys) { (void)counters.insert(keys); });
    });
  }
  auto const top = counters.top(wanted);
  warn_of_errors(top, fmt::format("--memory {} holds", human_bytes(memory)));
  return print_top(o, top);
}

int count(count_options const& o) {
  if (!o.is_distinct) {
    if (auto const given = o.distinct.given(); !given.empty())
      throw error(errc::bad_goal, given.front() + " goes with --distinct");
    return o.top.empty() ? count_in(o) : count_top(o);
  }
  if (!o.top.empty()) throw error(errc::bad_goal, "--distinct and --top exclude each other");
  if (!o.memory.empty()) throw error(errc::bad_goal, "--memory goes with --top; --distinct takes --error");
  auto what = o.distinct;
  what.json = o.json;
  what.no_verify = o.no_verify;
  return count_distinct(what, o.input, all_inputs(o), o.key);
}

}  // namespace

void add_count(command_line& app, action& run) {
  auto const command = app.add_subcommand("count", "how often a key was put in; the most frequent keys; or how many");
  auto const o = std::make_shared<count_options>();
  command->add_option("FILE", o->file,
                      "the filter or sketch, of a family that counts;\nwith --top of one that has top, or an INPUT");
  command->add_option("--top", o->top, "print the N most frequent keys of FILE, or of the input itself")->type_name("N");
  command->add_option("--memory", o->memory, "with --top of an input: what the counters may take (default 64Mi)")
      ->type_name("BYTES");
  command->add_flag(
      "--distinct", o->is_distinct,
      "print how many distinct keys the input has, or FILE: an estimate\nwith its 95 % interval, in bounded memory");
  command->add_option("--error", o->distinct.error, "with --distinct of an input: the relative standard error\n(default 0.5%)")
      ->type_name("RATE");
  command->add_option("-o,--output", o->distinct.output, "with --distinct of an input: save the sketch; - is standard output")
      ->type_name("FILE");
  command->add_flag("--force", o->distinct.force, "with -o: replace a file that is no filter, too");
  command->add_flag("--no-verify", o->no_verify, "do not read the whole file first to verify its checksums");
  o->key.add_option(*command);
  command->add_flag("--json", o->json, "a JSON array; with --top and --distinct a document\nthat says how sure it is");
  o->input.add_options(*command);
  command->footer(
      "Prints COUNT<TAB>LINE for every line of the input.\n"
      "Examples: hortus count visits.hortus names.txt\n          hortus count --top 10 access.log\n"
      "          hortus count --distinct access.log\n"
      "          hortus count --top 10 visits.hortus");
  command->callback([=, &run] { run = [o] { return count(*o); }; });
}

}  // namespace hortus::cli
