#include <fmt/format.h>
#include <unistd.h>

#include <utility>
#include <variant>
#include <vector>

#include "cli/clock.hpp"
#include "cli/command.hpp"
#include "cli/near_filters.hpp"
#include "cli/near_keys.hpp"
#include "cli/selection.hpp"
#include "cli/text/numbers.hpp"

namespace hortus::cli {
namespace {

struct query_options {
  std::string file;
  std::string min_score;
  selection_options how;
  key_file key;
  key_input input;
  bool no_verify = false;
  bool scores = false;
};

void check_askable(any_filter const& filter, query_options const& o) {
  if (o.scores || !o.min_score.empty())
    throw error(errc::unsupported, fmt::format("{} tells whether, not how near: --scores and --min-score are for {}",
                                               one(filter.family().kind()), any_near_family::name));
  if (!filter.family().has(verb::may_contain) && filter.family().has(verb::count))
    throw error(errc::unsupported,
                "'" + o.file + "': " + one(filter.family().kind()) + " tells how often, not whether: hortus count asks it");
  check_has(filter, verb::may_contain, o.file);
  check_takes(filter, o.file, o.input);
  check_clock(filter, o.file);
}

/// The answers for the lines of a block: those that are selected without -v, and their scores where there are scores.
struct answers {
  bitmask hits;
  std::vector<unsigned> scores = {};

  explicit answers(std::size_t lines) : hits(lines) {}  // a line without a key is no member
  [[nodiscard]] std::optional<std::uint64_t> score(std::size_t i) const {
    return scores.empty() ? std::nullopt : std::optional<std::uint64_t>(scores[i]);
  }
};

/// The filter to ask, of either kind.
class asked_filter {
 public:
  explicit asked_filter(query_options const& o)
      : filter_(open_any(o.file, {.key = o.key.read(o.input.names()), .verify = !o.no_verify})), scores_(o.scores) {
    if (auto const* const near = std::get_if<any_near_filter>(&filter_)) {
      check_takes(*near, o.file, o.input);
      least_ = o.min_score.empty() ? near->threshold() : parse_count("--min-score", o.min_score);
      keys_.emplace(near->family().metric_used());
    } else {
      check_askable(std::get<any_filter>(filter_), o);
    }
    check_apart(o.file, o.input.names());
    check_can_print(o.input.names());
  }

  [[nodiscard]] answers of(record_block const& block) {
    answers found(block.lines.size());
    auto* const filter = std::get_if<any_filter>(&filter_);
    if (filter != nullptr) tell_time(*filter);  // in memory only: the file does not change
    if (filter != nullptr && block.what == record_block::kind::keys)
      found.hits = block.with_keys([&](auto keys) { return std::as_const(*filter).may_contain(keys); });
    if (filter == nullptr) score(block, found);
    return found;
  }

 private:
  void score(record_block const& block, answers& found) {
    if (scores_) found.scores.resize(block.lines.size());
    auto const& filter = std::get<any_near_filter>(filter_);
    for_each_near_key(*keys_, block, [&](near_key const& key, std::size_t i) {
      auto const its = filter.score(key);
      if (scores_) found.scores[i] = its;
      if (its >= least_) found.hits.data()[i / 64] |= std::uint64_t{1} << (i % 64);
    });
  }

  any_opened filter_;
  bool scores_;
  std::uint64_t least_ = 0;  // the score of a line that is selected
  std::optional<near_keys> keys_;
};

int query(query_options const& o) {
  o.how.check();
  if (o.how.silent() && o.scores) throw error(errc::bad_goal, "--scores is about printed lines: -q and --count print none");
  (void)o.how.limit();  // a wrong number is told before the file is read
  asked_filter filter(o);
  auto in = o.input.reader();
  progress shown("asking", in.total_bytes(), progress_unit::bytes, o.input.progress_mode());
  selection selected(o.how, o.input.separator(), in.streaming());
  for (record_block block; !selected.is_full() && in.next(block); shown.update(in.bytes_read())) {
    if (block.what == record_block::kind::header) {
      selected.header(block);
      continue;
    }
    auto const found = filter.of(block);
    for (std::size_t i = 0; i < block.lines.size() && !selected.is_full(); ++i)
      selected.line(block, i, found.hits[i], found.score(i));
    selected.block_done();
  }
  shown.hide();
  return selected.finish();
}

}  // namespace

void add_query(command_line& app, action& run) {
  auto const command = app.add_subcommand("query", "print the lines that may be members; status 0 if there are any, else 1");
  auto const o = std::make_shared<query_options>();
  command->add_option("FILE", o->file, "the filter; - is standard input")->required();
  o->how.add_options(*command);
  command->add_flag("--scores", o->scores, "of distance_sensitive: print the score and a tab before each line");
  command->add_option("--min-score", o->min_score, "of distance_sensitive: select lines with at least this score")
      ->type_name("S");
  command->add_flag("--no-verify", o->no_verify, "do not read the whole file first to verify its checksums");
  o->key.add_option(*command);
  o->input.add_options(*command);
  command->footer(
      "Example: hortus query seen.hortus -v today.txt > surely_new.txt\n"
      "Example: hortus query seen.hortus -q -e ada && echo ada may be in");
  command->callback([=, &run] { run = [o] { return query(*o); }; });
}

}  // namespace hortus::cli
