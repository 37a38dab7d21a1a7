#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// The results of both units of mixed_units_test for the same keys. mixed_units_avx2.cpp is compiled with -mavx2, the test is
/// not.
namespace hortus::testing {

struct unit_report {
  std::string type;              ///< of split_block, as this unit knows it
  std::vector<std::byte> bytes;  ///< of a filter with `count` keys in it
  std::uint64_t found = 0;       ///< number of `count` absent keys that are found
  /// The same through views of the bytes, from 0, 8, 16 .. 56 bytes past a cache line.
  std::vector<std::uint64_t> found_in_views = {};
};

unit_report report_with_avx2(std::uint64_t count);

}  // namespace hortus::testing
