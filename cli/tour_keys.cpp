#include "cli/tour_keys.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace hortus::cli {
namespace {

std::string embedded_line(std::uint64_t i) {
  constexpr std::array<std::string_view, 8> hosts{"garden",  "library", "museum", "harbour",
                                                  "station", "theatre", "market", "orchard"};
  constexpr std::array<std::string_view, 8> paths{"visit", "catalogue", "people", "news", "archive", "events", "shop", "about"};
  return fmt::format("https://{}.example/{}/{}", hosts[i % 8], paths[i / 8 % 8], i);
}

/// The first half of the texts are members, the second half are absent.
void split(tour_keys& keys) {
  auto const half = keys.text.begin() + static_cast<std::ptrdiff_t>(keys.text.size() / 2);
  keys.members.assign(keys.text.begin(), half);
  keys.absent.assign(half, keys.text.end());
}

}  // namespace

tour_keys embedded_keys() {
  constexpr std::uint64_t lines = 200'000;
  tour_keys keys{.source = "web addresses that come with the command"};
  for (std::uint64_t i = 0; i < 2 * lines; ++i) keys.text.push_back(embedded_line(i));
  split(keys);
  return keys;
}

tour_keys keys_from(key_input const& input) {
  tour_keys keys{.source = fmt::format("{}", fmt::join(input.paths, ", "))};
  auto in = input.reader();
  for (record_block block; in.next(block);) keys.text.insert(keys.text.end(), block.keys.begin(), block.keys.end());
  std::ranges::sort(keys.text);
  keys.text.erase(std::unique(keys.text.begin(), keys.text.end()), keys.text.end());
  if (keys.text.empty()) throw error(errc::bad_goal, "the tour needs at least one line of input");
  auto const count = keys.text.size();
  keys.text.reserve(2 * count);
  // Absent keys: a text that contains the separator cannot be a line of the input.
  for (std::size_t i = 0; i < count; ++i) keys.text.push_back(keys.text[i] + input.separator());
  split(keys);
  return keys;
}

}  // namespace hortus::cli
