#include <hortus/map/perfect_hash.hpp>

#include <hortus/cells/sort_words.hpp>
#include <hortus/hash/mix64.hpp>

namespace hortus {

namespace {

/// The word of a key in the next level. Bijective, so words stay distinct.
constexpr std::uint64_t next_level(std::uint64_t word) noexcept { return mix64(word + golden_ratio64); }

std::uint64_t word_at(memory const& words, std::uint64_t i) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, words.data() + i * sizeof word, sizeof word);
  return word;
}

/// Numbers for the slots from `items` on: for each slot with a key a different hole below `items`. For a slot without a key
/// the same as for the next one, so that numbers ascend.
std::vector<std::uint64_t> numbers_of(std::uint64_t items, std::uint64_t end_slot, std::span<std::uint64_t const> holes) {
  std::vector<std::uint64_t> numbers;
  numbers.reserve(end_slot - items);
  auto hole = std::partition_point(holes.begin(), holes.end(), [&](auto slot) { return slot < items; });
  auto const free = holes.first(static_cast<std::size_t>(hole - holes.begin()));
  std::size_t used = 0;
  for (auto slot = items; slot < end_slot; ++slot) {
    numbers.push_back(free.empty() ? 0 : free[std::min(used, free.size() - 1)]);
    if (hole != holes.end() && *hole == slot)
      ++hole;
    else
      ++used;
  }
  return numbers;
}

}  // namespace

perfect_hash perfect_hash::builder::finish() && {
  std::vector<std::uint64_t> left, holes;
  for (std::size_t part = 0; part < left_.size(); ++part) {
    left.insert(left.end(), left_[part].begin(), left_[part].end());
    holes.insert(holes.end(), holes_[part].begin(), holes_[part].end());
    left_[part] = {}, holes_[part] = {};
  }
  memory_vector<perfect_level> later;
  auto end_slot = first_.slots();
  perfect_part space;
  for (;;) {
    std::transform(left.begin(), left.end(), left.begin(), next_level);
    sort_words(left);
    if (left.size() <= plan::perfect_hash_shape::few_items || later.size() + 1 == plan::perfect_hash_shape::max_levels) break;
    auto const parts = split(perfect_hash::parts(left.size()), left);
    std::vector<std::uint64_t> sizes(parts.size());
    std::transform(parts.begin(), parts.end(), sizes.begin(), [](auto const& some) { return some.size(); });
    auto& level = later.emplace_back(sizes);
    std::vector<std::uint64_t> still_left;
    auto const earlier_holes = holes.size();
    for (std::size_t part = 0; part < parts.size(); ++part) level.fill_part(part, parts[part], space, still_left, holes);
    for (auto& hole : std::span(holes).subspan(earlier_holes)) hole += end_slot;
    left = std::move(still_left);
    end_slot += level.slots();
  }
  memory kept(left.size() * sizeof(std::uint64_t));
  if (!left.empty()) std::memcpy(kept.data(), left.data(), kept.size());
  end_slot += left.size();
  return {items_, std::move(first_), std::move(later), std::move(kept), ascending_list(numbers_of(items_, end_slot, holes))};
}

std::uint64_t perfect_hash::rank_beyond(std::uint64_t word, std::uint64_t slot) const noexcept {
  if (items_ == 0) return 0;
  auto first_slot = first_.slots();  // of the next level
  for (auto const& level : later_) {
    if (slot != perfect_level::no_slot) break;
    slot = level.slot(word = next_level(word));
    if (slot != perfect_level::no_slot) slot += first_slot;
    first_slot += level.slots();
  }
  if (slot == perfect_level::no_slot) {
    word = next_level(word);
    std::uint64_t first = 0;
    for (auto count = kept_words(); count != 0;) {
      auto const half = count / 2;
      if (word_at(kept_, first + half) < word)
        first += half + 1, count -= half + 1;
      else
        count = half;
    }
    if (first == kept_words() || word_at(kept_, first) != word) return 0;  // absent
    slot = first_slot + first;
  }
  return std::min(numbers_[slot - items_], items_ - 1);  // never larger, but in a file of another's making
}

void perfect_hash::clear() noexcept {
  items_ = 0;
  first_.clear();
  for (auto& level : later_) level.clear();
  kept_ = memory();
  numbers_.clear();
}

std::size_t perfect_hash::size_bytes() const noexcept {
  auto bytes = first_.size_bytes() + kept_.size() + numbers_.size_bytes();
  for (auto const& level : later_) bytes += level.size_bytes();
  return bytes;
}

bool perfect_hash::valid() const noexcept {
  if (!first_.valid() || !numbers_.valid() || kept_.size() % sizeof(std::uint64_t) != 0 || items_ > first_.slots())
    return false;
  auto slots = first_.slots() + kept_words();
  for (auto const& level : later_) {
    if (!level.valid()) return false;
    slots += level.slots();
  }
  return items_ == 0 ? kept_words() == 0 : numbers_.size() == slots - items_;
}

}  // namespace hortus
