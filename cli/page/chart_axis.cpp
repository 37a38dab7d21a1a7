#include "cli/page/chart_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <utility>

#include "cli/text/numbers.hpp"

namespace hortus::cli {
namespace {

std::string superscript(int number) {
  static constexpr std::array<std::string_view, 10> digits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = number < 0 ? "⁻" : "";
  for (char const c : fmt::format("{}", std::abs(number))) text += digits[static_cast<std::size_t>(c - '0')];
  return text;
}

/// A number as short as `digits` significant digits allow: 0.25, 12, 3400, 12.3 k, 4.1 M, 2×10⁻⁶.
std::string short_number(double value, int digits) {
  auto const size = std::abs(value);
  if (size >= 9999.5 && size < 1e18) {
    return (value < 0 ? "-" : "") + human_count(static_cast<std::uint64_t>(std::llround(size)));
  }
  if (size == 0 || (size >= 0.99995e-3 && size < 9999.5)) {
    // Four-digit numbers are shown in full: 1234, not 1.23e+03.
    return fmt::format("{:.{}g}", value, size >= 999.5 ? std::max(digits, 4) : digits);
  }
  auto const text = fmt::format("{:.{}e}", value, digits - 1);
  auto const e = text.find('e');
  auto mantissa = text.substr(0, e);
  if (mantissa.find('.') != std::string::npos) {
    mantissa.erase(mantissa.find_last_not_of('0') + 1);
    if (mantissa.ends_with('.')) mantissa.pop_back();
  }
  auto const power = "10" + superscript(std::stoi(text.substr(e + 1)));
  return mantissa == "1" ? power : mantissa + "×" + power;
}

/// 1, 2, 5 or 10 times a power of ten: the largest not above the value, or the smallest not below it.
double round_down(double value) {
  auto const power = std::pow(10, std::floor(std::log10(value)));
  auto const lead = value / power * (1 + 1e-12);
  return power * (lead >= 10 ? 10 : lead >= 5 ? 5 : lead >= 2 ? 2 : 1);
}
double round_up(double value) {
  auto const power = std::pow(10, std::floor(std::log10(value)));
  auto const lead = value / power * (1 - 1e-12);
  return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

double tick_step(double from, double to, int wanted) { return round_up((to - from) / wanted); }

}  // namespace

bool showable(axis const& of, double value) {
  // Far from the ends of double, so that differences and margins stay finite.
  return std::abs(value) <= 1e300 && (of.scale == axis_scale::linear || value >= 1e-300);
}

ruler ruler_for(axis const& of, std::vector<double> const& values, bool from_zero) {
  auto low = std::numeric_limits<double>::infinity();
  auto high = -low;
  for (auto const value : values) {
    if (!showable(of, value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool const logarithmic = of.scale == axis_scale::logarithmic;
  if (low > high) low = logarithmic ? 1 : 0, high = 1;  // nothing to show
  bool const own_low = of.from && showable(of, *of.from);
  bool const own_high = of.to && showable(of, *of.to);
  if (own_low) low = *of.from;
  if (own_high) high = *of.to;
  if (low > high) std::swap(low, high);
  if (logarithmic) {
    if (high < low * (1 + 1e-9)) low /= 2, high *= 2;
    // A bar at the lower bound would have no length: leave some for the smallest.
    if (from_zero && !own_low) low /= 1.6;
    return {of.scale, own_low ? low : round_down(low), own_high ? high : round_up(high), of.falling};
  }
  if (!own_low && low > 0 && (from_zero || low < high / 2)) low = 0;
  if (!own_high && high < 0 && from_zero) high = 0;
  auto const magnitude = std::max({std::abs(low), std::abs(high), 1e-290});
  if (high - low < 1e-9 * magnitude) low -= magnitude / 2, high += magnitude / 2;
  auto const step = tick_step(low, high, 10);
  return {of.scale, own_low ? low : std::floor(low / step + 1e-9) * step,
          own_high ? high : std::ceil(high / step - 1e-9) * step, of.falling};
}

std::vector<double> minor_ticks(ruler const& r) {
  std::vector<double> ticks;
  if (r.scale == axis_scale::linear || r.to / r.from > 1.001e6) return ticks;
  for (auto power = std::floor(std::log10(r.from)); power <= std::log10(r.to); ++power) {
    for (int i = 2; i < 10; ++i) {
      if (auto const tick = i * std::pow(10, power); r.holds(tick)) ticks.push_back(tick);
    }
  }
  return ticks;
}

std::vector<double> axis_ticks(axis_scale scale, double from, double to, int wanted) {
  std::vector<double> ticks;
  if (!(from < to) || !std::isfinite(to - from) || wanted < 1) return ticks;
  if (scale == axis_scale::linear) {
    auto const step = tick_step(from, to, wanted);
    auto const first = std::ceil(from / step - 1e-9);
    auto const count = static_cast<int>(std::floor(to / step + 1e-9) - first);
    for (int i = 0; i <= count; ++i) ticks.push_back((first + i) * step);
    return ticks;
  }
  if (!(from > 0)) return ticks;
  // Exponents are integers, and each power is computed by one pow, so that errors do not add up.
  auto const low = static_cast<int>(std::floor(std::log10(from) + 1e-9));
  auto const high = static_cast<int>(std::ceil(std::log10(to) - 1e-9));
  int const powers = static_cast<int>(std::floor(std::log10(to) + 1e-9) - std::ceil(std::log10(from) - 1e-9)) + 1;
  int const stride = std::max(1, (powers + wanted) / (wanted + 1));
  for (int power = low; power <= high; ++power) {
    for (int const lead : {1, 2, 5}) {
      if (lead != 1 && powers > 3) continue;
      if (((power % stride) + stride) % stride != 0) continue;
      auto const tick = lead * std::pow(10, power);
      if (tick >= from * (1 - 1e-9) && tick <= to * (1 + 1e-9)) ticks.push_back(tick);
    }
  }
  return ticks;
}

std::string tick_text(double value, tick_style style, int digits) {
  if (style == tick_style::number) return short_number(value, digits);
  auto const size = std::abs(value);
  if (size != 0 && size < 0.99995e-6) return short_number(value, digits);
  // As fixed decimals down to 0.0001 %, so that all rates of an axis have the same form.
  return (size < 1e-5 ? fmt::format("{:.{}g}", 100 * value, digits) : short_number(100 * value, digits)) + " %";
}

}  // namespace hortus::cli
