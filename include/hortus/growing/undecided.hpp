#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <hortus/digest.hpp>

namespace hortus {

/// The keys of a block, of at most `Most`, that no stage has answered for yet: side by side, so that the next stage looks them
/// up as a batch, in their order, and each with its place in the block.
template <std::size_t Most>
class undecided {
 public:
  using bits = std::array<std::uint64_t, Most / 64>;  ///< an answer for each

  explicit undecided(std::span<digest const> xs) noexcept : size_(xs.size()) {
    std::copy(xs.begin(), xs.end(), keys_.begin());
    for (std::size_t i = 0; i < size_; ++i) place_[i] = static_cast<std::uint16_t>(i);
  }
  [[nodiscard]] std::span<digest const> keys() const noexcept { return {keys_.data() + first_, size_ - first_}; }
  [[nodiscard]] bool empty() const noexcept { return first_ == size_; }

  /// The answer to keys()[i] is bit i: act(its place in the block, the key, the answer). Those with a yes are decided. Without
  /// a branch, because nobody can guess which keys are found.
  void decide(bits const& yes, auto act) noexcept {
    auto const count = size_ - first_;
    std::size_t left = 0;
    for (std::size_t i = 0; i < count; ++i) {
      auto const key = keys_[first_ + i];
      auto const place = place_[first_ + i];
      bool const answer = (yes[i / 64] >> (i % 64) & 1) != 0;
      act(place, key, answer);
      keys_[left] = key;  // left <= i: nothing unread is overwritten
      place_[left] = place;
      left += answer ? 0U : 1U;
    }
    first_ = 0;
    size_ = left;
  }
  /// The first `count` are decided: act(place in the block, the answer).
  void decide_first(std::size_t count, bits const& yes, auto act) noexcept {
    for (std::size_t i = 0; i < count; ++i) act(place_[first_ + i], (yes[i / 64] >> (i % 64) & 1) != 0);
    first_ += count;
  }

 private:
  static_assert(Most % 64 == 0 && Most <= 65'536);
  std::array<digest, Most> keys_;
  std::array<std::uint16_t, Most> place_;
  std::size_t first_ = 0;
  std::size_t size_;
};

}  // namespace hortus
