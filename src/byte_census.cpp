#include "src/byte_census.hpp"

#include <algorithm>

#include <hortus/message/gap_code.hpp>

#include "src/code_length.hpp"

namespace hortus::message {

byte_frequencies frequencies_of(histogram const& counts) {
  std::uint64_t all = 0;
  for (auto const count : counts) all += count;
  byte_frequencies f{};
  if (all == 0) return f;
  int missing = byte_model::total;
  for (std::size_t i = 0; i < 256; ++i) {
    if (counts[i] == 0) continue;
    auto const share = (2 * std::uint64_t{counts[i]} * byte_model::total + all) / (2 * all);  // rounded to nearest
    f[i] = static_cast<std::uint16_t>(std::max<std::uint64_t>(1, share));
    missing -= f[i];
  }
  while (missing != 0) {  // the most frequent give or take what rounding has left over
    auto& most = *std::ranges::max_element(f);
    int const change = std::clamp(missing, -std::max(1, most / 16), std::max(1, most / 16));
    most = static_cast<std::uint16_t>(most + change);
    missing -= change;
  }
  return f;
}

class_frequencies frequencies_of(std::array<std::uint64_t, byte_classes> const& counts, std::uint64_t all) {
  std::array<std::uint64_t, byte_classes> f{};
  auto missing = static_cast<std::int64_t>(class_model::total);
  for (std::size_t j = 0; j < byte_classes; ++j) {
    f[j] = std::max<std::uint64_t>(1, counts[j] * class_model::total / (all * class_sizes[j]));
    missing -= static_cast<std::int64_t>(f[j] * class_sizes[j]);
  }
  while (missing < 0) {
    std::size_t most = byte_classes;
    for (std::size_t j = 0; j < byte_classes; ++j)
      if (f[j] > 1 && (most == byte_classes || f[j] * class_sizes[j] > f[most] * class_sizes[most])) most = j;
    --f[most];
    missing += class_sizes[most];
  }
  while (missing > 0) {  // to the class that gains most by a slot
    std::size_t best = 0;
    for (std::size_t j = 1; j < byte_classes; ++j)
      if (class_sizes[j] <= missing && counts[j] * f[best] * class_sizes[best] > counts[best] * f[j] * class_sizes[j]) best = j;
    ++f[best];
    missing -= class_sizes[best];
  }
  class_frequencies narrow{};
  for (std::size_t j = 0; j < byte_classes; ++j) narrow[j] = static_cast<std::uint16_t>(f[j]);
  return narrow;
}

namespace {

/// Bytes with their own frequencies: entropy, and the table.
length order_0(histogram const& counts) {
  length saved = 0;
  std::uint64_t all = 0, distinct = 0;
  for (auto const count : counts) {
    if (count == 0) continue;
    all += count;
    ++distinct;
    saved += x_log_x(count);
  }
  auto const most = x_log_x(all);
  return (most > saved ? most - saved : 0) + in_bytes(32 + distinct + distinct / 4);
}

/// As order_0, with rounded frequencies.
length coded_length(histogram const& counts, std::array<std::uint16_t, 256> const& f) {
  length sum = 0;
  std::uint64_t table = 32;
  for (std::size_t x = 0; x < 256; ++x) {
    if (counts[x] == 0) continue;
    sum += counts[x] * ((length{byte_model::precision} << 16) - log2_of(f[x]));
    table += f[x] < 128 ? 1U : 2U;
  }
  return sum + in_bytes(table);
}

constexpr length lane_header = in_bytes(states_bytes + 12);

length by_classes(census const& seen, class_frequencies const& f) {
  length sum = lane_header;
  for (std::size_t j = 0; j < byte_classes; ++j)
    sum += seen.classes[j] * ((length{class_model::precision} << 16) - log2_of(f[j]));
  return sum;
}

/// The number of contexts that makes the bytes shortest, and an estimate of their length that is not too high.
struct contexts_choice {
  std::size_t contexts = 1;
  length estimate = ~length{0};
};
contexts_choice choose_contexts(census const& seen) {
  contexts_choice best;
  for (std::size_t n = 1; n <= byte_model::most_contexts; n *= 2) {
    length sum = lane_header;
    for (std::size_t c = 0; c < n; ++c) sum += order_0(seen.of_context(c, n));
    if (sum < best.estimate) best = {n, sum};
  }
  return best;
}
length by_bytes(census const& seen, std::size_t contexts) {
  length sum = lane_header;
  for (std::size_t c = 0; c < contexts; ++c) {
    auto const counts = seen.of_context(c, contexts);
    sum += coded_length(counts, frequencies_of(counts));
  }
  return sum;
}

length by_nonzero(census const& seen, std::size_t size) {
  auto values = seen.all;
  auto const zeros = std::uint64_t{values[0]};
  values[0] = 0;
  auto const of_values = std::min(order_0(values) + lane_header, in_bytes(size - zeros));
  return entropy(zeros, size) + of_values + in_bytes(32);
}

}  // namespace

piece_choice choose(census const& seen, std::size_t size, bool inside) {
  auto const bits = std::uint64_t{8} * size;
  piece_choice best;
  length least = in_bytes(size) - in_bytes(size) / 256;  // raw; less is not worth the time to decode it
  auto const consider = [&](piece_kind candidate, length cost) {
    if (cost >= least) return;
    least = cost;
    best.kind = candidate;
  };
  best.full = seen.ones > bits / 2;
  best.rare = best.full ? bits - seen.ones : seen.ones;
  best.of_classes = frequencies_of(seen.classes, size);
  consider(piece_kind::classes, by_classes(seen, best.of_classes));
  // In a large piece gaps have to be shorter by 1/160, because classes are coded faster.
  auto const by_gaps = entropy(best.rare, bits) + best.rare * 400 + in_bytes(8 + 4 * gap_lanes(best.rare));
  consider(best.full ? piece_kind::full_gaps : piece_kind::gaps, by_gaps + (size >= piece_bytes / 4 ? by_gaps / 160 : 0));
  auto const of_bytes = choose_contexts(seen);
  best.contexts = of_bytes.contexts;
  if (of_bytes.estimate < least) {
    auto const cost = by_bytes(seen, best.contexts);
    consider(piece_kind::bytes, cost + cost / 256);  // classes are coded faster
  }
  if (seen.all[0] > size / 2 && !inside) {
    auto const cost = by_nonzero(seen, size);
    consider(piece_kind::nonzero, cost + cost / 32);  // the slowest of all
  }
  return best;
}

}  // namespace hortus::message
