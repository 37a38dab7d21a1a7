#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <hortus/error.hpp>
#include <hortus/maths/cardinality.hpp>
#include <hortus/maths/limits.hpp>
#include <hortus/plan/goal.hpp>

namespace hortus::plan {

/// The shape of a hash_compaction filter: lines of 64 bytes, each with as many slots of `signature_bits` as fit.
struct hash_compaction_shape {
  static constexpr unsigned min_signature_bits = 4;
  static constexpr unsigned max_signature_bits = 57;
  static constexpr unsigned line_bits = 512;

  std::uint64_t lines = 0;
  unsigned signature_bits = 0;

  [[nodiscard]] unsigned slots_per_line() const noexcept { return line_bits / signature_bits; }
  [[nodiscard]] std::uint64_t slots() const noexcept { return lines * slots_per_line(); }
  /// The most slots that are filled: 31/32 of them, or all if there are fewer than 32. Up to there a key goes through few
  /// lines; in a table without a free slot it would go through all of them.
  [[nodiscard]] std::uint64_t capacity() const noexcept { return slots() - slots() / 32; }
  /// The number of signatures, 1 to 2^b - 1. 0 means a free slot.
  [[nodiscard]] double signatures() const noexcept { return std::ldexp(1.0, static_cast<int>(signature_bits)) - 1; }
  [[nodiscard]] double bytes() const noexcept { return static_cast<double>(lines) * line_bits / 8; }
  bool operator==(hash_compaction_shape const&) const = default;
};

/// The largest load that is planned: a new key then goes through 1.1 to 1.3 lines.
inline constexpr double hash_compaction_max_load = 0.95;

/// Returns the shape; throws errc::bad_params if no filter can have it.
inline hash_compaction_shape checked(hash_compaction_shape shape) {
  if (shape.signature_bits < hash_compaction_shape::min_signature_bits ||
      shape.signature_bits > hash_compaction_shape::max_signature_bits || shape.lines < 1 ||
      shape.lines > max_bits / hash_compaction_shape::line_bits)
    throw error(errc::bad_params, "a hash_compaction filter has signatures of 4 to 57 bits, and 1 to 2^33 lines of 64 bytes");
  return shape;
}

/// A table of many lines while it is filled. All numbers are per slot.
///
/// The table is the same in whatever order keys come, so let the largest signatures come first. A key then takes the first free
/// slot on its way and stays there. A line that is not full gets keys at the same rate as every other, so the number of its
/// slots in use is min(s, Poisson(t)), with `time` t and s slots a line. Let P be the probability that a line is full, and let
/// k slots of a line be used in random order. Then the s - k free slots end gaps whose lengths are a random composition of s,
/// and two keys that begin in this line end in the same slot with probability w(k) = (2 (s + 1) / (s - k + 1) - 1) / s. Keys of
/// equal signatures leave a full line the same way, so runs of full lines are such gaps too. Altogether two keys of equal
/// signatures end in the same slot with probability (1 + P) (W + P) / (1 - P) / lines, where W sums w(k) over lines that are
/// not full.
struct hash_compaction_fill {
  double time = 0;
  double load = 0;     ///< slots in use
  double items = 0;    ///< distinct keys; more than `load`, since keys of equal signatures may share a slot
  double matches = 0;  ///< keys that an absent key is expected to end with
  double omitted = 0;  ///< keys that were mistaken for others when they were inserted

  [[nodiscard]] double fpr() const noexcept { return -std::expm1(-matches); }

  /// The state a little later, by the midpoint rule.
  [[nodiscard]] hash_compaction_fill next(hash_compaction_shape shape) const {
    auto const slots = shape.slots_per_line();
    double const step = slots / 128.0, middle = time + step / 2;
    double part = std::exp(-middle), below = 0, same = 0;  // part: probability of k slots in use
    for (unsigned k = 0; k < slots; ++k) {
      below += part;
      same += part * (2 * (slots + 1.0) / (slots - k + 1.0) - 1) / slots;
      part *= middle / (k + 1);
    }
    double const full = std::max(0.0, 1 - below), more = step * (1 - full) / slots;
    hash_compaction_fill after{time + step, load + more, 0, matches + step * (1 + full) * (same + full) / shape.signatures(),
                               0};
    // Keys that end in the same slot as others are Poisson; 1 - e^-x of x of them find it free.
    after.items = after.load * after.matches / after.fpr();
    after.omitted = omitted + (after.items - items) * (fpr() + after.fpr()) / 2;
    return after;
  }

  /// The state between two that are next to each other where `what` has the value `wanted`.
  static hash_compaction_fill between(hash_compaction_fill const& a, hash_compaction_fill const& b,
                                      double hash_compaction_fill::*what, double wanted) {
    double const part = std::clamp((wanted - a.*what) / (b.*what - a.*what), 0.0, 1.0);
    auto const mix = [&](double from, double to) { return from + part * (to - from); };
    return {mix(a.time, b.time), mix(a.load, b.load), mix(a.items, b.items), mix(a.matches, b.matches),
            mix(a.omitted, b.omitted)};
  }
  /// The first state where `what` has the value `wanted`, or the load is `most`.
  static hash_compaction_fill until(hash_compaction_shape shape, double hash_compaction_fill::*what, double wanted,
                                    double most) {
    hash_compaction_fill now, then;
    for (; then.*what < wanted && then.load < most; then = now.next(shape)) now = then;
    auto const found = between(now, then, what, wanted);
    return found.load <= most ? found : between(now, then, &hash_compaction_fill::load, most);
  }
};

/// The limit of the load: the states of hash_compaction_fill come to 1 only after infinite time.
[[nodiscard]] inline double hash_compaction_full_load(hash_compaction_shape shape) {
  return std::min(31 / 32.0, static_cast<double>(shape.capacity()) / static_cast<double>(shape.slots()));
}

/// Probability that an absent key is found after `items` distinct keys, in the limit of many lines. With few lines it is lower.
/// Past capacity() keys are refused, and the rate rises no more.
[[nodiscard]] inline double hash_compaction_fpr(hash_compaction_shape shape, std::uint64_t items) {
  checked(shape);
  double const a_slot = static_cast<double>(items) / static_cast<double>(shape.slots());
  return hash_compaction_fill::until(shape, &hash_compaction_fill::items, a_slot, hash_compaction_full_load(shape)).fpr();
}

/// The share of `items` distinct keys that are mistaken for earlier ones while they are inserted: an average of the rates on
/// the way, far below the last.
[[nodiscard]] inline double hash_compaction_omissions(hash_compaction_shape shape, std::uint64_t items) {
  checked(shape);
  double const a_slot = static_cast<double>(items) / static_cast<double>(shape.slots());
  auto const at = hash_compaction_fill::until(shape, &hash_compaction_fill::items, a_slot, hash_compaction_full_load(shape));
  return items == 0 ? 0 : at.omitted / at.items;
}

/// Cache lines that a lookup reads on average, of a member or not, at the given load.
[[nodiscard]] inline double hash_compaction_lines_read(hash_compaction_shape shape, double load) {
  auto const at =
      hash_compaction_fill::until(checked(shape), &hash_compaction_fill::load, load, hash_compaction_full_load(shape));
  return at.time / (shape.slots_per_line() * at.load);
}

/// The fewest bytes for the goal.
[[nodiscard]] inline hash_compaction_shape hash_compaction(goal g) {
  auto const items = static_cast<double>(std::max<std::uint64_t>(g.items, 1));
  double const matches = -std::log1p(-checked_fpr(g.fpr));
  // A bit less than this doubles the lines. Five bits more allow every load that is planned.
  auto const fewest_bits = std::clamp(static_cast<int>(-std::log2(g.fpr)) - 1, int{hash_compaction_shape::min_signature_bits},
                                      int{hash_compaction_shape::max_signature_bits});
  auto const most_bits = std::min(fewest_bits + 8, int{hash_compaction_shape::max_signature_bits});
  hash_compaction_shape best;
  double fewest = std::numeric_limits<double>::infinity();
  for (auto bits = static_cast<unsigned>(fewest_bits); bits <= static_cast<unsigned>(most_bits); ++bits) {
    hash_compaction_shape const one{1, bits};
    auto const most = hash_compaction_fill::until(one, &hash_compaction_fill::matches, matches, hash_compaction_max_load);
    // Keys that share a slot are not counted on: each of the planned keys has a slot of its own.
    double const lines = std::ceil(items / (std::min(most.items, hash_compaction_max_load) * one.slots_per_line()));
    if (lines < fewest) fewest = lines, best.signature_bits = bits;
  }
  checked_bits(fewest * hash_compaction_shape::line_bits, "a hash_compaction filter for that goal");
  best.lines = static_cast<std::uint64_t>(fewest);
  while (hash_compaction_fpr(best, g.items) > g.fpr) ++best.lines;  // rounding may have been off by one
  return checked(best);
}

/// Distinct keys in a filter with `used` slots in use: the slots, and the keys that share one with another.
[[nodiscard]] inline estimate hash_compaction_cardinality(hash_compaction_shape shape, std::uint64_t used) {
  checked(shape);
  auto const slots = static_cast<double>(shape.slots()), sure = static_cast<double>(used);
  if (used == 0) return {};
  auto const at =
      hash_compaction_fill::until(shape, &hash_compaction_fill::load, sure / slots, hash_compaction_full_load(shape));
  double const sharing = std::max(0.0, sure * (at.items / at.load - 1));
  double const deviation = z95 * std::sqrt(sharing) * at.items / at.load;
  return {sure + sharing, std::max(sure, sure + sharing - deviation), sure + sharing + deviation, false};
}

}  // namespace hortus::plan
