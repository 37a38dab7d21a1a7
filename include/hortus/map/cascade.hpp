#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hortus/bloom/bloom.hpp>
#include <hortus/bloom/scattered.hpp>
#include <hortus/cells/map_entry.hpp>
#include <hortus/cells/memory.hpp>
#include <hortus/cells/memory_source.hpp>
#include <hortus/digest.hpp>
#include <hortus/error.hpp>
#include <hortus/index/multiply_chain.hpp>
#include <hortus/maths/limits.hpp>
#include <hortus/plan/cascade_map.hpp>

namespace hortus {

/// One bit for each key: levels of two Bloom filters, one of the keys whose bit is 0 and one of those whose bit is 1. The keys
/// that the filter of the other bit reports, too, are those of the next level. The keys after the last one are kept exactly.
class cascade {
 public:
  cascade() = default;
  /// Of one bit of the values. The keys of a level that go on are known when both of its filters are finished, and not before:
  /// a key inserted later may make a filter report an earlier one.
  cascade(std::span<map_entry const> entries, unsigned bit, double filter_fpr) {
    std::array<std::vector<std::uint64_t>, 2> keys;
    for (auto const& [value, word] : entries) keys[value >> bit & 1].push_back(word);
    auto const left = [&] { return keys[0].size() + keys[1].size(); };
    std::vector<bloom<>> made;
    for (unsigned level = 0; level < plan::cascade_shape::max_levels && left() > plan::cascade_shape::few_keys; ++level) {
      std::array<bloom<>, 2> pair{filter_for(keys[0].size(), filter_fpr), filter_for(keys[1].size(), filter_fpr)};
      for (std::size_t side : {0U, 1U})
        for (auto const word : keys[side]) pair[side].insert(salted(digest(word), bit, level, side));
      auto const before = left();
      auto going_on = keys;
      for (std::size_t side : {0U, 1U})
        std::erase_if(going_on[side], [&](std::uint64_t word) {
          return !pair[1 - side].may_contain(salted(digest(word), bit, level, 1 - side));
        });
      if (going_on[0].size() + going_on[1].size() == before) {
        if (before <= plan::cascade_shape::few_keys * 4) break;  // by chance: there is nothing wrong with their filters
        throw error(errc::bad_goal, "level " + std::to_string(level + 1) + " of a cascade_map would have " +
                                        std::to_string(before) + " keys, as many as the level before: filters with a rate of " +
                                        plan::text(filter_fpr) + " do not tell them apart; ask for a lower one");
      }
      for (auto& one : pair) made.push_back(std::move(one));
      keys = std::move(going_on);
    }
    keep(made);
    for (std::size_t side : {0U, 1U}) {
      kept_[side] = keys[side].size();
      rest_[side] = memory_of(keys[side]);
    }
  }

  /// The bit of a key; nothing: it is absent. `bit` is that of the constructor.
  [[nodiscard]] std::optional<unsigned> find(digest x, unsigned bit) const noexcept {
    for (std::size_t i = 0; i < filters_.size(); i += 2) {
      auto const level = static_cast<unsigned>(i / 2);
      bool const zero = reports(filters_[i], salted(x, bit, level, 0));
      bool const one = reports(filters_[i + 1], salted(x, bit, level, 1));
      if (zero != one) return one ? 1U : 0U;
      if (!zero) return std::nullopt;
    }
    for (unsigned const side : {0U, 1U})
      if (contains(rest_[side], x.bits())) return side;
    return std::nullopt;
  }
  [[gnu::always_inline]] void prefetch(digest x, unsigned bit) const noexcept {
    for (std::size_t side = 0; side < std::min<std::size_t>(2, filters_.size()); ++side)
      __builtin_prefetch(words_.data() +
                         (filters_[side].first + index(salted(x, bit, 0, side), filters_[side].bits).next()) / 8);
  }

  /// The probability that it answers for an absent key, from the fill of its filters.
  [[nodiscard]] double fpr() const noexcept {
    double sum = 0, reached = 1;  // the probability that a level is asked
    for (std::size_t i = 0; i < filters_.size(); i += 2) {
      double const zero = rate(filters_[i]), one = rate(filters_[i + 1]);
      sum += reached * (zero * (1 - one) + one * (1 - zero));
      reached *= zero * one;
    }
    return sum;
  }
  [[nodiscard]] std::size_t levels() const noexcept { return filters_.size() / 2; }
  /// The keys that are kept exactly.
  [[nodiscard]] std::uint64_t kept() const noexcept { return kept_[0] + kept_[1]; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return words_.size() + rest_[0].size() + rest_[1].size(); }
  void clear() noexcept {
    words_.clear();
    for (auto& some : rest_) some = memory();
    kept_ = {};
  }
  bool operator==(cascade const&) const = default;

  static void fields(cascade const& self, auto& out) { list(self, out); }
  static void fields(cascade& self, auto& in) {
    list(self, in);
    std::uint64_t first = 0;
    for (auto& one : self.filters_) {
      if (one.bits < 1 || one.bits > plan::max_bits || one.probes < 1 || one.probes > plan::max_probes)
        throw error(errc::corrupt, "a filter of a cascade has an impossible shape");
      one.first = first;
      first += one.stored_bits();
    }
  }
  /// Any words will do: in another order they give wrong answers only.
  [[nodiscard]] bool valid() const noexcept {
    auto const bits = filters_.empty() ? 0 : filters_.back().first + filters_.back().stored_bits();
    return filters_.size() % 2 == 0 && filters_.size() <= most_filters && words_.size() == bits / 8 &&
           rest_[0].size() / sizeof(std::uint64_t) == kept_[0] && rest_[0].size() % sizeof(std::uint64_t) == 0 &&
           rest_[1].size() / sizeof(std::uint64_t) == kept_[1] && rest_[1].size() % sizeof(std::uint64_t) == 0;
  }

 private:
  static constexpr std::size_t most_filters = 2 * plan::cascade_shape::max_levels;
  using index = multiply_chain;

  /// A Bloom filter among the words of the cascade.
  struct filter {
    std::uint64_t bits = 1;
    unsigned probes = 1;
    std::uint64_t first = 0;  ///< its first bit, at the start of a word

    [[nodiscard]] std::uint64_t stored_bits() const noexcept { return (bits + 63) / 64 * 64; }
    bool operator==(filter const&) const = default;
    static void fields(auto& self, auto& io) { io(self.bits, self.probes); }
  };
  static void list(auto& self, auto& io) {
    io.constant(index::id, "index derivation");
    io.list(self.filters_, most_filters);
    io(self.kept_[0], self.kept_[1], self.words_, self.rest_[0], self.rest_[1]);
  }

  /// One after the other in one array, because a file has at most 256 sections.
  void keep(std::span<bloom<> const> made) {
    std::uint64_t bits = 0;
    for (auto const& one : made) {
      filters_.push_back({one.shape().bits, one.shape().probes, bits});
      bits += filters_.back().stored_bits();
    }
    words_ = memory(bits / 8);
    for (std::size_t i = 0; i < made.size(); ++i)
      std::memcpy(words_.data() + filters_[i].first / 8, made[i].cells().data(), filters_[i].stored_bits() / 8);
  }
  [[nodiscard]] bool reports(filter const& of, digest x) const noexcept {
    return scattered<index>{of.probes, of.bits, 0}.for_each(
        x, [&](std::uint64_t i) { return (std::to_integer<unsigned>(words_.data()[(of.first + i) / 8]) >> (i % 8) & 1) != 0; });
  }
  /// From the fill of the filter.
  [[nodiscard]] double rate(filter const& of) const noexcept {
    std::uint64_t ones = 0;
    for (std::uint64_t at = of.first / 8; at < (of.first + of.stored_bits()) / 8; at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, words_.data() + at, sizeof word);
      ones += static_cast<std::uint64_t>(std::popcount(word));
    }
    return plan::fill_fpr(plan::bloom_shape{of.bits, of.probes}, std::min(ones, of.bits));
  }

  /// Every filter has a hash of its own. With a common one, a key that two filters of a level report would be reported by those
  /// of the next level, too, more often than by chance.
  static digest salted(digest x, unsigned bit, unsigned level, std::size_t side) noexcept {
    return x.remixed(std::uint64_t{bit} << 8 | std::uint64_t{level} << 1 | side);
  }
  /// Without keys: a bit that is not set, which reports nothing.
  static bloom<> filter_for(std::uint64_t keys, double fpr) {
    return keys == 0 ? bloom<>() : bloom<>(bloom<>::plan({.items = keys, .fpr = fpr}));
  }
  static memory memory_of(std::span<std::uint64_t const> words) {
    memory bytes(words.size_bytes());
    if (!words.empty()) std::memcpy(bytes.data(), words.data(), words.size_bytes());
    return bytes;
  }
  static bool contains(memory const& words, std::uint64_t word) noexcept {
    auto const* const first = reinterpret_cast<std::uint64_t const*>(words.data());
    return std::binary_search(first, first + words.size() / sizeof word, word);
  }

  memory_vector<filter> filters_;  // of level l: filter 2 l of the keys with 0, filter 2 l + 1 of those with 1
  memory words_;                   // of all filters
  std::array<std::uint64_t, 2> kept_{};
  std::array<memory, 2> rest_;  // digests of keys with 0, and with 1, ascending
};

}  // namespace hortus
