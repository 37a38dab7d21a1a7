#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include <hortus/cells/memory.hpp>
#include <hortus/frozen/fuse_map.hpp>

namespace hortus {

/// Builds one part of a binary fuse filter. Keeps its memory for the next part.
///
/// A slot that only one key has left is given to that key, and the key is taken out of its other slots: it is peeled. In
/// reverse order every key then finds its slot free, and sets it so that the exclusive or of its slots is its fingerprint.
///
/// Keys come in ascending order, so segments are filled from the first to the last, and peeling follows close behind: only the
/// slots of a few segments are in use, and those are in the cache. Where too many keys share a stretch of slots, peeling stops.
/// Then the first key that is left is bumped: it gets no slots, and the filter keeps it in a list. Peeling goes on, so a
/// build never fails, and takes a time proportional to the number of keys whatever they are.
class fuse_part {
 public:
  /// Returns the contents of the slots, which are valid until the next call. Appends the words that were bumped, in ascending
  /// order, to `bumped`. Pre: words ascend and are distinct; length >= 1; arity is 3 or 4.
  std::span<std::uint64_t const> build(std::span<std::uint64_t const> words, fuse_map map, unsigned arity, std::uint64_t length,
                                       unsigned slot_bits, std::vector<std::uint64_t>& bumped);

 private:
  memory cells_;  // a 64-bit word for each slot
  memory order_;  // 32 bits for each slot: those to peel, and those that were peeled
};

}  // namespace hortus
