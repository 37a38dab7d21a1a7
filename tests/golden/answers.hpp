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
      {"blocked/empty", {0, {}}},
      {"blocked/one_key", {21, {1000033, 1000264, 1000445, 1001918, 1002011}}},
      {"blocked/text", {100, {1000002, 1000027, 1000111, 1000114, 1000210}}},
      {"blocked/integers", {105, {1000000, 1000004, 1000126, 1000133, 1000181}}},
      {"blocked/digests", {92, {1000228, 1000236, 1000417, 1000491, 1000646}}},
      {"blocked/seeded_text", {75, {1000574, 1000620, 1000686, 1000838, 1000896}}},
      {"blocked/seeded_integers", {92, {1000025, 1000263, 1000343, 1000464, 1000609}}},
      {"blocked/xxh64_text", {106, {1000101, 1000138, 1000152, 1000163, 1000179}}},
      {"blocked/xxh64_integers", {100, {1000133, 1000172, 1000226, 1000266, 1000461}}},
      {"blocked/siphash13_text", {90, {1000141, 1000144, 1000234, 1000294, 1000546}}},
      {"blocked/siphash13_integers", {100, {1000068, 1000132, 1000142, 1000594, 1000737}}},
      {"blocked/siphash24_text", {98, {1000312, 1000521, 1000566, 1000615, 1000636}}},
      {"blocked/two_chunks", {0, {}}},
      {"sectorized/empty", {0, {}}},
      {"sectorized/one_key", {0, {}}},
      {"sectorized/text", {65, {1000079, 1000286, 1000783, 1000905, 1001063}}},
      {"sectorized/integers", {91, {1000078, 1000229, 1000342, 1000634, 1000718}}},
      {"sectorized/digests", {89, {1000310, 1000344, 1000366, 1000443, 1000467}}},
      {"sectorized/seeded_text", {75, {1000118, 1000461, 1000555, 1000579, 1000698}}},
      {"sectorized/seeded_integers", {83, {1000166, 1000219, 1000242, 1000793, 1000817}}},
      {"sectorized/xxh64_text", {98, {1000201, 1000265, 1000315, 1000698, 1000752}}},
      {"sectorized/xxh64_integers", {94, {1000229, 1000270, 1000303, 1000312, 1000427}}},
      {"sectorized/siphash13_text", {63, {1000164, 1000188, 1000456, 1000742, 1000870}}},
      {"sectorized/siphash13_integers", {82, {1000040, 1000268, 1000710, 1000809, 1000843}}},
      {"sectorized/siphash24_text", {87, {1000203, 1000434, 1000535, 1000872, 1001076}}},
      {"sectorized/two_chunks", {0, {}}},
      {"split_block/empty", {0, {}}},
      {"split_block/one_key", {0, {}}},
      {"split_block/text", {70, {1000074, 1000258, 1000380, 1000391, 1000572}}},
      {"split_block/integers", {95, {1000090, 1000098, 1000209, 1000364, 1000445}}},
      {"split_block/digests", {74, {1000020, 1000030, 1000148, 1000332, 1000387}}},
      {"split_block/seeded_text", {94, {1000044, 1000070, 1000447, 1000572, 1000723}}},
      {"split_block/seeded_integers", {90, {1000000, 1000034, 1000036, 1000068, 1000069}}},
      {"split_block/xxh64_text", {94, {1000011, 1000142, 1000144, 1000369, 1000428}}},
      {"split_block/xxh64_integers", {86, {1000082, 1000099, 1000586, 1000943, 1000976}}},
      {"split_block/siphash13_text", {93, {1000017, 1000041, 1000083, 1000326, 1000638}}},
      {"split_block/siphash13_integers", {105, {1000211, 1000237, 1000265, 1000288, 1000344}}},
      {"split_block/siphash24_text", {96, {1000069, 1000143, 1000216, 1000272, 1000323}}},
      {"split_block/two_chunks", {0, {}}},
      {"register_blocked/empty", {0, {}}},
      {"register_blocked/one_key", {8, {1000033, 1000264, 1002011, 1003125, 1007435}}},
      {"register_blocked/text", {95, {1000083, 1000123, 1000150, 1000194, 1000288}}},
      {"register_blocked/integers", {101, {1000119, 1000120, 1000139, 1000367, 1000408}}},
      {"register_blocked/digests", {94, {1000283, 1000463, 1000707, 1000723, 1000782}}},
      {"register_blocked/seeded_text", {93, {1000041, 1000116, 1000154, 1000220, 1000532}}},
      {"register_blocked/seeded_integers", {101, {1000111, 1000292, 1000354, 1000918, 1001190}}},
      {"register_blocked/xxh64_text", {95, {1000075, 1000268, 1000300, 1000370, 1000373}}},
      {"register_blocked/xxh64_integers", {86, {1000033, 1000047, 1000209, 1000263, 1000270}}},
      {"register_blocked/siphash13_text", {105, {1000017, 1000086, 1000207, 1000311, 1000427}}},
      {"register_blocked/siphash13_integers", {100, {1000100, 1000197, 1000264, 1000288, 1000383}}},
      {"register_blocked/siphash24_text", {97, {1000190, 1000405, 1000500, 1000505, 1000777}}},
      {"register_blocked/two_chunks", {0, {}}},
      {"counting/empty", {0, {}}},
      {"counting/one_key", {21, {1000034, 1001000, 1001784, 1002234, 1002528}}},
      {"counting/text", {106, {1000033, 1000077, 1000170, 1000187, 1000231}}},
      {"counting/integers", {113, {1000214, 1000411, 1000417, 1000454, 1000877}}},
      {"counting/digests", {99, {1000100, 1000114, 1000202, 1000428, 1000586}}},
      {"counting/seeded_text", {83, {1000015, 1000091, 1000155, 1000162, 1000395}}},
      {"counting/seeded_integers", {97, {1000284, 1000375, 1000387, 1000495, 1000519}}},
      {"counting/xxh64_text", {92, {1000417, 1000590, 1000627, 1000651, 1000795}}},
      {"counting/xxh64_integers", {106, {1000140, 1000185, 1000278, 1000385, 1000730}}},
      {"counting/siphash13_text", {86, {1000219, 1000287, 1000480, 1000555, 1000603}}},
      {"counting/siphash13_integers", {86, {1000329, 1000417, 1000460, 1000511, 1000556}}},
      {"counting/siphash24_text", {106, {1000054, 1000121, 1000308, 1000394, 1000532}}},
      {"counting/two_chunks", {0, {}}},
  };
}

}  // namespace hortus::testing
