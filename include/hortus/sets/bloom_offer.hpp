#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ranges>
#include <vector>

#include <hortus/bloom/bloom.hpp>

/// Reconciliation by Bloom filters: a side offers a filter of its keys, the other returns every key that surely is missing in
/// it.
///
///     auto const offer = sets::bloom_offer(my_keys, 8, round);         // pack(offer) travels
///     for (auto const i : sets::surely_missing(offer, their_keys)) ...  // these keys travel back
///
/// Promise  no key is returned that the other side has. Of those that it lacks, a share of 1 - fpr is returned: at 8 bits a key
///          .978. A round with another seed, after the keys of the first were added, misses them independently: after r rounds
///          fpr^r are missing.
/// Price    bits a key of the whole set, however small the difference: rateless symbols (reconciler.hpp) take less up to a
///          difference of 3 % of the keys, and miss nothing. All keys are looked up.
/// Lacks    certainty that nothing is missing.
/// Source   J. Byers, J. Considine, M. Mitzenmacher and S. Rost, "Informed content delivery across adaptive overlay networks",
///          SIGCOMM 2002.
namespace hortus::sets {

/// The shape of a filter of `items` keys at so many bits a key, with the best number of probes.
[[nodiscard]] inline bloom<>::params offer_shape(std::uint64_t items, double bits_per_key) {
  if (!(bits_per_key > 0 && bits_per_key <= 1024))
    throw error(errc::bad_goal, "an offer has more than 0 and up to 1024 bits a key");
  auto const bits =
      static_cast<std::uint64_t>(std::ceil(bits_per_key * static_cast<double>(std::max<std::uint64_t>(items, 1))));
  return {bits, plan::best_probes(bits, items)};
}

/// The filter of a round. Rounds must differ: the same seed would miss the same keys.
template <std::ranges::sized_range Keys>
[[nodiscard]] bloom_filter bloom_offer(Keys const& keys, double bits_per_key, std::uint64_t round) {
  bloom_filter offer(bloom<>(offer_shape(std::ranges::size(keys), bits_per_key)), xxh3(mix64(round + golden_ratio64)));
  offer.insert(keys);
  return offer;
}

/// Positions of the keys that surely are not in the set of the offer, in ascending order.
template <std::ranges::sized_range Keys>
[[nodiscard]] std::vector<std::size_t> surely_missing(bloom_filter const& offer, Keys const& keys) {
  auto const hits = offer.may_contain(keys);
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < hits.size(); ++i)
    if (!hits[i]) missing.push_back(i);
  return missing;
}

}  // namespace hortus::sets
