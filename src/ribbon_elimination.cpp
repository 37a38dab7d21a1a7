#include <hortus/frozen/ribbon_elimination.hpp>

#include <array>
#include <bit>

#include <hortus/frozen/ribbon_kernels.hpp>
#include <hortus/frozen/ribbon_long_rows.hpp>

namespace hortus {
namespace {

/// Rows by their first slot, and the sums of fingerprints that belong to them. A row without slots is a free place.
class system {
 public:
  explicit system(std::span<ribbon_strip const> strips)
      : first(strips.front().range.first * 64),
        slots((strips.back().range.end - strips.front().range.first) * 64),
        cells_(2 * slots * sizeof(std::uint64_t)),  // zeroed, and on huge pages
        rows(reinterpret_cast<std::uint64_t*>(cells_.data())),
        values(rows + slots) {}

  std::uint64_t const first;  ///< slot
  std::uint64_t const slots;

 private:
  memory cells_;

 public:
  std::uint64_t* const rows;
  std::uint64_t* const values;
};

/// A row on its way to a free place: its first slot, and the others from there on. Its members are loaded one by one: g++ would
/// keep two of them in a vector register if they were copied at once, which takes twice the time.
struct moving_row {
  std::uint64_t place;
  std::uint64_t slots;
  std::uint64_t value;
};

/// The keys of one strip in the order of insertion: bucket by bucket, and from the right to the left in a bucket. The keys on
/// the left compete with those of the bucket before; where there is no room, those furthest left are bumped.
class strip_keys {
 public:
  strip_keys(ribbon_cells& cells, ribbon_strip const& strip, system& all, ribbon_overflow mode, ribbon_left& left)
      : thresholds_(cells.thresholds()), strip_(strip), all_(all), mode_(mode), left_over_(left), ahead_(strip.keys) {}

  /// The next key, if there is one. `placed`: where the row before was placed.
  [[gnu::always_inline]] bool next(moving_row& row) {
    if (left_ == 0) [[unlikely]]
      if (!open()) return false;
    --left_;
    row.place = starts_[left_];
    row.slots = slots_[left_];
    row.value = values_[left_];
    return true;
  }
  void placed(std::uint64_t place) noexcept { places_[inserted_++] = place; }
  /// There is no room for the key that was returned last.
  [[gnu::noinline]] void failed() {
    if (mode_ == ribbon_overflow::one_by_one) {
      left_over_.append(bucket_.from(bucket_.size() - count_ + left_).first(1));
      return;
    }
    auto const bucket = (starts_[left_] + all_.first) / ribbon_bucket::slots;
    auto const offset = [&](std::size_t i) { return (starts_[i] + all_.first) % ribbon_bucket::slots; };
    unsigned code = 1;
    while (ribbon_bucket::threshold(code) <= offset(left_)) ++code;
    thresholds_[bucket / 4] |= static_cast<std::byte>(code << (bucket % 4 * 2));
    auto bumped = left_ + 1;  // the keys to the right were inserted
    for (; bumped < count_ && offset(bumped) < ribbon_bucket::threshold(code); ++bumped) {
      auto const place = places_[--inserted_];
      all_.rows[place] = all_.values[place] = 0;  // no row was changed on behalf of this one
    }
    left_over_.append(bucket_.first(bucket_.size() - count_ + bumped));
    left_ = 0;
  }

 private:
  /// 128 starts reach 191 slots. So of 256 keys in a bucket, the rightmost, one fails, and those before them are bumped.
  static constexpr std::size_t most = 256;

  [[gnu::noinline]] bool open() {
    if (ahead_.empty()) return false;
    std::size_t size = 0;
    auto const start = [&](std::uint64_t word) { return strip_.range.start(word << strip_.shift); };
    if (mode_ == ribbon_overflow::one_by_one) {
      size = std::min(most, ahead_.size());
      for (std::size_t i = 0; i < size; ++i) starts_[i] = start(ahead_.words[i]) - all_.first;
    } else {
      auto const end = (start(ahead_.words[0]) / ribbon_bucket::slots + 1) * ribbon_bucket::slots;
      for (std::uint64_t at = 0; size < ahead_.size() && (at = start(ahead_.words[size])) < end; ++size)
        starts_[size % most] = at - all_.first;
    }
    bucket_ = ahead_.first(size);
    ahead_ = ahead_.from(size);
    left_ = count_ = std::min(size, most);
    inserted_ = 0;
    auto const last = bucket_.last(count_);
    if (size > most)
      for (std::size_t i = 0; i < count_; ++i) starts_[i] = start(last.words[i]) - all_.first;
    for (std::size_t i = 0; i < count_; ++i) {
      auto const row = ribbon_row::of(last.words[i]);
      slots_[i] = row.slots;
      values_[i] = row.fingerprint;
    }
    for (std::size_t i = 0; i < last.values.size(); ++i) values_[i] ^= last.values[i];
    return true;
  }

  std::byte* thresholds_;
  ribbon_strip const& strip_;
  system& all_;
  ribbon_overflow mode_;
  ribbon_left& left_over_;
  ribbon_keys ahead_;       // keys of later buckets
  ribbon_keys bucket_{{}};  // keys of this one
  std::size_t count_ = 0;   // how many of them were, or are, waiting
  std::size_t left_ = 0;    // how many still are
  std::size_t inserted_ = 0;
  std::array<std::uint64_t, most> starts_;  // of the keys in the bucket
  std::array<std::uint64_t, most> slots_;
  std::array<std::uint64_t, most> values_;
  std::array<std::uint64_t, most> places_;  // of those that were inserted
};

/// One step of a row: it is placed if its place is free. Otherwise it is added to the row there, and begins further right.
/// False: there are no more keys.
[[gnu::always_inline]] inline bool step(strip_keys& keys, std::uint64_t* rows, std::uint64_t* values, moving_row& row) {
  auto const there = rows[row.place];
  if (there == 0) {
    rows[row.place] = row.slots;
    values[row.place] = row.value;
    keys.placed(row.place);
    return keys.next(row);
  }
  row.slots ^= there;
  row.value ^= values[row.place];
  if (row.slots == 0) [[unlikely]] {
    keys.failed();
    return keys.next(row);
  }
  auto const by = std::countr_zero(row.slots);
  row.slots >>= by;
  row.place += static_cast<unsigned>(by);
  return true;
}

void eliminate(system& all, strip_keys& keys, moving_row row) {
  while (step(keys, all.rows, all.values, row)) {
  }
}

/// Each step waits for the one before. With four strips, whose rows do not meet, the processor works on all at once. Four
/// variables, not an array, stay in registers.
void eliminate(system& all, strip_keys& a, strip_keys& b, strip_keys& c, strip_keys& d) {
  auto* const rows = all.rows;
  auto* const values = all.values;
  moving_row row_a{};
  moving_row row_b{};
  moving_row row_c{};
  moving_row row_d{};
  bool more_a = a.next(row_a);
  bool more_b = b.next(row_b);
  bool more_c = c.next(row_c);
  bool more_d = d.next(row_d);
  while (more_a && more_b && more_c && more_d) {
    if (!step(a, rows, values, row_a)) [[unlikely]]
      more_a = false;
    if (!step(b, rows, values, row_b)) [[unlikely]]
      more_b = false;
    if (!step(c, rows, values, row_c)) [[unlikely]]
      more_c = false;
    if (!step(d, rows, values, row_d)) [[unlikely]]
      more_d = false;
  }
  if (more_a) eliminate(all, a, row_a);
  if (more_b) eliminate(all, b, row_b);
  if (more_c) eliminate(all, c, row_c);
  if (more_d) eliminate(all, d, row_d);
}

}  // namespace

void solve_strips(ribbon_cells& cells, std::span<ribbon_strip const> strips, ribbon_overflow mode, ribbon_left& left) {
  if (cells.long_rows()) return solve_long_strips(cells, strips, mode, left);
  system all(strips);
  if (strips.size() == 1) {
    strip_keys keys(cells, strips[0], all, mode, left);
    if (moving_row row{}; keys.next(row)) eliminate(all, keys, row);
  } else {
    std::array<ribbon_left, 4> left_of;
    strip_keys a(cells, strips[0], all, mode, left_of[0]);
    strip_keys b(cells, strips[1], all, mode, left_of[1]);
    strip_keys c(cells, strips[2], all, mode, left_of[2]);
    strip_keys d(cells, strips[3], all, mode, left_of[3]);
    eliminate(all, a, b, c, d);
    for (auto const& some : left_of) left.append(some.keys());
  }
  kernels::solve_ribbon(cells, strips.front().range.first, {all.rows, all.slots}, {all.values, all.slots});
}

}  // namespace hortus
