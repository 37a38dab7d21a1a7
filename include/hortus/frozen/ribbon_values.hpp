#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <hortus/bitmask.hpp>
#include <hortus/cells/memory.hpp>
#include <hortus/frozen/ribbon_builder.hpp>
#include <hortus/frozen/ribbon_kernels.hpp>

namespace hortus {

/// Values of known keys in a ribbon: the columns of a key add up to its value and, in further columns, to zeros that check it.
class ribbon_values {
 public:
  static constexpr std::size_t block_keys = kernels::ribbon_block_keys;

  ribbon_values() = default;  ///< without keys
  ribbon_values(unsigned value_bits, ribbon_solution solved)
      : value_bits_(value_bits), cells_(std::move(solved.cells)), kept_values_(solved.kept_values.size() * 8) {
    if (!solved.kept_values.empty()) std::memcpy(kept_values_.data(), solved.kept_values.data(), kept_values_.size());
  }

  [[nodiscard]] unsigned value_bits() const noexcept { return value_bits_; }
  [[nodiscard]] ribbon_cells const& cells() const noexcept { return cells_; }

  [[nodiscard]] std::optional<std::uint64_t> find(digest x) const noexcept {
    if (cells_.layers() == 0) return std::nullopt;
    auto const found = kernels::value_in_ribbon(cells_, x);
    if (found.may_be_kept) [[unlikely]]
      return found_or_kept(found);
    return checked(found.bits);
  }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept {
    if (cells_.layers() != 0) cells_.prefetch(cells_.start_in_first(x.bits()));
  }
  /// A block of keys. Those that the first layer has bumped become a smaller block for the next layer.
  void find(std::span<digest const> xs, std::span<digest const> next, bool far, std::uint64_t* values,
            std::uint64_t* hits) const noexcept {
    std::fill_n(hits, mask_words(xs.size()), 0);
    std::fill_n(values, xs.size(), 0);
    std::array<digest, block_keys> later;
    std::array<std::uint16_t, block_keys> place;  // of the keys of this layer, in the block
    std::array<std::uint64_t, block_keys> found;
    std::array<std::uint64_t, block_keys / 64> bumped;
    std::iota(place.begin(), place.end(), std::uint16_t{0});
    for (std::uint64_t layer = 0; layer < cells_.layers() && !xs.empty(); ++layer) {
      kernels::values_in_ribbon(cells_, layer, xs, next, far, found.data(), bumped.data());
      bool const last = layer + 1 == cells_.layers();
      std::size_t count = 0;
      for (std::size_t i = 0; i < xs.size(); ++i) {
        bool const is_later = (bumped[i / 64] >> (i % 64) & 1) != 0;
        auto value = is_later ? std::nullopt : checked(found[i]);
        if (last) value = found_or_kept({found[i], xs[i].bits(), !is_later, true});
        auto const at = place[i];
        values[at] = value.value_or(0);
        hits[at / 64] |= std::uint64_t{value.has_value()} << (at % 64);
        later[count] = digest(next_layer(xs[i].bits()));
        place[count] = at;
        count += std::size_t{is_later && !last};
      }
      xs = std::span<digest const>(later).first(count);
      next = {};
    }
  }

  /// The probability that an absent key gets a value.
  [[nodiscard]] double fpr() const noexcept {
    return std::min(1.0, std::ldexp(cells_.fpr(plan::ribbon_shape::max_columns), static_cast<int>(value_bits_)));
  }
  void clear() noexcept {
    cells_.clear();
    kept_values_ = memory();
  }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return cells_.size_bytes() + kept_values_.size(); }
  bool operator==(ribbon_values const&) const = default;
  static void fields(auto& self, auto& io) { io(self.value_bits_, self.cells_, self.kept_values_); }
  [[nodiscard]] bool valid() const noexcept {
    return cells_.valid() && !cells_.long_rows() && value_bits_ <= plan::ribbon_shape::max_columns &&
           (cells_.layers() == 0 || value_bits_ <= cells_.columns()) && kept_values_.size() == cells_.kept().size() * 8;
  }

 private:
  [[nodiscard]] std::optional<std::uint64_t> checked(std::uint64_t bits) const noexcept {
    if (value_bits_ < 64 && bits >> value_bits_ != 0) return std::nullopt;
    return bits;
  }
  [[nodiscard]] std::optional<std::uint64_t> found_or_kept(kernels::ribbon_value const& found) const noexcept {
    auto const at = cells_.kept_at(found.word);
    if (at == cells_.kept().size()) return found.in_layer ? checked(found.bits) : std::nullopt;
    std::uint64_t value = 0;
    std::memcpy(&value, kept_values_.data() + at * 8, sizeof value);
    return value;
  }

  unsigned value_bits_ = 0;
  ribbon_cells cells_;
  memory kept_values_;
};

}  // namespace hortus
