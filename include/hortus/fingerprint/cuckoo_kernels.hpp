#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <hortus/digest.hpp>
#include <hortus/fingerprint/cuckoo_places.hpp>

/// The kernels of cuckoo: src/cuckoo_kernels.cpp finds the windows of several keys at once. For slots that can be read in
/// pairs.
namespace hortus::kernels {

struct cuckoo_windows {
  std::byte const* bytes;
  cuckoo_map map;
  unsigned slot_bits;
};

/// Bit i of the answer: is the tag of xs[i] in one of its slots? Prefetches the windows of `next`, which may be empty, in
/// between. Pre: xs and next have at most 64 keys each.
std::uint64_t in_windows(cuckoo_windows const& in, std::span<digest const> xs, std::span<digest const> next) noexcept;

/// One slot of each of up to 64 keys, and the value that the key's tag has in it. A value of 0: there is no such slot.
struct slots_of_keys {
  std::uint64_t special;  // one bit per key
  alignas(64) std::uint64_t slot[64];
  alignas(64) std::uint64_t value[64];
};
/// The first free slot of each key. Special: its tag is already in one of its slots.
void find_free(cuckoo_windows const& in, std::span<digest const> xs, std::span<digest const> next, slots_of_keys& out) noexcept;
/// The first slot that holds the tag of the key. Special: several do.
void find_copy(cuckoo_windows const& in, std::span<digest const> xs, std::span<digest const> next, slots_of_keys& out) noexcept;

}  // namespace hortus::kernels
