#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <hortus/cells/memory.hpp>
#include <hortus/index/fastrange.hpp>

namespace hortus {

/// A set of 32-bit tokens in a given number of slots: what a sketch of registers keeps while few keys were inserted. A slot
/// that is 0 is empty; no token is 0.
///
///     homes   0     1     2     3           a token's home grows with the token; it stands there, or in the next free slot:
///     slots   . 07  23 2e . 5f 61 70 .      so the tokens are in ascending order, with gaps
///
/// A token stands at its home, or right behind the token before it if that is further. So the slots depend on the set alone,
/// not on the order of insertion: equal sets have equal bytes. It is linear probing, with the tokens of a run in order. Homes
/// are spread over 7/8 of the slots, because runs do not wrap around the end.
class token_table {
 public:
  token_table() = default;
  explicit token_table(std::uint64_t slots) : memory_(slots * sizeof(std::uint32_t)) {}

  /// Puts a token in. False, and nothing changes, if it would be too full: 5/8 of the slots, or a run at the end of the table.
  /// If a set is refused, so is every set that includes it.
  [[nodiscard]] bool insert(std::uint32_t token) noexcept {
    auto const slots = all();
    auto at = home(token);
    while (at < slots.size() && slots[at] != 0 && slots[at] < token) ++at;
    if (at < slots.size() && slots[at] == token) return true;
    auto free = at;
    while (free < slots.size() && slots[free] != 0) ++free;
    if (free >= slots.size() || size_ >= most_in(slots.size())) return false;
    std::copy_backward(slots.begin() + static_cast<std::ptrdiff_t>(at), slots.begin() + static_cast<std::ptrdiff_t>(free),
                       slots.begin() + static_cast<std::ptrdiff_t>(free + 1));
    slots[at] = token;
    ++size_;
    return true;
  }
  [[gnu::always_inline]] void prefetch(std::uint32_t token) const noexcept { __builtin_prefetch(all().data() + home(token)); }

  /// act(token) for each, in ascending order.
  void for_each(auto act) const {
    for (auto const slot : all())
      if (slot != 0) act(slot);
  }

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }  ///< tokens
  [[nodiscard]] std::uint64_t slots() const noexcept { return memory_.size() / sizeof(std::uint32_t); }
  [[nodiscard]] memory const& cells() const noexcept { return memory_; }
  bool operator==(token_table const&) const = default;

  static void fields(auto& self, auto& io) { io(self.size_, self.memory_); }
  /// Each token where it would stand. `is_token` says which numbers are tokens.
  [[nodiscard]] bool valid(auto is_token) const noexcept {
    auto const slots = all();
    std::uint64_t tokens = 0, next = 0;  // the first slot in which the next token may stand
    std::uint32_t before = 0;
    for (std::uint64_t at = 0; at < slots.size(); ++at) {
      auto const token = slots[at];
      if (token == 0) continue;
      if (token <= before || !is_token(token) || at != std::max(home(token), next)) return false;
      before = token;
      next = at + 1;
      ++tokens;
    }
    return tokens == size_ && size_ <= most_in(slots.size()) && memory_.size() % sizeof(std::uint32_t) == 0;
  }

 private:
  static constexpr std::uint64_t most_in(std::uint64_t slots) noexcept { return slots * 5 / 8; }
  [[nodiscard]] std::uint64_t home(std::uint32_t token) const noexcept {
    return fastrange(std::uint64_t{token} << 32, slots() - slots() / 8);
  }
  [[nodiscard]] std::span<std::uint32_t> all() noexcept { return {reinterpret_cast<std::uint32_t*>(memory_.data()), slots()}; }
  [[nodiscard]] std::span<std::uint32_t const> all() const noexcept {
    return {reinterpret_cast<std::uint32_t const*>(memory_.data()), slots()};
  }

  std::uint64_t size_ = 0;
  memory memory_;
};

}  // namespace hortus
