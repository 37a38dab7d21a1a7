#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include <hortus/cells/memory.hpp>
#include <hortus/map/perfect_part.hpp>
#include <hortus/map/perfect_place.hpp>
#include <hortus/maths/limits.hpp>
#include <hortus/parts.hpp>

namespace hortus {

/// One level of a perfect hash: a distinct slot for each of its keys, but for some that are left over.
class perfect_level {
 public:
  static constexpr std::uint64_t no_slot = ~std::uint64_t{0};

  perfect_level() = default;  ///< not valid
  /// For so many words in each part. No word has a slot yet.
  explicit perfect_level(std::span<std::uint64_t const> words_per_part)
      : log2_parts_(static_cast<unsigned>(std::countr_zero(words_per_part.size()))),
        starts_((words_per_part.size() + 1) * sizeof(std::uint64_t)) {
    auto const items = std::reduce(words_per_part.begin(), words_per_part.end(), std::uint64_t{0});
    log2_window_ = plan::perfect_hash_log2_window(items >> log2_parts_);
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < words_per_part.size(); ++i) {
      end += plan::perfect_hash_slots(words_per_part[i], log2_window_);
      std::memcpy(starts_.data() + (i + 1) * sizeof end, &end, sizeof end);
    }
    seeds_ = memory(plan::perfect_hash_buckets(slots(), parts().count()));
  }

  /// For different parts in several threads at once. Appends the words that are left over, and the slots without a key. Pre:
  /// as many words as the constructor was told.
  void fill_part(std::uint64_t i, std::span<std::uint64_t const> words, perfect_part& space, std::vector<std::uint64_t>& left,
                 std::vector<std::uint64_t>& holes) {
    space.build(words, log2_parts_, part(i), reinterpret_cast<std::uint8_t*>(seeds_.data()), left, holes);
  }

  /// The slot of a word, or no_slot for one that was left over. An absent word has any slot of the level, or none.
  [[nodiscard]] std::uint64_t slot(std::uint64_t word) const noexcept {
    auto const here = part(part_of(word));
    auto const within = word << log2_parts_;
    auto const base = here.base(within);
    auto const seed = std::to_integer<unsigned>(seeds_.data()[here.bucket(base)]);
    auto const at = base + perfect_offset(perfect_spread(within), seed, log2_window_);
    return seed == 0 ? no_slot : at;
  }
  /// Must be inlined: see batch.hpp.
  [[gnu::always_inline]] void prefetch(std::uint64_t word) const noexcept {
    auto const here = part(part_of(word));
    __builtin_prefetch(seeds_.data() + here.bucket(here.base(word << log2_parts_)));
  }

  [[nodiscard]] word_parts parts() const noexcept { return {log2_parts_}; }
  [[nodiscard]] std::uint64_t slots() const noexcept { return start(parts().count()); }
  [[nodiscard]] perfect_part_shape part(std::uint64_t i) const noexcept { return {i, start(i), start(i + 1), log2_window_}; }
  [[nodiscard]] memory const& seeds() const noexcept { return seeds_; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return starts_.size() + seeds_.size(); }
  void clear() noexcept { seeds_.clear(); }
  bool operator==(perfect_level const&) const = default;

  static void fields(auto& self, auto& io) { io(self.log2_parts_, self.log2_window_, self.starts_, self.seeds_); }
  /// Seeds may have any content. Every part has as many slots as a key reaches.
  [[nodiscard]] bool valid() const noexcept {
    if (log2_window_ < 1 || log2_window_ > plan::perfect_hash_shape::max_log2_window || log2_parts_ > 40 ||
        starts_.size() != (parts().count() + 1) * sizeof(std::uint64_t) || start(0) != 0)
      return false;
    for (std::uint64_t i = 0; i < parts().count(); ++i)
      if (start(i + 1) > plan::max_bits || start(i) > start(i + 1) ||
          start(i + 1) - start(i) < plan::perfect_hash_reach(log2_window_))
        return false;
    return seeds_.size() == plan::perfect_hash_buckets(slots(), parts().count());
  }

 private:
  /// Two shifts, because a shift by 64 is undefined.
  [[nodiscard]] std::uint64_t part_of(std::uint64_t word) const noexcept { return word >> 1 >> (63 - log2_parts_); }
  [[nodiscard]] std::uint64_t start(std::uint64_t i) const noexcept {
    std::uint64_t slot = 0;
    std::memcpy(&slot, starts_.data() + i * sizeof slot, sizeof slot);
    return slot;
  }

  unsigned log2_parts_ = 0;
  unsigned log2_window_ = 1;
  memory starts_;  // the first slot of each part, and the end of the last
  memory seeds_;
};

}  // namespace hortus
