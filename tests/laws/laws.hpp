#pragma once
#include "laws/aging.hpp"
#include "laws/aging_by_time.hpp"
#include "laws/asking.hpp"
#include "laws/being_full.hpp"
#include "laws/building.hpp"
#include "laws/combining.hpp"
#include "laws/counting.hpp"
#include "laws/distinct.hpp"
#include "laws/erasing.hpp"
#include "laws/estimating.hpp"
#include "laws/finding.hpp"
#include "laws/folding.hpp"
#include "laws/growing.hpp"
#include "laws/inserting.hpp"
#include "laws/out_of_memory.hpp"
#include "laws/planning.hpp"
#include "laws/sharding.hpp"
#include "laws/storing.hpp"
#include "laws/topping.hpp"

/// The laws: what every family promises by having a verb. Written once, asked of every family in any/families.def, one unit a
/// family. What is peculiar to one family is tested beside it, in tests/ROOM/FAMILY_test.cpp.
namespace hortus::testing {

/// All that hold for F become tests. Returns true, for a variable that is initialised before main().
template <class F>
bool register_laws() {
  register_planning_laws<F>();
  register_asking_laws<F>();
  register_building_laws<F>();
  register_finding_laws<F>();
  register_inserting_laws<F>();
  register_being_full_laws<F>();
  register_counting_laws<F>();
  register_topping_laws<F>();
  register_erasing_laws<F>();
  register_aging_laws<F>();
  register_aging_by_time_laws<F>();
  register_growing_laws<F>();
  register_combining_laws<F>();
  register_folding_laws<F>();
  register_sharding_laws<F>();
  register_estimating_laws<F>();
  register_distinct_laws<F>();
  register_storing_laws<F>();
  register_out_of_memory_laws<F>();
  return true;
}

}  // namespace hortus::testing
