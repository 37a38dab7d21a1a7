#include "redis/redisbloom/heavy_keeper.hpp"

#include <cstring>
#include <new>
#include <utility>

#include <hortus/error.hpp>

namespace hortus::redisbloom {
namespace {

constexpr std::uint32_t most_count = std::numeric_limits<std::uint32_t>::max();

constexpr std::uint32_t saturated_sum(std::uint32_t a, std::uint32_t b) noexcept {
  return a > most_count - b ? most_count : a + b;
}

}  // namespace

std::optional<std::uint64_t> heavy_keeper::shape::bytes() const noexcept {
  auto const fits = [](std::uint64_t number) { return number >= 1 && number <= most_items; };
  if (!fits(items) || !fits(width) || !fits(depth) || !(decay > 0 && decay <= 1)) return std::nullopt;
  constexpr std::uint64_t most_bytes = std::numeric_limits<std::int64_t>::max();
  auto const list_bytes = items * top_list::place_bytes + sizeof(heavy_keeper);
  if (width > (most_bytes - list_bytes) / sizeof(bucket) / depth) return std::nullopt;
  return width * depth * sizeof(bucket) + list_bytes;
}

void heavy_keeper::restore_buckets(std::span<char const> buckets) {
  if (buckets.size() != buckets_.bytes().size())
    throw error(errc::corrupt, "the bytes of the buckets are not those of a TopK of its width and depth");
  std::memcpy(static_cast<void*>(buckets_.data()), buckets.data(), buckets.size());
}

std::uint32_t heavy_keeper::highest_after(addition const& what, std::uint32_t fingerprint,
                                          sketch_rows::places const& first_places) const noexcept {
  std::uint32_t highest = what.increment;  // in a bucket that it takes over
  each_bucket(*this, what.item, first_places, [&](bucket const& its) {
    highest = std::max(highest, its.fingerprint == fingerprint ? saturated_sum(its.count, what.increment) : 0);
  });
  return highest;
}

heavy_keeper::outcome heavy_keeper::add_one(addition const& what, sketch_rows::places const& first_places,
                                            std::uint64_t most_bytes) {
  auto const fingerprint = item_fingerprint(what.item);
  auto const least = list_.least();
  std::optional<std::uint64_t> place;
  item_text copy;  // made before anything changes, because it may not be possible
  if (highest_after(what, fingerprint, first_places) >= least) {
    place = list_.find(what.item, fingerprint);
    if (!place) {
      if (what.item.size() >= most_bytes || size_bytes() > most_bytes - what.item.size() - 1) throw std::bad_alloc();
      copy = item_text(what.item);
    }
  }
  bool changed = false;
  std::uint32_t highest = 0;
  each_bucket(*this, what.item, first_places, [&](bucket& its) {
    changed |= add_to(its, fingerprint, what.increment);
    highest = std::max(highest, its.fingerprint == fingerprint ? its.count : 0);
  });
  if (highest < least) return {changed, {}};
  if (!place) return {true, list_.replace_least(std::move(copy), fingerprint, highest)};
  changed |= list_.set_count(*place, highest);  // which may be smaller than it was
  return {changed, {}};
}

bool heavy_keeper::add_to(bucket& its, std::uint32_t fingerprint, std::uint32_t increment) noexcept {
  if (its.count != 0 && its.fingerprint != fingerprint) return fight(its, fingerprint, increment);
  bool const changed = increment != 0 || its.fingerprint != fingerprint;
  its = {fingerprint, saturated_sum(its.count, increment)};
  return changed;
}

/// Each unit of the increment is one try to decrement the bucket. What is left when it reaches 0 is the new item's count.
bool heavy_keeper::fight(bucket& its, std::uint32_t fingerprint, std::uint32_t increment) noexcept {
  for (auto tries = increment; tries != 0;) {
    double const chance = powers_(its.count);
    auto const success =
        chance == 1 ? 1 : first_success(chance, tries, uniform_draw(fingerprint, list_.spare()++));  // no draw if it is certain
    if (success == 0) break;
    tries -= success - 1;
    if (--its.count == 0) {
      its = {fingerprint, tries};
      break;
    }
    --tries;
  }
  return increment != 0;
}

std::uint32_t heavy_keeper::count(std::string_view item) const noexcept {
  auto const fingerprint = item_fingerprint(item);
  auto const least = list_.find(item, fingerprint) ? list_.least() : 0;
  std::uint32_t highest = 0;
  each_bucket(*this, item, rows_.places_of(item, 0), [&](bucket const& its) {
    if (its.fingerprint == fingerprint && its.count >= least) highest = std::max(highest, its.count);
  });
  return highest;
}

}  // namespace hortus::redisbloom
