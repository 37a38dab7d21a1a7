#include <hortus/sketch/space_saving.hpp>

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hortus {
namespace {

__extension__ using wide = unsigned __int128;  // no sum of 64-bit counts overflows it

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

}  // namespace

/// The counter with the least count, which becomes pushed_out_. All counters are at least pushed_out_, and new ones are above
/// it, so the number of counters equal to it falls until there is none. Then the least of the others is the new pushed_out_.
counted_keys::counter* space_saving::least() noexcept {
  auto* found = counters_.with_count(pushed_out_, hand_);
  if (found == nullptr) {
    pushed_out_ = counters_.least_count();
    found = counters_.with_count(pushed_out_, 0);
  }
  hand_ = static_cast<std::uint64_t>(found - counters_.all().data());
  return found;
}

/// Evicts the counters with the least counts until there is room. The last of them stays, to be replaced. Null if there was
/// room.
counted_keys::counter* space_saving::push_out_for(std::uint64_t cost) noexcept {
  while (used_ + cost > shape_.room) {
    auto* const c = least();
    used_ -= plan::counter_bytes(counters_.key_of(*c).bytes.size());
    if (used_ + cost <= shape_.room) return c;
    counters_.erase(c);
  }
  return nullptr;
}

top_keys space_saving::top(std::uint64_t wanted) const {
  std::vector<frequent_key> all;
  all.reserve(counters_.size());
  for (auto const& c : counters_.all()) {
    auto const key = counters_.key_of(c);
    std::string_view const bytes(reinterpret_cast<char const*>(key.bytes.data()), key.bytes.size());
    all.push_back({digest(c.digest), bytes, key.length, key.kind, c.count, c.error});
  }
  return first_of(std::move(all), wanted, inserted_, pushed_out_);
}

/// A key that only one sketch has was inserted into the other at most as often as the other's pushed_out_. Of all keys those
/// with the largest counts are kept, as many as fit. The paper subtracts a value from all counters to make the k-th 0; here
/// that value is the largest count that is dropped, and becomes the new pushed_out_.
void space_saving::merge(space_saving const& other) {
  if (shape_ != other.shape_)
    throw error(errc::incompatible, "space_saving sketches combine only with equal room and key_bytes; these have " +
                                        std::to_string(shape_.room) + " bytes with " + std::to_string(shape_.key_bytes) +
                                        " of a key, and " + std::to_string(other.shape_.room) + " with " +
                                        std::to_string(other.shape_.key_bytes));
  std::vector<counted_keys::entry> all;
  all.reserve(counters_.size() + other.counters_.size());
  for (auto const& c : counters_.all()) {
    auto const* const there = other.counters_.find(digest(c.digest));
    auto key = counters_.key_of(c);
    if (there != nullptr && key.kind == key_kind::digests) key = other.counters_.key_of(*there);
    all.push_back({c.digest, sum(c.count, there != nullptr ? there->count : other.pushed_out_),
                   sum(c.error, there != nullptr ? there->error : other.pushed_out_), key});
  }
  for (auto const& c : other.counters_.all())
    if (counters_.find(digest(c.digest)) == nullptr)
      all.push_back({c.digest, sum(c.count, pushed_out_), sum(c.error, pushed_out_), other.counters_.key_of(c)});
  std::ranges::sort(all,
                    [](auto const& a, auto const& b) { return a.count != b.count ? a.count > b.count : a.digest > b.digest; });
  std::uint64_t used = 0;
  auto const dropped = std::ranges::find_if(all, [&](auto const& e) {
    auto const cost = plan::counter_bytes(e.key.bytes.size());
    if (cost > shape_.room - used) return true;
    used += cost;
    return false;
  });
  auto pushed_out = sum(pushed_out_, other.pushed_out_);
  if (dropped != all.end()) pushed_out = std::max(pushed_out, dropped->count);
  counted_keys merged;
  for (auto const& e : std::span(all.begin(), dropped)) {
    merged.reserve(e.key.bytes.size());
    merged.insert(e);
  }
  counters_ = std::move(merged);
  inserted_ = sum(inserted_, other.inserted_);
  pushed_out_ = pushed_out;
  used_ = used;
  hand_ = 0;
}

/// Allocates no more than the file holds. Once the counters are restored, only counts, errors and sums remain to be checked.
void space_saving::restore(memory const& counters, memory const& keys) {
  if (!plan::is_valid(shape_) || !counters_.restore(counters, keys, shape_.key_bytes))
    throw error(errc::corrupt, "its counters and its keys do not fit together");
  used_ = 0;
  hand_ = 0;
  wide above = 0;
  bool sound = true;
  for (auto const& c : counters_.all()) {
    sound = sound && c.count >= pushed_out_ && c.error <= pushed_out_ && (c.error < c.count || c.count == most);
    above += c.count - pushed_out_;
    used_ += plan::counter_bytes(counters_.key_of(c).bytes.size());
  }
  // The promise depends on this inequality, see docs/maths.md. If the count of inserts is saturated, the length of the stream
  // is unknown.
  sound = sound && (inserted_ == most || above + wide{plan::counters_in(shape_)} * pushed_out_ <= inserted_);
  if (!sound) throw error(errc::corrupt, "its counts are not those of a stream");
}

}  // namespace hortus
