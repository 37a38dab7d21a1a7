#pragma once
#include <cstddef>
#include <tuple>

#include <hortus/aging/active_active.hpp>
#include <hortus/aging/age_partitioned.hpp>
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
#include <hortus/growing/dynamic.hpp>
#include <hortus/growing/scalable.hpp>
#include <hortus/sketch/count_min.hpp>
#include <hortus/sketch/count_min_conservative.hpp>
#include <hortus/sketch/fast_ams.hpp>

namespace hortus {

template <plantable... Fs>
struct family_list {
  static constexpr std::size_t size = sizeof...(Fs);
  template <std::size_t I>
  using at = std::tuple_element_t<I, std::tuple<Fs...>>;
  static constexpr void for_each(auto&& visit) { (visit.template operator()<Fs>(), ...); }
};

/// Every family, once. The command, the file reader, the benches, the fuzzers, the law tests, the tour and the table in the
/// README are made from this list.
using families = family_list<bloom<>, partitioned<>, blocked, blocked_pair, sectorized, split_block, register_blocked,
                             counting<>, blocked_counting, bitwise<>, bitwise_frozen<>, spectral_selection<>,
                             spectral_increase<>, spectral_recurring<>, d_left, stable<>, active_active<>, age_partitioned,
                             scalable<>, dynamic<>, count_min<>, count_min_conservative<>, fast_ams>;

}  // namespace hortus
