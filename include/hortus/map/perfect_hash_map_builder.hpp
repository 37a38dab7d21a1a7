#pragma once
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

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

  /// May run in several threads at once for different parts. Pre: as many values as words, or none.
  void build_part(std::uint64_t part, std::span<std::uint64_t const> words, std::span<std::uint64_t const> values) {
    hash_.build_part(part, words);
    auto const here = hash_.first().part(part);
    for (std::size_t i = 0; i < words.size(); ++i) {
      auto const slot = hash_.first().slot(words[i]);
      auto const value = values.empty() ? 0 : values[i];
      if (slot >= hash_.items() || signed_values::at_an_end(slot, here.first, here.end))
        later_[part].push_back({words[i], value});
      else
        slots_.put(slot, slots_.signature(digest(words[i])), value);
    }
  }
  std::pair<perfect_hash, signed_values> finish() && {
    auto hash = std::move(hash_).finish();
    for (auto& some : later_) {
      for (auto const& [word, value] : some) slots_.put(hash.rank(digest(word)), slots_.signature(digest(word)), value);
      some = {};
    }
    return {std::move(hash), std::move(slots_)};
  }

 private:
  struct pair {
    std::uint64_t word;
    std::uint64_t value;
  };

  perfect_hash::builder hash_;
  signed_values slots_;
  std::vector<std::vector<pair>> later_;  // of each part
};

}  // namespace hortus
