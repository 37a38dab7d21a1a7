#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <hortus/hash/keys.hpp>
#include <hortus/io/envelope.hpp>

/// What a filter records about inserts for its file: how many there were, and whether the keys were text, integers or
/// digests.
namespace hortus {

/// Saturating, because one call may stand for up to 2^64 - 1 inserts.
[[nodiscard]] constexpr std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) noexcept {
  return a + std::min(b, std::numeric_limits<std::uint64_t>::max() - a);
}

/// Records a number of inserts of keys of this type.
template <digestible Key>
void note_inserts(envelope& about, std::uint64_t inserts) noexcept {
  about.items_inserted = saturating_sum(about.items_inserted, inserts);
  about.kinds = about.kinds | kind_of<Key>;
}

/// Records how many keys of a batch were inserted when the scope is left, also by an exception. It is unknown how many keys
/// of a block that throws were inserted. Then `known` is still false, and the kind of the keys is recorded in any case.
template <digestible Key>
struct noting {
  envelope& about;
  std::size_t in = 0;
  bool known = false;

  void went_in(std::size_t keys) noexcept {
    in = keys;
    known = true;
  }
  ~noting() {
    if (in != 0 || !known) note_inserts<Key>(about, in);
  }
};

}  // namespace hortus
