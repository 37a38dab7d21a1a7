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
  part_source(part_source&&) noexcept = default;
  part_source& operator=(part_source const&) = default;
  part_source& operator=(part_source&&) noexcept = default;
};
using word_source = part_source<std::uint64_t>;
using entry_source = part_source<map_entry>;

/// Words or entries that are in memory.
template <class Record>
class records_in_memory : public part_source<Record> {
 public:
  /// Pre: their words ascend and are distinct.
  explicit records_in_memory(std::vector<Record> records) noexcept : records_(std::move(records)) {}
  [[nodiscard]] std::uint64_t size() const noexcept override { return records_.size(); }
  [[nodiscard]] std::vector<std::uint64_t> sizes(word_parts parts) const override {
    std::vector<std::uint64_t> sizes(parts.count());
    for (auto const& each : records_) ++sizes[parts.part_of(word_of(each))];
    return sizes;
  }
  [[nodiscard]] std::vector<Record> of_part(word_parts parts, std::uint64_t part) const override {
    auto const part_of = [&](Record const& each) { return parts.part_of(word_of(each)); };
    auto const begin =
        std::partition_point(records_.begin(), records_.end(), [&](auto const& each) { return part_of(each) < part; });
    auto const end = std::partition_point(begin, records_.end(), [&](auto const& each) { return part_of(each) <= part; });
    return {begin, end};
  }

 private:
  std::vector<Record> records_;
};
using words_in_memory = records_in_memory<std::uint64_t>;
using entries_in_memory = records_in_memory<map_entry>;

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
