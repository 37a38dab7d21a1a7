#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include <hortus/cells/memory.hpp>
#include <hortus/map/perfect_place.hpp>

namespace hortus {

/// Finds the seeds of one part of a perfect hash. Keeps its memory for the next part.
///
/// Buckets are handled from the first to the last; a bucket of few keys later than its neighbours, because few keys find
/// free slots among many that are taken. A bucket takes the seed whose slots are free and nearest to the front, so that slots
/// are filled without gaps. Slots are bits: 16 neighbouring seeds are tested at once, and the part of the slots in use
/// is in the cache. A bucket without such a seed gets seed 0: its keys are left over. So a build never fails, and takes a time
/// proportional to the number of keys whatever they are.
class perfect_part {
 public:
  /// A bucket with more keys gets seed 0. One in half a million has more.
  static constexpr unsigned max_bucket_keys = 16;

  /// Writes the seeds of the part's buckets. Appends to `left` the words that are left over, and to `holes` the slots without
  /// a key; both in ascending order. `seeds` are those of the level. Pre: words ascend and are distinct; the part has as many
  /// slots as a key reaches.
  void build(std::span<std::uint64_t const> words, unsigned part_bits, perfect_part_shape shape, std::uint8_t* seeds,
             std::vector<std::uint64_t>& left, std::vector<std::uint64_t>& holes);

 private:
  memory starts_;  // a 64-bit word for each bucket: its first key
  memory taken_;   // a bit for each slot
};

}  // namespace hortus
