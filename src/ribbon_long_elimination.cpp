// Elimination for rows of 128 slots. The same steps as in ribbon_elimination.cpp, which has rows of one word.
#include <array>
#include <bit>

#include <hortus/frozen/ribbon_long_rows.hpp>

namespace hortus {
namespace {

using rows_of = ribbon_rows<2>;

/// The slots of a row from its first one on. Without slots: a free place.
struct row_slots {
  std::uint64_t low;
  std::uint64_t high;

  [[nodiscard]] bool none() const noexcept { return (low | high) == 0; }
};

/// Rows by their first slot, and the sums of fingerprints that belong to them.
class system {
 public:
  explicit system(std::span<ribbon_strip const> strips)
      : first(strips.front().range.first * 64),
        slots((strips.back().range.end - strips.front().range.first) * 64),
        cells_(3 * slots * sizeof(std::uint64_t)),  // zeroed, and on huge pages
        rows(reinterpret_cast<row_slots*>(cells_.data())),
        values(reinterpret_cast<std::uint64_t*>(cells_.data()) + 2 * slots) {}

  std::uint64_t const first;  ///< slot
  std::uint64_t const slots;

 private:
  memory cells_;

 public:
  row_slots* const rows;
  std::uint64_t* const values;
};

/// A row on its way to a free place.
struct moving_row {
  std::uint64_t place;
  row_slots slots;
  std::uint64_t value;
};

/// The keys of one strip in the order of insertion: bucket by bucket, and from the right to the left in a bucket.
class strip_keys {
 public:
  strip_keys(ribbon_cells& cells, ribbon_strip const& strip, system& all, ribbon_overflow mode, ribbon_left& left)
      : thresholds_(cells.thresholds()), strip_(strip), all_(all), mode_(mode), left_over_(left), ahead_(strip.keys.words) {}

  /// The next key, if there is one.
  [[gnu::always_inline]] bool next(moving_row& row) {
    if (left_ == 0) [[unlikely]]
      if (!open()) return false;
    --left_;
    row.place = waiting_[left_].place;
    row.slots.low = waiting_[left_].slots.low;
    row.slots.high = waiting_[left_].slots.high;
    row.value = waiting_[left_].value;
    return true;
  }
  void placed(std::uint64_t place) noexcept { places_[inserted_++] = place; }
  /// There is no room for the key that was returned last.
  [[gnu::noinline]] void failed() {
    if (mode_ == ribbon_overflow::one_by_one) {
      left_over_.append({bucket_.subspan(bucket_.size() - count_ + left_, 1)});
      return;
    }
    auto const bucket = (waiting_[left_].place + all_.first) / rows_of::slots;
    auto const offset = [&](std::size_t i) { return (waiting_[i].place + all_.first) % rows_of::slots; };
    unsigned code = 1;
    while (rows_of::threshold(code) <= offset(left_)) ++code;
    thresholds_[bucket / 4] |= static_cast<std::byte>(code << (bucket % 4 * 2));
    auto bumped = left_ + 1;  // the keys to the right were inserted
    for (; bumped < count_ && offset(bumped) < rows_of::threshold(code); ++bumped) {
      auto const place = places_[--inserted_];
      all_.rows[place] = {0, 0};  // no row was changed on behalf of this one
      all_.values[place] = 0;
    }
    left_over_.append({bucket_.first(bucket_.size() - count_ + bumped)});
    left_ = 0;
  }

 private:
  /// 512 starts reach 639 slots. So of 768 keys in a bucket, the rightmost, one fails, and those before them are bumped.
  static constexpr std::size_t most = 768;

  [[gnu::noinline]] bool open() {
    if (ahead_.empty()) return false;
    auto const start = [&](std::uint64_t word) { return strip_.range.start<2>(word << strip_.shift); };
    auto size = std::min(most, ahead_.size());
    if (mode_ == ribbon_overflow::by_threshold) {
      auto const end = (start(ahead_[0]) / rows_of::slots + 1) * rows_of::slots;
      for (size = 1; size < ahead_.size() && start(ahead_[size]) < end;) ++size;
    }
    bucket_ = ahead_.first(size);
    ahead_ = ahead_.subspan(size);
    left_ = count_ = std::min(size, most);
    inserted_ = 0;
    auto const last = bucket_.last(count_);
    for (std::size_t i = 0; i < count_; ++i) {
      auto const row = ribbon_long_row::of(last[i]);
      waiting_[i] = {start(last[i]) - all_.first, {row.low, row.high}, row.fingerprint};
    }
    return true;
  }

  std::byte* thresholds_;
  ribbon_strip const& strip_;
  system& all_;
  ribbon_overflow mode_;
  ribbon_left& left_over_;
  std::span<std::uint64_t const> ahead_;   // keys of later buckets
  std::span<std::uint64_t const> bucket_;  // keys of this one
  std::size_t count_ = 0;                  // how many of them were, or are, waiting
  std::size_t left_ = 0;                   // how many still are
  std::size_t inserted_ = 0;
  std::array<moving_row, most> waiting_;    // the keys in the bucket, at their starts
  std::array<std::uint64_t, most> places_;  // of those that were inserted
};

/// One step of a row: it is placed if its place is free. Otherwise it is added to the row there, and begins further right.
/// False: there are no more keys.
[[gnu::always_inline]] inline bool step(strip_keys& keys, row_slots* rows, std::uint64_t* values, moving_row& row) {
  auto const low = rows[row.place].low;
  if (low == 0) {  // a row begins with a slot
    rows[row.place].low = row.slots.low;
    rows[row.place].high = row.slots.high;
    values[row.place] = row.value;
    keys.placed(row.place);
    return keys.next(row);
  }
  row.slots.low ^= low;
  row.slots.high ^= rows[row.place].high;
  row.value ^= values[row.place];
  if (row.slots.low == 0) [[unlikely]] {
    if (row.slots.high == 0) {
      keys.failed();
      return keys.next(row);
    }
    row.place += 64;
    row.slots = {row.slots.high, 0};
  }
  auto const by = static_cast<unsigned>(std::countr_zero(row.slots.low));
  row.slots.low = row.slots.low >> by | row.slots.high << 1 << (63 - by);
  row.slots.high >>= by;
  row.place += by;
  return true;
}

void eliminate(system& all, strip_keys& keys, moving_row row) {
  while (step(keys, all.rows, all.values, row)) {
  }
}

/// Each step waits for the one before. With two strips, whose rows do not meet, the processor works on both at once. The rows
/// of more would not stay in registers.
void eliminate(system& all, strip_keys& a, strip_keys& b) {
  auto* const rows = all.rows;
  auto* const values = all.values;
  moving_row row_a{};
  moving_row row_b{};
  bool more_a = a.next(row_a);
  bool more_b = b.next(row_b);
  while (more_a && more_b) {
    if (!step(a, rows, values, row_a)) [[unlikely]]
      more_a = false;
    if (!step(b, rows, values, row_b)) [[unlikely]]
      more_b = false;
  }
  if (more_a) eliminate(all, a, row_a);
  if (more_b) eliminate(all, b, row_b);
}

}  // namespace

void solve_long_strips(ribbon_cells& cells, std::span<ribbon_strip const> strips, ribbon_overflow mode, ribbon_left& left) {
  system all(strips);
  if (strips.size() == 1) {
    strip_keys keys(cells, strips[0], all, mode, left);
    if (moving_row row{}; keys.next(row)) eliminate(all, keys, row);
  } else {
    std::array<ribbon_left, 4> left_of;
    std::array<strip_keys, 4> keys{
        strip_keys(cells, strips[0], all, mode, left_of[0]), strip_keys(cells, strips[1], all, mode, left_of[1]),
        strip_keys(cells, strips[2], all, mode, left_of[2]), strip_keys(cells, strips[3], all, mode, left_of[3])};
    eliminate(all, keys[0], keys[1]);
    eliminate(all, keys[2], keys[3]);
    for (auto const& some : left_of) left.append(some.keys());
  }
  kernels::solve_long_ribbon(cells, strips.front().range.first, {&all.rows->low, 2 * all.slots}, {all.values, all.slots});
}

}  // namespace hortus
