#include <hortus/cells/map_entry.hpp>

#include <cstring>
#include <numeric>

#include <hwy/contrib/sort/vqsort.h>

#include <hortus/cells/sort_words.hpp>

namespace hortus {

void sort_entries(std::span<map_entry> entries) {
  static_assert(sizeof(map_entry) == sizeof(hwy::uint128_t) && alignof(map_entry) <= alignof(hwy::uint128_t));
  constexpr std::size_t few = 64;  // below this Highway's setup costs more than it saves
  if (entries.size() < few) {
    std::sort(entries.begin(), entries.end(),
              [](auto const& a, auto const& b) { return a.word != b.word ? a.word < b.word : a.value < b.value; });
  } else {
    // The same layout: the lower half of the number first.
    hwy::Sorter()(reinterpret_cast<hwy::uint128_t*>(entries.data()), entries.size(), hwy::SortAscending());
  }
}

namespace {

/// Sorts entries of a cache's size, whose words have the same first bits. Highway sorts numbers of 64 bits in half the
/// time of those of 128. So the next 48 bits of a word and the index of its entry become one number.
class bucket_sorter {
 public:
  void sort(std::span<map_entry> entries, unsigned same_bits) {
    if (entries.size() < 2) return;
    if (entries.size() > index_mask + 1) return sort_entries(entries);  // words that were chosen to meet
    numbers_.resize(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) numbers_[i] = (entries[i].word << same_bits & ~index_mask) | i;
    sort_words(numbers_);
    copy_.assign(entries.begin(), entries.end());
    for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = copy_[numbers_[i] & index_mask];
    // Equal words, and those that differ in their last bits only.
    for (std::size_t i = 1; i < entries.size(); ++i)
      if ((numbers_[i] ^ numbers_[i - 1]) <= index_mask) [[unlikely]] {
        auto const first = i - 1;
        while (i < entries.size() && (numbers_[i] ^ numbers_[first]) <= index_mask) ++i;
        sort_entries(entries.subspan(first, i - first));
      }
  }

 private:
  static constexpr std::uint64_t index_mask = 0xffff;
  std::vector<std::uint64_t> numbers_;
  std::vector<map_entry> copy_;
};

/// The entries of keys and values in ascending order. First each is put into the bucket of its word's first bits.
std::vector<map_entry> sorted_entries(std::span<digest const> keys, std::span<std::uint64_t const> values) {
  constexpr unsigned log2_entries = 12, most_log2 = 13;  // of a bucket, on average; more buckets than that slow each other
  auto const log2 =
      std::clamp(static_cast<unsigned>(std::bit_width(keys.size())), log2_entries + 1, log2_entries + most_log2) - log2_entries;
  auto const bucket_of = [&](digest x) { return x.bits() >> (64 - log2); };
  std::vector<std::size_t> ends((std::size_t{1} << log2) + 1);
  for (auto const x : keys) ++ends[bucket_of(x) + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());  // where the buckets begin
  std::vector<map_entry> entries(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) entries[ends[bucket_of(keys[i])]++] = {values[i], keys[i].bits()};
  bucket_sorter sorter;
  std::size_t first = 0;
  for (std::size_t bucket = 0; bucket + 1 < ends.size(); first = ends[bucket++])
    sorter.sort(std::span(entries).subspan(first, ends[bucket] - first), log2);
  return entries;
}

}  // namespace

std::vector<map_entry> distinct_entries(std::span<digest const> keys, std::span<std::uint64_t const> values) {
  if (keys.size() != values.size())
    throw error(errc::bad_params,
                std::to_string(keys.size()) + " keys want as many values, not " + std::to_string(values.size()));
  auto entries = sorted_entries(keys, values);
  try {
    entries.resize(without_duplicates(entries));
  } catch (conflicting_values const& found) {
    auto const first = std::find(keys.begin(), keys.end(), digest(found.word())) - keys.begin();
    auto second = first;
    do ++second;
    while (keys[static_cast<std::size_t>(second)] != digest(found.word()) ||
           values[static_cast<std::size_t>(second)] == values[static_cast<std::size_t>(first)]);
    auto const value = [&](auto at) { return std::to_string(values[static_cast<std::size_t>(at)]); };
    throw conflicting_values(found.word(), "key " + std::to_string(first) + " and key " + std::to_string(second) +
                                               " are equal (or have one digest), but their values " + value(first) + " and " +
                                               value(second) + " differ");
  }
  return entries;
}

}  // namespace hortus
