#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <hortus/cells/sort_words.hpp>
#include <hortus/frozen/homogeneous_elimination.hpp>

namespace hortus {

/// Builds the cells of a homogeneous ribbon filter. All strips have the same size, whatever the number of keys in them, so a
/// part needs to know of no other. Takes 16 bytes for each slot of a part while the part is built, and with several layers 8
/// bytes for each of its keys.
class homogeneous_cells_builder {
 public:
  homogeneous_cells_builder(double fpr, std::span<std::uint64_t const> words_per_part) : chances_(words_per_part.size()) {
    auto const items = std::reduce(words_per_part.begin(), words_per_part.end(), std::uint64_t{0});
    auto const shape = plan::homogeneous_ribbon({items, fpr});
    if (items == 0) return;
    strips_per_part_ = shape.strips / words_per_part.size();
    cells_ = homogeneous_cells(shape);
  }

  /// May run in several threads at once for different parts: no two parts share a word.
  void build_part(std::uint64_t part, std::span<std::uint64_t const> words) {
    if (cells_.layers() == 0) return;
    auto const first_strip = part * strips_per_part_;
    std::vector<std::uint64_t> own;
    for (unsigned layer = 0; layer < cells_.layers(); ++layer) {
      std::array<std::span<std::uint64_t const>, most_strips> of_strip;
      if (layer != 0) {
        own.resize(words.size());
        std::ranges::transform(words, own.begin(), [&](auto word) { return cells_.word_in(layer, word); });
        sort_words(own);
      }
      auto rest = layer == 0 ? words : std::span<std::uint64_t const>(own);
      for (std::uint64_t i = 0; i < strips_per_part_; ++i) {
        auto const end = std::ranges::partition_point(rest, [&](auto word) { return cells_.strip(word) <= first_strip + i; });
        of_strip[i] = rest.first(static_cast<std::size_t>(end - rest.begin()));
        rest = rest.subspan(of_strip[i].size());
      }
      solve_homogeneous(cells_, layer, first_strip, std::span(of_strip).first(strips_per_part_));
      chances_[part][layer] = homogeneous_chances(cells_, layer, first_strip, strips_per_part_, all_columns);
    }
  }

  homogeneous_cells finish() && {
    for (unsigned layer = 0; layer < cells_.layers(); ++layer) {
      std::uint64_t sum = 0;
      for (auto const& of_part : chances_) sum += of_part[layer];
      cells_.put_chances(layer, sum);
    }
    return std::move(cells_);
  }

 private:
  static constexpr std::uint64_t most_strips = 4;
  static constexpr unsigned all_columns = ~0U;

  std::vector<std::array<std::uint64_t, plan::homogeneous_shape::max_layers>> chances_;  // of each part
  std::uint64_t strips_per_part_ = 1;
  homogeneous_cells cells_;
};

}  // namespace hortus
