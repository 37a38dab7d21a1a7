#pragma once
#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

/// What somebody may have meant by a name that does not exist, for messages: families here, commands and options in the
/// command.
namespace hortus {

/// The fewest edits that make b of a: a letter inserted, dropped or replaced, or two neighbours swapped (Damerau's distance,
/// where no letter is edited twice). Upper and lower case of ASCII are the same.
[[nodiscard]] inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  auto const lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  auto const same = [&](std::size_t i, std::size_t j) { return lower(a[i - 1]) == lower(b[j - 1]); };
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);  // row[j]: from the first i letters of a to the first j of b
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same(i, j) ? 0 : 1)});
      if (i > 1 && j > 1 && same(i, j - 1) && same(i - 1, j)) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

/// The name that is nearest to what was typed, the first of several; else the only one that begins with it. Empty if none is
/// near: an edit for every three letters typed, so that a word that means something else gets no wrong answer.
template <class Names>
[[nodiscard]] std::string_view nearest_name(std::string_view typed, Names const& names) {
  auto const limit = (typed.size() + 1) / 3;
  auto least = limit + 1;
  std::string_view nearest;
  std::string_view begun;
  std::size_t beginnings = 0;
  for (std::string_view const name : names) {
    if (typed.size() >= 3 && name.starts_with(typed)) {
      begun = name;
      ++beginnings;
    }
    auto const longer = std::max(name.size(), typed.size()) - std::min(name.size(), typed.size());
    if (longer >= least) continue;  // the distance is no less; and what was typed may be very long
    if (auto const distance = edit_distance(typed, name); distance < least) {
      least = distance;
      nearest = name;
    }
  }
  return nearest.empty() && beginnings == 1 ? begun : nearest;
}

}  // namespace hortus
