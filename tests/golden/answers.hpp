#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hortus::testing {

/// What a golden file answers to keys that are not in it.
struct golden_answers {
  std::uint64_t hits = 0;                 ///< how many of the golden_probes keys from 1'000'000 on are found
  std::vector<std::uint64_t> first = {};  ///< the first five of them
  bool operator==(golden_answers const&) const = default;
};

/// Recorded when the files were made. Lines are added, never changed.
inline std::map<std::string, golden_answers> golden_answers_by_name() {
  return {
      {"bloom/empty", {0, {}}},
      {"bloom/one_key", {21, {1000034, 1001000, 1001784, 1002234, 1002528}}},
      {"bloom/text", {106, {1000033, 1000077, 1000170, 1000187, 1000231}}},
      {"bloom/integers", {113, {1000214, 1000411, 1000417, 1000454, 1000877}}},
      {"bloom/digests", {99, {1000100, 1000114, 1000202, 1000428, 1000586}}},
      {"bloom/seeded_text", {83, {1000015, 1000091, 1000155, 1000162, 1000395}}},
      {"bloom/seeded_integers", {97, {1000284, 1000375, 1000387, 1000495, 1000519}}},
      {"bloom/xxh64_text", {92, {1000417, 1000590, 1000627, 1000651, 1000795}}},
      {"bloom/xxh64_integers", {106, {1000140, 1000185, 1000278, 1000385, 1000730}}},
      {"bloom/siphash13_text", {86, {1000219, 1000287, 1000480, 1000555, 1000603}}},
      {"bloom/siphash13_integers", {86, {1000329, 1000417, 1000460, 1000511, 1000556}}},
      {"bloom/siphash24_text", {106, {1000054, 1000121, 1000308, 1000394, 1000532}}},
      {"bloom/two_chunks", {0, {}}},
      {"partitioned/empty", {0, {}}},
      {"partitioned/one_key", {84, {1000064, 1000203, 1000313, 1000373, 1000392}}},
      {"partitioned/text", {96, {1000001, 1000077, 1000079, 1000217, 1000388}}},
      {"partitioned/integers", {110, {1000025, 1000081, 1000115, 1000126, 1000171}}},
      {"partitioned/digests", {86, {1000078, 1000109, 1000135, 1000167, 1000272}}},
      {"partitioned/seeded_text", {87, {1000267, 1000429, 1000725, 1000771, 1000889}}},
      {"partitioned/seeded_integers", {91, {1000148, 1000234, 1000422, 1000477, 1000494}}},
      {"partitioned/xxh64_text", {106, {1000028, 1000069, 1000396, 1000495, 1000556}}},
      {"partitioned/xxh64_integers", {121, {1000035, 1000062, 1000114, 1000239, 1000331}}},
      {"partitioned/siphash13_text", {111, {1000245, 1000361, 1000395, 1000442, 1000465}}},
      {"partitioned/siphash13_integers", {79, {1000009, 1000158, 1000231, 1000238, 1000267}}},
      {"partitioned/siphash24_text", {95, {1000061, 1000350, 1000394, 1000611, 1000768}}},
      {"partitioned/two_chunks", {0, {}}},
  };
}

}  // namespace hortus::testing
