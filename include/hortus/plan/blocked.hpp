#pragma once
// All that is known about cache-line-local bloom filters before one is made.
#include <hortus/plan/blocked_cardinality.hpp>  // ones -> items
#include <hortus/plan/blocked_rate.hpp>         // shape -> rate
#include <hortus/plan/blocked_size.hpp>         // rate -> shape
