#include <hortus/frozen/ribbon_elimination.hpp>

#include <array>
#include <bit>

#include <hortus/frozen/ribbon_kernels.hpp>

namespace hortus {
namespace {

/// Rows by their first slot, and the sums of fingerprints that belong to them. A row without slots is a free place.
struct system {
  std::vector<std::uint64_t> rows;
  std::vector<std::uint64_t> values;
  std::uint64_t first;  ///< slot

  explicit system(std::span<ribbon_strip const> strips)
      : rows((strips.back().range.end - strips.front().range.first) * 64),
        values(rows.size()),
        first(strips.front().range.first * 64) {}
};

/// A row on its way to a free place: its first slot, and the others from there on.
struct moving_row {
  std::uint64_t place;
  std::uint64_t slots;
  std::uint64_t value;
};

/// The keys of one strip in the order of insertion: bucket by bucket, and from the right to the left in a bucket. The keys on
/// the left compete with those of the bucket before; where there is no room, those furthest left are bumped.
class strip_keys {
 public:
  strip_keys(ribbon_cells& cells, ribbon_strip const& strip, system& all, ribbon_overflow mode,
             std::vector<std::uint64_t>& left)
      : thresholds_(cells.thresholds()), strip_(strip), all_(all), mode_(mode), left_over_(left), ahead_(strip.words) {}

  /// The next key, if there is one. `placed`: where the row before was placed.
  bool next(moving_row& row) {
    if (left_ == 0 && !open()) return false;
    row = waiting_[--left_];
    return true;
  }
  void placed(std::uint64_t place) noexcept { places_[inserted_++] = place; }
  /// There is no room for the key that was returned last.
  void failed() {
    if (mode_ == ribbon_overflow::one_by_one) {
      left_over_.push_back(bucket_[bucket_.size() - count_ + left_]);
      return;
    }
    auto const bucket = (waiting_[left_].place + all_.first) / ribbon_bucket::slots;
    auto const offset = [&](std::size_t i) { return (waiting_[i].place + all_.first) % ribbon_bucket::slots; };
    unsigned code = 1;
    while (ribbon_bucket::threshold(code) <= offset(left_)) ++code;
    thresholds_[bucket / 4] |= static_cast<std::byte>(code << (bucket % 4 * 2));
    auto bumped = left_ + 1;  // the keys to the right were inserted
    for (; bumped < count_ && offset(bumped) < ribbon_bucket::threshold(code); ++bumped) {
      auto const place = places_[--inserted_];
      all_.rows[place] = all_.values[place] = 0;  // no row was changed on behalf of this one
    }
    auto const gone = bucket_.first(bucket_.size() - count_ + bumped);
    left_over_.insert(left_over_.end(), gone.begin(), gone.end());
    left_ = 0;
  }

 private:
  /// 128 starts reach 191 slots. So of 256 keys in a bucket, the rightmost, one fails, and those before them are bumped.
  static constexpr std::size_t most = 256;

  bool open() {
    if (ahead_.empty()) return false;
    std::size_t size = 0;
    auto const start = [&](std::uint64_t word) { return strip_.range.start(word << strip_.shift); };
    if (mode_ == ribbon_overflow::one_by_one) {
      size = std::min(most, ahead_.size());
      for (std::size_t i = 0; i < size; ++i) waiting_[i].place = start(ahead_[i]) - all_.first;
    } else {
      auto const end = (start(ahead_[0]) / ribbon_bucket::slots + 1) * ribbon_bucket::slots;
      for (std::uint64_t at = 0; size < ahead_.size() && (at = start(ahead_[size])) < end; ++size)
        waiting_[size % most].place = at - all_.first;
    }
    bucket_ = ahead_.first(size);
    ahead_ = ahead_.subspan(size);
    left_ = count_ = std::min(size, most);
    inserted_ = 0;
    auto const last = bucket_.last(count_);
    if (size > most)
      for (std::size_t i = 0; i < count_; ++i) waiting_[i].place = start(last[i]) - all_.first;
    for (std::size_t i = 0; i < count_; ++i) {
      auto const row = ribbon_row::of(last[i]);
      waiting_[i].slots = row.slots;
      waiting_[i].value = row.fingerprint;
    }
    return true;
  }

  std::byte* thresholds_;
  ribbon_strip const& strip_;
  system& all_;
  ribbon_overflow mode_;
  std::vector<std::uint64_t>& left_over_;
  std::span<std::uint64_t const> ahead_;   // keys of later buckets
  std::span<std::uint64_t const> bucket_;  // keys of this one
  std::size_t count_ = 0;                  // how many of them are, or were, in waiting_
  std::size_t left_ = 0;                   // how many still are
  std::size_t inserted_ = 0;
  std::array<moving_row, most> waiting_;
  std::array<std::uint64_t, most> places_;
};

/// Inserts the keys of all strips. A row is added to the row that has its place, until its place is free: it then begins
/// further right. Each step waits for the one before. With two strips, whose rows do not meet, the processor works on both at
/// once, in 60 % of the time.
template <std::size_t Strips>
void eliminate(system& all, std::array<strip_keys*, Strips> keys) {
  auto* const rows = all.rows.data();
  auto* const values = all.values.data();
  std::array<moving_row, Strips> row;
  // One step of a row. False: no more keys.
  auto const step = [&](std::size_t i) __attribute__((always_inline)) {
    auto const there = rows[row[i].place];
    if (there == 0) {
      rows[row[i].place] = row[i].slots;
      values[row[i].place] = row[i].value;
      keys[i]->placed(row[i].place);
      return keys[i]->next(row[i]);
    }
    row[i].slots ^= there;
    row[i].value ^= values[row[i].place];
    if (row[i].slots == 0) [[unlikely]] {
      keys[i]->failed();
      return keys[i]->next(row[i]);
    }
    auto const by = std::countr_zero(row[i].slots);
    row[i].slots >>= by;
    row[i].place += static_cast<unsigned>(by);
    return true;
  };
  bool more[Strips];
  bool all_more = true;
  for (std::size_t i = 0; i < Strips; ++i) all_more &= more[i] = keys[i]->next(row[i]);
  while (all_more)
    for (std::size_t i = 0; i < Strips; ++i)
      if (!step(i)) [[unlikely]]
        all_more = more[i] = false;
  for (std::size_t i = 0; i < Strips; ++i)
    while (more[i]) more[i] = step(i);
}

}  // namespace

void solve_strips(ribbon_cells& cells, std::span<ribbon_strip const> strips, ribbon_overflow mode,
                  std::vector<std::uint64_t>& left) {
  system all(strips);
  strip_keys one(cells, strips.front(), all, mode, left);
  if (strips.size() == 1) {
    eliminate<1>(all, {&one});
  } else {
    std::vector<std::uint64_t> left_of_other;
    strip_keys other(cells, strips.back(), all, mode, left_of_other);
    eliminate<2>(all, {&one, &other});
    left.insert(left.end(), left_of_other.begin(), left_of_other.end());
  }
  kernels::solve_ribbon(cells, strips.front().range.first, all.rows, all.values);
}

}  // namespace hortus
