#include "cli/clock.hpp"

#include <fmt/format.h>

#include <chrono>

#include "cli/command.hpp"
#include "cli/text/numbers.hpp"

namespace hortus::cli {

std::uint64_t now_in_ticks() {
  auto const since_1970 = std::chrono::system_clock::now().time_since_epoch();
  auto const ticks = std::chrono::duration_cast<std::chrono::milliseconds>(since_1970).count();
  return ticks > 0 ? static_cast<std::uint64_t>(ticks) : 0;
}

void tell_time(any_family& family) {
  if (family.ages_by_time()) family.advance(now_in_ticks());
}
void tell_time(any_filter& filter) {
  if (filter.family().ages_by_time()) filter.advance(now_in_ticks());
}

void check_clock(any_filter const& filter, std::string const& path) {
  auto const now = now_in_ticks();
  if (auto const heard = filter.family().time(); heard > now)
    warn(fmt::format("'{}' was told a time that is {} ahead of this machine's clock: until then it forgets nothing", path,
                     human_duration(static_cast<double>(heard - now) / 1000)));
}

}  // namespace hortus::cli
