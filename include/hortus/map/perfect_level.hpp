#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include <hortus/cells/memory.hpp>
#include <hortus/map/perfect_part.hpp>
#include <hortus/map/perfect_place.hpp>
#include <hortus/parts.hpp>

namespace hortus {

/// One level of a perfect hash: a distinct slot for each of its keys, but for some that are left over.
class perfect_level {
 public:
  static constexpr std::uint64_t no_slot = ~std::uint64_t{0};

  perfect_level() { set_up(); }
  /// For so many words in each part, with slots from `first_slot` on. No word has a slot yet.
  perfect_level(std::uint64_t first_slot, std::span<std::uint64_t const> words_per_part)
      : log2_parts_(static_cast<unsigned>(std::countr_zero(words_per_part.size()))),
        parts_((words_per_part.size() + 1) * sizeof(part)) {
    auto const items = std::reduce(words_per_part.begin(), words_per_part.end(), std::uint64_t{0});
    log2_window_ = plan::perfect_hash_log2_window(items >> log2_parts_);
    part at{first_slot, 0};
    for (std::size_t i = 0;; ++i) {
      std::memcpy(parts_.data() + i * sizeof at, &at, sizeof at);
      if (i == words_per_part.size()) break;
      auto const slots = plan::perfect_hash_slots(words_per_part[i], log2_window_);
      at = {at.slot + slots, at.bucket + plan::perfect_hash_buckets(slots)};
    }
    seeds_ = memory(at.bucket);
    set_up();
  }

  /// For different parts in several threads at once. Appends the words that are left over, and the slots without a key. Pre:
  /// as many words as the constructor was told.
  void fill_part(std::uint64_t i, std::span<std::uint64_t const> words, perfect_part& space, std::vector<std::uint64_t>& left,
                 std::vector<std::uint64_t>& holes) {
    auto const here = part_at(i), next = part_at(i + 1);
    space.build(words, log2_parts_, {next.slot - here.slot, next.bucket - here.bucket, log2_window_}, here.slot,
                seeds() + here.bucket, left, holes);
  }

  /// The slot of a word, or no_slot for one that was left over. An absent word has any slot of the level, or none.
  [[nodiscard]] std::uint64_t slot(std::uint64_t word) const noexcept {
    auto const number = part_of(word);
    auto const here = part_at(number), next = part_at(number + 1);
    auto const within = word << log2_parts_;
    auto const seed = std::to_integer<unsigned>(seeds_.data()[bucket(here, next, within)]);
    auto const base = here.slot + fastrange(within, next.slot - here.slot - without_base_);
    auto const at = base + perfect_offset(perfect_spread(within), seed, log2_window_);
    return seed == 0 ? no_slot : at;
  }
  /// Must be inlined: see batch.hpp.
  [[gnu::always_inline]] void prefetch(std::uint64_t word) const noexcept {
    auto const number = part_of(word);
    __builtin_prefetch(seeds_.data() + bucket(part_at(number), part_at(number + 1), word << log2_parts_));
  }

  [[nodiscard]] word_parts parts() const noexcept { return {log2_parts_}; }
  [[nodiscard]] std::uint64_t first_slot() const noexcept { return part_at(0).slot; }
  [[nodiscard]] std::uint64_t end_slot() const noexcept { return part_at(parts().count()).slot; }
  [[nodiscard]] std::uint64_t first_slot_of(std::uint64_t i) const noexcept { return part_at(i).slot; }
  [[nodiscard]] memory const& seed_bytes() const noexcept { return seeds_; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return parts_.size() + seeds_.size(); }
  void clear() noexcept { seeds_.clear(); }
  bool operator==(perfect_level const& other) const noexcept {
    return log2_parts_ == other.log2_parts_ && log2_window_ == other.log2_window_ && parts_ == other.parts_ &&
           seeds_ == other.seeds_;
  }

  static void fields(perfect_level const& self, auto& out) { list(self, out); }
  static void fields(perfect_level& self, auto& in) {
    list(self, in);
    if (self.valid()) self.set_up();
  }
  /// Seeds may have any content. Every part has a bucket, and room for the reach of a key.
  [[nodiscard]] bool valid() const noexcept {
    constexpr auto most = std::uint64_t{1} << 42;
    if (log2_window_ < 1 || log2_window_ > plan::perfect_hash_shape::max_log2_window || log2_parts_ > 40 ||
        parts_.size() != (parts().count() + 1) * sizeof(part))
      return false;
    for (std::uint64_t i = 0; i < parts().count(); ++i) {
      auto const here = part_at(i), next = part_at(i + 1);
      if (here.bucket >= next.bucket || next.slot > most || here.slot > next.slot ||
          next.slot - here.slot < plan::perfect_hash_reach(log2_window_))
        return false;
    }
    return part_at(0).bucket == 0 && part_at(parts().count()).bucket == seeds_.size();
  }

 private:
  /// Where a part begins.
  struct part {
    std::uint64_t slot = 0;
    std::uint64_t bucket = 0;
  };

  static void list(auto& self, auto& io) { io(self.log2_parts_, self.log2_window_, self.parts_, self.seeds_); }
  void set_up() noexcept { without_base_ = plan::perfect_hash_reach(log2_window_) - 1; }
  /// Two shifts, because a shift by 64 is undefined.
  [[nodiscard]] std::uint64_t part_of(std::uint64_t word) const noexcept { return word >> 1 >> (63 - log2_parts_); }
  [[nodiscard]] part part_at(std::uint64_t i) const noexcept {
    part here;
    std::memcpy(&here, parts_.data() + i * sizeof here, sizeof here);
    return here;
  }
  static std::uint64_t bucket(part here, part next, std::uint64_t within) noexcept {
    return here.bucket + fastrange(within, next.bucket - here.bucket);
  }
  [[nodiscard]] std::uint8_t* seeds() noexcept { return reinterpret_cast<std::uint8_t*>(seeds_.data()); }

  unsigned log2_parts_ = 0;
  unsigned log2_window_ = 1;
  memory parts_;  // where each begins, and where the last one ends
  memory seeds_;
  std::uint64_t without_base_ = 0;  // slots at the end of a part that are no base, because keys reach beyond their base
};

}  // namespace hortus
