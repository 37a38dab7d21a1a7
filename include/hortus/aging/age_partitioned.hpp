#pragma once
#include <cstdint>
#include <string_view>

#include <hortus/aging/in_generations.hpp>
#include <hortus/aging/slice_ring.hpp>
#include <hortus/of_keys.hpp>
#include <hortus/plan/age_partitioned.hpp>

namespace hortus {

/// Age-partitioned Bloom filter: a ring of slices of bits. A key sets one bit in each of the youngest `probes` slices. With
/// every generation all slices grow older; the oldest is cleared and becomes the youngest. A key is found if its bits are set
/// in `probes` consecutive slices.
///
///     youngest  0   1   2   3   4   5   oldest           3 probes, 3 generations
///               #   #   #                                a key just inserted
///                           #   #   #                    three generations later; after one more only # # is left
///
/// Promise  no key of the window is missed, and the false-positive rate does not exceed fpr. The window is the last `items`
///          distinct keys; or, with distinct = 0, the last `items` inserts; or, with ticks, the last `ticks` of time before
///          the latest advance(now). For a window of time, at most `items` keys, evenly or in bursts, may come in any `ticks`
///          rounded up to whole generations; with more the rate rises.
/// Price    at a rate of 1 %, for each of the `items`: 40 bits for distinct keys, 21 for inserts, 27 for time. `probes` cache
///          misses for a member, about 5 for an absent key. More generations need less space and cost more misses.
/// Lacks    estimate and merge: the order of keys in two streams is not known.
/// Source   A. Shtul, C. Baquero, P. S. Almeida, "Age-partitioned Bloom filters", 2020. Windows of distinct keys are our own
///          addition; docs/maths.md says why they cost twice as much.
class age_partitioned_ring : public slice_ring {
 public:
  static constexpr std::string_view name = "age_partitioned";
  static constexpr std::string_view summary = "slices that grow old: a window of keys, inserts or time, at an even rate";
  static constexpr setting_note about_generations{
      "generations that are remembered besides the current one; by default few, where more would save little space", "1 to 63",
      "10"};

  struct params {
    std::uint64_t slice_bits = 0;
    unsigned probes = 0;
    unsigned generations = 0;            ///< remembered besides the current one
    unsigned young = 0;                  ///< a key found in one of the `young` youngest generations is not inserted again
    std::uint64_t generation_items = 0;  ///< with ticks: the most keys that come in a window
    std::uint64_t generation_ticks = 0;  ///< 0: a generation ends when its items are in
    bool operator==(params const&) const = default;
    static void fields(auto& self, auto& io) {
      io("slice_bits", self.slice_bits);
      io("probes", self.probes);
      io("generations", self.generations);
      io("young", self.young);
      io("generation_items", self.generation_items);
      io("generation_ticks", self.generation_ticks);
    }
  };

  static params plan(window_goal<about_generations> const& g) {
    auto const what = g.window();
    auto const shape = plan::age_partitioned({g.items, g.fpr}, what, g.generations);
    return {shape.slice_bits,       shape.probes,
            shape.generations,      plan::young_generations(shape.generations, what),
            shape.generation_items, g.ticks_of(shape.generations)};
  }
  static double planned_fpr(params const& p) {
    return p.generation_ticks != 0 ? plan::age_partitioned_burst_fpr(layout(p)) : plan::age_partitioned_fpr(layout(p));
  }
  static std::uint64_t planned_bytes(params const& p) { return (p.slice_bits * (p.probes + p.generations) + 63) / 64 * 8; }
  static double lines_touched(params const& p) { return p.probes; }

  age_partitioned_ring() = default;  ///< the smallest valid one: two slices of one bit
  explicit age_partitioned_ring(params const& p)
      : slice_ring((plan::checked(layout(p)), p.slice_bits), p.probes, p.generations) {}
  [[nodiscard]] params shape(unsigned young, std::uint64_t items, std::uint64_t ticks) const noexcept {
    return {slice_bits(), probes(), generations(), young, items, ticks};
  }
  bool operator==(age_partitioned_ring const&) const = default;

 private:
  static plan::age_partitioned_shape layout(params const& p) noexcept {
    return {p.slice_bits, p.probes, p.generations, p.generation_items};
  }
};

using age_partitioned = in_generations<age_partitioned_ring>;
using age_partitioned_filter = of_keys<age_partitioned>;

}  // namespace hortus
