#include <hortus/fingerprint/cuckoo_kernels.hpp>

#include <bit>
#include <cstring>

#include <hortus/cells/slot_array.hpp>
#include <hortus/fingerprint/slot_pair.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cuckoo_kernels.cpp"
#include <hwy/foreach_target.h>

#include "src/block_kernels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace hortus::kernels::HWY_NAMESPACE {

#ifdef HORTUS_LINE_IN_REGISTER  // AVX-512 multiplies 64-bit lanes; by halves it would be no faster than one key after the other

/// Eight keys in lanes. Pre: fewer than 2^32 windows.
class eight_keys {
 public:
  HWY_INLINE eight_keys(cuckoo_windows const& in, vector digests) {
    words const d;
    auto const windows = hn::Set(d, in.map.windows), golden = hn::Set(d, golden_ratio64);
    auto const mixed = hn::Mul(digests, golden);
    window = high(mixed, windows);
    tag = hn::Add(hn::Set(d, 1), high(hn::Mul(mixed, windows), hn::Set(d, in.map.tags)));
    auto const shift = static_cast<int>(in.map.distance_shift);
    distance = hn::Add(hn::Set(d, 2), hn::ShiftRightSame(hn::Mul(tag, golden), shift));
    auto const width = hn::Set(d, std::uint64_t{in.slot_bits});
    near_bit = times(window, width);
    far_bit = hn::Add(near_bit, times(distance, width));
  }
  /// Two slots from a bit on.
  static HWY_INLINE vector pair_at(std::byte const* bytes, vector bit) {
    words const d;
    hn::RebindToSigned<words> const offsets;
    auto const word =
        hn::GatherOffset(d, reinterpret_cast<std::uint64_t const*>(bytes), hn::BitCast(offsets, hn::ShiftRight<3>(bit)));
    return hn::Shr(word, hn::And(bit, hn::Set(d, 7)));
  }
  /// The cache lines where the windows begin, and where they end.
  HWY_INLINE void prefetch(cuckoo_windows const& in, std::size_t count) const {
    HWY_ALIGN std::uint64_t near[8], far[8];
    hn::Store(near_bit, words(), near);
    hn::Store(far_bit, words(), far);
    for (std::size_t i = 0; i < count; ++i)
      for (auto const bit : {near[i], far[i]}) {
        __builtin_prefetch(in.bytes + bit / 8);
        __builtin_prefetch(in.bytes + (bit + 2 * in.slot_bits - 1) / 8);
      }
  }

  vector window, tag, distance, near_bit, far_bit;

 private:
  /// The upper halves of the products, as fastrange(). Pre: b < 2^32.
  static HWY_INLINE vector high(vector a, vector b) {
    return hn::ShiftRight<32>(hn::Add(times(hn::ShiftRight<32>(a), b), hn::ShiftRight<32>(times(a, b))));
  }
};

/// slot_pair, for eight pairs.
struct eight_pairs {
  explicit HWY_INLINE eight_pairs(slot_pair one)
      : ones(hn::Set(words(), one.ones)),
        highs(hn::Set(words(), one.highs)),
        first(hn::Set(words(), one.first)),
        second(hn::Set(words(), one.second)),
        four_times(hn::Set(words(), 4 * one.ones)),
        ways(hn::Set(words(), one.ones - 1)),
        second_window(hn::Set(words(), one.second_window())) {}

  HWY_INLINE vector values(vector tag) const { return hn::Add(hn::Mul(tag, four_times), ways); }
  /// One bit per key: is one of the values in its slots?
  HWY_INLINE std::uint64_t present(vector values, vector near, vector far) const {
    words const d;
    auto const zero = hn::Or(any_zero(hn::Xor(near, values)), any_zero(hn::Xor(hn::Xor(far, values), second_window)));
    std::uint8_t bits = 0;
    hn::StoreMaskBits(d, hn::Ne(hn::And(zero, highs), hn::Zero(d)), &bits);
    return bits;
  }

  vector ones, highs, first, second, four_times, ways, second_window;

 private:
  /// Some bits besides `highs` may be set.
  HWY_INLINE vector any_zero(vector pair) const { return hn::AndNot(pair, hn::Sub(pair, ones)); }
};

/// act(i, eight keys from i on), and prefetches `next`.
HWY_INLINE void for_each_eight(cuckoo_windows const& in, keys xs, keys next, auto act) {
  padded const all(xs), coming(next);
  for (std::size_t i = 0; i < xs.size(); i += group_keys) {
    if (i < next.size()) eight_keys(in, coming[i]).prefetch(in, std::min(group_keys, next.size() - i));
    act(i, eight_keys(in, all[i]));
  }
}

std::uint64_t in_windows_of_eight(cuckoo_windows const& in, keys xs, keys next) {
  eight_pairs const pairs{slot_pair(in.slot_bits)};
  std::uint64_t hits = 0;
  for_each_eight(in, xs, next, [&](std::size_t i, eight_keys const& eight) HWY_ATTR {
    auto const near = eight_keys::pair_at(in.bytes, eight.near_bit), far = eight_keys::pair_at(in.bytes, eight.far_bit);
    hits |= pairs.present(pairs.values(eight.tag), near, far) << i;
  });
  return first(xs.size(), hits);
}

/// The first of four slots that is as wanted, and the value of the tag there.
class first_of_four {
 public:
  HWY_INLINE first_of_four(eight_keys const& eight, eight_pairs const& pairs, vector near, vector far) {
    words const d;
    auto const second = hn::Add(eight.window, eight.distance), one = hn::Set(d, 1);
    take(eight, hn::And(far, pairs.second), hn::Add(second, one), 3);  // the first slot is taken last
    take(eight, hn::And(far, pairs.first), second, 2);
    take(eight, hn::And(near, pairs.second), hn::Add(eight.window, one), 1);
    take(eight, hn::And(near, pairs.first), eight.window, 0);
  }

  vector slot = hn::Zero(words()), value = hn::Zero(words());
  unsigned some = 0, several = 0;  // one bit per key: how many slots are as wanted

 private:
  /// If `difference` is 0, the slot is as wanted.
  HWY_INLINE void take(eight_keys const& eight, vector difference, vector its_slot, std::uint64_t way) {
    words const d;
    auto const wanted = hn::Eq(difference, hn::Zero(d));
    slot = hn::IfThenElse(wanted, its_slot, slot);
    value = hn::IfThenElse(wanted, hn::Or(hn::ShiftLeft<2>(eight.tag), hn::Set(d, way)), value);
    std::uint8_t bits = 0;
    hn::StoreMaskBits(d, wanted, &bits);
    several |= some & bits;
    some |= bits;
  }
};

template <bool Free>
void find_of_eight(cuckoo_windows const& in, keys xs, keys next, slots_of_keys& out) {
  words const d;
  eight_pairs const pairs{slot_pair(in.slot_bits)};
  std::uint64_t special = 0;
  for_each_eight(in, xs, next, [&](std::size_t i, eight_keys const& eight) HWY_ATTR {
    auto const near = eight_keys::pair_at(in.bytes, eight.near_bit), far = eight_keys::pair_at(in.bytes, eight.far_bit);
    auto const values = pairs.values(eight.tag), far_values = hn::Xor(values, pairs.second_window);
    first_of_four const found(eight, pairs, Free ? near : hn::Xor(near, values), Free ? far : hn::Xor(far, far_values));
    special |= (Free ? pairs.present(values, near, far) : std::uint64_t{found.several}) << i;
    hn::Store(found.slot, d, out.slot + i);
    hn::Store(found.value, d, out.value + i);
  });
  out.special = first(xs.size(), special);
}
#endif

/// One key after the other.
class one_key {
 public:
  one_key(cuckoo_windows const& in, digest x)
      : in_(in),
        pair_(in.slot_bits),
        at_(cuckoo_places::of(x, in.map)),
        near_(pair_at(at_.window)),
        far_(pair_at(at_.second)) {}

  [[nodiscard]] bool present() const {
    auto const values = pair_.values(at_.tag);
    return (pair_.any_zero(near_ ^ values) | pair_.any_zero(far_ ^ values ^ pair_.second_window())) != 0;
  }
  void find_free(std::size_t i, slots_of_keys& out) const {
    out.special |= std::uint64_t{present()} << i;
    put_first(pair_.which_zeros(near_) | pair_.which_zeros(far_) << 2, i, out);
  }
  void find_copy(std::size_t i, slots_of_keys& out) const {
    auto const values = pair_.values(at_.tag);
    auto const copies = pair_.which_zeros(near_ ^ values) | pair_.which_zeros(far_ ^ values ^ pair_.second_window()) << 2;
    out.special |= std::uint64_t{(copies & (copies - 1)) != 0} << i;
    put_first(copies, i, out);
  }
  static HWY_INLINE void prefetch(cuckoo_windows const& in, digest x) {
    auto const at = cuckoo_places::of(x, in.map);
    for (auto const window : {at.window, at.second}) {
      __builtin_prefetch(in.bytes + window * in.slot_bits / 8);
      __builtin_prefetch(in.bytes + ((window + 2) * in.slot_bits - 1) / 8);
    }
  }

 private:
  [[nodiscard]] std::uint64_t pair_at(std::uint64_t slot) const {
    auto const bit = slot * in_.slot_bits;
    std::uint64_t word = 0;
    std::memcpy(&word, in_.bytes + bit / 8, sizeof word);
    return word >> bit % 8;
  }

  void put_first(unsigned ways, std::size_t i, slots_of_keys& out) const {
    auto const way = static_cast<unsigned>(std::countr_zero(ways));
    out.slot[i] = ways == 0 ? 0 : at_.slot(way);
    out.value[i] = ways == 0 ? 0 : at_.value(way);
  }

  cuckoo_windows const& in_;
  slot_pair pair_;
  cuckoo_places at_;
  std::uint64_t near_, far_;
};

[[maybe_unused]] bool has_lanes_for(cuckoo_windows const& in) { return in.map.windows >> 32 == 0; }

/// act(i, key i), and prefetches `next`.
HWY_INLINE void for_each_one(cuckoo_windows const& in, keys xs, keys next, auto act) {
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (i < next.size()) one_key::prefetch(in, next[i]);
    act(i, one_key(in, xs[i]));
  }
}

std::uint64_t in_windows(cuckoo_windows const& in, keys xs, keys next) {
#ifdef HORTUS_LINE_IN_REGISTER
  if (has_lanes_for(in)) return in_windows_of_eight(in, xs, next);
#endif
  std::uint64_t hits = 0;
  for_each_one(in, xs, next, [&](std::size_t i, one_key const& key) { hits |= std::uint64_t{key.present()} << i; });
  return hits;
}
void find_free(cuckoo_windows const& in, keys xs, keys next, slots_of_keys& out) {
#ifdef HORTUS_LINE_IN_REGISTER
  if (has_lanes_for(in)) return find_of_eight<true>(in, xs, next, out);
#endif
  out.special = 0;
  for_each_one(in, xs, next, [&](std::size_t i, one_key const& key) { key.find_free(i, out); });
}
void find_copy(cuckoo_windows const& in, keys xs, keys next, slots_of_keys& out) {
#ifdef HORTUS_LINE_IN_REGISTER
  if (has_lanes_for(in)) return find_of_eight<false>(in, xs, next, out);
#endif
  out.special = 0;
  for_each_one(in, xs, next, [&](std::size_t i, one_key const& key) { key.find_copy(i, out); });
}

}  // namespace hortus::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hortus::kernels {

HWY_EXPORT(in_windows);
HWY_EXPORT(find_free);
HWY_EXPORT(find_copy);

using keys = std::span<digest const>;
std::uint64_t in_windows(cuckoo_windows const& in, keys xs, keys next) noexcept {
  return HWY_DYNAMIC_DISPATCH(in_windows)(in, xs, next);
}
void find_free(cuckoo_windows const& in, keys xs, keys next, slots_of_keys& out) noexcept {
  HWY_DYNAMIC_DISPATCH(find_free)(in, xs, next, out);
}
void find_copy(cuckoo_windows const& in, keys xs, keys next, slots_of_keys& out) noexcept {
  HWY_DYNAMIC_DISPATCH(find_copy)(in, xs, next, out);
}

}  // namespace hortus::kernels
#endif
