#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <hortus/digest.hpp>

namespace hortus {

/// The keys of a block of at most `Most` that no stage has reported yet. They are kept contiguous, so that the next stage can
/// look them up as a batch, in their order, each with its place in the block.
template <std::size_t Most>
class undecided {
 public:
  using bits = std::array<std::uint64_t, Most / 64>;  ///< one answer per key

  explicit undecided(std::span<digest const> xs) noexcept : size_(xs.size()) {
    std::copy(xs.begin(), xs.end(), keys_.first());
    for (std::size_t i = 0; i < size_; ++i) place_[i] = static_cast<std::uint16_t>(i);
  }
  /// The keys that the first stage did not report: those whose bits are 0.
  undecided(std::span<digest const> xs, std::uint64_t const* reported) noexcept : size_(0) {
    for (std::size_t i = 0; i < xs.size(); ++i) {
      keys_[size_] = xs[i];
      place_[size_] = static_cast<std::uint16_t>(i);
      size_ += static_cast<std::size_t>(~reported[i / 64] >> (i % 64) & 1);
    }
  }
  /// The keys to look up in the next stage. They may include a few decided ones, whose answers are ignored. That is cheaper
  /// than compacting after every stage, because a stage decides only about 1 % of absent keys.
  [[nodiscard]] std::span<digest const> keys() const noexcept { return {keys_.first(), size_}; }
  [[nodiscard]] bool empty() const noexcept { return decided_ == size_; }

  /// Bit i of `yes` is the answer for keys()[i]. A key whose bit is set becomes decided: act(place in the block, key, i).
  void decide(bits const& yes, auto act) noexcept {
    for (std::size_t word = 0; 64 * word < size_; ++word)
      for (auto now = yes[word] & ~done_[word]; now != 0; now &= now - 1) {
        auto const i = 64 * word + static_cast<std::size_t>(std::countr_zero(now));
        done_[word] |= now & (0 - now);
        ++decided_;
        act(std::size_t{place_[i]}, keys_[i], i);
      }
    if (8 * decided_ > size_) drop_decided();
  }
  /// act(place in the block) for those of the first `count` of keys() whose bits are set.
  void for_each_place(std::size_t count, bits const& set, auto act) const noexcept {
    for (std::size_t word = 0; 64 * word < count; ++word)
      for (auto now = set[word]; now != 0; now &= now - 1)
        act(std::size_t{place_[64 * word + static_cast<std::size_t>(std::countr_zero(now))]});
  }
  /// Decides the first `count` of keys(). Pre: drop_decided() was called.
  void decide_first(std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; i += 64)
      done_[i / 64] = ~std::uint64_t{0} >> (64 - std::min<std::size_t>(count - i, 64));
    decided_ = count;
    drop_decided();
  }
  /// Removes the decided keys from keys(). Branch-free, because a branch on which keys are decided would be unpredictable.
  void drop_decided() noexcept {
    if (decided_ == 0) return;
    std::size_t left = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      keys_[left] = keys_[i];
      place_[left] = place_[i];
      left += static_cast<std::size_t>(~done_[i / 64] >> (i % 64) & 1);
    }
    size_ = left;
    decided_ = 0;
    done_ = {};
  }

 private:
  static_assert(Most % 64 == 0 && Most <= 65'536);
  digest_space<Most> keys_;
  std::array<std::uint16_t, Most> place_;
  bits done_{};
  std::size_t size_;
  std::size_t decided_ = 0;  // decided keys among the size_ keys
};

}  // namespace hortus
