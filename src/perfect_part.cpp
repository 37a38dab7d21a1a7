#include <hortus/map/perfect_part.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace hortus {

namespace {

constexpr unsigned max_keys = perfect_part::max_bucket_keys;
constexpr unsigned spreads = 16;
constexpr unsigned shifts = plan::perfect_hash_shape::seed_shifts;
constexpr std::uint32_t all_shifts = (std::uint32_t{1} << shifts) - 1;

/// How many buckets a bucket of so many keys waits, in 1024ths of the window. By simulation: these leave the fewest keys over.
constexpr std::array<std::uint64_t, max_keys + 1> waits{0, 327, 160, 101, 69, 47, 35, 19, 6, 0, 0, 0, 0, 0, 0, 0, 0};

class seed_search {
 public:
  seed_search(std::span<std::uint64_t const> words, unsigned part_bits, perfect_part_shape shape, std::uint64_t const* starts,
              std::byte* taken, std::uint8_t* seeds)
      : words_(words.data()),
        part_bits_(part_bits),
        bases_(shape.bases()),
        buckets_(shape.buckets()),
        log2_window_(shape.log2_window),
        starts_(starts),
        taken_(taken),
        seeds_(seeds) {}

  void run() noexcept {
    std::array<std::uint64_t, max_keys + 1> wait{};
    for (unsigned keys = 1; keys <= max_keys; ++keys) wait[keys] = (waits[keys] << log2_window_) / 1024;
    for (std::uint64_t time = 0; time < buckets_ + wait[1]; ++time)
      for (unsigned keys = max_keys; keys >= 1; --keys) {
        auto const bucket = time - wait[keys];  // before the first bucket's time, a very large number
        if (bucket < buckets_ && starts_[bucket + 1] - starts_[bucket] == keys) place(bucket, keys);
      }
  }

 private:
  /// Compiled for each of the usual sizes: its loops are unrolled then.
  void place(std::uint64_t bucket, unsigned keys) noexcept {
    switch (keys) {
      case 1:
        return place_keys(bucket, 1);
      case 2:
        return place_keys(bucket, 2);
      case 3:
        return place_keys(bucket, 3);
      case 4:
        return place_keys(bucket, 4);
      case 5:
        return place_keys(bucket, 5);
      case 6:
        return place_keys(bucket, 6);
      case 7:
        return place_keys(bucket, 7);
      case 8:
        return place_keys(bucket, 8);
      default:
        return place_keys(bucket, keys);
    }
  }
  /// Few branches, because none of them could be predicted.
  [[gnu::always_inline]] inline void place_keys(std::uint64_t bucket, unsigned keys) noexcept {
    std::uint32_t slot[max_keys][spreads];  // without shift, from `origin` on
    std::uint32_t taken[spreads] = {1};     // bit s: with shift s a key meets another. Seed 0 is for buckets without a seed
    std::uint32_t sum[spreads] = {};
    auto const* const words = words_ + starts_[bucket];
    auto const origin = fastrange(words[0] << part_bits_, bases_) / 8;
    auto* const bytes = taken_ + origin;
    for (unsigned i = 0; i < keys; ++i) {
      auto const within = words[i] << part_bits_;
      auto const base = static_cast<std::uint32_t>(fastrange(within, bases_) - origin * 8);
      auto const spread = perfect_spread(within);
      for (std::uint32_t s = 0; s < spreads; ++s) {
        slot[i][s] = base + ((spread + 2 * s * spread) >> (32 - log2_window_));
        sum[s] += slot[i][s];
      }
      for (std::uint32_t s = 0; s < spreads; ++s) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, bytes + slot[i][s] / 8, sizeof bits);
        taken[s] |= bits >> slot[i][s] % 8;
      }
    }
    // The sum of the slots, then the spread; for a spread without a free shift, the top bit.
    constexpr std::uint32_t none = std::uint32_t{1} << 31;
    std::uint32_t cost[spreads];
    for (std::uint32_t s = 0; s < spreads; ++s) {
      auto const free = ~taken[s] & all_shifts;
      auto const shift = static_cast<std::uint32_t>(std::countr_zero(free | (all_shifts + 1)));
      cost[s] = ((sum[s] + keys * shift) << 4 | s) | (free == 0 ? none : 0);
    }
    for (;;) {
      auto const best = *std::min_element(cost, cost + spreads);
      if ((best & none) != 0) return;
      auto const s = best % spreads;
      bool meet = false;
      for (unsigned i = 1; i < keys; ++i)
        for (unsigned j = 0; j < i; ++j) meet |= slot[i][s] == slot[j][s];
      if (!meet) return take(bucket, bytes, &slot[0][s], keys, s, static_cast<unsigned>(std::countr_zero(~taken[s])));
      cost[s] = none;
    }
  }
  [[gnu::always_inline]] inline void take(std::uint64_t bucket, std::byte* bytes, std::uint32_t const* slots, unsigned keys,
                                          unsigned spread, unsigned shift) noexcept {
    seeds_[bucket] = static_cast<std::uint8_t>(spread * shifts + shift);
    for (unsigned i = 0; i < keys; ++i) {
      auto const at = slots[i * spreads] + shift;
      bytes[at / 8] |= std::byte{1} << at % 8;
    }
  }

  std::uint64_t const* words_;
  unsigned part_bits_;
  std::uint64_t bases_;
  std::uint64_t buckets_;
  unsigned log2_window_;
  std::uint64_t const* starts_;
  std::byte* taken_;
  std::uint8_t* seeds_;
};

/// Zeros, in the same memory if it is large enough.
void make_room(memory& bytes, std::uint64_t size) {
  if (bytes.size() >= size) {
    std::memset(bytes.data(), 0, size);
  } else {
    bytes = memory();  // first frees the old ones
    bytes = memory(size);
  }
}

}  // namespace

void perfect_part::build(std::span<std::uint64_t const> words, unsigned part_bits, perfect_part_shape shape,
                         std::uint8_t* seeds, std::vector<std::uint64_t>& left, std::vector<std::uint64_t>& holes) {
  auto const buckets = shape.buckets(), slots = shape.end - shape.first;
  make_room(starts_, (buckets + 1) * sizeof(std::uint64_t));
  make_room(taken_, (slots + 63) / 64 * 8 + sizeof(std::uint64_t));  // a word more, because 32 bits are read anywhere
  auto* const starts = reinterpret_cast<std::uint64_t*>(starts_.data());
  std::uint64_t bucket = 0;
  for (std::uint64_t i = 0; i < words.size(); ++i) {
    auto const own = shape.bucket(shape.base(words[i] << part_bits)) - shape.first_bucket();
    while (bucket < own) starts[++bucket] = i;
  }
  while (bucket < buckets) starts[++bucket] = words.size();

  seeds += shape.first_bucket();
  std::fill_n(seeds, buckets, std::uint8_t{0});
  seed_search(words, part_bits, shape, starts, taken_.data(), seeds).run();

  for (bucket = 0; bucket < buckets; ++bucket)
    if (starts[bucket] == starts[bucket + 1])
      seeds[bucket] = 1;  // any seed will do: absent keys with this bucket need not be looked up in the next level
    else if (seeds[bucket] == 0)
      left.insert(left.end(), words.data() + starts[bucket], words.data() + starts[bucket + 1]);
  for (std::uint64_t first = 0; first < slots; first += 64) {
    std::uint64_t taken = 0;
    std::memcpy(&taken, taken_.data() + first / 8, sizeof taken);
    auto const after = slots - first;
    auto empty = ~taken & ~std::uint64_t{0} >> (after < 64 ? 64 - after : 0);
    for (; empty != 0; empty &= empty - 1)
      holes.push_back(shape.first + first + static_cast<std::uint64_t>(std::countr_zero(empty)));
  }
}

}  // namespace hortus
