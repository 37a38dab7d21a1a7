#include <unistd.h>

#include <algorithm>
#include <array>

#include "cli/clock.hpp"
#include "cli/command.hpp"
#include "cli/text/numbers.hpp"
#include "cli/text/output.hpp"

namespace hortus::cli {
namespace {

constexpr std::uint64_t default_memory_bytes = std::uint64_t{64} << 20;

/// Every false positive silently loses a line, so the default is one in a million instead of one in a hundred.
constexpr double default_rate = 1e-6;

/// No other family remembers a window of distinct keys without misses in so little space. As long as known lines are not
/// inserted again, its two halves act as one filter that never forgets, with 0.86 to 0.93 of the capacity of a blocked
/// filter of that size. So streams of unknown length also start with it. If the stream turns out to be too long, half of
/// the lines stay known.
constexpr char const* by_lines = "active_active";
/// The one family that forgets by time.
constexpr char const* by_time = "age_partitioned";

struct options {
  std::string window;
  std::string memory;
  std::string fpr;
  key_file key;
  key_input input;
};

std::uint64_t memory_of(options const& o) {
  return o.memory.empty() ? default_memory_bytes : parse_count("--memory", o.memory, 1);
}

bool lasts_a_time(options const& o) { return is_duration(o.window); }

family_info const& family_of(options const& o) { return family_named(lasts_a_time(o) ? by_time : by_lines); }

request wish_of(options const& o) {
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

any_hash hash_of(options const& o) {
  if (auto const key = o.key.read()) return siphash(*key);
  return xxh3();
}

/// Finds the lines that have not come before, as far as they are remembered.
class first_occurrences {
 public:
  first_occurrences(family_info const& family, request const& wish, any_hash const& hash)
      : hash_(hash), seen_(family.make(wish)) {}

  /// Bit i: print lines[i]. Repeated lines are inserted again, and so stay young.
  [[nodiscard]] bitmask refreshing(std::span<std::string_view const> lines) {
    tell_time(seen_);
    return answers(lines, [&](std::span<digest const> xs, std::uint64_t* fresh) { insert_if_new_all(seen_, xs, fresh); });
  }
  /// The same while all lines are remembered: repeated lines take no room. Looking up the whole block first overlaps many cache
  /// misses; the new lines that are then inserted one by one are in the cache.
  [[nodiscard]] bitmask remembering(std::span<std::string_view const> lines) {
    return answers(lines, [&](std::span<digest const> xs, std::uint64_t* fresh) {
      may_contain_all(seen_, xs, fresh);
      for (std::size_t i = 0; i < xs.size(); ++i) {
        auto const bit = std::uint64_t{1} << (i % 64);
        bool const known = (fresh[i / 64] & bit) != 0;
        fresh[i / 64] &= ~bit;
        if (!known && seen_.insert_if_new(xs[i])) fresh[i / 64] |= bit;  // false for a duplicate within the block
      }
    });
  }
  [[nodiscard]] bool forgets() const { return seen_.has_forgotten(); }
  [[nodiscard]] double fpr() const { return seen_.fpr(); }

 private:
  template <class Ask>
  bitmask answers(std::span<std::string_view const> lines, Ask ask) {
    bitmask fresh(lines.size());
    ask(digests_of_lines(hash_, lines, block_), fresh.data());
    return fresh;
  }

  any_hash hash_;
  any_family seen_;
  std::array<digest, line_reader::block_lines> block_;
};

/// A window of time has room for the planned number of lines. More lines raise the rate. It is checked only now and then,
/// because that reads the whole filter.
class rate_watch {
 public:
  explicit rate_watch(request const& wish) : fpr_(wish.fpr), every_(std::max<std::uint64_t>(wish.items / 16, 1)) {}

  /// After `more` lines: does the rate exceed the planned one? True at most once.
  [[nodiscard]] bool passed(first_occurrences const& lines, std::size_t more) {
    since_ += more;
    if (said_ || since_ < every_) return false;
    since_ = 0;
    return said_ = lines.fpr() > fpr_;
  }

 private:
  double fpr_;
  std::uint64_t every_;
  std::uint64_t since_ = 0;
  bool said_ = false;
};

int uniq(options const& o) {
  auto const wish = wish_of(o);
  check_can_print(o.input.names());
  auto lines = fitting("a filter of that size", [&] { return first_occurrences(family_of(o), wish, hash_of(o)); });
  rate_watch rate(wish);
  line_reader in(o.input.paths, o.input.format());
  progress shown("reading", in.total_bytes(), progress_unit::bytes, o.input.progress_mode());
  bool const prompt = in.streaming() || ::isatty(STDOUT_FILENO) == 1;  // for the reasons given in query.cpp
  output out(STDOUT_FILENO, prompt ? flushing::each_block : flushing::when_full);
  bool windowed = !o.window.empty();
  for (std::vector<std::string_view> block; in.next(block); shown.update(in.bytes_read())) {
    auto const fresh = windowed ? lines.refreshing(block) : lines.remembering(block);
    for (std::size_t i = 0; i < block.size(); ++i)
      if (fresh[i]) out.line(block[i], o.input.separator());
    out.block_done();
    if (lasts_a_time(o) && rate.passed(lines, block.size())) {
      shown.hide();
      warn(fmt::format(
          "more distinct lines come in {} than {} remember at a rate of {}, about {}. No line is forgotten early, but "
          "new lines are lost at a rate of {} now: raise --memory",
          o.window, human_bytes(memory_of(o)), human_rate(wish.fpr), wish.items, human_rate(lines.fpr())));
    }
    if (windowed || !lines.forgets()) continue;
    windowed = true;
    warn(
        fmt::format("more than {} distinct lines: {} cannot remember all of them at a rate of {}. The older half is forgotten "
                    "now; from here on a line is remembered until more than {} distinct others have come after it",
                    2 * wish.items, human_bytes(memory_of(o)), human_rate(wish.fpr), wish.items));
  }
  out.flush();
  return done;
}

}  // namespace

void add_uniq(command_line& app, action& run) {
  auto const command = app.add_subcommand("uniq", "print the first occurrences of lines, of a stream without end");
  auto const o = std::make_shared<options>();
  command
      ->add_option("--window", o->window,
                   "remember the last N distinct lines (default: as many as fit), or lines for a time: 10min")
      ->type_name("N|DURATION");
  command->add_option("--memory", o->memory, "what the filter may take (default 64Mi)")->type_name("BYTES");
  command->add_option("-p,--fpr", o->fpr, "chance that a new line is taken for an old one and lost (default 1e-6)")
      ->type_name("RATE");
  o->key.add_option(*command);
  o->input.add_options(*command);
  command->footer("Example: tail -f access.log | cut -d' ' -f1 | hortus uniq --window 1M");
  command->callback([=, &run] { run = [o] { return uniq(*o); }; });
}

}  // namespace hortus::cli
