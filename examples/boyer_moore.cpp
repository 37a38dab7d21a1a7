// Boyer-Moore search (in Horspool's form) in texts of 32-bit symbols, with the table of shifts in a compact approximator.
//
// The search looks at the last symbol of a window of the text. The pattern can move on until the last place where it has that
// symbol lies there. For bytes a table of 256 shifts is enough; for 2^32 symbols it would take 16 GiB. A compact approximator
// has an entry for each symbol of the pattern. It may be wrong in one direction only, and it is chosen to be the harmless one:
// places are stored, not shifts. A place that is too large makes a shift that is too small, and no match is missed.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <unordered_map>
#include <vector>

#include <hortus/map/compact_approximator.hpp>

using symbol = std::uint32_t;
using text = std::vector<symbol>;

/// How many different symbols the pattern has, without its last place.
std::size_t different_symbols(text pattern) {
  if (!pattern.empty()) pattern.pop_back();
  std::sort(pattern.begin(), pattern.end());
  return static_cast<std::size_t>(std::unique(pattern.begin(), pattern.end()) - pattern.begin());
}

/// For each symbol, 1 + the last place where the pattern has it, but for the pattern's last place; 0 if it does not occur
/// there. Or more than that: one symbol in five that does not occur gets a place, and places of long patterns are rounded up to
/// eight bits.
class place_table {
 public:
  explicit place_table(text const& pattern)
      : step_(1 + pattern.size() / 255),
        places_(places::plan({.items = different_symbols(pattern),
                              .fpr = 0.2,
                              .value_bits = static_cast<unsigned>(std::bit_width(pattern.size() / step_ + 1))})) {
    for (std::size_t i = 0; i + 1 < pattern.size(); ++i) places_.put(hortus::digest::of_hash(pattern[i]), i / step_ + 1);
    last_ = pattern.size() - 1;
  }
  [[nodiscard]] std::size_t last_place(symbol s) const {
    auto const found = places_.find(hortus::digest::of_hash(s));
    return found ? std::min(static_cast<std::size_t>(*found) * step_, last_) : 0;
  }
  [[nodiscard]] std::size_t bytes() const { return places_.size_bytes(); }

 private:
  using places = hortus::compact_approximator<>;
  std::size_t step_, last_ = 0;
  places places_;
};

/// The same, exactly. Its bytes are those of a hash table without a free slot, 8 for each symbol: no real one is as small.
class exact_table {
 public:
  explicit exact_table(text const& pattern) {
    for (std::size_t i = 0; i + 1 < pattern.size(); ++i) places_[pattern[i]] = static_cast<std::uint32_t>(i + 1);
  }
  [[nodiscard]] std::size_t last_place(symbol s) const {
    auto const found = places_.find(s);
    return found == places_.end() ? 0 : found->second;
  }
  [[nodiscard]] std::size_t bytes() const { return places_.size() * 8; }

 private:
  std::unordered_map<symbol, std::uint32_t> places_;
};

struct result {
  std::vector<std::size_t> matches;
  std::size_t windows = 0;  ///< of the text that were looked at
};

template <class Table>
result search(text const& in, text const& pattern, Table const& table) {
  result found;
  for (std::size_t at = 0; at + pattern.size() <= in.size();) {
    ++found.windows;
    auto const window = in.begin() + static_cast<std::ptrdiff_t>(at);
    if (std::equal(pattern.begin(), pattern.end(), window)) found.matches.push_back(at);
    at += pattern.size() - table.last_place(in[at + pattern.size() - 1]);
  }
  return found;
}

result naive_search(text const& in, text const& pattern) {
  result found;
  for (std::size_t at = 0; at + pattern.size() <= in.size(); ++at, ++found.windows)
    if (std::equal(pattern.begin(), pattern.end(), in.begin() + static_cast<std::ptrdiff_t>(at))) found.matches.push_back(at);
  return found;
}

/// A text of so many different symbols, which lie anywhere in 32 bits.
text random_text(std::size_t size, std::uint64_t symbols, std::uint64_t seed) {
  text all(size);
  for (std::size_t i = 0; i < size; ++i) {
    auto const number = hortus::mix64(seed + i * hortus::golden_ratio64) % symbols;
    all[i] = static_cast<symbol>(hortus::mix64(number + 1));
  }
  return all;
}

int main() {
  bool all_found = true;
  std::printf("symbols  pattern  matches    windows looked at in 1000000 symbols     bytes of the table\n");
  std::printf("                             naive     exact    approximator        exact   approximator\n");
  for (std::uint64_t const symbols : {2U, 1000U, 1'000'000U})
    for (std::size_t const length : {1U, 2U, 10U, 1000U, 20'000U}) {
      auto in = random_text(1'000'000, symbols, 7);
      auto const pattern = random_text(length, symbols, 1'000'000'007);
      for (std::size_t const at : {std::size_t{0}, std::size_t{123'456}, std::size_t{600'001}, in.size() - length})
        std::copy(pattern.begin(), pattern.end(), in.begin() + static_cast<std::ptrdiff_t>(at));

      place_table const small(pattern);
      exact_table const exact(pattern);
      auto const truth = naive_search(in, pattern);
      auto const found = search(in, pattern, small);
      auto const with_exact = search(in, pattern, exact);
      all_found = all_found && found.matches == truth.matches && with_exact.matches == truth.matches;
      std::printf("%7llu  %7zu  %7zu  %8zu  %8zu  %14zu  %11zu  %13zu\n", static_cast<unsigned long long>(symbols), length,
                  truth.matches.size(), truth.windows, with_exact.windows, found.windows, exact.bytes(), small.bytes());
    }
  std::printf(all_found ? "all matches were found\n" : "MATCHES WERE MISSED\n");
  return all_found ? 0 : 1;
}
