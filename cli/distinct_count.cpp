#include "cli/distinct_count.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "cli/command.hpp"
#include "cli/saving.hpp"
#include "cli/text/json.hpp"
#include "cli/text/numbers.hpp"
#include "cli/text/output.hpp"

namespace hortus::cli {
namespace {

/// The family that needs the least space.
constexpr char const* sketch_family = "exaloglog";

/// 28 KiB, which fit the first cache of a core: a smaller error would cost time, a larger one would gain none.
constexpr double default_error = 0.005;

/// "1000000 (with a chance of 95 %: 992000 to 1008000)", as info says it; the number alone if the interval holds no other.
std::string shown(plan::estimate const& keys) {
  if (keys.saturated) return fmt::format("more than {:.0f}", keys.low);
  auto const low = std::floor(keys.low), high = std::ceil(keys.high);
  if (low == high) return fmt::format("{:.0f}", keys.value);
  return fmt::format("{:.0f} (with a chance of 95 %: {:.0f} to {:.0f})", keys.value, low, high);
}

int tell(distinct_options const& o, any_filter const& filter) {
  auto const keys = filter.estimate();
  if (o.json) {
    print_json({{"estimate", std::round(keys.value)},
                {"low", std::floor(keys.low)},
                {"high", keys.saturated ? json_value() : json_value(std::ceil(keys.high))},
                {"saturated", keys.saturated},
                {"keys_read", filter.about().items_inserted},
                {"family", filter.about().family},
                {"size_bytes", filter.size_bytes()}});
    return done;
  }
  if (o.output == "-") {  // standard output has the sketch
    say(fmt::format("{} distinct keys", shown(keys)));
    return done;
  }
  output out(STDOUT_FILENO);
  out.line(shown(keys));
  out.flush();
  return done;
}

int count_file(distinct_options const& o, key_input const& input, std::string const& path, key_file const& key) {
  if (!o.error.empty()) throw error(errc::bad_goal, "--error is for counting an input: a FILE has the error it has");
  if (!o.output.empty())
    throw error(errc::bad_goal, fmt::format("-o is for counting an input: '{}' is a filter already", path));
  auto const filter = open_filter(path, {.key = key.read(input.names()), .verify = !o.no_verify});
  check_has(filter, verb::estimate, path);
  return tell(o, filter);
}

}  // namespace

std::vector<std::string> distinct_options::given() const {
  std::vector<std::string> names;
  if (!error.empty()) names.emplace_back("--error");
  if (!output.empty()) names.emplace_back("-o");
  if (force) names.emplace_back("--force");
  return names;
}

int count_distinct(distinct_options const& o, key_input const& input, std::vector<std::string> const& paths,
                   key_file const& key) {
  if (auto const filter = std::ranges::find_if(paths, is_filter); filter != paths.end()) {
    if (paths.size() != 1 || !input.given.empty())
      throw error(errc::bad_goal,
                  fmt::format("'{}' is a filter, and --distinct asks it: it takes no INPUT; hortus merge makes one "
                              "filter of several",
                              *filter));
    return count_file(o, input, *filter, key);
  }
  if (!key.path.empty())
    throw error(errc::bad_goal, "--distinct counts the lines themselves: there is nothing for a --key-file");
  if (o.no_verify) throw error(errc::bad_goal, "--distinct reads no filter: there is nothing for --no-verify to leave out");
  save_options const out{.path = o.output, .force = o.force, .json = o.json};
  if (!o.output.empty())
    out.check(paths);
  else if (o.force)
    throw error(errc::bad_goal, "--force goes with -o");
  check_can_print(paths.empty() ? input.names() : paths);
  auto in = input.reader(paths);
  auto sketch = make_filter(
      sketch_family, {.items = 0, .fpr = o.error.empty() ? default_error : parse_rate("--error", o.error), .settings = {}});
  {
    progress shown("counting", in.total_bytes(), progress_unit::bytes, input.progress_mode());
    for (record_block block; in.next(block); shown.update(in.bytes_read()))
      if (block.what == record_block::kind::keys) block.with_keys([&](auto keys) { (void)sketch.insert(keys); });
  }
  if (!o.output.empty()) out.save(sketch);
  return tell(o, sketch);
}

}  // namespace hortus::cli
