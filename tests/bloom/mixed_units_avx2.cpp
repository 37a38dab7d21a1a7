#include "bloom/mixed_units_report.hpp"

#ifndef __AVX2__
#error "to be compiled with -mavx2"
#endif

hortus::testing::unit_report hortus::testing::report_with_avx2(std::uint64_t count) { return report(count); }
