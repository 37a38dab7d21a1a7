#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include <hortus/counting/blocked_counting.hpp>
#include <hortus/growing/in_stages.hpp>
#include <hortus/maths/stages.hpp>
#include <hortus/of_keys.hpp>

namespace hortus {

/// Dynamic Bloom filter: equal counting filters (stages). When the newest is full, another one is added.
///
///     [ 1 . 2 1 . 1 ]   [ . 1 1 . 3 . ]   [ . . 1 . . . ]  <- new keys     a key is looked up in all stages
///       full             full                                             a stage is dropped when its last key is erased
///
/// Promise  any number of keys, with erase and count. At the planned number of keys the false-positive rate is fpr; at s times
///          as many it is about s fpr, and it falls again as keys are erased. Room that erased keys leave in the newest stage
///          is used again. Every key inserted more often than erased is found; count() is never less than inserts minus
///          erases.
/// Price    24.9 bits per key at a rate of 1 %. An operation looks into every stage, items / layer_items of them. Stages for a
///          share of the planned keys need more bits, because their rate is that share of fpr. The 64th stage takes all
///          further keys.
/// Lacks    a rate that holds for any number of keys (scalable), fold, and merge: merged stages would hold twice their keys.
///          Erasing a key that was never inserted but is found removes members.
/// Source   D. Guo, J. Wu, H. Chen, X. Luo, "Theory and network applications of dynamic Bloom filters", INFOCOM 2006; "The
///          dynamic Bloom filters", IEEE TKDE 22(1), 2010. The choice of a key's stage differs from the paper's: see
///          in_stages.hpp.
struct dynamic_growth {
  static constexpr std::string_view name = "dynamic";
  static constexpr std::string_view summary =
      "equal stages, as many as keys need: erases and counts; the rate grows with the keys";
  static constexpr bool keeps_fpr = false;

  static constexpr std::uint64_t unknown_items = 4096;  ///< used if the goal gives no number

  struct goal {
    std::uint64_t items = 0;  ///< keys up to which the rate is kept; 0: unknown
    double fpr = 0.01;
    std::uint64_t layer_items = 0;  ///< keys that a stage takes; 0: as many as items
    static void fields(auto& self, auto& io) {
      io("layer_items", self.layer_items,
         setting_note{"keys that a stage takes; by default as many as the filter is planned for", "more than items / 64",
                      "100000"});
    }
  };

  std::uint64_t layer_items = 1;
  double layer_fpr = 0.5;
  bool operator==(dynamic_growth const&) const = default;
  static void fields(auto& self, auto& io) {
    io("layer_items", self.layer_items);
    io("layer_fpr", self.layer_fpr);
  }

  static dynamic_growth of(goal g) {
    plan::checked_fpr(g.fpr);
    if (g.items == 0) g.items = g.layer_items == 0 ? unknown_items : g.layer_items;
    if (g.layer_items == 0) g.layer_items = g.items;
    if (g.items / g.layer_items >= 64)
      throw error(errc::bad_goal, "a dynamic filter has up to 64 stages: for " + std::to_string(g.items) +
                                      " items layer_items must be more than " + std::to_string(g.items / 64));
    return {g.layer_items, plan::equal_stage_fpr(g.fpr, g.layer_items, g.items)};
  }
  [[nodiscard]] std::uint64_t first() const noexcept { return layer_items; }
  [[nodiscard]] std::uint64_t next(std::uint64_t stage_items) const noexcept { return stage_items; }
  [[nodiscard]] double fpr_of(std::uint64_t) const noexcept { return layer_fpr; }
  [[nodiscard]] bool is_stage(std::uint64_t stage_items) const noexcept { return stage_items == layer_items; }
  [[nodiscard]] bool valid() const noexcept { return layer_items >= 1 && layer_fpr >= plan::min_fpr && layer_fpr < 1; }
};

template <stage_layer Layer = blocked_counting>
using dynamic = in_stages<dynamic_growth, Layer>;
using dynamic_filter = of_keys<dynamic<>>;

}  // namespace hortus
