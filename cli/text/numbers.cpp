#include "cli/text/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <system_error>

#include <hortus/error.hpp>

namespace hortus::cli {
namespace {

__extension__ using wide = unsigned __int128;

constexpr auto largest = std::numeric_limits<std::uint64_t>::max();

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Removes the leading digits from the text and returns them. Single underscores between digits are left out.
std::string take_digits(std::string_view& text) {
  std::string digits;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    bool const between = text[at] == '_' && at != 0 && text[at - 1] != '_' && at + 1 < text.size() && is_digit(text[at + 1]);
    if (!is_digit(text[at]) && !between) break;
    if (!between) digits += text[at];
  }
  text.remove_prefix(at);
  return digits;
}

/// Removes "e6", "E+6" or "e-2" from the text. Exponents are capped at 10^15, more than any number of digits can compensate.
std::optional<std::int64_t> take_exponent(std::string_view& text) {
  text.remove_prefix(1);
  bool const negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  auto const digits = take_digits(text);
  if (digits.empty()) return std::nullopt;
  std::int64_t value = 0;
  for (char const c : digits) value = std::min(value * 10 + (c - '0'), std::int64_t{1'000'000'000'000'000});
  return negative ? -value : value;
}

/// A decimal number: an integer as digits, times a power of ten.
struct decimal {
  std::string digits;  // without zeros at either end; empty for zero
  std::int64_t exponent = 0;
};

/// Removes 12, 1.5, .5, 5., 1e6 or 1.5e-6 from the text; nothing if it does not start with a number.
std::optional<decimal> take_decimal(std::string_view& text) {
  auto const whole = take_digits(text);
  std::string part;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    part = take_digits(text);
  }
  if (whole.empty() && part.empty()) return std::nullopt;
  decimal number{fmt::format("{}{}", whole, part), 0};
  if (text.starts_with('e') || text.starts_with('E')) {
    auto const exponent = take_exponent(text);
    if (!exponent) return std::nullopt;
    number.exponent = *exponent;
  }
  auto const last = number.digits.find_last_not_of('0');
  auto const zeros = number.digits.size() - (last == std::string::npos ? 0 : last + 1);
  number.exponent += static_cast<std::int64_t>(zeros) - static_cast<std::int64_t>(part.size());
  number.digits.erase(number.digits.size() - zeros);
  number.digits.erase(0, number.digits.find_first_not_of('0'));
  return number;
}

struct unit {
  std::string_view name;
  std::uint64_t factor;
};
/// K is k: M, G and T are powers of ten here, and K between them must not be another kind. Powers of two have an i.
constexpr std::array<unit, 10> units{{{"", 1},
                                      {"k", 1'000},
                                      {"K", 1'000},
                                      {"M", 1'000'000},
                                      {"G", 1'000'000'000},
                                      {"T", 1'000'000'000'000},
                                      {"Ki", 1ull << 10},
                                      {"Mi", 1ull << 20},
                                      {"Gi", 1ull << 30},
                                      {"Ti", 1ull << 40}}};

constexpr std::array<unit, 6> times{{{"", 1'000'000'000},
                                     {"ms", 1'000'000},
                                     {"s", 1'000'000'000},
                                     {"min", 60'000'000'000},
                                     {"h", 3'600'000'000'000},
                                     {"d", 86'400'000'000'000}}};

enum class fault { none, syntax, fraction, too_large };

/// digits * 10^exponent * factor, if that is an integer below 2^64. The factors are below 2^47, so 128 bits hold every
/// intermediate product.
fault scale(decimal const& number, std::uint64_t factor, std::uint64_t& count) {
  count = 0;
  if (number.digits.empty()) return fault::none;
  std::uint64_t digits = 0;
  auto const* const end = number.digits.data() + number.digits.size();
  bool const fits = std::from_chars(number.digits.data(), end, digits).ec == std::errc();
  // Twenty or more digits with a decimal point could only become an integer by the factor. Such counts are refused.
  if (!fits) return number.exponent < 0 ? fault::fraction : fault::too_large;
  wide value = wide{digits} * factor;
  for (auto e = number.exponent; e < 0; ++e) {
    if (value % 10 != 0) return fault::fraction;
    value /= 10;
  }
  for (auto e = number.exponent; e > 0; --e) {
    if (value > largest) return fault::too_large;
    value *= 10;
  }
  if (value > largest) return fault::too_large;
  count = static_cast<std::uint64_t>(value);
  return fault::none;
}

fault read_count(std::string_view text, std::span<unit const> known, std::uint64_t& count) {
  auto const number = take_decimal(text);
  if (!number) return fault::syntax;
  auto const found = std::ranges::find(known, text, &unit::name);
  if (found == known.end()) return fault::syntax;
  return scale(*number, found->factor, count);
}

/// Untrusted text in quotes, shortened and without control characters.
std::string quoted(std::string_view text) {
  std::string shown = "'";
  for (char const c : text.substr(0, 40)) shown += (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) ? '?' : c;
  return shown + (text.size() > 40 ? "...'" : "'");
}

/// The reason in a message. No fault means that the number is below the least that is allowed.
std::string why_not(fault problem, std::string_view kind) {
  return problem == fault::none        ? "is too small"
         : problem == fault::too_large ? "is too large"
         : problem == fault::fraction  ? "is not a whole number"
                                       : fmt::format("is not {}", kind);
}

/// Three digits and a unit; `names` are the units after the first, each `step` times the one before.
std::string with_unit(std::uint64_t value, double step, std::span<std::string_view const> names) {
  auto scaled = static_cast<double>(value) / step;
  std::size_t i = 0;
  // From 999.5 on the smaller unit would be shown as 1000.
  while (i + 1 < names.size() && scaled >= step - 0.5) scaled /= step, ++i;
  bool const whole = scaled == std::floor(scaled);
  return fmt::format("{:.{}f} {}", scaled, whole || scaled >= 99.95 ? 0 : 1, names[i]);
}

}  // namespace

std::uint64_t parse_bytes(std::string_view what, std::string_view text) {
  auto number = text;
  if (number.ends_with('B')) number.remove_suffix(1);
  std::uint64_t bytes = 0;
  auto const problem = read_count(number, units, bytes);
  if (problem == fault::none && bytes >= 1) return bytes;
  throw error(
      errc::bad_goal,
      fmt::format("{} {} {}: a whole number of bytes from 1 to 2^64-1 is allowed, written like 1000000, 200MB, 64MiB, 10k, "
                  "64Mi or 2G",
                  what, quoted(text), why_not(problem, "a size")));
}

std::uint64_t parse_count(std::string_view what, std::string_view text, std::uint64_t at_least) {
  std::uint64_t count = 0;
  auto const problem = read_count(text, units, count);
  if (problem == fault::none && count >= at_least) return count;
  throw error(errc::bad_goal, fmt::format("{} {} {}: a whole number from {} to 2^64-1 is allowed, written like 1000000, "
                                          "1_000_000, 1e6, 10k, 1M, 2G, 1T, 64Ki, 64Mi, 2Gi or 1Ti",
                                          what, quoted(text), why_not(problem, "a count"), at_least));
}

double parse_rate(std::string_view what, std::string_view text) {
  auto rest = text;
  auto number = take_decimal(rest);
  if (number && (rest.empty() || rest == "%")) {
    // Converted from decimal text, so that percentages are rounded once, not twice.
    auto const plain =
        fmt::format("{}e{}", number->digits.empty() ? "0" : number->digits, number->exponent - (rest.empty() ? 0 : 2));
    double rate = 0;
    auto const read = std::from_chars(plain.data(), plain.data() + plain.size(), rate);
    if (read.ec == std::errc() && rate > 0 && rate < 1) return rate;
  }
  throw error(errc::bad_goal, fmt::format("{} {} is not a rate: a number between 0 and 1, both excluded, is allowed, written "
                                          "like 0.01, 1e-2 or 1%",
                                          what, quoted(text)));
}

std::chrono::nanoseconds parse_duration(std::string_view option, std::string_view text, std::chrono::nanoseconds at_least) {
  std::uint64_t count = 0;
  auto problem = read_count(text, times, count);
  if (problem == fault::none && count > static_cast<std::uint64_t>(std::chrono::nanoseconds::max().count()))
    problem = fault::too_large;
  std::chrono::nanoseconds const time(problem == fault::none ? static_cast<std::int64_t>(count) : 0);
  if (problem == fault::none && time >= at_least) return time;
  auto const why = problem == fault::none        ? "is too short"
                   : problem == fault::too_large ? "is too long"
                   : problem == fault::fraction  ? "is not a whole number of nanoseconds"
                                                 : "is not a time";
  throw error(errc::bad_goal,
              fmt::format("{} {} {}: {} is allowed, written like 500ms, 10s, 2min, 1h or 1d; a plain number is seconds", option,
                          quoted(text), why,
                          at_least.count() == 0
                              ? std::string("0 to 292 years")
                              : fmt::format("{} to 292 years", human_duration(static_cast<double>(at_least.count()) / 1e9))));
}

std::uint64_t parse_seed(std::string_view what, std::string_view text) {
  if (!text.starts_with("0x")) return parse_count(what, text);
  std::uint64_t seed = 0;
  auto const read = std::from_chars(text.data() + 2, text.data() + text.size(), seed, 16);
  if (read.ec == std::errc() && read.ptr == text.data() + text.size()) return seed;
  throw error(errc::bad_goal, fmt::format("{} {} is not a seed: after 0x come 1 to 16 hexadecimal digits", what, quoted(text)));
}

std::string grouped_count(std::uint64_t count) {
  auto text = fmt::format("{}", count);
  for (auto at = text.size(); at > 3;) text.insert(at -= 3, 1, ' ');
  return text;
}

std::string human_count(std::uint64_t count) {
  static constexpr std::array<std::string_view, 6> names{"k", "M", "G", "T", "P", "E"};
  return count < 10'000 ? fmt::format("{}", count) : with_unit(count, 1000, names);
}

std::string human_bytes(std::uint64_t bytes) {
  static constexpr std::array<std::string_view, 6> names{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  return bytes < 1024 ? fmt::format("{} B", bytes) : with_unit(bytes, 1024, names);
}

std::vector<std::string> human_rates(std::span<double const> rates) {
  // A rate that rounds to 0.0001 % is still shown in per cent.
  bool const percent = std::ranges::none_of(rates, [](double rate) { return rate > 0 && rate < 0.9995e-6; });
  std::vector<std::string> shown;
  for (auto const rate : rates) {
    if (!(rate >= 0 && rate <= 1))
      shown.emplace_back("?");
    else if (percent)
      shown.push_back(fmt::format("{:.3g} %", 100 * rate));
    else
      shown.push_back(rate == 0 ? "0" : fmt::format("{:.2e}", rate));
  }
  return shown;
}

std::string human_rate(double rate) { return human_rates({&rate, 1}).front(); }

std::string human_duration(double seconds) {
  if (std::isnan(seconds) || seconds < 0 || seconds > 1e10) return "?";
  if (seconds == 0) return "0 s";
  if (seconds < 999.5e-9) return fmt::format("{:.3g} ns", seconds * 1e9);
  if (seconds < 999.5e-6) return fmt::format("{:.3g} us", seconds * 1e6);
  if (seconds < 999.5e-3) return fmt::format("{:.3g} ms", seconds * 1e3);
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  if (seconds < 59.5) return fmt::format("{:.0f} s", seconds);
  auto const whole = static_cast<std::uint64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{}m {:02}s", whole / 60, whole % 60);
  if (whole < 86400) return fmt::format("{}h {:02}m", whole / 3600, whole / 60 % 60);
  return fmt::format("{}d {:02}h", whole / 86400, whole / 3600 % 24);
}

bool is_duration(std::string_view text) {
  (void)take_decimal(text);
  return !text.empty() && std::ranges::find(times, text, &unit::name) != times.end();
}

std::uint64_t parse_window(std::string_view what, std::string_view text) {
  using std::chrono::milliseconds;
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<milliseconds>(parse_duration(what, text, milliseconds(1))).count());
}

std::uint64_t rounded_up(double items) {
  double const step = items < 100 ? 1 : std::pow(10, std::floor(std::log10(items)) - 1);
  return static_cast<std::uint64_t>(std::ceil(items / step) * step);
}

}  // namespace hortus::cli
