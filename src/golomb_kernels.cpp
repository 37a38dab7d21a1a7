#include <hortus/frozen/golomb_kernels.hpp>

// This file includes itself once for each instruction set. The code between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE is
// compiled for each of them, the rest once.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/golomb_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hortus::kernels::HWY_NAMESPACE {

HWY_INLINE std::uint64_t find_one_by_one(golomb_code const& code, std::uint64_t const* words, golomb_lookups const& all,
                                         std::size_t first, std::size_t count) {
  std::uint64_t hits = 0;
  for (std::size_t i = first; i < count; ++i)
    hits |= std::uint64_t{code.finds(words, all.begins[i], all.ends[i], all.values[i])} << i;
  return hits;
}

// Without AVX2 there are no lanes that are shifted by different numbers of bits, and none that are gathered.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
namespace hn = hwy::HWY_NAMESPACE;
using lanes = hn::ScalableTag<std::uint64_t>;
using vector = hn::Vec<lanes>;

/// 64 bits from bit `at` on, in each lane.
HWY_INLINE vector bits_in_lanes(lanes d, std::uint64_t const* words, vector at) {
  auto const word = hn::BitCast(hn::RebindToSigned<lanes>(), hn::ShiftRight<6>(at));
  auto const shift = hn::And(at, hn::Set(d, 63));
  auto const low = hn::Shr(hn::GatherIndex(d, words, word), shift);
  auto const high = hn::ShiftLeft<1>(hn::GatherIndex(d, words + 1, word));
  return hn::Or(low, hn::Shl(high, hn::Sub(hn::Set(d, 63), shift)));
}

/// The position of the lowest one. Pre: there is one.
HWY_INLINE vector lowest_one(lanes d, vector bits, vector less_one) {
#if HWY_TARGET <= HWY_AVX3
  // As a floating-point number: its exponent.
  auto const alone = hn::BitCast(hn::RebindToSigned<lanes>(), hn::AndNot(less_one, bits));
  auto const power = hn::BitCast(d, hn::ConvertTo(hn::RebindToFloat<lanes>(), alone));
  return hn::Sub(hn::And(hn::ShiftRight<52>(power), hn::Set(d, 0x7ff)), hn::Set(d, 1023));
#else
  (void)d;
  return hn::PopulationCount(hn::AndNot(bits, less_one));
#endif
}

HWY_INLINE std::uint64_t find_in_lanes(golomb_code const& code, std::uint64_t const* words, golomb_lookups const& all,
                                       std::size_t first) {
  lanes const d;
  auto const one = hn::Set(d, 1), none = hn::Zero(d), cutoff = hn::Set(d, code.cutoff), divisor = hn::Set(d, code.divisor);
  auto const short_bits = static_cast<int>(code.short_bits);
  auto const shorter = hn::Set(d, code.short_bits);
  auto const wanted = hn::LoadU(d, all.values.data() + first);
  auto begin = hn::LoadU(d, all.begins.data() + first), end = hn::LoadU(d, all.ends.data() + first);
  auto value = hn::Set(d, ~std::uint64_t{0});
  auto active = hn::Lt(begin, end), found = hn::MaskFromVec(none);
  while (!hn::AllFalse(d, active)) {
    begin = hn::IfThenElseZero(active, begin);
    end = hn::IfThenElseZero(active, end);
    auto quotients = hn::Not(bits_in_lanes(d, words, begin));
    if (auto const full = hn::And(active, hn::Eq(quotients, none)); !hn::AllFalse(d, full)) {  // a run of 64 ones
      value = hn::IfThenElse(full, hn::Add(value, hn::Set(d, 64 * code.divisor)), value);
      begin = hn::IfThenElse(full, hn::Add(begin, hn::Set(d, 64)), begin);
      active = hn::And(active, hn::Lt(begin, end));
      continue;
    }
    auto remainders = bits_in_lanes(d, words - 1, end);
    auto taken = none, position = none, sum = value;
    for (unsigned i = 0; i < code.per_window; ++i) {
      auto const less_one = hn::Sub(quotients, one);
      position = lowest_one(d, quotients, less_one);
      quotients = hn::And(quotients, less_one);
      auto const remainder = hn::ShiftRightSame(hn::ShiftRight<1>(remainders), 63 - short_bits);
      auto const longer = hn::Not(hn::Lt(remainder, cutoff));
      auto const next = hn::ShiftLeftSame(remainders, short_bits);
      auto const more = hn::Add(hn::Sub(remainder, cutoff), hn::ShiftRight<63>(next));
      sum = hn::Add(hn::Add(sum, one), hn::Add(remainder, hn::IfThenElseZero(longer, more)));
      remainders = hn::IfThenElse(longer, hn::Add(next, next), next);
      taken = hn::Add(taken, hn::Add(shorter, hn::IfThenElseZero(longer, one)));
      hn::Repartition<std::uint32_t, lanes> const halves;
      value = hn::Add(sum, hn::MulEven(hn::BitCast(halves, position), hn::BitCast(halves, divisor)));
      sum = hn::Sub(sum, divisor);
      auto const enough = hn::And(active, hn::Not(hn::Lt(value, wanted)));
      found = hn::Or(found, hn::And(enough, hn::Eq(value, wanted)));
      auto const meet = hn::Not(hn::Lt(hn::Add(hn::Add(begin, position), hn::Add(taken, one)), end));
      active = hn::AndNot(hn::Or(enough, meet), active);
      if (!hn::AllFalse(d, hn::And(active, hn::Eq(quotients, none)))) break;
    }
    begin = hn::Add(begin, hn::Add(position, one));
    end = hn::Sub(end, taken);
  }
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(d, found, bits);
  return std::uint64_t{bits[0]} << first;
}
#endif

std::uint64_t golomb_find(golomb_code const& code, std::uint64_t const* words, golomb_lookups const& all, std::size_t count) {
  std::size_t done = 0;
  std::uint64_t hits = 0;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  constexpr std::size_t group = hn::MaxLanes(lanes());
  if (code.divisor >> 32 == 0)  // so that a product takes one instruction
    for (; done + group <= count; done += group) hits |= find_in_lanes(code, words, all, done);
#endif
  return hits | find_one_by_one(code, words, all, done, count);
}

bool golomb_find_one(golomb_code const& code, std::uint64_t const* words, std::uint64_t begin, std::uint64_t end,
                     std::uint64_t value) {
  return code.finds(words, begin, end, value);
}

}  // namespace hortus::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hortus::kernels {

HWY_EXPORT(golomb_find);
HWY_EXPORT(golomb_find_one);

std::uint64_t golomb_find(golomb_code const& code, std::uint64_t const* words, golomb_lookups const& all,
                          std::size_t count) noexcept {
  return HWY_DYNAMIC_DISPATCH(golomb_find)(code, words, all, count);
}

bool golomb_find_one(golomb_code const& code, std::uint64_t const* words, std::uint64_t begin, std::uint64_t end,
                     std::uint64_t value) noexcept {
  return HWY_DYNAMIC_DISPATCH(golomb_find_one)(code, words, begin, end, value);
}

}  // namespace hortus::kernels
#endif
