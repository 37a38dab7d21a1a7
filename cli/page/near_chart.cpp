#include "cli/page/near_chart.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <hortus/any/any_near.hpp>
#include <hortus/hash/mix64.hpp>

namespace hortus::cli {
namespace {

using bits256 = std::array<std::uint64_t, 4>;
constexpr std::uint64_t chart_members = 1000;
constexpr unsigned asked = 300;  // keys at each distance

bits256 string_of(std::uint64_t number) {
  bits256 bits{};
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = mix64(4 * number + i + golden_ratio64);
  return bits;
}

/// The string with some bits changed, chosen by a number.
bits256 changed(bits256 bits, unsigned flips, std::uint64_t by) {
  std::array<unsigned, 256> order{};
  std::iota(order.begin(), order.end(), 0U);
  for (unsigned i = 0; i < flips; ++i) {
    std::swap(order[i], order[i + mix64(by * 256 + i) % (256 - i)]);
    bits[order[i] / 64] ^= std::uint64_t{1} << (order[i] % 64);
  }
  return bits;
}

std::vector<chart_point> measured(near_bits const& filter) {
  std::vector<chart_point> points;
  for (unsigned flips = 0; flips <= 128; flips += 8) {
    unsigned near = 0;
    for (unsigned i = 0; i < asked; ++i) {
      auto const key = changed(string_of(i), flips, flips * asked + i);
      near += filter.is_near(std::as_bytes(std::span(key))) ? 1U : 0U;
    }
    points.push_back({flips / 256.0, static_cast<double>(near) / asked});
  }
  return points;
}

std::vector<chart_point> planned(plan::distance_sensitive_shape const& shape) {
  std::vector<chart_point> points;
  for (int i = 0; i <= 50; ++i) points.push_back({i / 100.0, plan::near_chance(shape, chart_members, i / 100.0)});
  return points;
}

}  // namespace

line_chart near_against_distance() {
  line_chart chart{.title = "Is the key near a member?",
                   .description = "Share of keys that are taken as near, against their distance from a member",
                   .x = {.title = "Hamming distance, as a share of 256 bits", .from = 0, .to = 0.5},
                   .y = {.title = "taken as near", .ticks = tick_style::percent, .from = 0, .to = 1}};
  for (auto const& [near, far] : {std::pair{0.02, 0.2}, std::pair{0.05, 0.4}, std::pair{0.1, 0.5}}) {
    near_bits filter({.items = chart_members, .near = near, .far = far});
    for (std::uint64_t i = 0; i < chart_members; ++i) {
      auto const key = string_of(i);
      filter.insert(std::as_bytes(std::span(key)));
    }
    auto const shape = filter.family().shape();
    auto const bits = 8 * static_cast<double>(filter.size_bytes()) / chart_members;
    chart.series.push_back(
        {fmt::format("near {:g}, far {:g}: {:.0f} bits a key", near, far, bits), planned(shape), drawn::line});
    chart.series.push_back({fmt::format("measured, near {:g}", near), measured(filter), drawn::points});
  }
  return chart;
}

}  // namespace hortus::cli
