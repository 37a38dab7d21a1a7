#include "redis/redisbloom/bloom_shape.hpp"

#include <cmath>
#include <limits>

namespace hortus::redisbloom {
namespace {

// RedisBloom's constants, with as many digits as it has.
constexpr double ln_2 = 0.693147180559945;
constexpr double ln_2_squared = 0.480453013918201;

constexpr std::uint64_t word_bits = 64;

bool is_rate(double error) noexcept { return error > 0 && error < 1; }

}  // namespace

double bits_per_entry(double error) noexcept { return std::abs(std::log(error) / ln_2_squared); }
double exact_probes(double bits_per_entry) noexcept { return std::ceil(ln_2 * bits_per_entry); }

obstacle plan_bloom(std::uint64_t entries, double error, std::uint32_t options, chain_limits limits,
                    bloom_shape& shape) noexcept {
  if (entries < 1 || !is_rate(error)) return obstacle::impossible;
  bloom_shape made{.entries = entries, .error = error, .bits_per_entry = bits_per_entry(error)};
  double const probes = exact_probes(made.bits_per_entry);
  if (probes < 1) return obstacle::impossible;
  if (probes > limits.probes) return obstacle::too_many_probes;
  made.probes = static_cast<std::uint32_t>(probes);

  // Every number is compared as a double before it becomes an integer: conversions of larger ones are undefined.
  double const bits = static_cast<double>(entries) * made.bits_per_entry;
  auto const most_bits = static_cast<double>(limits.bytes < most_cell_bytes ? limits.bytes : most_cell_bytes) * 8;
  if ((options & entries_are_log2) != 0) {
    if (entries >= word_bits || std::exp2(static_cast<double>(entries)) > most_bits) return obstacle::too_large;
    made.log2_bits = static_cast<std::uint32_t>(entries);
    made.bits = std::uint64_t{1} << entries;
    double const taken = static_cast<double>(made.bits) / made.bits_per_entry;
    if (!(taken < static_cast<double>(most_entries))) return obstacle::too_large;
    made.entries = static_cast<std::uint64_t>(taken);
    if (made.entries < 1) return obstacle::impossible;
  } else if (!(bits <= most_bits)) {
    return obstacle::too_large;
  } else if ((options & exact_bits) != 0) {
    made.bits = static_cast<std::uint64_t>(bits);
    if (made.bits == 0) made.bits = 1;
    made.bits = (made.bits + word_bits - 1) / word_bits * word_bits;
  } else {
    double const log2 = std::logb(bits) + 1;
    if (log2 >= word_bits || std::exp2(log2) > most_bits) return obstacle::too_large;
    made.log2_bits = log2 < 0 ? 0 : static_cast<std::uint32_t>(log2);
    made.bits = std::uint64_t{1} << made.log2_bits;
    // The bits that rounding up added take more entries.
    auto const spare = static_cast<std::uint64_t>(static_cast<double>(made.bits) - bits);
    made.entries += static_cast<std::uint64_t>(static_cast<double>(spare) / made.bits_per_entry);
    if (made.log2_bits == 0) made.bits = word_bits;
  }
  if (made.entries >= most_entries) return obstacle::too_large;
  made.bytes = (made.bits + word_bits - 1) / word_bits * (word_bits / 8);
  if (made.bytes > limits.bytes || made.bytes > most_cell_bytes) return obstacle::too_large;
  shape = made;
  return obstacle::none;
}

bool plausible(bloom_shape const& saved) noexcept {
  if (saved.entries < 1 || saved.entries >= most_entries || !is_rate(saved.error)) return false;
  // The logarithms of two machines may differ in the last digit.
  double const expected = bits_per_entry(saved.error);
  if (!(std::abs(saved.bits_per_entry - expected) <= expected * 1e-9)) return false;
  if (saved.probes < 1 || saved.probes > most_saved_probes || saved.probes != exact_probes(saved.bits_per_entry)) return false;
  if (saved.bytes < 1 || saved.bytes > most_cell_bytes || saved.log2_bits >= word_bits) return false;
  if (saved.bits < 1 || saved.bits > saved.bytes * 8 || saved.bytes * 8 - saved.bits >= word_bits) return false;
  double const needed = static_cast<double>(saved.entries) * saved.bits_per_entry;
  auto const bits = static_cast<double>(saved.bits);
  if (saved.log2_bits != 0)
    return saved.bits == std::uint64_t{1} << saved.log2_bits && needed <= bits + saved.bits_per_entry + 1;
  return needed < bits + 1 && bits < needed + 1 + word_bits;
}

}  // namespace hortus::redisbloom
