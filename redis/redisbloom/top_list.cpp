#include "redis/redisbloom/top_list.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include <hortus/error.hpp>

namespace hortus::redisbloom {
namespace {

/// The loop has no other exit, so that compilers use vector instructions.
bool has(std::span<std::uint32_t const> numbers, std::uint32_t wanted) noexcept {
  std::uint32_t found = 0;
  for (auto const number : numbers) found |= number == wanted ? 1U : 0U;
  return found != 0;
}

}  // namespace

/// From the end, where the frequent items are.
std::optional<std::uint64_t> top_list::find(std::string_view item, std::uint32_t fingerprint) const noexcept {
  constexpr std::uint64_t step = 64;
  for (std::uint64_t begin = 0, end = places(); end != 0; end = begin) {
    begin = end - std::min(end, step);
    if (!has(std::span(&fingerprints_[begin], end - begin), fingerprint)) continue;
    for (auto place = begin; place < end; ++place)
      if (fingerprints_[place] == fingerprint && items_[place] && items_[place].view() == item) return place;
  }
  return std::nullopt;
}

std::vector<std::uint64_t> top_list::by_count() const {
  std::vector<std::uint64_t> found;
  for (std::uint64_t place = 0; place < places(); ++place)
    if (count(place) != 0) found.push_back(place);
  std::ranges::sort(found, {},
                    [this](std::uint64_t place) { return std::pair(~count(place), place); });  // the largest count first
  return found;
}

bool top_list::set_count(std::uint64_t place, std::uint32_t count) noexcept {
  bool const other = std::exchange(records_[place].count, count) != count;
  return sift_down(place) || other;
}

item_text top_list::replace_least(item_text item, std::uint32_t fingerprint, std::uint32_t count) noexcept {
  auto expelled = std::move(items_[0]);
  item_bytes_ += item.bytes() - expelled.bytes();
  auto const length = static_cast<std::uint32_t>(item.view().size());
  put(0, {.fingerprint = fingerprint, .length = length, .pointer = 0, .count = count, .padding = 0}, std::move(item));
  sift_down(0);
  return expelled;
}

/// As in RedisBloom, so that equal counts end in equal places: the first step passes children of the same count, later steps
/// do not. Counts that became smaller are not moved up. Returns whether anything moved.
bool top_list::sift_down(std::uint64_t place) noexcept {
  auto const start = place;
  auto const its = records_[place];
  auto item = std::move(items_[place]);
  for (bool first = true;; first = false) {
    auto child = 2 * place + 1;
    if (child >= places()) break;
    if (child + 1 < places() && count(child) > count(child + 1)) ++child;
    if (first ? count(child) > its.count : count(child) >= its.count) break;
    put(place, records_[child], std::move(items_[child]));
    place = child;
  }
  put(place, its, std::move(item));
  return place != start;
}

void top_list::put(std::uint64_t place, record const& its, item_text item) noexcept {
  auto const padding = records_[place].padding;
  records_[place] = its;
  records_[place].padding = padding;
  fingerprints_[place] = its.fingerprint;
  items_[place] = std::move(item);
}

void top_list::restore_records(std::span<char const> records) {
  if (records.size() != records_.bytes().size())
    throw error(errc::corrupt, "the bytes of the list are not those of a TopK with so many places");
  std::memcpy(static_cast<void*>(records_.data()), records.data(), records.size());
  for (std::uint64_t place = 0; place < places(); ++place) {
    records_[place].pointer = 0;
    if (place != 0) records_[place].padding = 0;
  }
}

void top_list::restore_item(std::uint64_t place, std::string_view stored) {
  if (stored.empty() || stored.back() != '\0') throw error(errc::corrupt, "an item of a TopK has no NUL at its end");
  auto& its = records_[place];
  auto const item = stored.substr(0, stored.size() - 1);
  bool const taken = !item.empty() || its.fingerprint == item_fingerprint(item);
  if (taken) items_[place] = item_text(item);
  item_bytes_ += items_[place].bytes();
  its.fingerprint = fingerprints_[place] = taken ? item_fingerprint(item) : 0;
  its.length = static_cast<std::uint32_t>(item.size());
}

void top_list::drop_cut_items() {
  std::vector<std::uint64_t> taken;
  std::vector<std::uint64_t> dropped;
  for (std::uint64_t place = 0; place < places(); ++place)
    if (items_[place])
      taken.push_back(place);
    else if (count(place) != 0)
      dropped.push_back(place);
  // Of equal items the one with the largest count is first, and stays.
  std::ranges::sort(taken, {}, [this](std::uint64_t place) {
    return std::tuple(records_[place].fingerprint, items_[place].view(), ~count(place), place);
  });
  for (std::size_t i = 1; i < taken.size(); ++i)
    if (items_[taken[i]].view() == items_[taken[i - 1]].view()) dropped.push_back(taken[i]);
  for (auto const place : dropped) {
    item_bytes_ -= items_[place].bytes();
    put(place, {}, {});
  }
  if (!dropped.empty())
    for (auto place = places() / 2; place-- != 0;) sift_down(place);
}

}  // namespace hortus::redisbloom
