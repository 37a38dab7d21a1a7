#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <hortus/cells/distinct_words.hpp>
#include <hortus/cells/memory.hpp>
#include <hortus/part_threads.hpp>
#include <hortus/parts.hpp>

/// Building with several threads. Not in parts.hpp, so that a program with one thread does not include <thread>.
namespace hortus {

/// The same as F::build(keys, g), with several threads. The bytes are those of one thread. The words are dealt out to the parts
/// first, so that every thread sorts its own parts. Takes 8 bytes per key, and what building a part takes for each thread.
template <built_in_parts F>
F build_by_threads(std::span<digest const> keys, typename F::goal g, unsigned threads) {
  threads = std::max(threads, 1U);
  auto const for_each = in_threads(threads);
  // Parts of the keys as they come, with duplicates. F may have other parts; both cut the ascending words at multiples of a
  // power of two, so each part of one is made of parts of the other, or the other way round.
  constexpr std::uint64_t words_per_piece = std::uint64_t{1} << 20;
  auto const pieces = word_parts::of_at_most(keys.size(), words_per_piece);
  auto const share = [&](std::uint64_t t) { return keys.size() * t / threads; };

  std::vector<std::vector<std::uint64_t>> starts(threads, std::vector<std::uint64_t>(pieces.count()));
  for_each(threads, [&](std::uint64_t t) {
    auto counts = std::vector<std::uint64_t>(pieces.count());
    for (auto const x : keys.subspan(share(t), share(t + 1) - share(t))) ++counts[pieces.part_of(x.bits())];
    starts[t] = std::move(counts);
  });
  std::vector<std::uint64_t> ends(pieces.count());
  std::uint64_t at = 0;
  for (std::uint64_t piece = 0; piece < pieces.count(); ++piece) {
    for (auto& of_thread : starts) at += std::exchange(of_thread[piece], at);
    ends[piece] = at;
  }
  memory space(keys.size() * sizeof(std::uint64_t));  // on huge pages, which the threads are the first to touch
  std::span const words(reinterpret_cast<std::uint64_t*>(space.data()), keys.size());
  for_each(threads, [&](std::uint64_t t) {
    auto to = starts[t];
    for (auto const x : keys.subspan(share(t), share(t + 1) - share(t))) words[to[pieces.part_of(x.bits())]++] = x.bits();
  });
  std::vector<std::uint64_t> distinct(pieces.count());
  auto const piece_of = [&](std::uint64_t piece) {
    auto const first = piece == 0 ? 0 : ends[piece - 1];
    return words.subspan(first, ends[piece] - first);
  };
  for_each(pieces.count(), [&](std::uint64_t piece) { distinct[piece] = sort_distinct(piece_of(piece)); });
  // The distinct words of all pieces, one after the other.
  std::uint64_t items = 0;
  for (std::uint64_t piece = 0; piece < pieces.count(); ++piece) {
    auto const some = piece_of(piece).first(distinct[piece]);
    if (some.data() != words.data() + items)
      std::copy(some.begin(), some.end(), words.begin() + static_cast<std::ptrdiff_t>(items));
    items += distinct[piece];
  }
  return build_of_words<F>(words.first(items), g, for_each);
}

}  // namespace hortus
