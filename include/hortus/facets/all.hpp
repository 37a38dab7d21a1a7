#pragma once
#include <tuple>

#include <hortus/facets/aging.hpp>
#include <hortus/facets/asking.hpp>
#include <hortus/facets/combining.hpp>
#include <hortus/facets/counting.hpp>
#include <hortus/facets/erasing.hpp>
#include <hortus/facets/estimating.hpp>
#include <hortus/facets/finding.hpp>
#include <hortus/facets/inserting.hpp>
#include <hortus/facets/sharding.hpp>
#include <hortus/facets/topping.hpp>

namespace hortus::facets {

template <class... Facets>
struct list {
  template <template <class> class Part>
  using tuple = std::tuple<Part<Facets>...>;
};

/// The list of all facets. To add one, write its header and add its name here.
using all =
    list<inserting, inserting_times, noticing, asking, finding, putting, assigning, counting, saturating, topping, keeping,
         erasing, estimating, comparing, merging, intersecting, folding, enlarging, sharding, forgetting, advancing, growing>;

}  // namespace hortus::facets
