#pragma once
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <hortus/parts.hpp>

namespace hortus {

/// Distinct words, given part by part. So a filter can be built from more words than memory holds: see stored_words.hpp.
class word_source {
 public:
  virtual ~word_source() = default;

  [[nodiscard]] virtual std::uint64_t size() const noexcept = 0;
  /// The number of words in each part.
  [[nodiscard]] virtual std::vector<std::uint64_t> sizes(word_parts parts) const = 0;
  /// The words of one part, in ascending order without duplicates. Several threads may ask for different parts at once.
  [[nodiscard]] virtual std::vector<std::uint64_t> words(word_parts parts, std::uint64_t part) const = 0;

 protected:
  word_source() = default;
  word_source(word_source const&) = default;
  word_source(word_source&&) = default;
  word_source& operator=(word_source const&) = default;
  word_source& operator=(word_source&&) = default;
};

/// Calls act(0), act(1), ... act(count - 1), in any order: one after the other, or in several threads.
using part_loop = std::function<void(std::uint64_t count, std::function<void(std::uint64_t)> const& act)>;

inline void one_part_after_the_other(std::uint64_t count, std::function<void(std::uint64_t)> const& act) {
  for (std::uint64_t part = 0; part < count; ++part) act(part);
}

/// The same bytes as F::build() of the same words. Holds the words of one part per thread, and the filter.
template <built_in_parts F>
F build_from(word_source const& all, typename F::goal g, part_loop const& for_each = one_part_after_the_other) {
  auto const parts = F::parts(all.size());
  typename F::builder making(g, all.sizes(parts));
  for_each(parts.count(), [&](std::uint64_t part) { making.build_part(part, all.words(parts, part)); });
  return std::move(making).finish();
}

}  // namespace hortus
