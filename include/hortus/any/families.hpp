#pragma once
#include <concepts>
#include <cstddef>

#include <hortus/aging/active_active.hpp>
#include <hortus/aging/age_partitioned.hpp>
#include <hortus/aging/blocked_aging.hpp>
#include <hortus/aging/stable.hpp>
#include <hortus/bloom/blocked.hpp>
#include <hortus/bloom/blocked_pair.hpp>
#include <hortus/bloom/bloom.hpp>
#include <hortus/bloom/partitioned.hpp>
#include <hortus/bloom/register_blocked.hpp>
#include <hortus/bloom/sectorized.hpp>
#include <hortus/bloom/split_block.hpp>
#include <hortus/counting/bitwise.hpp>
#include <hortus/counting/bitwise_frozen.hpp>
#include <hortus/counting/blocked_counting.hpp>
#include <hortus/counting/counting.hpp>
#include <hortus/counting/d_left.hpp>
#include <hortus/counting/spectral_increase.hpp>
#include <hortus/counting/spectral_recurring.hpp>
#include <hortus/counting/spectral_selection.hpp>
#include <hortus/fingerprint/cuckoo.hpp>
#include <hortus/fingerprint/hash_compaction.hpp>
#include <hortus/fingerprint/quotient.hpp>
#include <hortus/frozen/binary_fuse.hpp>
#include <hortus/frozen/golomb_set.hpp>
#include <hortus/frozen/homogeneous_ribbon.hpp>
#include <hortus/frozen/ribbon.hpp>
#include <hortus/growing/dynamic.hpp>
#include <hortus/growing/expandable.hpp>
#include <hortus/growing/scalable.hpp>
#include <hortus/growing/with_removals.hpp>
#include <hortus/map/bloomier_map.hpp>
#include <hortus/map/cascade_map.hpp>
#include <hortus/map/compact_approximator.hpp>
#include <hortus/map/dynamic_bloomier_map.hpp>
#include <hortus/map/exact_set.hpp>
#include <hortus/map/perfect_hash_map.hpp>
#include <hortus/sketch/count_min.hpp>
#include <hortus/sketch/count_min_conservative.hpp>
#include <hortus/sketch/exaloglog.hpp>
#include <hortus/sketch/fast_ams.hpp>
#include <hortus/sketch/hyperloglog.hpp>
#include <hortus/sketch/space_saving.hpp>

namespace hortus {

/// A list of types to visit one by one. The last one, void, only ends the list and is not visited.
template <class... Fs>
struct family_list {
  static constexpr std::size_t size = sizeof...(Fs) - 1;
  static constexpr void for_each(auto&& visit) { (visit_one<Fs>(visit), ...); }

 private:
  template <class F>
  static constexpr void visit_one(auto& visit) {
    if constexpr (!std::same_as<F, void>) visit.template operator()<F>();
  }
};

/// All families, for code that needs them in one unit. The list itself is families.def.
#define HORTUS_FAMILY(name, room, ...) __VA_ARGS__,
using families = family_list<
#include <hortus/any/families.def>
    void>;
#undef HORTUS_FAMILY

}  // namespace hortus
