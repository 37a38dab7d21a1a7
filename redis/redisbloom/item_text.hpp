#pragma once
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <string_view>
#include <utility>

#include "redis/redisbloom/block.hpp"

namespace hortus::redisbloom {

/// An item of a TopK with a NUL after it, as RedisBloom stores it, or none. An item may have NULs in it, and may be empty.
class item_text {
 public:
  static constexpr std::uint64_t most_bytes = std::numeric_limits<std::uint32_t>::max();

  item_text() noexcept = default;
  /// Throws std::bad_alloc, also if it is longer than RedisBloom's records can say.
  explicit item_text(std::string_view item) {
    if (item.size() > most_bytes) throw std::bad_alloc();
    block<char> copy(item.size() + 1);
    if (!item.empty()) std::memcpy(copy.data(), item.data(), item.size());
    bytes_ = std::move(copy);
  }

  explicit operator bool() const noexcept { return bytes_.size() != 0; }
  [[nodiscard]] std::string_view view() const noexcept { return stored().substr(0, stored().size() - 1); }
  /// With the NUL. No item is stored as the empty one.
  [[nodiscard]] std::string_view stored() const noexcept {
    return bytes_.size() == 0 ? std::string_view("", 1) : std::string_view(bytes_.data(), bytes_.size());
  }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_.size(); }
  void visit_blocks(auto const& visit) { bytes_.visit_block(visit); }

 private:
  block<char> bytes_;
};

}  // namespace hortus::redisbloom
