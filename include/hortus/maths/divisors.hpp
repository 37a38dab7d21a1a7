#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <hortus/error.hpp>
#include <hortus/maths/limits.hpp>

namespace hortus::plan {

/// `bits`, or up to 0.2 % more, as a number with many divisors: a filter folds by the divisors of its size, and a size from a
/// formula may be prime. Rounds up to a multiple of a number that is rich in divisors, the greatest of a short list that is at
/// most bits / 512. From 2^15 bits on the result is also a whole number of 64-bit words. Sizes below 1024, and those that would
/// exceed `limit`, are not changed.
[[nodiscard]] inline std::uint64_t with_divisors(std::uint64_t bits, std::uint64_t limit = max_bits) {
  // From 64 = 2^6 on each is a multiple of the one before, by 3, 5, 7, 3, 11, 13, 3 * 17, 19. The last has 1792 divisors.
  constexpr std::array<std::uint64_t, 12> rich{2, 4, 12, 64, 192, 960, 6720, 20160, 221760, 2882880, 147026880, 2793510720};
  for (auto at = rich.rbegin(); at != rich.rend(); ++at) {
    if (*at > bits / 512) continue;
    auto const excess = bits % *at;
    if (excess == 0) return bits;
    if (bits <= limit && *at - excess <= limit - bits) return bits + (*at - excess);
  }
  return bits;
}

/// All divisors, ascending: the numbers by which a filter of `bits` bits can be folded.
[[nodiscard]] inline std::vector<std::uint64_t> divisors(std::uint64_t bits) {
  if (bits < 1 || bits > max_bits) throw error(errc::bad_params, "a filter has 1 to 2^42 bits");  // bounds the trials by 2^21
  std::vector<std::uint64_t> found{1};
  auto const multiply = [&](std::uint64_t prime) {
    auto const before = found.size();
    for (; bits % prime == 0; bits /= prime)  // for each power of the prime, multiplies all divisors without it
      for (std::size_t i = 0; i < before; ++i) found.push_back(found[found.size() - before] * prime);
  };
  for (std::uint64_t prime = 2; prime * prime <= bits; prime += prime == 2 ? 1 : 2) multiply(prime);
  if (bits > 1) multiply(bits);
  std::sort(found.begin(), found.end());
  return found;
}

/// Returns `by`; throws errc::bad_params if a filter of that width (its bits, a slice's bits, its blocks) cannot be folded by
/// it.
inline std::uint64_t checked_fold(std::uint64_t width, std::uint64_t by) {
  if (by == 0 || width % by != 0)
    throw error(errc::bad_params,
                "a filter of this size folds by divisors of " + std::to_string(width) + ", not by " + std::to_string(by));
  return by;
}

/// Returns `shards`; throws errc::bad_params unless a filter of that many places can be cut into so many, and has a shard `i`.
inline std::uint64_t checked_shards(std::uint64_t places, std::uint64_t shards, std::uint64_t i) {
  if (shards == 0 || places % shards != 0)
    throw error(errc::bad_params, "the number of shards of this filter divides " + std::to_string(places) + ", which " +
                                      std::to_string(shards) + " does not");
  if (i >= shards)
    throw error(errc::bad_params, "of " + std::to_string(shards) + " shards none has the number " + std::to_string(i));
  return shards;
}

/// Throws errc::incompatible unless a filter of `part` places is one of `shards` shards of one with `places`.
inline void check_part(std::uint64_t places, std::uint64_t shards, std::uint64_t part) {
  if (part != places / shards)
    throw error(errc::incompatible,
                "a shard of this filter has " + std::to_string(places / shards) + " places, not " + std::to_string(part));
}

/// places * shards; throws errc::bad_params if no filter has so many.
inline std::uint64_t checked_product(std::uint64_t places, std::uint64_t shards) {
  if (shards == 0 || places > max_bits / shards)
    throw error(errc::bad_params, std::to_string(shards) + " shards of " + std::to_string(places) +
                                      " places are no filter: it has 1 to 2^42 bits");
  return places * shards;
}

}  // namespace hortus::plan
