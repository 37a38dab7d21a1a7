#pragma once
#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <hortus/bloom/bloom.hpp>
#include <hortus/concepts.hpp>
#include <hortus/counting/tally.hpp>
#include <hortus/index/multiply_chain.hpp>
#include <hortus/of_keys.hpp>
#include <hortus/plan/bitwise.hpp>

namespace hortus {

/// Bitwise Bloom filter of known counts: for each bit a Bloom filter of the keys whose count has that bit.
///
///     level 0   0 1 0 1 1 0 0 1 0 1      keys that occur 1, 3, 5, 7 ... times          count = the sum of 2^i over
///     level 1   1 0 0 1 1                keys that occur 2, 3, 6, 7 ... times                  the levels that find the
///     key
///     level 2   0 1                      each level is as large as its own keys need
///
/// Promise  count() is never less than the true count. It is too high with probability at most fpr(), mostly in its low
///          bits: the rate of level i is proportional to 1 / 2^i. Every key that was counted is found.
/// Price    a little more than 1.44 log2(1/fpr) bits for every bit set in a count: 11 bits per key if most keys occur once.
/// Lacks    insert and erase: it is built from all keys at once. `bitwise` takes keys one by one, in far more space.
/// Source   A. Lall, M. Ogihara, "The bitwise Bloom filter", TR 927, University of Rochester, 2007.
template <index_policy Index = multiply_chain>
class bitwise_frozen {
 public:
  static constexpr std::string_view name = "bitwise_frozen";
  static constexpr std::string_view room = "counting";
  static constexpr std::string_view summary = "known counts, a bloom filter for each of their bits; never counts too low";
  static constexpr auto misses = false_negatives::never;
  static constexpr verb_set verbs = verb::build | verb::may_contain | verb::count;
  static constexpr verb_set kernels = verb::may_contain | verb::count;
  static constexpr std::size_t block_keys = scattered<Index>::block_keys;
  static constexpr bool never_undercounts = true;

  struct goal {
    std::uint64_t items = 0;  ///< only a hint: build() counts the keys
    double fpr = 0.01;
    static void fields(auto&, auto&) {}
  };
  struct params {
    std::uint64_t bits = 0;    ///< of all levels
    std::uint64_t probes = 0;  ///< on the lowest level
    std::uint64_t levels = 0;
    bool operator==(params const&) const = default;
    static void fields(auto& self, auto& io) {
      io("bits", self.bits);
      io("probes", self.probes);
      io("levels", self.levels);
    }
  };

  /// The shape if every key occurs once.
  static params plan(goal g) {
    auto const level = plan::bloom({g.items, g.fpr});
    return {level.bits, level.probes, 1};
  }
  static double planned_fpr(params p, std::uint64_t items) { return plan::bloom_fpr(lowest(p), items); }
  static std::uint64_t planned_bytes(params p) { return bloom<Index>::planned_bytes({p.bits, lowest(p).probes}); }
  static double lines_touched(params p) { return static_cast<double>(p.probes * p.levels); }

  /// A key's count is the number of its occurrences in `keys`. Temporarily takes 24 bytes per key.
  static bitwise_frozen build(std::span<digest const> keys, goal g) {
    auto const all = tally(keys);
    std::vector<std::uint64_t> in_level;
    for (auto const& k : all)
      for (std::size_t i = 0; k.times >> i != 0; ++i) {
        if (i == in_level.size()) in_level.push_back(0);
        in_level[i] += k.times >> i & 1;
      }
    return of_counts(all, plan::bitwise_levels(in_level, g.fpr));
  }
  /// With the caller's levels, for counts below 2^(number of levels). Throws errc::bad_params if a count needs more levels.
  static bitwise_frozen of_counts(std::span<counted const> all, std::span<plan::bloom_shape const> levels) {
    if (levels.size() > 64) throw error(errc::bad_params, "a count has at most 64 bits");
    bitwise_frozen f;
    for (auto const& shape : levels) f.levels_.emplace_back(typename bloom<Index>::params{shape.bits, shape.probes});
    for (auto const& k : all)
      if (levels.size() < 64 && k.times >> levels.size() != 0)
        throw error(errc::bad_params,
                    "a count of " + std::to_string(k.times) + " needs more levels than " + std::to_string(levels.size()));
    for (std::size_t i = 0; i < levels.size(); ++i) f.fill(i, all);
    return f;
  }

  [[nodiscard]] std::uint64_t count(digest x) const noexcept {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < levels_.size(); ++i) count |= std::uint64_t{levels_[i].may_contain(on_level(x, i))} << i;
    return count;
  }
  [[nodiscard]] bool may_contain(digest x) const noexcept { return count(x) != 0; }

  /// Kernels for blocks, level by level. Each level prefetches for itself, so `next` is not needed.
  void count(std::span<digest const> xs, std::span<digest const>, std::uint64_t* counts) const noexcept {
    std::fill_n(counts, xs.size(), 0);
    for_each_level(xs, [&](std::size_t i, std::uint64_t const* hits) {
      for (std::size_t k = 0; k < xs.size(); ++k) counts[k] |= (hits[k / 64] >> (k % 64) & 1) << i;
    });
  }
  void may_contain(std::span<digest const> xs, std::span<digest const>, std::uint64_t* hits) const noexcept {
    std::fill_n(hits, (xs.size() + 63) / 64, 0);
    for_each_level(xs, [&](std::size_t, std::uint64_t const* found) {
      for (std::size_t w = 0; w < (xs.size() + 63) / 64; ++w) hits[w] |= found[w];
    });
  }

  /// Levels are independent, and an absent key is rejected only if every level rejects it.
  [[nodiscard]] double fpr() const noexcept {
    double missed = 1;
    for (auto const& level : levels_) missed *= 1 - level.fpr();
    return 1 - missed;
  }

  void clear() noexcept {
    for (auto& level : levels_) level.clear();
  }
  [[nodiscard]] params shape() const noexcept {
    params p{0, levels_.empty() ? 0 : levels_.front().shape().probes, levels_.size()};
    for (auto const& level : levels_) p.bits += level.shape().bits;
    return p;
  }
  [[nodiscard]] std::size_t size_bytes() const noexcept {
    std::size_t bytes = 0;
    for (auto const& level : levels_) bytes += level.size_bytes();
    return bytes;
  }
  bool operator==(bitwise_frozen const&) const = default;

  static void fields(auto& self, auto& io) { io.list(self.levels_, 64); }
  [[nodiscard]] bool valid() const noexcept {
    return std::all_of(levels_.begin(), levels_.end(), [](auto const& level) { return level.valid(); });
  }

 private:
  static plan::bloom_shape lowest(params p) { return {p.bits, static_cast<unsigned>(p.probes)}; }
  /// In batches, which prefetch.
  void fill(std::size_t level, std::span<counted const> all) {
    std::array<digest, 4 * block_keys> some;
    std::size_t count = 0;
    for (auto const& k : all) {
      some[count] = on_level(k.key, level);
      count += k.times >> level & 1;
      if (count < some.size()) continue;
      insert_all(levels_[level], std::span<digest const>(some));
      count = 0;
    }
    insert_all(levels_[level], std::span<digest const>(some).first(count));
  }
  static digest on_level(digest x, std::size_t level) noexcept { return level == 0 ? x : x.remixed(level); }
  /// act(level, bit mask of the xs that it finds) for each level.
  void for_each_level(std::span<digest const> xs, auto act) const noexcept {
    std::array<digest, block_keys> mixed;
    std::array<std::uint64_t, block_keys / 64> found;
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      std::transform(xs.begin(), xs.end(), mixed.begin(), [i](digest x) { return on_level(x, i); });
      may_contain_all(levels_[i], std::span<digest const>(mixed).first(xs.size()), found.data());
      act(i, found.data());
    }
  }

  memory_vector<bloom<Index>> levels_;
};

using bitwise_frozen_filter = of_keys<bitwise_frozen<>>;

}  // namespace hortus
