#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <hortus/cells/memory_source.hpp>
#include <hortus/cells/slot_array.hpp>
#include <hortus/fingerprint/cuckoo_places.hpp>

namespace hortus {

/// Makes room in a cuckoo filter for a fingerprint whose four slots are taken. Each of their tags could move to three other
/// slots of its own, if the tags there moved on, and so on to a free slot. A breadth-first search finds the shortest such
/// path. Only then tags move, from the end of the path, so that a search that fails changes nothing.
///
/// The search stays in one chunk, and with most_steps = all it visits every slot that can be reached: if it fails, the keys
/// of this chunk and this one do not fit in any arrangement (the path is an augmenting path of a bipartite matching).
class cuckoo_search {
 public:
  static constexpr std::size_t all = 0x10001;  // the slots of the largest chunk
  static constexpr std::size_t few = 512;

  cuckoo_search(slot_array& slots, cuckoo_places const& key, std::uint64_t windows) noexcept
      : slots_(slots), key_(key), windows_(windows) {}

  /// Stores the key's tag, and returns true, if a path of at most `most_steps` visited slots was found.
  bool insert(std::size_t most_steps) {
    // Most searches are short. A slot may be visited twice in these; the path still has it once, as it is the shortest.
    std::array<step, 96> near;
    if (auto const end = search(near, [](std::uint64_t) { return true; }); end != nowhere) return move(near, end);
    memory_vector<step> far(most_steps + 4);
    memory_vector<std::uint64_t> visited(windows_ / 64 + 1);
    auto const first_visit = [&](std::uint64_t slot) {
      auto const at = slot - key_.first_slot;
      auto& word = visited[at / 64];
      auto const bit = std::uint64_t{1} << at % 64;
      return (word & bit) == 0 && ((word |= bit) != 0);
    };
    for (unsigned way = 0; way < 4; ++way) first_visit(key_.slot(way));
    auto const end = search(far, first_visit);
    return end != nowhere && move(far, end);
  }

 private:
  struct step {
    std::uint32_t at;    // slot, counted from the first of the chunk
    std::uint32_t from;  // the step whose tag would move here, times 4, plus the way in which it would lie here
  };
  static constexpr std::size_t nowhere = ~std::size_t{0};

  /// The number of the step that reached a free slot. Steps 0 to 3 are the key's own slots.
  std::size_t search(std::span<step> steps, auto first_visit) const noexcept {
    std::size_t made = 0;
    for (unsigned way = 0; way < 4; ++way) steps[made++] = {in_chunk(key_.slot(way)), way};
    for (std::size_t from = 0; from < made && made + 3 <= steps.size(); ++from) {
      auto const slot = key_.first_slot + steps[from].at;
      auto const value = slots_.get(slot);
      auto const places = cuckoo_places::stored(value, slot, key_.first_slot, windows_);
      for (unsigned other = 1; other < 4; ++other) {
        auto const way = (static_cast<unsigned>(value) ^ other) & 3;
        auto const to = places.slot(way);
        if (!first_visit(to)) continue;
        steps[made++] = {in_chunk(to), static_cast<std::uint32_t>(from) << 2 | way};
        if (slots_.get(to) == 0) return made - 1;
      }
    }
    return nowhere;
  }
  [[nodiscard]] std::uint32_t in_chunk(std::uint64_t slot) const noexcept {
    return static_cast<std::uint32_t>(slot - key_.first_slot);
  }
  bool move(std::span<step const> steps, std::size_t end) noexcept {
    for (; end >= 4; end = steps[end].from >> 2) {
      auto const value = slots_.get(key_.first_slot + steps[steps[end].from >> 2].at);
      slots_.put(key_.first_slot + steps[end].at, (value & ~std::uint64_t{3}) | (steps[end].from & 3));
    }
    slots_.put(key_.first_slot + steps[end].at, key_.value(steps[end].from & 3));
    return true;
  }

  slot_array& slots_;
  cuckoo_places key_;
  std::uint64_t windows_;
};

}  // namespace hortus
