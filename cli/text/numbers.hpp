#pragma once
#include <chrono>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hortus::cli {

/// A count as people write it: 1000000, 1_000_000, 1e6, 1.5e6, 10k, 10K, 1M, 2G, 1T (powers of ten), 64Ki, 64Mi, 2Gi, 1Ti
/// (powers of two). Exact: no floating point is used, and a number that is not an integer after scaling is refused. `what` is
/// the option's name for the message. Throws errc::bad_goal below `at_least`, above 2^64-1 and for anything else.
[[nodiscard]] std::uint64_t parse_count(std::string_view what, std::string_view text, std::uint64_t at_least = 0);

/// A size in bytes: a count, or the same with B for bytes: 200MB, 64MiB, 10kB, 512B. At least 1.
[[nodiscard]] std::uint64_t parse_bytes(std::string_view what, std::string_view text);

/// A rate strictly between 0 and 1: 0.01, .01, 1e-2, 1%. The nearest double, so 0.7% and 0.007 are the same number.
[[nodiscard]] double parse_rate(std::string_view what, std::string_view text);

/// A time as people write it: 500ms, 10s, 1.5min, 2h, 1d; a plain number is seconds. Exact to the nanosecond. Throws
/// errc::bad_goal below `at_least`, above 292 years and for anything else.
[[nodiscard]] std::chrono::nanoseconds parse_duration(std::string_view option, std::string_view text,
                                                      std::chrono::nanoseconds at_least = {});

/// A window of time in milliseconds, for options that take a time or a count. Throws errc::bad_goal below one millisecond.
[[nodiscard]] std::uint64_t parse_window(std::string_view what, std::string_view text);
/// Does the text end in a unit of time? Then it is a duration, not a count.
[[nodiscard]] bool is_duration(std::string_view text);

/// A seed: a count as above, or 0x and up to 16 hexadecimal digits, as `info --json` shows it.
[[nodiscard]] std::uint64_t parse_seed(std::string_view what, std::string_view text);

/// 12345678 as "12 345 678".
[[nodiscard]] std::string grouped_count(std::uint64_t count);

/// 12345678 as "12.3 M"; exact up to 9999. A ".0" means rounded: a million is "1 M", a little more is "1.0 M".
[[nodiscard]] std::string human_count(std::uint64_t count);

/// 1258291 as "1.2 MiB"; exact up to 1023 bytes.
[[nodiscard]] std::string human_bytes(std::uint64_t bytes);

/// Rates that are shown together, all in the same form: 0.0098 as "0.98 %" or, if one of them is below a millionth, as
/// "9.80e-03". "?" for a number that is not a rate.
[[nodiscard]] std::vector<std::string> human_rates(std::span<double const> rates);

/// The same for a single rate.
[[nodiscard]] std::string human_rate(double rate);

/// At most two units: "820 ns", "4.2 s", "1m 05s", "2h 03m", "3d 04h". "?" if it is not a duration (negative, NaN, infinite).
[[nodiscard]] std::string human_duration(double seconds);

/// The number rounded up to two digits. An estimate is not more precise than that, and a plan should be for enough keys.
[[nodiscard]] std::uint64_t rounded_up(double items);

}  // namespace hortus::cli
