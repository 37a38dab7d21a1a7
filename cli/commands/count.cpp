#include <unistd.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/text/numbers.hpp"
#include "cli/text/output.hpp"
#include "cli/top_keys.hpp"

namespace hortus::cli {
namespace {

constexpr std::uint64_t default_memory_bytes = std::uint64_t{64} << 20;

struct options {
  std::string file;
  std::string top;
  std::string memory;
  key_file key;
  key_input input;
  bool no_verify = false;
  bool json = false;
};

/// Counts as they come: a line each, or the elements of a JSON array.
class count_writer {
 public:
  count_writer(options const& o, output& out) : out_(out), separator_(o.input.separator()), json_(o.json) {
    if (json_) out_.write("[");
  }
  /// std::uint64_t, or std::int64_t where counts may be negative.
  void write(std::string_view key, std::integral auto count) {
    if (json_) {
      nlohmann::ordered_json const row{{"key", key}, {"count", count}};
      out_.print("{}\n  {}", first_ ? "" : ",", row.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
      first_ = false;
    } else {
      out_.print("{}\t", count);
      out_.line(key, separator_);
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

int count_in(options const& o) {
  if (o.file.empty())
    throw error(errc::bad_goal, "count needs a FILE to ask, or --top N for the most frequent keys of a stream");
  if (!o.memory.empty()) throw error(errc::bad_goal, "--memory goes with --top: a FILE has the size it has");
  auto const filter = open_filter(o.file, {.key = o.key.read(), .verify = !o.no_verify});
  check_has(filter, verb::count, o.file);
  check_takes_text(filter, o.file);
  check_apart(o.file, o.input.names());
  check_can_print(o.input.names());
  line_reader in(o.input.paths, o.input.format());
  progress shown("counting", in.total_bytes(), progress_unit::bytes, o.input.progress_mode());
  bool const prompt = in.streaming() || ::isatty(STDOUT_FILENO) == 1;  // as query does
  output out(STDOUT_FILENO, prompt ? flushing::each_block : flushing::when_full);
  count_writer rows(o, out);
  std::array<digest, line_reader::block_lines> block;
  std::array<std::uint64_t, line_reader::block_lines> counts;
  bool const may_be_negative = filter.family().counts_are_signed();
  for (std::vector<std::string_view> keys; in.next(keys); shown.update(in.bytes_read())) {
    filter.family().whole_count(digests_of_lines(filter.hash(), keys, block), counts.data());
    for (std::size_t i = 0; i < keys.size(); ++i)
      may_be_negative ? rows.write(keys[i], static_cast<std::int64_t>(counts[i])) : rows.write(keys[i], counts[i]);
    out.block_done();
  }
  rows.finish();
  return done;
}

/// What is sure of a list by counts that may be too high.
struct certainty {
  std::size_t ranks = 0;             ///< so many of the first are in the right order, and before all others
  std::uint64_t most_too_high = 0;   ///< no count shown is further off
  std::uint64_t others_at_most = 0;  ///< no key that is not shown came more often
};

certainty certainty_of(std::span<top_keys::entry const> shown, std::uint64_t others_at_most) {
  certainty sure{.ranks = 0, .most_too_high = 0, .others_at_most = others_at_most};
  auto const next = [&](std::size_t i) { return i + 1 < shown.size() ? shown[i + 1].count : others_at_most; };
  while (sure.ranks < shown.size() && shown[sure.ranks].at_least >= next(sure.ranks)) ++sure.ranks;
  for (auto const& e : shown) sure.most_too_high = std::max(sure.most_too_high, e.count - e.at_least);
  return sure;
}

nlohmann::ordered_json to_json(std::span<top_keys::entry const> shown, certainty const& sure, std::uint64_t keys_read) {
  nlohmann::ordered_json all;
  all["top"] = nlohmann::ordered_json::array();
  for (auto const& e : shown) all["top"].push_back({{"key", e.key}, {"count", e.count}, {"at_least", e.at_least}});
  all["keys_read"] = keys_read;
  all["certain_ranks"] = sure.ranks;
  all["others_at_most"] = sure.others_at_most;
  return all;
}

int count_top(options const& o) {
  if (!o.key.path.empty()) throw error(errc::bad_goal, "--top counts the lines themselves: there is nothing for a --key-file");
  if (o.no_verify) throw error(errc::bad_goal, "--top reads no filter: there is nothing for --no-verify to leave out");
  auto const wanted = parse_count("--top", o.top, 1);
  auto const memory = o.memory.empty() ? default_memory_bytes : parse_count("--memory", o.memory, 1);
  auto paths = o.input.paths;
  if (!o.file.empty()) paths.insert(paths.begin(), o.file);  // without a filter the first name is an input, too
  check_can_print(paths.empty() ? std::vector<std::string>{"-"} : paths);
  line_reader in(paths, o.input.format());
  top_keys keys(memory);
  {
    progress shown("counting", in.total_bytes(), progress_unit::bytes, o.input.progress_mode());
    fitting("what --memory holds of the keys", [&] {
      for (std::vector<std::string_view> block; in.next(block); shown.update(in.bytes_read()))
        for (auto const key : block) keys.add(key);
    });
  }
  auto rows = keys.largest(wanted == ~std::uint64_t{0} ? wanted : wanted + 1);
  auto others_at_most = keys.others_at_most();
  if (rows.size() > wanted) {
    others_at_most = std::max(others_at_most, rows.back().count);
    rows.pop_back();
  }
  auto const sure = certainty_of(rows, others_at_most);
  if (sure.ranks < rows.size() || sure.most_too_high != 0)
    warn(fmt::format("there are more distinct keys than --memory {} holds: counts may be up to {} too high, {}",
                     human_bytes(memory), sure.most_too_high,
                     sure.ranks == rows.size() ? std::string("the order is right all the same")
                                               : fmt::format("and the order is certain for the first {} only", sure.ranks)));
  if (o.json) {
    print_json(to_json(rows, sure, keys.added()));
    return done;
  }
  output out(STDOUT_FILENO);
  for (auto const& e : rows) {
    out.print("{}\t", e.count);
    out.line(e.key, o.input.separator());
  }
  out.flush();
  return done;
}

}  // namespace

void add_count(CLI::App& app, action& run) {
  auto* const command = app.add_subcommand("count", "how often a key was put in; or the most frequent keys of a stream");
  auto const o = std::make_shared<options>();
  command->add_option("FILE", o->file, "the filter or sketch, of a family that counts; not with --top");
  command->add_option("--top", o->top, "count the input itself and print its N most frequent keys")->type_name("N");
  command->add_option("--memory", o->memory, "with --top: what the counters may take (default 64Mi)")->type_name("BYTES");
  command->add_flag("--no-verify", o->no_verify, "do not read the whole file first to verify its checksums");
  o->key.add_option(*command);
  command->add_flag("--json", o->json, "a JSON array; with --top a document that says how sure it is");
  o->input.add_options(*command);
  command->footer(
      "Prints COUNT<TAB>KEY for every line of the input.\n"
      "Examples: hortus count visits.hortus names.txt\n          hortus count --top 10 access.log");
  command->callback([=, &run] { run = [o] { return o->top.empty() ? count_in(*o) : count_top(*o); }; });
}

}  // namespace hortus::cli
