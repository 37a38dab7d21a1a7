// The kernels of blocked_aging, whose blocks are 16 lanes of 32 bits.
#include <hortus/aging/age_kernels.hpp>
#include <hortus/aging/block_ring.hpp>

// This file includes itself once for each instruction set: see src/pair_kernels.cpp.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/age_kernels.cpp"
#include <hwy/foreach_target.h>

#include "src/block_kernels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace hortus::kernels::HWY_NAMESPACE {

/// The salts of the 16 lanes: two neighbours have the same one, and different halves of the pattern.
HWY_ALIGN constexpr std::uint32_t age_salts[16] = {split_salts[0], split_salts[0], split_salts[1], split_salts[1],
                                                   split_salts[2], split_salts[2], split_salts[3], split_salts[3],
                                                   split_salts[4], split_salts[4], split_salts[5], split_salts[5],
                                                   split_salts[6], split_salts[6], split_salts[7], split_salts[7]};

/// As many of the 16 lanes as fit into a vector.
using age_lanes = hn::CappedTag<std::uint32_t, 16>;
using age_vector = hn::Vec<age_lanes>;

/// The halves of the pattern, as the lanes from `from` on have them.
HWY_INLINE age_vector age_halves(std::uint64_t pattern, [[maybe_unused]] std::size_t from) {
  age_lanes const d;
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(d, static_cast<std::uint32_t>(pattern >> (from % 2 * 32)));
#else
  return hn::BitCast(d, hn::Set(hn::Repartition<std::uint64_t, age_lanes>(), pattern));
#endif
}

/// The key's bit in each lane from `from` on.
HWY_INLINE age_vector age_masks(std::uint64_t pattern, std::size_t from) {
  age_lanes const d;
  auto const product = hn::Mul(age_halves(pattern, from), hn::Load(d, age_salts + from));
  return hn::Shl(hn::Set(d, 1), hn::ShiftRight<27>(product));
}

HWY_INLINE std::uint32_t seen_at(std::uint64_t const* block, std::uint64_t pattern) {
  age_lanes const d;
  auto const* const lanes = reinterpret_cast<std::uint32_t const*>(block);
  std::uint32_t seen = 0;
  for (std::size_t lane = 0; lane < 16; lane += hn::Lanes(d)) {
    auto const masks = age_masks(pattern, lane);
    auto const line = hn::LoadU(d, lanes + lane);
#if defined(HORTUS_LINE_IN_REGISTER)
    seen = _mm512_test_epi32_mask(line.raw, masks.raw);
#elif defined(HORTUS_KEYS_IN_LANES)
    auto const found = hn::Eq(hn::And(line, masks), masks);
    seen |= static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(found.raw))) << lane;
#else
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, hn::Eq(hn::And(line, masks), masks), bits);
    seen |= static_cast<std::uint32_t>(bits[0]) << lane;
#endif
  }
  return seen;
}

std::uint32_t seen_one(std::uint64_t const* block, digest x) { return seen_at(block, pattern_bits(x)); }

void mark_one(std::uint64_t* block, digest x, std::uint32_t lanes) {
  age_lanes const d;
  HWY_ALIGN static constexpr std::uint32_t numbers[16] = {1U << 0,  1U << 1,  1U << 2,  1U << 3, 1U << 4,  1U << 5,
                                                          1U << 6,  1U << 7,  1U << 8,  1U << 9, 1U << 10, 1U << 11,
                                                          1U << 12, 1U << 13, 1U << 14, 1U << 15};
  auto const pattern = pattern_bits(x);
  auto* const words = reinterpret_cast<std::uint32_t*>(block);
  for (std::size_t lane = 0; lane < 16; lane += hn::Lanes(d)) {
    auto const wanted = hn::TestBit(hn::Set(d, lanes), hn::Load(d, numbers + lane));
    auto const masks = hn::IfThenElseZero(wanted, age_masks(pattern, lane));
    hn::StoreU(hn::Or(hn::LoadU(d, words + lane), masks), d, words + lane);
  }
}

/// The keys whose lanes have a row that is asked for. All keys at once: rotations and rows are the same shifts for all.
HWY_INLINE std::uint64_t with_rows(std::uint16_t const* seen, age_rows rows, std::size_t count) {
  hn::CappedTag<std::uint16_t, 32> const d;
  HWY_ALIGN std::uint8_t found[most_keys];
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    auto const lanes = hn::Load(d, seen + i);
    auto slices = lanes;
    if (rows.first != 0)
      slices = hn::Or(hn::ShiftRightSame(lanes, static_cast<int>(rows.first)),
                      hn::ShiftLeftSame(lanes, static_cast<int>(16 - rows.first)));
    unsigned length = 1;
    for (; 2 * length <= rows.probes; length *= 2)
      slices = hn::And(slices, hn::ShiftRightSame(slices, static_cast<int>(length)));
    slices = hn::And(slices, hn::ShiftRightSame(slices, static_cast<int>(rows.probes - length)));
    slices = hn::And(slices, hn::Set(d, static_cast<std::uint16_t>((1U << rows.end) - 1)));
    auto const any = hn::IfThenElseZero(hn::Ne(slices, hn::Zero(d)), hn::Set(d, 1));
    hn::Store(hn::TruncateTo(hn::Rebind<std::uint8_t, decltype(d)>(), any), hn::Rebind<std::uint8_t, decltype(d)>(), found + i);
  }
  return to_bits(found, count);
}

std::uint64_t find_ages(std::uint64_t const* from, std::uint64_t blocks, age_rows rows, keys xs, keys next) {
  asking<by_fastrange<8>> const ask(from, blocks, next);
  HWY_ALIGN std::uint64_t start[most_keys];
  HWY_ALIGN std::uint64_t pattern[most_keys];
  find_lines(xs, blocks, start, pattern);
  HWY_ALIGN std::uint16_t seen[most_keys];
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (i % group_keys == 0) ask.group(i);
    // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): find_lines has written the start of every key
    seen[i] = static_cast<std::uint16_t>(seen_at(from + start[i], pattern[i]));
  }
  return with_rows(seen, rows, xs.size());
}

}  // namespace hortus::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "src/kept_kernel.hpp"

namespace hortus::kernels {

HWY_EXPORT(seen_one);
HWY_EXPORT(mark_one);
HWY_EXPORT(find_ages);

namespace {

std::uint32_t choose_seen(std::uint64_t const* block, digest x) {
  return kept(chosen_for_ages.seen, [] { return HWY_DYNAMIC_DISPATCH(seen_one); })(block, x);
}
void choose_mark(std::uint64_t* block, digest x, std::uint32_t lanes) {
  kept(chosen_for_ages.mark, [] { return HWY_DYNAMIC_DISPATCH(mark_one); })(block, x, lanes);
}

}  // namespace

constinit age_kernels chosen_for_ages{choose_seen, choose_mark};

void age_kernels::choose_again() noexcept {
  seen = choose_seen;
  mark = choose_mark;
}

std::uint64_t in_ages(std::uint64_t const* words, std::uint64_t blocks, age_rows rows, std::span<digest const> xs,
                      std::span<digest const> next) noexcept {
  return HWY_DYNAMIC_DISPATCH(find_ages)(words, blocks, rows, xs, next);
}

}  // namespace hortus::kernels
#endif
