#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include <hortus/bitmask.hpp>
#include <hortus/cells/memory.hpp>
#include <hortus/frozen/fuse_table.hpp>

namespace hortus {

/// Values of known keys in a binary fuse table: the slots of a key give its value and, in the bits above, zeros that check it.
class fuse_values {
 public:
  fuse_values() = default;  ///< without keys
  fuse_values(unsigned value_bits, fuse_table table, std::span<fuse_bumped const> bumped)
      : value_bits_(value_bits), table_(std::move(table)) {
    table_.set_bumped(bumped);
    bumped_values_ = memory(table_.bumped().size() * 8);
    auto* to = bumped_values_.data();
    for (auto const& some : bumped) {
      if (some.values.empty()) continue;
      std::memcpy(to, some.values.data(), some.values.size() * 8);
      to += some.values.size() * 8;
    }
  }

  [[nodiscard]] unsigned value_bits() const noexcept { return value_bits_; }
  [[nodiscard]] fuse_table const& table() const noexcept { return table_; }

  [[nodiscard]] std::optional<std::uint64_t> find(digest x) const noexcept {
    if (table_.shape().items == 0) return std::nullopt;
    auto const found = table_.value(x.bits());
    if (found.may_be_bumped) [[unlikely]]
      return found_or_bumped(x, found.bits);
    return checked(found.bits);
  }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept { table_.prefetch(x.bits()); }
  void find(std::span<digest const> xs, std::span<digest const> next, std::uint64_t* values,
            std::uint64_t* hits) const noexcept {
    if (table_.shape().items == 0) {
      std::fill_n(hits, mask_words(xs.size()), 0);
      std::fill_n(values, xs.size(), 0);
      return;
    }
    table_.values(xs, next, values, hits);
    for (std::size_t i = 0; i < xs.size(); i += 64) {
      auto const may_be_bumped = hits[i / 64];
      std::uint64_t found = 0;
      for (std::size_t j = i; j < std::min(i + 64, xs.size()); ++j) {
        auto const value = (may_be_bumped >> (j % 64) & 1) != 0 ? found_or_bumped(xs[j], values[j]) : checked(values[j]);
        values[j] = value.value_or(0);
        found |= std::uint64_t{value.has_value()} << (j % 64);
      }
      hits[i / 64] = found;
    }
  }

  /// The probability that an absent key gets a value.
  [[nodiscard]] double fpr() const noexcept {
    return table_.shape().items == 0 ? 0 : std::ldexp(1.0, static_cast<int>(value_bits_) - int(table_.shape().slot_bits));
  }
  void clear() noexcept {
    table_.clear();
    bumped_values_.clear();
  }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return table_.size_bytes() + bumped_values_.size(); }
  bool operator==(fuse_values const&) const = default;
  static void fields(auto& self, auto& io) { io(self.value_bits_, self.table_, self.bumped_values_); }
  [[nodiscard]] bool valid() const noexcept {
    return table_.valid() && value_bits_ <= table_.shape().slot_bits && bumped_values_.size() == table_.bumped().size() * 8;
  }

 private:
  [[nodiscard]] std::optional<std::uint64_t> checked(std::uint64_t bits) const noexcept {
    if (bits >> value_bits_ != 0) return std::nullopt;
    return bits;
  }
  [[nodiscard]] [[gnu::noinline]] std::optional<std::uint64_t> found_or_bumped(digest x, std::uint64_t bits) const noexcept {
    auto const place = table_.bumped().place_of(x.bits());
    if (place == table_.bumped().size()) return checked(bits);
    std::uint64_t value = 0;
    std::memcpy(&value, bumped_values_.data() + place * 8, sizeof value);
    return value;
  }

  unsigned value_bits_ = 0;
  fuse_table table_;
  memory bumped_values_;
};

}  // namespace hortus
