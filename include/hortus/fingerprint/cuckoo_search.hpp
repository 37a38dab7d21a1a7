#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include <hortus/batch.hpp>
#include <hortus/cells/memory_source.hpp>
#include <hortus/cells/slot_array.hpp>
#include <hortus/fingerprint/cuckoo_places.hpp>

namespace hortus {

/// Makes room in a cuckoo filter for a fingerprint whose four slots are taken. Each of their tags could move to three other
/// slots of its own, if the tags there moved on, and so on to a free slot. A breadth-first search finds the shortest such
/// path. Only then tags move, from the end of the path, so that a search that fails changes nothing.
class cuckoo_search {
 public:
  /// The search stays among so many slots around the key. With as many steps it visits every slot there that can be reached.
  static constexpr std::size_t range = std::size_t{1} << 16;

  cuckoo_search(slot_array& slots, cuckoo_map const& map) noexcept : slots_(slots), map_(map) {}

  /// Stores the tag of the key, and returns true, if a path was found within `most_steps` steps.
  bool insert(cuckoo_places const& key, std::size_t most_steps) {
    return slots_.size_bytes() > cached_bytes ? insert_looking<4>(key, most_steps) : insert_looking<1>(key, most_steps);
  }

 private:
  struct step {
    std::uint64_t slot;
    std::uint32_t from;  // the step whose tag would move here; none for the four slots of the key
    std::uint32_t way;   // in which that tag would lie here
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  template <std::uint32_t StepsAhead>
  bool insert_looking(cuckoo_places const& key, std::size_t most_steps) {
    few_steps near;
    if (auto const end = search<StepsAhead>(key, near); end.from != none) return move(key, near, end);
    many_steps far(most_steps, key.window > range / 2 ? key.window - range / 2 : 0);
    auto const end = search<StepsAhead>(key, far);
    return end.from != none && move(key, far, end);
  }

  /// Most searches are short. To notice slots that were visited before, a few bits are enough: a slot that is mistaken for a
  /// visited one is only missing in this search.
  struct few_steps {
    std::array<step, 256> all;
    std::array<std::uint64_t, 32> visited{};
    std::uint32_t made = 0;

    [[nodiscard]] std::uint32_t size() const noexcept { return made; }
    [[nodiscard]] bool room() const noexcept { return made + 3 <= all.size(); }
    void visit(step s) noexcept {
      all[made] = s;
      made += unsigned{set_bit(visited[s.slot / 64 % visited.size()], s.slot % 64)};  // no branch: it would be mispredicted
    }
    step const& operator[](std::size_t i) const noexcept { return all[i]; }
  };
  struct many_steps {
    std::size_t most;
    std::uint64_t first_slot;
    memory_vector<step> all;
    memory_vector<std::uint64_t> visited;

    many_steps(std::size_t most_steps, std::uint64_t first) : most(most_steps), first_slot(first), visited(range / 64) {
      all.reserve(1024);
    }
    [[nodiscard]] std::size_t size() const noexcept { return all.size(); }
    [[nodiscard]] bool room() const noexcept { return all.size() < most; }
    void visit(step s) {
      auto const at = s.slot - first_slot;
      if (at < range && set_bit(visited[at / 64], at % 64)) all.push_back(s);
    }
    step const& operator[](std::size_t i) const noexcept { return all[i]; }
  };
  /// False if it was set before.
  static bool set_bit(std::uint64_t& word, std::uint64_t bit) noexcept {
    auto const before = word;
    word |= std::uint64_t{1} << bit;
    return word != before;
  }

  /// The last step of a path, to a free slot. `from` is none if there is no path. What a step leads to is
  /// looked up, and prefetched, some steps ahead, if the filter is larger than the cache.
  template <std::uint32_t StepsAhead>
  step search(cuckoo_places const& key, auto& steps) const {
    std::array<ahead, StepsAhead> coming;
    std::uint32_t ready = 0;
    for (unsigned way = 0; way < 4; ++way) steps.visit({key.slot(way), none, way});
    for (std::uint32_t from = 0; from < steps.size() && steps.room(); ++from) {
      for (; ready < steps.size() && ready < from + StepsAhead; ++ready)
        coming[ready % StepsAhead] = look(steps[ready].slot, StepsAhead > 1);
      auto const& tag = coming[from % StepsAhead];
      auto const moved = [&](unsigned change) {
        auto const way = static_cast<unsigned>(tag.value ^ change) & 3;
        return step{tag.places.slot(way), from, way};
      };
      step const to[] = {moved(1), moved(2), moved(3)};
      bool const free[] = {slots_.get(to[0].slot) == 0, slots_.get(to[1].slot) == 0, slots_.get(to[2].slot) == 0};
      if (free[0] | free[1] | free[2]) return free[0] ? to[0] : free[1] ? to[1] : to[2];
      for (auto const& next : to) steps.visit(next);
    }
    return {0, none, 0};
  }
  /// The tag in a slot, and where it can lie.
  struct ahead {
    std::uint64_t value;
    cuckoo_places places;
  };
  [[nodiscard]] ahead look(std::uint64_t slot, bool prefetches) const noexcept {
    auto const value = slots_.get(slot);
    auto const places = cuckoo_places::stored(value, slot, map_);
    if (prefetches) slots_.prefetch_pair((value & 2) == 0 ? places.second : places.window);
    return {value, places};
  }
  bool move(cuckoo_places const& key, auto const& steps, step end) noexcept {
    for (; end.from != none; end = steps[end.from]) {
      auto const tag = slots_.get(steps[end.from].slot) & ~std::uint64_t{3};
      slots_.put(end.slot, tag | end.way);
    }
    slots_.put(end.slot, key.value(end.way));
    return true;
  }

  slot_array& slots_;
  cuckoo_map const& map_;
};

}  // namespace hortus
