#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <functional>
#include <utility>
#include <variant>
#include <vector>

#include "cli/clock.hpp"
#include "cli/command.hpp"
#include "cli/in_order.hpp"
#include "cli/near_filters.hpp"
#include "cli/near_keys.hpp"
#include "cli/piece_digests.hpp"
#include "cli/record_pieces.hpp"
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
  thread_option threads;
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
  if (o.threads.number() > 1 && filter.family().ages_by_time())
    throw error(errc::unsupported, "--threads: a filter that forgets by the clock is asked by one thread");
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
    } else {
      check_askable(std::get<any_filter>(filter_), o);
    }
    check_apart(o.file, o.input.names());
    check_can_print(o.input.names());
  }

  /// Forgets what is too old by now, in memory only: the file does not change.
  void tell_time() {
    if (auto* const filter = std::get_if<any_filter>(&filter_)) cli::tell_time(*filter);
  }
  /// The filter, if it is asked with digests, and its answers do not depend on the time.
  [[nodiscard]] any_filter const* of_digests() const noexcept {
    auto const* const filter = std::get_if<any_filter>(&filter_);
    return filter != nullptr && !filter->family().ages_by_time() ? filter : nullptr;
  }
  /// Several threads at a time.
  [[nodiscard]] answers of(record_block const& block) const {
    answers found(block.lines.size());
    if (block.what != record_block::kind::keys) return found;
    if (auto const* const filter = std::get_if<any_filter>(&filter_))
      block.with_keys([&](auto keys) { filter->may_contain(keys, {found.hits.data(), mask_words(keys.size())}); });
    else
      score(block, found);
    return found;
  }

 private:
  void score(record_block const& block, answers& found) const {
    if (scores_) found.scores.resize(block.lines.size());
    auto const& filter = std::get<any_near_filter>(filter_);
    near_keys keys(filter.family().metric_used());
    for_each_near_key(keys, block, [&](near_key const& key, std::size_t i) {
      auto const its = filter.score(key);
      if (scores_) found.scores[i] = its;
      if (its >= least_) found.hits.data()[i / 64] |= std::uint64_t{1} << (i % 64);
    });
  }

  any_opened filter_;
  bool scores_;
  std::uint64_t least_ = 0;  // the score of a line that is selected
};

/// How many of the keys that fill() hashes may be members.
template <class Fill>
std::uint64_t members_of(any_family const& family, Fill& fill) {
  std::uint64_t members = 0;
  auto const ask = [&](std::span<digest const> xs) {
    std::array<std::uint64_t, line_reader::block_lines / 64> hits;
    family.may_contain(xs, {}, hits.data());
    for (std::size_t i = 0; i < mask_words(xs.size()); ++i) members += static_cast<unsigned>(std::popcount(hits[i]));
  };
  // Of what was tried, this had memory read for most of the time: docs/performance-history.md.
  using ahead = hashed_ahead<access::lookup, any_family, 8, 16, 3>;
  if (ahead::pays(family)) {
    ahead asked(family);
    asked.take(std::ref(fill), ask);
    asked.finish(ask);
  } else {
    digest_space<line_reader::block_lines> space;
    while (auto const count = fill(space.all())) ask(space.all().first(count));
  }
  return members;
}

/// The lines of one reader: answer(block) has the answers for a block.
template <class Answer>
void select_lines(selection& selected, record_reader& in, Answer answer) {
  for (record_block block; !selected.is_full() && in.next(block);) {
    if (block.what == record_block::kind::header) {
      selected.header(block);
      continue;
    }
    auto const& found = answer(block);
    if (selected.counts_only())
      selected.count(block.lines.size(), found.hits.count());
    else
      for (std::size_t i = 0; i < block.lines.size() && !selected.is_full(); ++i)
        selected.line(block, i, found.hits[i], found.score(i));
    selected.block_done();
  }
}

void ask_by_one(query_options const& o, asked_filter& filter, selection& selected, record_reader in) {
  progress shown("asking", in.total_bytes(), progress_unit::bytes, o.input.progress_mode());
  select_lines(selected, in, [&](record_block const& block) {
    shown.update(in.bytes_read());
    filter.tell_time();
    return filter.of(block);
  });
}

/// Threads ask for the lines of different pieces. If only the number is wanted, no list of lines is made. To print lines, a
/// piece is split again when its turn comes, which takes little of the time; most pieces have no line to print.
void ask_in_pieces(query_options const& o, asked_filter const& filter, selection& selected, record_pieces& pieces) {
  auto const ask = [&](record_block const& block) { return filter.of(block); };
  if (!o.input.given.empty()) {
    auto given = o.input.reader_of_given();
    select_lines(selected, given, ask);
  }
  struct asked_piece : record_piece {
    std::vector<answers> blocks;
    std::uint64_t lines = 0;
    std::uint64_t members = 0;
    bool has_header = false;
    missing_keys missing;
  };
  auto const ask_piece = [&](asked_piece& piece) {
    piece.blocks.clear();
    piece.lines = piece.members = 0;
    piece.has_header = false;
    if (auto const* const plain = filter.of_digests(); plain != nullptr && selected.counts_only()) {
      return with_digests(pieces, piece, plain->hash(), [&](auto& fill) {
        piece.members = members_of(plain->family(), fill);
        piece.lines = fill.records();
        piece.missing = fill.missing();
      });
    }
    auto in = pieces.reader(piece);
    for (record_block block; in.next(block);) {
      piece.has_header |= block.what == record_block::kind::header;
      if (block.what == record_block::kind::header) continue;
      auto of_block = ask(block);
      piece.lines += block.lines.size();
      piece.members += of_block.hits.count();
      if (!selected.counts_only()) piece.blocks.push_back(std::move(of_block));
    }
    piece.missing = in.missing();
  };
  progress shown("asking", pieces.total_bytes(), progress_unit::bytes, o.input.progress_mode());
  auto const select = [&](asked_piece& piece) {
    if (selected.counts_only() || (!piece.has_header && selected.selects(piece.lines, piece.members) == 0)) {
      selected.count(piece.lines, piece.members);
    } else {
      auto in = pieces.reader(piece);
      auto next = piece.blocks.begin();
      select_lines(selected, in, [&](record_block const&) -> answers const& { return *next++; });
    }
    pieces.note(piece.missing);
    shown.update(piece.bytes_read);
    return !selected.is_full();
  };
  if (!selected.is_full())
    in_order<asked_piece>(
        o.threads.number(), [&](asked_piece& piece) { return pieces.next(piece); }, ask_piece, select, [&] { pieces.stop(); });
  if (!selected.is_full()) pieces.finish();
}

int query(query_options const& o) {
  o.how.check();
  if (o.how.silent() && o.scores) throw error(errc::bad_goal, "--scores is about printed lines: -q and --count print none");
  (void)o.how.limit();  // wrong numbers are told before the file is read
  (void)o.threads.number();
  asked_filter filter(o);
  if (o.threads.number() == 1 && !(o.how.counts_only() && filter.of_digests() != nullptr)) {
    auto in = o.input.reader();
    selection selected(o.how, o.input.separator(), in.streaming());
    ask_by_one(o, filter, selected, std::move(in));
    return selected.finish();
  }
  record_pieces pieces(o.input, o.threads.number());
  selection selected(o.how, o.input.separator(), pieces.streaming());
  ask_in_pieces(o, filter, selected, pieces);
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
  o->threads.add_option(*command, "threads that split lines and ask the filter (default 1)");
  o->key.add_option(*command);
  o->input.add_options(*command);
  command->footer(
      "Example: hortus query seen.hortus -v today.txt > surely_new.txt\n"
      "Example: hortus query seen.hortus -q -e ada && echo ada may be in");
  command->callback([=, &run] { run = [o] { return query(*o); }; });
}

}  // namespace hortus::cli
