#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <hortus/cells/map_entry.hpp>
#include <hortus/parts.hpp>

namespace hortus {

/// Distinct words, or the entries of a map, given part by part. So a filter can be built from more of them than memory holds:
/// see stored_records.hpp.
template <class Record>
class part_source {
 public:
  virtual ~part_source() = default;

  [[nodiscard]] virtual std::uint64_t size() const noexcept = 0;
  /// The number of records in each part.
  [[nodiscard]] virtual std::vector<std::uint64_t> sizes(word_parts parts) const = 0;
  /// Those of one part, in ascending order of their words and without duplicates. Several threads may ask for different parts
  /// at once.
  [[nodiscard]] virtual std::vector<Record> of_part(word_parts parts, std::uint64_t part) const = 0;

 protected:
  part_source() = default;
  part_source(part_source const&) = default;
  part_source(part_source&&) = default;
  part_source& operator=(part_source const&) = default;
  part_source& operator=(part_source&&) = default;
};
using word_source = part_source<std::uint64_t>;
using entry_source = part_source<map_entry>;

/// Words that are in memory.
class words_in_memory : public word_source {
 public:
  /// Pre: they ascend and are distinct.
  explicit words_in_memory(std::vector<std::uint64_t> words) noexcept : words_(std::move(words)) {}
  [[nodiscard]] std::uint64_t size() const noexcept override { return words_.size(); }
  [[nodiscard]] std::vector<std::uint64_t> sizes(word_parts parts) const override {
    std::vector<std::uint64_t> sizes;
    for (auto const& some : split(parts, words_)) sizes.push_back(some.size());
    return sizes;
  }
  [[nodiscard]] std::vector<std::uint64_t> of_part(word_parts parts, std::uint64_t part) const override {
    auto const begin =
        std::partition_point(words_.begin(), words_.end(), [&](auto word) { return parts.part_of(word) < part; });
    auto const end = std::partition_point(begin, words_.end(), [&](auto word) { return parts.part_of(word) <= part; });
    return {begin, end};
  }

 private:
  std::vector<std::uint64_t> words_;
};

/// Calls act(0), act(1), ... act(count - 1), in any order: one after the other, or in several threads.
using part_loop = std::function<void(std::uint64_t count, std::function<void(std::uint64_t)> const& act)>;

inline void one_part_after_the_other(std::uint64_t count, std::function<void(std::uint64_t)> const& act) {
  for (std::uint64_t part = 0; part < count; ++part) act(part);
}

/// The same bytes as F::build() of the same words or entries. Holds those of one part per thread, and the filter.
template <built_in_parts F, class Record>
F build_from(part_source<Record> const& all, typename F::goal g, part_loop const& for_each = one_part_after_the_other) {
  auto const parts = F::parts(all.size());
  typename F::builder making(g, all.sizes(parts));
  for_each(parts.count(), [&](std::uint64_t part) { making.build_part(part, all.of_part(parts, part)); });
  return std::move(making).finish();
}

}  // namespace hortus
