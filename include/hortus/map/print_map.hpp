#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include <hortus/cells/quotient_table.hpp>
#include <hortus/digest.hpp>
#include <hortus/error.hpp>
#include <hortus/fingerprint/quotient_fingerprint.hpp>
#include <hortus/io/believed.hpp>
#include <hortus/plan/quotient.hpp>

namespace hortus {

/// A map from fingerprints of p bits to values, in a quotient_table. With 64 bits it is a map of whole digests: the
/// multiplication that makes a fingerprint of a digest is bijective.
class print_map {
 public:
  using print = quotient_fingerprint;
  /// A fingerprint in the table, or one that is not there.
  struct place {
    quotient_table::pair pair{};
    std::uint64_t slot = quotient_table::nowhere;
    [[nodiscard]] bool found() const noexcept { return slot != quotient_table::nowhere; }
  };

  print_map() = default;  ///< without slots
  /// Pre: the shape is possible, with remainders of up to 64 bits, or has no slots.
  print_map(plan::quotient_shape shape, unsigned value_bits)
      : shape_(shape), value_bits_(value_bits), table_(blocks(), remainder_bits(), value_bits) {}

  [[nodiscard]] print print_of(digest x) const noexcept { return print::of(x, shape_.fingerprint_bits); }
  /// Pre: of p bits.
  [[nodiscard]] place find(print p) const noexcept {
    if (shape_.slots == 0) return {};
    auto const pair = pair_of(p);
    if (!table_.has_run(pair.quotient)) return {pair};
    return {pair, table_.slot_of(pair, table_.run_of(pair.quotient))};
  }
  [[nodiscard]] place find(digest x) const noexcept { return find(print_of(x)); }
  /// The first fingerprint that begins with these bits, of which there are `bits`. Pre: there are at least as many strings of
  /// `bits` bits as slots.
  [[nodiscard]] place first_with(print prefix, unsigned bits) const noexcept {
    if (used_ == 0) return {};
    auto const low = pair_of(prefix);
    auto const high = pair_of({bits == 64 ? prefix.top : prefix.top | ~std::uint64_t{0} >> bits});
    for (auto quotient = low.quotient; quotient <= high.quotient; ++quotient) {  // one, or two neighbours
      if (!table_.has_run(quotient)) continue;
      auto const run = table_.run_of(quotient);
      auto const slot = quotient == low.quotient ? table_.place_of(low, run) : run.begin;
      if (slot >= run.end) continue;
      auto const remainder = table_.remainder(slot);
      return quotient == high.quotient && remainder > high.remainder ? place{} : place{{quotient, remainder}, slot};
    }
    return {};
  }
  /// Pre: at.found().
  [[nodiscard]] std::uint64_t value(place const& at) const noexcept { return table_.value(at.slot); }
  void set_value(place const& at, std::uint64_t value) noexcept { table_.set_value(at.slot, value); }
  /// False: full, and nothing changed. Pre: `at` was found missing, and nothing was inserted or erased since.
  [[nodiscard]] bool insert(place const& at, std::uint64_t value) noexcept {
    if (used_believed_.first_change()) [[unlikely]]
      if (auto const sums = table_.checked_sums(); sums.sound) used_ = std::min(sums.used, shape_.room());
    if (used_ >= shape_.room() || !table_.insert(at.pair, table_.run_of(at.pair.quotient), value)) return false;
    ++used_;
    return true;
  }
  /// False: a file lies, and nothing changed. Pre: at.found(), and nothing was inserted or erased since.
  bool erase(place const& at) noexcept {
    if (!table_.erase(at.pair, table_.run_of(at.pair.quotient))) return false;
    used_ -= used_ != 0 ? 1 : 0;  // 0 only if a file lied
    return true;
  }
  [[gnu::always_inline]] void prefetch(digest x) const noexcept { table_.prefetch(pair_of(print_of(x)).quotient); }

  /// Calls act(fingerprint, value) for each, in ascending order of fingerprints.
  void for_each(auto act) const {
    for (quotient_table::cursor at(table_); !at.done(); at.next()) act(print::at(*at, shape_), table_.value(at.slot()));
  }
  [[nodiscard]] std::uint64_t size() const noexcept { return used_; }
  [[nodiscard]] plan::quotient_shape const& shape() const noexcept { return shape_; }
  [[nodiscard]] unsigned value_bits() const noexcept { return value_bits_; }
  [[nodiscard]] memory const& cells() const noexcept { return table_.cells(); }
  void clear() noexcept {
    table_.clear();
    used_ = 0;
  }
  /// The number of fingerprints follows from the table.
  bool operator==(print_map const& other) const noexcept {
    return shape_ == other.shape_ && value_bits_ == other.value_bits_ && table_ == other.table_;
  }

  /// Was it read from a mapped file that nobody verified?
  [[nodiscard]] bool is_believed() const noexcept { return used_believed_.yes; }

  /// Throws errc::corrupt, and writes nothing, if a mapped file that was not verified turns out to be damaged.
  static void fields(print_map const& self, auto& out) {
    auto const used = self.is_believed() ? self.checked_size() : self.used_;
    out(self.shape_.slots, self.shape_.fingerprint_bits, self.value_bits_, used, self.table_.cells());
  }
  /// What a file says about its slots is believed only if the file is mapped and not verified. No access depends on it.
  static void fields(print_map& self, auto& in) {
    memory cells;
    in(self.shape_.slots, self.shape_.fingerprint_bits, self.value_bits_, self.used_, cells);
    bool sound =
        self.possible() && cells.size() == quotient_blocks::bytes(self.blocks(), self.remainder_bits(), self.value_bits_);
    if (sound) {
      self.table_ = quotient_table(std::move(cells), self.remainder_bits(), self.value_bits_);
      self.used_believed_.yes = !in.verifies();
      if (in.verifies()) sound = self.checked_size() == self.used_;
    }
    if (!sound || !self.valid()) throw error(errc::corrupt, "its slots do not fit together");
  }
  [[nodiscard]] bool valid() const noexcept {
    return possible() && table_.blocks() == blocks() && used_ <= shape_.room() && table_.remainder_bits() == remainder_bits() &&
           table_.value_bits() == value_bits_;
  }

 private:
  /// The number of fingerprints, after a look at every slot. Throws errc::corrupt if runs are wrong, a fingerprint is there
  /// twice, or a pair is that of no fingerprint.
  [[nodiscard]] std::uint64_t checked_size() const {
    auto const sums = table_.checked_sums();
    bool sound = sums.sound && sums.distinct == sums.used && sums.used <= shape_.room();
    if (sound)
      for (quotient_table::cursor at(table_); !at.done(); at.next()) sound = sound && pair_of(print::at(*at, shape_)) == *at;
    if (!sound) throw error(errc::corrupt, "its slots do not fit together");
    return sums.used;
  }
  [[nodiscard]] std::uint64_t blocks() const noexcept { return shape_.slots == 0 ? 0 : shape_.blocks(); }
  [[nodiscard]] unsigned remainder_bits() const noexcept { return shape_.slots == 0 ? 64 : shape_.remainder_bits(); }
  [[nodiscard]] quotient_table::pair pair_of(print p) const noexcept { return p.in(shape_.slots, remainder_bits()); }
  [[nodiscard]] bool possible() const noexcept {
    return shape_.slots <= plan::max_bits / 8 && shape_.fingerprint_bits <= 64 && value_bits_ <= 64 &&
           shape_.fingerprint_bits >= std::max(static_cast<unsigned>(std::bit_width(shape_.slots)), 1U);
  }

  plan::quotient_shape shape_{0, 64};
  unsigned value_bits_ = 0;
  std::uint64_t used_ = 0;
  quotient_table table_ = quotient_table(0, 64);
  believed used_believed_;
};

}  // namespace hortus
