#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "cli/checkpoints.hpp"
#include "cli/clock.hpp"
#include "cli/command.hpp"
#include "cli/text/line_writer.hpp"
#include "cli/text/numbers.hpp"

namespace hortus::cli {
namespace {

/// Every false positive silently loses a line, so the default is one in a million instead of one in a hundred.
constexpr double default_rate = 1e-6;

/// No other family remembers a window of distinct keys without misses in so little space. As long as known lines are not
/// inserted again, its two halves act as one filter that never forgets, with 0.86 to 0.93 of the capacity of a blocked
/// filter of that size. So streams of unknown length also start with it. If the stream turns out to be too long, half of
/// the lines stay known.
constexpr char const* by_lines = "active_active";
/// Forgets by time. At one in a million it takes a third of the space of blocked_aging.
constexpr char const* by_time = "age_partitioned";

struct uniq_options {
  std::string window;
  std::string memory;
  std::string fpr;
  std::string state;
  key_file key;
  lock_options lock;
  checkpoint_option checkpoint;
  key_input input;
  bool json = false;
};

std::uint64_t memory_of(uniq_options const& o) {
  return o.memory.empty() ? default_memory_bytes : parse_bytes("--memory", o.memory);
}

bool lasts_a_time(uniq_options const& o) { return is_duration(o.window); }

family_info const& family_of(uniq_options const& o) { return family_named(lasts_a_time(o) ? by_time : by_lines); }

request wish_of(uniq_options const& o) {
  auto const memory = memory_of(o);
  request wish{.items = 0, .fpr = o.fpr.empty() ? default_rate : parse_rate("-p", o.fpr), .settings = {}};
  if (lasts_a_time(o)) wish.settings.emplace_back("ticks", std::to_string(parse_window("--window", o.window)));
  auto const most = most_items_in(family_of(o), wish, memory);
  wish.items = o.window.empty() || lasts_a_time(o) ? most : parse_count("--window", o.window, 1);
  if (wish.items > most)
    throw error(errc::bad_goal, fmt::format("{} of memory remember {} lines at a rate of {}, not {}: raise --memory or -p",
                                            human_bytes(memory), most, human_rate(wish.fpr), wish.items));
  return wish;
}

any_filter empty_filter(uniq_options const& o) {
  auto const key = o.key.read(o.input.names());
  return fitting("a filter of that size",
                 [&] { return make_filter(family_of(o).name, wish_of(o), key ? any_hash(siphash(*key)) : any_hash(xxh3())); });
}

/// Throws errc::bad_goal if the options want another filter than the one in the file.
void check_state_fits(uniq_options const& o, any_filter const& filter) {
  if (o.window.empty() && o.memory.empty() && o.fpr.empty()) return;
  auto const& wanted = family_of(o);
  auto const equal = [](named_value const& a, named_value const& b) { return a.name == b.name && a.value == b.value; };
  bool const same = wanted.name == filter.about().family &&
                    std::ranges::equal(wanted.plan(wish_of(o)).params, filter.family().params(), equal);
  if (!same)
    throw error(errc::bad_goal, fmt::format("'{}' was made with another --window, --memory or -p, and cannot change: leave "
                                            "these options away, or name a new file",
                                            o.state));
}

/// Writes an empty filter if there is none, so that two commands agree on it. The folder is locked until it is there.
void create_state(uniq_options const& o) {
  if (std::filesystem::exists(o.state)) return;
  check_can_save(o.state, o.input.names(), o.key);
  auto const folder = o.lock.hold(std::filesystem::absolute(o.state).parent_path().string());
  if (!std::filesystem::exists(o.state)) save(empty_filter(o), o.state);
}

any_filter load_state(uniq_options const& o) {
  auto filter = load_filter(o.state, {.key = o.key.read(o.input.names())});
  check_has(filter, verb::insert_if_new, o.state);
  check_takes(filter, o.state, o.input);
  check_can_save(o.state, o.input.names(), o.key);
  check_clock(filter, o.state);
  check_state_fits(o, filter);
  return filter;
}

/// Finds the lines that have not come before, as far as they are remembered.
class first_occurrences {
 public:
  explicit first_occurrences(any_filter& seen) : seen_(seen) {}

  /// Bit i: print line i. Repeated lines are inserted again, and so stay young.
  [[nodiscard]] bitmask refreshing(record_block const& block) {
    tell_time(seen_);
    return block.with_keys([&](auto keys) { return seen_.insert_if_new(keys); });
  }
  /// The same while all lines are remembered: repeated lines take no room. Looking up the whole block first overlaps many cache
  /// misses; the new lines that are then inserted one by one are in the cache.
  [[nodiscard]] bitmask remembering(record_block const& block) {
    return block.with_keys([&](auto keys) {
      auto const known = std::as_const(seen_).may_contain(keys);
      bitmask fresh(keys.size());
      try {
        for (std::size_t i = 0; i < keys.size(); ++i)
          if (!known[i] && seen_.insert_if_new(keys[i]))  // false for a duplicate within the block
            fresh.data()[i / 64] |= std::uint64_t{1} << (i % 64);
      } catch (error const& e) {
        if (e.code() != errc::full) throw;
        why_full_ = e.what();
      }
      return fresh;
    });
  }
  /// Why a line of the last block did not fit; empty if all did. The lines before it were decided.
  [[nodiscard]] std::string const& why_full() const noexcept { return why_full_; }

 private:
  any_filter& seen_;
  std::string why_full_;
};

/// A window of time has room for the planned number of lines. More lines raise the rate. It is checked only now and then,
/// because that reads the whole filter.
class rate_watch {
 public:
  explicit rate_watch(envelope const& plan)
      : fpr_(plan.fpr_planned), every_(std::max<std::uint64_t>(plan.items_planned / 16, 1)) {}

  /// After `more` lines: does the rate exceed the planned one? True at most once.
  [[nodiscard]] bool passed(any_filter const& filter, std::size_t more) {
    since_ += more;
    if (said_ || since_ < every_) return false;
    since_ = 0;
    return said_ = filter.fpr() > fpr_;
  }

 private:
  double fpr_;
  std::uint64_t every_;
  std::uint64_t since_ = 0;
  bool said_ = false;
};

int uniq(uniq_options const& o) {
  if (o.state.empty() && !o.checkpoint.every.empty()) throw error(errc::bad_goal, "--checkpoint saves the --state: name one");
  if (o.state.empty() && !o.lock.timeout.empty()) throw error(errc::bad_goal, "--lock-timeout is about a --state: name one");
  auto const every = o.checkpoint.interval();
  check_can_print(o.input.names());
  if (!o.state.empty()) create_state(o);
  auto const locked = o.state.empty() ? nullptr : o.lock.hold_file(o.state);  // as add does
  auto filter = o.state.empty() ? empty_filter(o) : load_state(o);
  auto const plan = filter.about();
  bool const by_clock = filter.family().ages_by_time();
  bool const forgets = family_named(plan.family).forgets;
  first_occurrences lines(filter);
  rate_watch rate(plan);
  auto in = o.input.reader();
  progress shown("reading", in.total_bytes(), progress_unit::bytes, o.input.progress_mode());
  // Lines are printed before they are saved as known, so that an interrupted run prints them again and never loses them.
  line_writer out({.separator = o.input.separator(), .json = o.json}, in.streaming() || every);
  bool windowed = !o.window.empty() || by_clock || (forgets && filter.has_forgotten());
  {
    checkpoints saved(filter, locked.get(), every);
    for (record_block block; in.next(block); shown.update(in.bytes_read())) {
      if (block.what != record_block::kind::keys) {
        out.whole_block(block);
        continue;
      }
      saved.changing([&] {
        auto const fresh = windowed ? lines.refreshing(block) : lines.remembering(block);
        for (std::size_t i = 0; i < block.lines.size(); ++i)
          if (fresh[i]) out.write(block, i);
        out.block_done();
      });
      if (!lines.why_full().empty()) {
        out.finish();
        throw error(errc::full, fmt::format("'{}': {}; the lines before the first one that did not fit were printed, and the "
                                            "file is as {}",
                                            o.state, lines.why_full(), every ? "the last checkpoint left it" : "it was"));
      }
      if (by_clock && rate.passed(filter, block.lines.size())) {
        shown.hide();
        warn(fmt::format(
            "more distinct lines come in the time of the window than {} remember at a rate of {}, about {}. No line is "
            "forgotten early, but new lines are lost at a rate of {} now: raise --memory",
            human_bytes(filter.size_bytes()), human_rate(plan.fpr_planned), plan.items_planned, human_rate(filter.fpr())));
      }
      if (windowed || !forgets || !filter.has_forgotten()) continue;
      windowed = true;
      warn(fmt::format(
          "more than {} distinct lines: {} cannot remember all of them at a rate of {}. The older half is forgotten now; from "
          "here on a line is remembered until more than {} distinct others have come after it",
          2 * plan.items_planned, human_bytes(filter.size_bytes()), human_rate(plan.fpr_planned), plan.items_planned));
    }
  }
  out.finish();
  if (o.state.empty()) return done;
  save(filter, o.state);
  if (!forgets) warn_if_overfull(filter);
  return done;
}

}  // namespace

void add_uniq(command_line& app, action& run) {
  auto const command = app.add_subcommand("uniq", "print the first occurrences of lines, of a stream without end");
  auto const o = std::make_shared<uniq_options>();
  command
      ->add_option("--window", o->window,
                   "remember the last N distinct lines (default: as many as fit),\nor lines for a time: 10min")
      ->type_name("N|DURATION");
  command->add_option("--memory", o->memory, "what the filter may take (default 64Mi)")->type_name("BYTES");
  command->add_option("-p,--fpr", o->fpr, "chance that a new line is taken for an old one and lost (default 1e-6)")
      ->type_name("RATE");
  command->add_option("--state", o->state, "remember lines from run to run in this filter; the first run makes it")
      ->type_name("FILE");
  o->checkpoint.add_option(*command);
  o->lock.add_option(*command);
  o->key.add_option(*command);
  command->add_flag("--json", o->json, "an array of the lines");
  o->input.add_options(*command);
  command->footer(
      "Example: tail -f access.log | hortus uniq --field 1 --delimiter ' ' --window 1M\n"
      "Example: hortus uniq --state seen.hortus today.txt > new_today.txt");
  command->callback([=, &run] { run = [o] { return uniq(*o); }; });
}

}  // namespace hortus::cli
