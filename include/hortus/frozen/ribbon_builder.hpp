#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <hortus/cells/map_entry.hpp>
#include <hortus/cells/sort_words.hpp>
#include <hortus/frozen/ribbon_elimination.hpp>
#include <hortus/parts.hpp>
#include <hortus/plan/ribbon.hpp>

namespace hortus {

/// The cells of a finished filter, or of a map.
struct ribbon_solution {
  ribbon_cells cells;
  std::vector<std::uint64_t> kept_values;  ///< of the keys that the cells keep as words, in a map
};

/// Builds the cells of a ribbon filter, or of a map. The parts are neighbouring pieces of the first layer, each as large as its
/// own keys need. finish() builds the other layers of the keys that were left over. Takes 16 bytes for each slot of a part
/// while the part is built, and half a byte per key of the filter for the keys left over.
class ribbon_cells_builder {
 public:
  /// Pre: the shape is planned for as many keys as the parts have.
  ribbon_cells_builder(plan::ribbon_shape const& shape, std::span<std::uint64_t const> words_per_part)
      : left_(words_per_part.size()), items_(std::reduce(words_per_part.begin(), words_per_part.end(), std::uint64_t{0})) {
    if (items_ == 0) return;
    auto const layers = plan::ribbon_layers(items_, 0, shape.long_rows());
    unit_ = shape.blocks_per_threshold_byte();
    log2_strips_ = plan::ribbon_log2_strips(items_);
    strips_per_part_ = shape.strips / words_per_part.size();
    std::vector<std::uint64_t> ends;
    std::uint64_t before = 0;
    for (auto const words : words_per_part) {
      before += words;
      auto const part = ends.size() / strips_per_part_;
      // build_part will say where its first strips end
      auto const first = ends.empty() ? 0 : ends.back();
      for (std::uint64_t i = 1; i < strips_per_part_; ++i) ends.push_back(first + i * unit_);
      ends.push_back(part + 1 == words_per_part.size() ? layers.front()
                                                       : end_of_part(part, before, layers.front(), words_per_part.size()));
    }
    for (std::size_t i = 1; i < layers.size(); ++i) ends.push_back(ends.back() + layers[i]);
    cells_ = ribbon_cells(shape.columns, shape.wide_blocks, shape.strips, ends, shape.row_blocks);
  }

  /// May run in several threads at once for different parts: no two parts share a byte.
  void build_part(std::uint64_t part, ribbon_keys keys) {
    if (items_ == 0) return;
    auto const mode = cells_.layers() == 1 ? ribbon_overflow::one_by_one : ribbon_overflow::by_threshold;
    if (strips_per_part_ == 1) {
      ribbon_strip const whole{cells_.strip(part), log2_strips_, keys};
      return solve_strips(cells_, {&whole, 1}, mode, left_[part]);
    }
    // Every strip has a unit; the others are dealt out by the numbers of keys.
    auto const first = cells_.strip(part * strips_per_part).first;
    auto const units = (cells_.strip(part * strips_per_part + strips_per_part - 1).end - first) / unit_ - strips_per_part;
    std::array<ribbon_keys, strips_per_part> of_strip{};
    std::uint64_t before = 0;
    for (std::uint64_t i = 0; i < strips_per_part; ++i) {
      of_strip[i] = keys_of_strip(keys.from(before), i);
      before += of_strip[i].size();
      auto const share = portion(units, before, keys.size());
      if (i + 1 < strips_per_part) cells_.end_strip(part * strips_per_part + i, first + (i + 1 + share) * unit_);
    }
    std::array<ribbon_strip, strips_per_part> strips;
    for (std::uint64_t i = 0; i < strips_per_part; ++i)
      strips[i] = {cells_.strip(part * strips_per_part + i), log2_strips_, of_strip[i]};
    solve_strips(cells_, strips, mode, left_[part]);
  }

  ribbon_solution finish() && {
    ribbon_left left;
    for (auto& some : left_) {
      left.append(some.keys());
      some = {};
    }
    for (std::uint64_t layer = 1; layer < cells_.layers(); ++layer) {
      std::transform(left.words.begin(), left.words.end(), left.words.begin(), next_layer);
      sort(left);
      auto range = cells_.layer(layer);
      // More keys than planned: 1.2 for each of the 64 slots of a block happen only to keys that were chosen to meet. In the
      // last layer a block more is smaller than the words of eight keys without room; of one, if a block has few columns.
      auto const blocks = range.end - range.first;
      auto const tolerated = cells_.long_rows() ? cells_.columns() : 8;
      auto const most = layer + 1 == cells_.layers() ? blocks * 64 + tolerated : blocks * 77 + 64;
      if (left.words.size() > most && layer + 1 < plan::ribbon_max_layers) {
        cells_ = cells_.with_layers(layer, plan::ribbon_layers(left.words.size(), layer, cells_.long_rows()));
        range = cells_.layer(layer);
      }
      ribbon_strip const whole{range, 0, left.keys()};
      ribbon_left still_left;
      solve_strips(cells_, {&whole, 1},
                   layer + 1 == cells_.layers() ? ribbon_overflow::one_by_one : ribbon_overflow::by_threshold, still_left);
      left = std::move(still_left);
    }
    sort(left);
    cells_.keep(left.words);
    return {std::move(cells_), std::move(left.values)};
  }

 private:
  static constexpr std::uint64_t strips_per_part = 4;  // if there is more than one

  static void sort(ribbon_left& keys) {
    if (keys.values.empty()) return sort_words(keys.words);
    std::vector<map_entry> entries(keys.words.size());
    for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = {keys.values[i], keys.words[i]};
    sort_entries(entries);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      keys.words[i] = entries[i].word;
      keys.values[i] = entries[i].value;
    }
  }
  /// whole * some / all, rounded.
  static std::uint64_t portion(std::uint64_t whole, std::uint64_t some, std::uint64_t all) noexcept {
    __extension__ using wide = unsigned __int128;
    if (all == 0) return 0;
    return static_cast<std::uint64_t>((static_cast<wide>(whole) * some + all / 2) / all);
  }
  /// Every strip has a unit; the others are dealt out by the numbers of keys.
  [[nodiscard]] std::uint64_t end_of_part(std::uint64_t part, std::uint64_t words_before, std::uint64_t blocks,
                                          std::uint64_t parts) const noexcept {
    auto const free_units = blocks / unit_ - parts * strips_per_part_;
    return ((part + 1) * strips_per_part_ + portion(free_units, words_before, items_)) * unit_;
  }
  /// The keys at the front that belong to a strip of a part. The bits after those of the part tell the strips apart.
  [[nodiscard]] ribbon_keys keys_of_strip(ribbon_keys keys, std::uint64_t strip) const noexcept {
    auto const end = std::partition_point(keys.words.begin(), keys.words.end(),
                                          [&](auto word) { return (word >> (64 - log2_strips_)) % strips_per_part <= strip; });
    return keys.first(static_cast<std::size_t>(end - keys.words.begin()));
  }

  std::vector<ribbon_left> left_;  // of each part: keys for which it had no room
  std::uint64_t items_;
  unsigned log2_strips_ = 0;
  std::uint64_t strips_per_part_ = 1;
  std::uint64_t unit_ = 8;  // blocks, whose thresholds are one byte
  ribbon_cells cells_;
};

}  // namespace hortus
