#include "redis/redisbloom/count_sketch.hpp"

#include <cmath>
#include <cstring>

#include <hortus/error.hpp>

namespace hortus::redisbloom {
namespace {

/// The sums of a few neighbouring counters of all sources.
class sums {
 public:
  static constexpr std::size_t most = 1024;

  /// Of `size` counters from `first` on. False if a sum, even one of the first few sources, is beyond 64 bits, or the last one
  /// is no counter.
  bool add_up(std::span<count_sketch::weighted const> sources, std::uint64_t first, std::size_t size) noexcept {
    sums_.fill(0);
    bool fits = true;
    for (auto const& each : sources)
      for (std::size_t i = 0; i < size; ++i) fits &= add(sums_[i], each.sketch->counters()[first + i], each.weight);
    for (std::size_t i = 0; i < size; ++i) fits &= sums_[i] >= 0 && sums_[i] <= count_sketch::most_count;
    return fits;
  }
  [[nodiscard]] std::uint32_t operator[](std::size_t i) const noexcept { return static_cast<std::uint32_t>(sums_[i]); }

  static bool add(std::int64_t& sum, std::uint64_t count, long long weight) noexcept {
    std::int64_t product = 0;
    return !__builtin_mul_overflow(count, weight, &product) && !__builtin_add_overflow(sum, product, &sum);
  }

 private:
  std::array<std::int64_t, most> sums_ = {};
};

}  // namespace

std::optional<std::uint64_t> count_sketch::shape::bytes() const noexcept {
  constexpr std::uint64_t most_counters = std::numeric_limits<std::int64_t>::max() / sizeof(std::uint32_t);
  if (width == 0 || depth == 0 || width > most_counters / depth) return std::nullopt;
  return width * depth * sizeof(std::uint32_t);
}

std::optional<count_sketch::shape> count_sketch::shape_for(double overestimate, double probability) noexcept {
  double const width = std::ceil(2 / overestimate);
  // RedisBloom computes the depth in single precision, which decides where the quotient is near an integer.
  double const depth = std::ceil(std::log10(static_cast<float>(probability)) / std::log10(0.5F));
  constexpr double most = 0x1p62;
  if (!(width >= 1 && width < most && depth >= 1 && depth < most)) return std::nullopt;
  return shape{static_cast<std::uint64_t>(width), static_cast<std::uint64_t>(depth)};
}

count_sketch count_sketch::from_bytes(shape dimensions, std::uint64_t total, std::span<char const> counters) {
  if (dimensions.bytes() != counters.size())
    throw error(errc::corrupt, "the bytes of the counters are not those of a count-min sketch of its width and depth");
  count_sketch made(dimensions);
  std::memcpy(made.counters_.data(), counters.data(), counters.size());
  made.total_ = total;
  return made;
}

count_sketch::merged count_sketch::merge(std::span<weighted const> sources) noexcept {
  sums some;
  auto const each_part = [&](auto const& act) {
    for (std::uint64_t first = 0; first < counters_.size(); first += sums::most) {
      auto const size = static_cast<std::size_t>(std::min<std::uint64_t>(sums::most, counters_.size() - first));
      if (!some.add_up(sources, first, size)) return false;
      act(first, size);
    }
    return true;
  };
  std::int64_t total = 0;
  for (auto const& each : sources)
    if (!sums::add(total, each.sketch->total_, each.weight)) return merged::overflow;
  // All sums are computed twice, so that nothing has changed when one overflows.
  if (total < 0 || !each_part([](std::uint64_t, std::size_t) {})) return merged::overflow;
  bool changed = total_ != static_cast<std::uint64_t>(total);
  total_ = static_cast<std::uint64_t>(total);
  each_part([&](std::uint64_t first, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      changed |= counters_[first + i] != some[i];
      counters_[first + i] = some[i];
    }
  });
  return changed ? merged::changed : merged::same;
}

count_sketch::merged count_sketch::merge_modulo(std::span<weighted const> sources) noexcept {
  std::uint64_t total = 0;
  for (auto const& each : sources) total += each.sketch->total_ * static_cast<std::uint64_t>(each.weight);
  total_ = total;
  for (std::uint64_t i = 0; i < counters_.size(); ++i) {
    std::uint32_t sum = 0;
    for (auto const& each : sources) sum += each.sketch->counters_[i] * static_cast<std::uint32_t>(each.weight);
    counters_[i] = sum;
  }
  return merged::changed;
}

}  // namespace hortus::redisbloom
