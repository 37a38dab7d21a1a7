#pragma once
#include <cstdint>
#include <string>

#include <hortus/any/any_filter.hpp>

/// Time in the command. The library reads no clock; here a tick of a filter that ages by time is a millisecond, counted from
/// 1970 in UTC, so that a file means the same on every machine and after a restart.
namespace hortus::cli {

[[nodiscard]] std::uint64_t now_in_ticks();

/// Tells a filter that ages by time what time it is, so that it forgets what is too old by now. Others are left alone. A clock
/// that went back changes nothing: a filter never hears of an earlier time.
void tell_time(any_family& family);
void tell_time(any_filter& filter);

/// Warns when the filter has heard of a time that lies ahead of this machine's clock: until then it forgets nothing.
void check_clock(any_filter const& filter, std::string const& path);

}  // namespace hortus::cli
