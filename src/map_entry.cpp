#include <hortus/cells/map_entry.hpp>

#include <numeric>

#include <hortus/cells/sort_words.hpp>

namespace hortus {
namespace {

void sort_few(std::span<map_entry> entries) {
  std::sort(entries.begin(), entries.end(),
            [](auto const& a, auto const& b) { return a.word != b.word ? a.word < b.word : a.value < b.value; });
}

/// Sorts entries of a cache's size, whose words have the same first bits. The next 48 bits of a word and the index of its entry
/// become one number: Highway sorts numbers of 64 bits in half the time of those of 128, and these only with some instruction
/// sets; with others it aborts.
class bucket_sorter {
 public:
  void sort(std::span<map_entry> entries, unsigned same_bits) {
    constexpr std::size_t few = 16;
    if (entries.size() < few || entries.size() > index_mask + 1) return sort_few(entries);  // so many were chosen to meet
    numbers_.resize(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      auto const rest = same_bits < 64 ? entries[i].word << same_bits : 0;
      numbers_[i] = (rest & ~index_mask) | i;
    }
    sort_words(numbers_);
    copy_.assign(entries.begin(), entries.end());
    for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = copy_[numbers_[i] & index_mask];
    // Equal words, and those that differ in their last bits only.
    for (std::size_t i = 1; i < entries.size(); ++i)
      if ((numbers_[i] ^ numbers_[i - 1]) <= index_mask) [[unlikely]] {
        auto const first = i - 1;
        while (i < entries.size() && (numbers_[i] ^ numbers_[first]) <= index_mask) ++i;
        sort_few(entries.subspan(first, i - first));
      }
  }

 private:
  static constexpr std::uint64_t index_mask = 0xffff;
  std::vector<std::uint64_t> numbers_;
  std::vector<map_entry> copy_;
};

/// Writes entry_at(0), entry_at(1), ... in ascending order. First each goes to the bucket of its word's first bits, after those
/// that all words share.
void sort_into(std::span<map_entry> entries, auto entry_at) {
  // Buckets of 4096 entries; from 2048 buckets on larger ones: more would not have their pages in the core's table.
  constexpr unsigned log2_entries = 12, log2_buckets = 11, most_log2_entries = 15;
  if (entries.empty()) return;
  std::uint64_t different = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) different |= entry_at(i).word ^ entry_at(0).word;
  auto const same = std::min(static_cast<unsigned>(std::countl_zero(different)), 63U);
  auto const width = static_cast<unsigned>(std::bit_width(entries.size()));
  auto const wished = std::max(std::clamp(width, log2_entries + 1, log2_entries + log2_buckets) - log2_entries,
                               width - std::min(width, most_log2_entries));
  auto const log2 = std::min(wished, 64 - same);
  auto const bucket_of = [&](std::uint64_t word) { return word << same >> (64 - log2); };
  std::vector<std::size_t> ends((std::size_t{1} << log2) + 1);
  for (std::size_t i = 0; i < entries.size(); ++i) ++ends[bucket_of(entry_at(i).word) + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());  // where the buckets begin
  for (std::size_t i = 0; i < entries.size(); ++i) {
    auto const entry = entry_at(i);
    entries[ends[bucket_of(entry.word)]++] = entry;
  }
  bucket_sorter sorter;
  std::size_t first = 0;
  for (std::size_t bucket = 0; bucket + 1 < ends.size(); first = ends[bucket++])
    sorter.sort(entries.subspan(first, ends[bucket] - first), same + log2);
}

}  // namespace

void sort_entries(std::span<map_entry> entries) {
  constexpr std::size_t few = 64;  // below this the buckets cost more than they save
  if (entries.size() < few) return sort_few(entries);
  std::vector<map_entry> const copy(entries.begin(), entries.end());
  sort_into(entries, [&](std::size_t i) { return copy[i]; });
}

std::vector<map_entry> distinct_entries(std::span<digest const> keys, std::span<std::uint64_t const> values) {
  if (keys.size() != values.size())
    throw error(errc::bad_params,
                std::to_string(keys.size()) + " keys want as many values, not " + std::to_string(values.size()));
  std::vector<map_entry> entries(keys.size());
  sort_into(entries, [&](std::size_t i) { return map_entry{values[i], keys[i].bits()}; });
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
