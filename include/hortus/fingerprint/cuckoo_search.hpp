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
    few_steps near(key);
    auto const nearby = slots_.size_bytes() > cached_bytes ? search_near<true>(near) : search_near<false>(near);
    if (nearby.from != none) return move(key, near, nearby);
    many_steps far(most_steps, key.window > range / 2 ? key.window - range / 2 : 0);
    auto const end = search_far(key, far);
    return end.from != none && move(key, far, end);
  }

 private:
  struct step {
    std::uint64_t slot;
    std::uint32_t from;  // the step whose tag would move here; none for the four slots of the key
    std::uint32_t way;   // in which that tag would lie here
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// Most searches are short. Every step has a fixed place: the three that step i leads to are numbers 4 + 3i and following. So
  /// the processor can work on several steps at once, which it could not if each had to wait for the number of steps before it.
  /// Slots that are visited twice are not noticed, until a path ends.
  struct few_steps {
    static constexpr std::uint32_t inner = 84;  // steps that lead to others
    static constexpr std::uint32_t most = 4 + 3 * inner;
    std::array<std::uint64_t, most> slots;
    std::array<std::uint8_t, most> ways;

    explicit few_steps(cuckoo_places const& key) noexcept {
      for (unsigned way = 0; way < 4; ++way) put(way, key.slot(way), way);
    }
    void put(std::uint32_t i, std::uint64_t its_slot, unsigned way) noexcept {
      slots[i] = its_slot;
      ways[i] = static_cast<std::uint8_t>(way);
    }
    step operator[](std::size_t i) const noexcept {
      return {slots[i], i < 4 ? none : static_cast<std::uint32_t>((i - 4) / 3), ways[i]};
    }
    /// Is no slot on the path twice?
    [[nodiscard]] bool is_path(std::uint32_t last) const noexcept {
      for (auto a = last; a != none; a = (*this)[a].from)
        for (auto b = (*this)[a].from; b != none; b = (*this)[b].from)
          if (slots[a] == slots[b]) return false;
      return true;
    }
  };
  template <bool Prefetches>
  step search_near(few_steps& steps) const {
    constexpr std::uint32_t ahead = 4;
    if (Prefetches)
      for (std::uint32_t i = 0; i < ahead; ++i) slots_.prefetch_pair(look(steps.slots[i]).other);
    for (std::uint32_t from = 0; from < few_steps::most; ++from) {
      auto const to = look(steps.slots[from]).moves(from);
      if (auto const end = free_one(to); end.from != none && steps.is_path(from)) return end;
      if (from < few_steps::inner)
        for (unsigned i = 0; i < 3; ++i) steps.put(4 + 3 * from + i, to[i].slot, to[i].way);
      if (Prefetches && from + ahead < few_steps::most) slots_.prefetch_pair(look(steps.slots[from + ahead]).other);
    }
    return {0, none, 0};
  }

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

  /// The last step of a path, to a free slot. `from` is none if there is no path.
  step search_far(cuckoo_places const& key, many_steps& steps) const {
    for (unsigned way = 0; way < 4; ++way) steps.visit({key.slot(way), none, way});
    for (std::uint32_t from = 0; from < steps.size() && steps.room(); ++from) {
      auto const to = look(steps[from].slot).moves(from);
      if (auto const end = free_one(to); end.from != none) return end;
      for (auto const& next : to) steps.visit(next);
    }
    return {0, none, 0};
  }
  /// The tag in a slot: the window that it lies in, its other window, and its way.
  struct found_tag {
    std::uint64_t here;
    std::uint64_t other;
    std::uint32_t way;

    /// Where it could move: to the other slot of its window, or to its other window.
    [[nodiscard]] std::array<step, 3> moves(std::uint32_t from) const noexcept {
      auto const odd = way & 1;
      return {{{here + (odd ^ 1), from, way ^ 1}, {other + odd, from, way ^ 2}, {other + (odd ^ 1), from, way ^ 3}}};
    }
  };
  [[nodiscard]] found_tag look(std::uint64_t slot) const noexcept {
    auto const value = slots_.get(slot);
    auto const places = cuckoo_places::stored(value, slot, map_);
    auto const way = static_cast<std::uint32_t>(value & 3);
    return (way & 2) == 0 ? found_tag{places.window, places.second, way} : found_tag{places.second, places.window, way};
  }
  /// The first of three steps that leads to a free slot. `from` is none if there is none. One branch for all three: more would
  /// be mispredicted more often.
  [[nodiscard]] step free_one(std::array<step, 3> const& to) const noexcept {
    bool const free[] = {slots_.get(to[0].slot) == 0, slots_.get(to[1].slot) == 0, slots_.get(to[2].slot) == 0};
    if (free[0] | free[1] | free[2]) return free[0] ? to[0] : free[1] ? to[1] : to[2];
    return {0, none, 0};
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
