#include <hortus/frozen/fuse_part.hpp>

#include <algorithm>
#include <cstring>

#include <hortus/cells/map_entry.hpp>

namespace hortus {

namespace {

/// A slot while its part is built: the exclusive or of its keys' rests in the high bits, then their number, then in two bits
/// the exclusive or of the segments of the keys that it is in (0 to 3). When the number is 1, the others name the key.
using cell = std::uint64_t;
constexpr cell one = 4;
constexpr cell count_mask = 0xfc;
constexpr cell crowded = 0x80;  // 32 keys and more. Slots have 4 on average, so only hostile keys come that far
constexpr cell way_mask = 3;

/// A slot in the order: its segment, and its offset there.
using place = std::uint32_t;
constexpr unsigned offset_bits = 21;
constexpr place offset_mask = (place{1} << offset_bits) - 1;

/// How far peeling may lag behind filling, in segments, before keys are bumped. With fewer, keys are bumped that would have
/// been peeled; more gain nothing.
constexpr std::uint64_t max_lag = 16;
constexpr std::uint64_t prefetched = 12;  // places ahead

/// Valued: keys have values. Each slot then has the exclusive or of its keys' values, beside its cell.
template <unsigned Arity, bool Valued>
class peeling {
 public:
  peeling(fuse_keys keys, fuse_map map, std::uint64_t length, cell* cells, std::uint64_t* sums, place* order,
          fuse_bumped& bumped)
      : words_(keys.words),
        values_(keys.values),
        map_(map),
        length_(length),
        cells_(cells),
        sums_(sums),
        order_(order),
        bumped_(bumped) {}

  void run(unsigned slot_bits) {
    auto const starts = std::uint64_t{1} << map_.segment_bits;
    std::fill_n(cells_, (Arity - 1) * length_, 0);
    if constexpr (Valued) std::fill_n(sums_, (Arity - 1) * length_, 0);
    for (last_ = 0; last_ < starts + Arity - 1; ++last_) {
      if (last_ < starts) fill_segment();
      for (std::uint64_t offset = 0; offset < length_; ++offset) {
        order_[end_] = at(last_, offset);
        end_ += std::uint64_t{(cells_[last_ * length_ + offset] & count_mask) == one};
      }
      peel();
      if (last_ >= max_lag) bump_before(last_ - max_lag + 1);
    }
    last_ = starts + Arity - 2;
    bump_before(starts);
    assign(64 - slot_bits);
  }

 private:
  static place at(std::uint64_t segment, std::uint64_t offset) noexcept {
    return static_cast<place>(segment << offset_bits | offset);
  }
  static cell* cell_of(cell* cells, std::uint64_t length, place where) noexcept {
    return cells + (where >> offset_bits) * length + (where & offset_mask);
  }

  /// Adds the keys that begin in segment last_, whose slots are complete then.
  void fill_segment() {
    auto const length = length_;
    auto* const base = cells_ + last_ * length;
    std::fill_n(base + (Arity - 1) * length, length, 0);  // here, and not for all at once, so that they are cached
    if constexpr (Valued) std::fill_n(sums_ + (last_ + Arity - 1) * length, length, 0);
    for (; filled_ < words_.size() && map_.segment(words_[filled_]) == last_; ++filled_) {
      auto const rest = map_.rest(words_[filled_]);
      auto const key = fuse_slots<Arity>::of(rest, length);
      cell any = 0;
      for (unsigned way = 0; way < Arity; ++way) any |= base[way * length + key.offsets[way]];
      if ((any & crowded) != 0) {
        bump(filled_);
        continue;
      }
      for (unsigned way = 0; way < Arity; ++way) {
        auto& slot = base[way * length + key.offsets[way]];
        slot = (slot + one) ^ (rest | way);
        if constexpr (Valued) sums_[(last_ + way) * length + key.offsets[way]] ^= values_[filled_];
      }
    }
  }
  void bump(std::uint64_t i) {
    bumped_.words.push_back(words_[i]);
    if constexpr (Valued) bumped_.values.push_back(values_[i]);
  }
  /// Takes a key out of its slots. Those that have only one key left are appended to the order, at `end`, if they are complete.
  // NOLINTNEXTLINE(readability-non-const-parameter): without values nothing writes to the sums
  static std::uint64_t take_out(cell* cells, std::uint64_t* sums, place* order, std::uint64_t end, std::uint64_t length,
                                std::uint64_t last, std::uint64_t segment, std::uint64_t rest, std::uint64_t value) noexcept {
    auto const key = fuse_slots<Arity>::of(rest, length);
    auto* const base = cells + segment * length;
    for (unsigned way = 0; way < Arity; ++way) {
      auto& slot = base[way * length + key.offsets[way]];
      auto const left = (slot - one) ^ (rest | way);
      slot = left;
      if constexpr (Valued) sums[(segment + way) * length + key.offsets[way]] ^= value;
      order[end] = at(segment + way, key.offsets[way]);
      end += std::uint64_t{(left & count_mask) == one} & std::uint64_t{segment + way <= last};
    }
    return end;
  }
  /// Peels until no slot with one key is left. First come, first served: so there are always many that do not wait for each
  /// other. The order is the queue: what was peeled is moved to its front. Members are copied, because cells could alias them.
  void peel() noexcept {
    auto* const cells = cells_;
    auto* const sums = sums_;
    auto* const order = order_;
    auto const length = length_, last = last_;
    auto end = end_, done = done_;
    for (auto next = next_; next < end; ++next) {
      __builtin_prefetch(cell_of(cells, length, order[next + prefetched]));
      auto const where = order[next];
      auto* const own = cell_of(cells, length, where);
      auto const key = *own;
      if ((key & count_mask) != one) continue;  // peeled by another of its slots
      auto const value = Valued ? sums[own - cells] : 0;
      end = take_out(cells, sums, order, end, length, last, (where >> offset_bits) - (key & way_mask),
                     key & fuse_map::rest_mask, value);
      *own = key - one;  // names its key, for assign(); with a count of 0
      if constexpr (Valued) sums[own - cells] = value;
      order[done++] = where;
    }
    next_ = end_ = end, done_ = done;
  }
  /// Bumps keys until none is left that begins before this segment. A key is left if all of its slots have keys: when it was
  /// peeled, its own slot became empty.
  void bump_before(std::uint64_t segment) {
    for (; left_ < filled_ && map_.segment(words_[left_]) < segment; ++left_) {
      auto const word = words_[left_];
      auto const start = map_.segment(word), rest = map_.rest(word);
      auto const key = fuse_slots<Arity>::of(rest, length_);
      bool left = true;
      for (unsigned way = 0; way < Arity; ++way)
        left = left && (cells_[(start + way) * length_ + key.offsets[way]] & count_mask) != 0;
      if (!left) continue;
      bump(left_);
      end_ = take_out(cells_, sums_, order_, end_, length_, last_, start, rest, Valued ? values_[left_] : 0);
      peel();
    }
  }
  /// Slots that belong to no key are 0 by now. A key's slot still names the key, which its own value cancels.
  void assign(unsigned fingerprint_shift) noexcept {
    auto* const cells = cells_;
    auto const* const order = order_;
    auto const length = length_;
    for (auto i = done_; i-- != 0;) {
      if (i >= prefetched) __builtin_prefetch(cell_of(cells, length, order[i - prefetched]));
      auto* const own = cell_of(cells, length, order[i]);
      auto const named = *own;
      auto const key = fuse_slots<Arity>::of(named & fuse_map::rest_mask, length);
      auto const* const base = cells + ((order[i] >> offset_bits) - (named & way_mask)) * length;
      auto value = key.hash >> fingerprint_shift ^ named;
      if constexpr (Valued) value ^= sums_[own - cells];
      for (unsigned way = 0; way < Arity; ++way) value ^= base[way * length + key.offsets[way]];
      *own = value;
    }
  }

  std::span<std::uint64_t const> words_;
  std::span<std::uint64_t const> values_;
  fuse_map map_;
  std::uint64_t length_;
  cell* cells_;
  std::uint64_t* sums_;
  place* order_;
  fuse_bumped& bumped_;
  std::uint64_t last_ = 0;    // the last segment whose slots are complete
  std::uint64_t filled_ = 0;  // words that were added
  std::uint64_t left_ = 0;    // words before this one were peeled or bumped
  std::uint64_t next_ = 0;    // in the order: the next to peel
  std::uint64_t end_ = 0;
  std::uint64_t done_ = 0;  // at its front: those that were peeled
};

}  // namespace

void fuse_bumped::sort() {
  if (values.empty()) return std::sort(words.begin(), words.end());
  std::vector<map_entry> entries(words.size());
  for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = {values[i], words[i]};
  sort_entries(entries);
  for (std::size_t i = 0; i < entries.size(); ++i) words[i] = entries[i].word, values[i] = entries[i].value;
}

std::span<std::uint64_t const> fuse_part::build(fuse_keys keys, fuse_map map, unsigned arity, std::uint64_t length,
                                                unsigned slot_bits, fuse_bumped& bumped) {
  auto const slots = ((std::uint64_t{1} << map.segment_bits) + arity - 1) * length;
  auto const rounded = (slots + 7) / 8 * 8;
  if (cells_.size() < rounded * sizeof(cell)) {
    cells_ = memory(), order_ = memory();  // first frees the old ones
    cells_ = memory(rounded * sizeof(cell));
    order_ = memory((slots + prefetched + 4) * sizeof(place));  // places are read ahead, and written before they are needed
  }
  bool const valued = !keys.values.empty();
  if (valued && sums_.size() < rounded * sizeof(std::uint64_t)) {
    sums_ = memory();
    sums_ = memory(rounded * sizeof(std::uint64_t));
  }
  auto* const sums = reinterpret_cast<std::uint64_t*>(sums_.data());
  auto* const cells = reinterpret_cast<cell*>(cells_.data());
  auto* const order = reinterpret_cast<place*>(order_.data());
  auto const run = [&]<unsigned Arity, bool Valued>() {
    peeling<Arity, Valued>(keys, map, length, cells, sums, order, bumped).run(slot_bits);
  };
  if (arity == 3)
    valued ? run.template operator()<3, true>() : run.template operator()<3, false>();
  else
    valued ? run.template operator()<4, true>() : run.template operator()<4, false>();
  bumped.sort();
  std::fill(cells + slots, cells + rounded, 0);
  return {cells, rounded};
}

}  // namespace hortus
