#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include <hortus/digest.hpp>
#include <hortus/of_keys.hpp>
#include <hortus/plan/exaloglog.hpp>
#include <hortus/sketch/distinct_counter.hpp>

namespace hortus {

/// ExaLogLog: how many distinct keys there were, in the least space. As hyperloglog, with two differences. Values are finer:
/// four to a rank. And a register keeps not only its largest value, but also which of the 20 values below that one it has met.
///
///     digest    1011 0110 ... 0110 1000 10       register 11; three zeros, then the last two bits, 10: value 4 * 3 + 2 + 1
///     register  15  . 1 1 . 1 1 1 . 1 1 1 ...    the largest value, 15; then 14 was not met, 13 and 12 were, ...
///
/// Promise  an estimate with a relative standard error of 0.362 / sqrt(registers) for any number of keys up to 2^64, and
///          without an error that matters while there are few (below half of the registers). Empty: exactly 0. A duplicate
///          changes nothing, and the order of keys neither: equal sets of keys have equal bytes. merge is exact, also of
///          different precisions. fold is exact.
/// Price    28 bits a register: 7 KiB for 0.80 %, 58 % of the space of hyperloglog; less while there are few keys. At most two
///          cache misses a key. An estimate takes about 15 ns a register.
/// Lacks    counts of a key (count_min), may_contain (bloom, which estimates too).
/// Source   O. Ertl, "ExaLogLog: space-efficient and practical approximate distinct counting up to the exa-scale", 2024, with
///          t = 2 and d = 20.
///
/// UltraLogLog (t = 0, d = 2) would have registers of one byte and take 26 % more space. The registers of this family need no
/// more work: each lies in four bytes that are read at once.
struct exaloglog_registers {
  static constexpr std::string_view name = "exaloglog";
  static constexpr std::string_view summary = "how many distinct keys, in 58 % of the space of hyperloglog; merges, and folds";
  static constexpr auto kind = plan::history_registers;
  static constexpr setting_note precision_note{
      "binary logarithm of the number of registers; by default the least for the error that -p asks for", "4 to 24", "11"};
  static constexpr std::uint64_t least_slots = 14;  ///< 56 bytes, those of 16 registers

  /// 1 to largest_value(precision).
  static constexpr unsigned value_of(digest x, unsigned precision) noexcept {
    auto const zeros = static_cast<unsigned>(std::countr_zero(x.bits() >> 2 | std::uint64_t{1} << (62 - precision)));
    return 4 * zeros + static_cast<unsigned>(x.bits() % 4) + 1;
  }
  /// A digest with this register and value.
  static constexpr digest digest_of(std::uint64_t number, unsigned value, unsigned precision) noexcept {
    unsigned const zeros = (value - 1) / 4;
    auto const low = zeros >= 62 - precision ? 0 : std::uint64_t{4} << zeros;
    return digest(number << (64 - precision) | low | (value - 1) % 4);
  }

  /// The number of the register in the greatest precision, and the value there: 24 and 8 bits.
  static constexpr std::uint32_t token_of(digest x) noexcept {
    return static_cast<std::uint32_t>(x.bits() >> (64 - kind.most)) << 8 | value_of(x, kind.most);
  }
  static constexpr digest digest_of(std::uint32_t token) noexcept { return digest_of(token >> 8, token % 256, kind.most); }
  static constexpr bool is_token(std::uint32_t token) noexcept {
    return token % 256 >= 1 && token % 256 <= plan::largest_value(kind.most);
  }
  static constexpr unsigned exponent_of_token(std::uint32_t token) noexcept {
    return plan::exponent_of(token % 256, kind.most);
  }

  static constexpr std::uint64_t byte_of(digest x, unsigned precision) noexcept {
    return (x.bits() >> (64 - precision)) * 7 / 2;
  }
  [[gnu::always_inline]] static void raise(std::byte* cells, digest x, unsigned precision) noexcept {
    auto const number = x.bits() >> (64 - precision);
    auto const before = get(cells, number);
    auto const after = with(before, value_of(x, precision));
    if (after != before) [[unlikely]]
      put(cells, number, after);
  }
  static void merge(std::byte* cells, std::byte const* others, unsigned precision) noexcept {
    for (std::uint64_t i = 0; i < std::uint64_t{1} << precision; ++i) put(cells, i, merged(get(cells, i), get(others, i)));
  }
  static void for_each_digest(std::byte const* cells, unsigned precision, auto act) {
    for (std::uint64_t i = 0; i < std::uint64_t{1} << precision; ++i)
      for_each_value(get(cells, i), [&](unsigned value) { act(digest_of(i, value, precision)); });
  }
  static plan::estimate cardinality(std::byte const* cells, unsigned precision) {
    plan::history_histogram seen;
    for (std::uint64_t i = 0; i < std::uint64_t{1} << precision; ++i) {
      auto const one = get(cells, i);
      ++seen.largest[one >> history];
      if (one != 0) for_each_value(one, [&](unsigned value) { ++seen.before[value]; });
    }
    for (unsigned value = 1; value < 256; ++value) seen.before[value] -= seen.largest[value];
    return plan::exaloglog_cardinality(seen, precision);
  }

 private:
  static constexpr unsigned history = plan::history_bits;
  static constexpr std::uint32_t met = std::uint32_t{1} << history;  ///< in a window: the largest value was met

  /// A register: the largest value, 8 bits; below it, at bit 20 - i, whether the i-th value below that was met. Values below 1
  /// are never met. 0: no key.
  static constexpr std::uint32_t with(std::uint32_t one, unsigned value) noexcept {
    unsigned const largest = one >> history;
    // Without a branch: whether a value is in the history is not predictable. The bit of the largest value itself is dropped.
    if (value <= largest) [[likely]]
      return one | static_cast<std::uint32_t>((std::uint64_t{met} >> std::min(largest - value, 63U)) % met);
    return value << history | moved(window(one), value - largest);
  }
  /// The largest value and the history as one number, whose highest bit stands for the largest value.
  static constexpr std::uint32_t window(std::uint32_t one) noexcept { return one == 0 ? 0 : met | one % met; }
  static constexpr std::uint32_t moved(std::uint32_t window, unsigned down) noexcept {
    return down > history ? 0 : window >> down;
  }
  static constexpr std::uint32_t merged(std::uint32_t a, std::uint32_t b) noexcept {
    if (a >> history < b >> history) std::swap(a, b);
    return a | moved(window(b), (a >> history) - (b >> history)) % met;
  }
  static constexpr void for_each_value(std::uint32_t one, auto act) {
    unsigned const largest = one >> history;
    for (auto left = window(one); left != 0; left &= left - 1) {
      auto const below = history - static_cast<unsigned>(std::countr_zero(left));
      if (below < largest) act(largest - below);  // else not from insert: a damaged file
    }
  }

  /// Register i has bits 28i to 28i + 27, which are in four bytes.
  [[gnu::always_inline]] static std::uint32_t get(std::byte const* cells, std::uint64_t i) noexcept {
    std::uint32_t word = 0;
    std::memcpy(&word, cells + 7 * i / 2, sizeof word);
    return word >> (i % 2 * 4) & 0xfffffff;
  }
  [[gnu::always_inline]] static void put(std::byte* cells, std::uint64_t i, std::uint32_t one) noexcept {
    std::uint32_t word = 0;
    std::memcpy(&word, cells + 7 * i / 2, sizeof word);
    auto const first = i % 2 * 4;
    word = (word & ~(std::uint32_t{0xfffffff} << first)) | one << first;
    std::memcpy(cells + 7 * i / 2, &word, sizeof word);
  }
};

using exaloglog = distinct_counter<exaloglog_registers>;
using exaloglog_sketch = of_keys<exaloglog>;

}  // namespace hortus
