#pragma once
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <hortus/cells/distinct_words.hpp>
#include <hortus/concepts.hpp>

/// Filters that are built in parts, each from its own keys: by several threads at once, or one after the other with only the
/// keys of one part in memory. The bytes of the filter are the same in every case.
namespace hortus {

/// 2^log2 parts. The first bits of a word select its part, so the words of a part are neighbours in ascending order.
struct word_parts {
  unsigned log2 = 0;

  [[nodiscard]] constexpr std::uint64_t count() const noexcept { return std::uint64_t{1} << log2; }
  [[nodiscard]] constexpr std::uint64_t part_of(std::uint64_t word) const noexcept {
    return log2 == 0 ? 0 : word >> (64 - log2);
  }
  /// The other bits of the word, moved to the top: a hash of the key inside its part.
  [[nodiscard]] constexpr std::uint64_t within(std::uint64_t word) const noexcept { return word << log2; }

  /// As many parts as leave `items` words at most `most` words each on average.
  static constexpr word_parts of_at_most(std::uint64_t items, std::uint64_t most) noexcept {
    word_parts parts;
    while (items >> parts.log2 > most) ++parts.log2;
    return parts;
  }
};

/// F::parts(items) is how many parts a filter of that many distinct keys has. F::builder makes the filter: it is told the
/// number of distinct keys in each part, is given the words of each part in ascending order, and finishes the whole.
/// build_part() may run in several threads at once for different parts.
template <class F>
concept built_in_parts = buildable<F> &&
    requires(std::uint64_t items, std::span<std::uint64_t const> words, typename F::builder& making) {
  { F::parts(items) } -> std::same_as<word_parts>;
  requires std::constructible_from<typename F::builder, typename F::goal, std::span<std::uint64_t const>>;
  making.build_part(items, words);
  { std::move(making).finish() } -> std::same_as<F>;
};

/// The words of each part, among words in ascending order without duplicates.
inline std::vector<std::span<std::uint64_t const>> split(word_parts parts, std::span<std::uint64_t const> words) {
  std::vector<std::span<std::uint64_t const>> split;
  split.reserve(parts.count());
  for (std::uint64_t part = 0; part < parts.count(); ++part) {
    auto const end = std::partition_point(words.begin(), words.end(), [&](auto word) { return parts.part_of(word) <= part; });
    auto const size = static_cast<std::size_t>(end - words.begin());
    split.push_back(words.first(size));
    words = words.subspan(size);
  }
  return split;
}

/// Builds the filter of these words, given in ascending order without duplicates. for_each(count, act) calls act(part) for
/// every part: one after the other, or in threads.
template <class F>
F build_of_words(std::span<std::uint64_t const> words, typename F::goal g, auto for_each) {
  auto const parts = split(F::parts(words.size()), words);
  std::vector<std::uint64_t> sizes(parts.size());
  std::transform(parts.begin(), parts.end(), sizes.begin(), [](auto const& some) { return some.size(); });
  typename F::builder making(g, sizes);
  for_each(parts.size(), [&](std::uint64_t part) { making.build_part(part, parts[part]); });
  return std::move(making).finish();
}

/// The same in one thread.
template <class F>
F build_of_words(std::span<std::uint64_t const> words, typename F::goal g) {
  return build_of_words<F>(words, g, [](std::uint64_t count, auto act) {
    for (std::uint64_t part = 0; part < count; ++part) act(part);
  });
}

}  // namespace hortus
