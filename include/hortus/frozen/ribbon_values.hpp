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
    if (found.where != kernels::ribbon_value::place::in_layer) [[unlikely]]
      return found_or_kept(found, x);
    return checked(found.bits);
  }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept {
    if (cells_.layers() != 0) cells_.prefetch(cells_.start_in_first(x.bits()));
  }
  /// A block of keys. Those that the first layer has bumped become a smaller block for the next layer.
  void find(std::span<digest const> xs, std::span<digest const> next, bool far, std::uint64_t* values,
            std::uint64_t* hits) const noexcept {
    if (cells_.layers() == 0) {
      std::fill_n(hits, mask_words(xs.size()), 0);
      std::fill_n(values, xs.size(), 0);
      return;
    }
    kernels::ribbon_answers answers;
    kernels::values_in_ribbon(cells_, 0, xs, next, far, value_bits_, values, answers);
    std::array<digest, block_keys> later;
    std::array<std::uint16_t, block_keys> place;  // of these keys, in the block
    std::size_t count = 0;
    for (std::size_t i = 0; i < xs.size(); i += 64) {
      hits[i / 64] = answers.found[i / 64] & ~answers.bumped[i / 64];
      for (auto left = answers.bumped[i / 64]; left != 0; left &= left - 1) {
        auto const at = i + static_cast<unsigned>(std::countr_zero(left));
        values[at] = 0;
        later[count] = xs[at];
        place[count++] = static_cast<std::uint16_t>(at);
      }
    }
    auto const put = [&](std::size_t at, std::uint64_t value) {
      values[at] = value;
      hits[at / 64] |= std::uint64_t{1} << (at % 64);
    };
    if (cells_.layers() == 1) {
      if (!cells_.kept().empty())
        for (std::size_t i = 0; i < xs.size(); ++i)
          if (auto const kept = kept_value(xs[i].bits())) put(i, *kept);
      return;
    }
    std::array<std::uint64_t, block_keys> found;
    for (std::uint64_t layer = 1; layer < cells_.layers() && count != 0; ++layer) {
      for (std::size_t i = 0; i < count; ++i) later[i] = digest(next_layer(later[i].bits()));
      kernels::values_in_ribbon(cells_, layer, std::span(later).first(count), {}, far, value_bits_, found.data(), answers);
      bool const last = layer + 1 == cells_.layers();
      std::size_t still = 0;
      for (std::size_t i = 0; i < count; ++i) {
        bool const is_later = (answers.bumped[i / 64] >> (i % 64) & 1) != 0;
        if (!is_later && (answers.found[i / 64] >> (i % 64) & 1) != 0) put(place[i], found[i]);
        if (last)
          if (auto const kept = kept_value(later[i].bits())) put(place[i], *kept);
        later[still] = later[i];
        place[still] = place[i];
        still += std::size_t{is_later};
      }
      count = still;
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
  /// The value of a word that is kept.
  [[nodiscard]] std::optional<std::uint64_t> kept_value(std::uint64_t word) const noexcept {
    auto const at = cells_.kept_at(word);
    if (at == cells_.kept().size()) return std::nullopt;
    std::uint64_t value = 0;
    std::memcpy(&value, kept_values_.data() + at * 8, sizeof value);
    return value;
  }
  [[nodiscard]] [[gnu::noinline]] std::optional<std::uint64_t> found_or_kept(kernels::ribbon_value found,
                                                                             digest x) const noexcept {
    if (!cells_.kept().empty()) {
      auto word = x.bits();
      for (std::uint64_t layer = 1; layer < cells_.layers(); ++layer) word = next_layer(word);
      if (auto const kept = kept_value(word)) return kept;
    }
    return found.where == kernels::ribbon_value::place::nowhere ? std::nullopt : checked(found.bits);
  }

  unsigned value_bits_ = 0;
  ribbon_cells cells_;
  memory kept_values_;
};

}  // namespace hortus
