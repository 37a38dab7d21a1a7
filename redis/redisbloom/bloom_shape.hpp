#pragma once
#include <cstdint>

namespace hortus::redisbloom {

/// How a chain of Bloom filters hashes and grows. The values are those in saved filters.
enum bloom_option : std::uint32_t {
  exact_bits = 1,        ///< as many bits as the rate needs; without it the next power of two
  entries_are_log2 = 2,  ///< the capacity asked for is the logarithm of the number of bits
  wide_hash = 4,         ///< MurmurHash64A; without it MurmurHash2 with 32 bits, as in the filters of 2017
  never_grows = 8,
};
inline constexpr std::uint32_t known_options = exact_bits | entries_are_log2 | wide_hash | never_grows;

/// What a chain may become.
struct chain_limits {
  std::uint64_t bytes;   ///< of the cells of all sub-filters
  std::uint32_t probes;  ///< of a Bloom filter
};
/// Commands make no filter with more probes. A rate below 2^-64 has no use with hashes of 64 bits.
inline constexpr std::uint32_t most_probes = 64;
/// What RedisBloom can have made and saved: the smallest positive double is 2^-1074, and each sub-filter halves the rate.
inline constexpr std::uint32_t most_saved_probes = 1074;
inline constexpr std::uint32_t most_saved_blooms = 1075;
/// Numbers of entries share a word with the probes.
inline constexpr std::uint64_t most_entries = std::uint64_t{1} << 46;
inline constexpr std::uint64_t most_cell_bytes = std::uint64_t{1} << 42;

enum class obstacle : std::uint8_t {
  none,
  impossible,       ///< no capacity, or a rate that is not between 0 and 1
  too_many_probes,  ///< more than chain_limits::probes
  too_large,        ///< more than chain_limits::bytes or most_entries
};

/// The size of one sub-filter.
struct bloom_shape {
  std::uint64_t entries = 0;  ///< how many items it takes before the chain grows
  double error = 0;
  double bits_per_entry = 0;
  std::uint32_t probes = 0;
  std::uint32_t log2_bits = 0;  ///< 0: the number of bits is no power of two, or not known to be one
  std::uint64_t bits = 0;       ///< positions are reduced modulo this
  std::uint64_t bytes = 0;
};

/// RedisBloom's arithmetic, number for number: equal filters have equal bits only if it is. Changes `shape` only if there is no
/// obstacle.
[[nodiscard]] obstacle plan_bloom(std::uint64_t entries, double error, std::uint32_t options, chain_limits limits,
                                  bloom_shape& shape) noexcept;

[[nodiscard]] double bits_per_entry(double error) noexcept;
[[nodiscard]] double exact_probes(double bits_per_entry) noexcept;  ///< a whole number, perhaps too large for an integer

/// Could some release of RedisBloom have saved this? Until 2019 bits were not rounded up to bytes and powers of two were saved
/// as 0 bits; until 2020 they were rounded up to 8, then to 64.
[[nodiscard]] bool plausible(bloom_shape const& saved) noexcept;

}  // namespace hortus::redisbloom
