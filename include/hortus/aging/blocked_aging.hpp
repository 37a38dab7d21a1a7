#pragma once
#include <cstdint>
#include <string_view>

#include <hortus/aging/block_ring.hpp>
#include <hortus/aging/in_generations.hpp>
#include <hortus/of_keys.hpp>
#include <hortus/plan/blocked_aging.hpp>

namespace hortus {

/// Age-partitioned Bloom filter in blocks: a block is a cache line of 16 slices of 32 bits, and a key has all its bits in one
/// block: one in each of the youngest `probes` slices. With every generation all slices grow older; in all blocks the oldest is
/// cleared and becomes the youngest. A key is found if its bits are set in `probes` consecutive slices of its block.
///
///     digest --high bits--> block     slice 0   1   2   3   4   5  ...  15     3 probes
///                                           #   #   #                          a key just inserted
///                                                       #   #   #              three generations later
///
/// Promise  as age_partitioned: no key of the window is missed, the false-positive rate does not exceed fpr, and the window
///          is of distinct keys, of inserts or of time. An operation reads one cache line.
/// Price    at a rate of 1 %, for each of the `items`: 44 bits for distinct keys, 25 for inserts, 33 for time;
///          age_partitioned needs 40, 21 and 27. At .1 % it is 72, 40 and 52. A new generation clears a slice in every
///          block: one operation in many writes the whole filter, which takes 45 ms a gigabyte.
/// Lacks    estimate and merge, as age_partitioned, and rates below 1e-9.
/// Source   A. Shtul, C. Baquero, P. S. Almeida, "Age-partitioned Bloom filters", 2020, for slices that age. Slices in blocks,
///          and their rate (docs/maths.md), are our own addition, after blocked and split_block.
class blocked_aging_ring : public block_ring {
 public:
  static constexpr std::string_view name = "blocked_aging";
  static constexpr std::string_view summary = "age_partitioned in one cache line a key: several times as fast, a tenth larger";
  static constexpr setting_note about_generations{
      "generations that are remembered besides the current one; a key has 16 - generations bits", "1 to 15", "9"};

  struct params {
    std::uint64_t blocks = 0;
    unsigned probes = 0;                 ///< 16 - probes generations are remembered besides the current one
    unsigned young = 0;                  ///< a key found in one of the `young` youngest generations is not inserted again
    std::uint64_t generation_items = 0;  ///< with ticks: the most keys that come in a window
    std::uint64_t generation_ticks = 0;  ///< 0: a generation ends when its items are in
    bool operator==(params const&) const = default;
    static void fields(auto& self, auto& io) {
      io("blocks", self.blocks);
      io("probes", self.probes);
      io("young", self.young);
      io("generation_items", self.generation_items);
      io("generation_ticks", self.generation_ticks);
    }
  };

  static params plan(window_goal<about_generations> const& g) {
    auto const what = g.window();
    auto const shape = plan::blocked_aging({g.items, g.fpr}, what, g.generations);
    return {shape.blocks, shape.probes, plan::young_generations(shape.generations(), what), shape.generation_items,
            g.ticks_of(shape.generations())};
  }
  static double planned_fpr(params const& p) {
    return p.generation_ticks != 0 ? plan::blocked_aging_burst_fpr(layout(p)) : plan::blocked_aging_fpr(layout(p));
  }
  static std::uint64_t planned_bytes(params const& p) { return p.blocks * 64; }
  static double lines_touched(params const&) { return 1; }

  blocked_aging_ring() = default;  ///< the smallest valid one: a block, and a bit a key
  explicit blocked_aging_ring(params const& p) : block_ring((plan::checked(layout(p)), p.blocks), p.probes) {}
  [[nodiscard]] params shape(unsigned young, std::uint64_t items, std::uint64_t ticks) const noexcept {
    return {blocks(), probes(), young, items, ticks};
  }
  bool operator==(blocked_aging_ring const&) const = default;

 private:
  static plan::blocked_aging_shape layout(params const& p) noexcept { return {p.blocks, p.probes, p.generation_items}; }
};

using blocked_aging = in_generations<blocked_aging_ring>;
using blocked_aging_filter = of_keys<blocked_aging>;

}  // namespace hortus
