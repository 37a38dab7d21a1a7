#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include <hortus/bloom/blocked.hpp>
#include <hortus/growing/in_stages.hpp>
#include <hortus/maths/stages.hpp>
#include <hortus/of_keys.hpp>

namespace hortus {

/// Scalable Bloom filter: filters in stages, each twice as large as the one before and with a lower false-positive rate.
///
///     stage 0   [ x . x x . x ]  full           fpr 0.15 p                  a key is looked up in all stages, newest first;
///     stage 1   [ . x x . x . x x . x . x ]     fpr 0.15 p 0.85             a new key goes into the newest
///     stage 2   [ . . . x . . . . x . . . ...   fpr 0.15 p 0.85^2, ...      the rates add up to p, however many follow
///
/// Promise  any number of keys, and a false-positive rate that never exceeds fpr. Growing moves and hashes no key again.
/// Price    at a rate of 1 %: 14.8 bits per key up to the planned number; 16.3 with all stages full after five doublings, 18.4
///          after ten, and up to twice that when a stage has just been opened. An absent key costs one cache line per stage.
///          `blocked`, for a known number of keys, takes 9.9. A growth of 4 halves the number of stages and leaves them
///          emptier. Stages of bloom<> take a tenth less space, and more lines.
/// Lacks    erase (except with a counting Layer), fold, and merge: merged stages would hold twice their keys.
/// Source   P. S. Almeida, C. Baquero, N. Preguica, D. Hutchison, "Scalable Bloom filters", Information Processing Letters
///          101(6), 2007. Each stage is planned exactly, where the paper rounds the number of its slices up.
struct scalable_growth {
  static constexpr std::string_view name = "scalable";
  static constexpr std::string_view summary = "grows with its keys and keeps its rate: for streams of unknown length";
  static constexpr bool keeps_fpr = true;

  static constexpr std::uint64_t unknown_items = 4096;  ///< for the first stage if the goal gives no number: two pages
  static constexpr unsigned max_growth = 16;

  struct goal {
    std::uint64_t items = 0;  ///< keys that the first stage takes; 0: unknown
    double fpr = 0.01;        ///< of all stages together, however many there will be
    unsigned growth = 2;      ///< keys of a stage over those of the one before: 4 means fewer stages, emptier ones
    double tightening =
        0.85;  ///< rate of a stage over that of the one before: choose less for a few doublings, more for over ten
    static void fields(auto& self, auto& io) {
      io("growth", self.growth,
         setting_note{"how many times as many keys a stage takes as the one before: more means fewer stages, emptier ones",
                      "2 to 16", "4"});
      io("tightening", self.tightening,
         setting_note{"rate of a stage over that of the one before: less for a few doublings, more for many", "0.1 to 0.99",
                      "0.9"});
    }
  };

  std::uint64_t items = 1;  ///< keys that the first stage takes
  double fpr = 0.5;
  unsigned growth = 2;
  double tightening = 0.85;
  bool operator==(scalable_growth const&) const = default;
  static void fields(auto& self, auto& io) {
    io("items", self.items);
    io("fpr", self.fpr);
    io("growth", self.growth);
    io("tightening", self.tightening);
  }

  static scalable_growth of(goal g) {
    plan::checked_fpr(g.fpr);
    scalable_growth const rule{g.items == 0 ? unknown_items : g.items, g.fpr, g.growth, g.tightening};
    if (!rule.valid())
      throw error(errc::bad_goal, "growth is from 2 to " + std::to_string(max_growth) +
                                      " and tightening from 0.1 to 0.99, not " + std::to_string(g.growth) + " and " +
                                      plan::text(g.tightening));
    return rule;
  }
  [[nodiscard]] std::uint64_t first() const noexcept { return items; }
  [[nodiscard]] std::uint64_t next(std::uint64_t stage_items) const noexcept {
    return plan::next_stage_items(stage_items, growth);
  }
  [[nodiscard]] double fpr_of(std::uint64_t stage_items) const {
    return plan::stage_fpr(fpr, tightening, number_of(stage_items));
  }
  [[nodiscard]] bool is_stage(std::uint64_t stage_items) const noexcept {
    auto its = items;
    while (its < stage_items) its = next(its);
    return its == stage_items && next(its) != its;  // not the capped value 2^64 - 1
  }
  [[nodiscard]] bool valid() const noexcept {
    return items >= 1 && fpr >= plan::min_fpr && fpr < 1 && growth >= 2 && growth <= max_growth && tightening >= 0.1 &&
           tightening <= 0.99;
  }

 private:
  [[nodiscard]] unsigned number_of(std::uint64_t stage_items) const noexcept {
    unsigned number = 0;
    for (auto its = items; its < stage_items; its = next(its)) ++number;
    return number;
  }
};

template <stage_layer Layer = blocked>
using scalable = in_stages<scalable_growth, Layer>;
using scalable_filter = of_keys<scalable<>>;

}  // namespace hortus
