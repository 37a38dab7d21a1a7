#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include <hortus/cells/memory.hpp>
#include <hortus/frozen/fuse_map.hpp>

namespace hortus {

/// Keys in ascending order; in a map with a value for each. The slots of a key give its fingerprint; in a map, the exclusive or
/// of its fingerprint and its value.
struct fuse_keys {
  std::span<std::uint64_t const> words;
  std::span<std::uint64_t const> values = {};  ///< empty in a filter
};

/// The keys that got no slots.
struct fuse_bumped {
  std::vector<std::uint64_t> words;
  std::vector<std::uint64_t> values;  ///< empty in a filter
  void sort();
};

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
  /// Returns the contents of the slots, which are valid until the next call. `bumped` becomes the keys that were bumped, in
  /// ascending order. Pre: words ascend and are distinct; length >= 1; arity is 3 or 4; `bumped` is empty.
  std::span<std::uint64_t const> build(fuse_keys keys, fuse_map map, unsigned arity, std::uint64_t length, unsigned slot_bits,
                                       fuse_bumped& bumped);

 private:
  memory cells_;  // a 64-bit word for each slot
  memory sums_;   // the same, in a map
  memory order_;  // 32 bits for each slot: those to peel, and those that were peeled
};

}  // namespace hortus
