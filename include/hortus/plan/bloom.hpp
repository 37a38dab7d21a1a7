#pragma once
// All that is known about plain bloom filters before one is made.
#include <hortus/plan/bloom_rate.hpp>   // shape -> rate
#include <hortus/plan/bloom_size.hpp>   // rate -> shape
#include <hortus/plan/bloom_solve.hpp>  // any two -> the rest
