#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <hortus/cells/map_entry.hpp>
#include <hortus/map/perfect_hash.hpp>
#include <hortus/map/signed_values.hpp>
#include <hortus/plan/perfect_hash_map.hpp>

namespace hortus {

/// Builds a perfect hash and the slots for its keys, in parts. A key that has a number already is put into its slot. A key
/// that the first level leaves over has none before finish(), and is remembered: one in a hundred.
class perfect_hash_map_builder {
 public:
  perfect_hash_map_builder(double fpr, unsigned value_bits, std::span<std::uint64_t const> words_per_part)
      : hash_({}, words_per_part),
        slots_(plan::perfect_hash_map({hash_.items(), fpr}, value_bits)),
        later_(words_per_part.size()) {}

  /// May run in several threads at once for different parts.
  void build_part(std::uint64_t part, std::span<std::uint64_t const> words) {
    hash_.build_part(part, words);
    for (auto const word : words) put(part, {0, word});
  }
  void build_part(std::uint64_t part, std::span<map_entry const> entries) {
    std::vector<std::uint64_t> words(entries.size());
    std::transform(entries.begin(), entries.end(), words.begin(), [](auto const& each) { return each.word; });
    hash_.build_part(part, words);
    for (auto const& each : entries) put(part, each);
  }
  std::pair<perfect_hash, signed_values> finished() && {
    auto hash = std::move(hash_).finish();
    for (auto& some : later_) {
      for (auto const& [value, word] : some) slots_.put(hash.rank(digest(word)), slots_.signature(digest(word)), value);
      some = {};
    }
    return {std::move(hash), std::move(slots_)};
  }

 private:
  void put(std::uint64_t part, map_entry entry) {
    auto const here = hash_.first().part(part);
    auto const slot = hash_.first().slot(entry.word);
    if (slot >= hash_.items() || signed_values::at_an_end(slot, here.first, here.end))
      later_[part].push_back(entry);
    else
      slots_.put(slot, slots_.signature(digest(entry.word)), entry.value);
  }

  perfect_hash::builder hash_;
  signed_values slots_;
  std::vector<std::vector<map_entry>> later_;  // of each part
};

}  // namespace hortus
