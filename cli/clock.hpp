#pragma once
#include <cstdint>
#include <string>

#include <hortus/any/any_filter.hpp>

/// Time in the command. The library reads no clock. In the command a tick of a filter that ages by time is a millisecond since
/// 1970 in UTC, so that a file means the same on every machine and after a restart.
namespace hortus::cli {

[[nodiscard]] std::uint64_t now_in_ticks();

/// Sets the time of a filter that ages by time, so that it forgets keys that are too old by now. Other filters are not changed.
/// A clock that went back changes nothing, because a filter ignores an earlier time.
void tell_time(any_family& family);
void tell_time(any_filter& filter);

/// Warns if the filter's time is ahead of this machine's clock: until then it forgets nothing.
void check_clock(any_filter const& filter, std::string const& path);

}  // namespace hortus::cli
