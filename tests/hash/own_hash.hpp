#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <hortus/hash/hash_policy.hpp>
#include <hortus/hash/mix64.hpp>

namespace hortus::testing {

/// A hash as a user writes one: FNV-1a, mixed, because its upper bits are weak.
class own_hash {
 public:
  static constexpr std::uint32_t id = first_user_hash_id + 1;
  static constexpr std::string_view name = "own";

  own_hash() = default;
  explicit own_hash(std::uint64_t seed) : seed_(seed) {}
  [[nodiscard]] digest of_integer(std::uint64_t x) const noexcept { return digest::of_hash(x ^ seed_); }
  [[nodiscard]] digest of_bytes(std::span<std::byte const> bytes) const noexcept {
    std::uint64_t hash = 0xcbf29ce484222325U ^ seed_;
    for (auto const byte : bytes) hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3U;
    return digest::of_hash(hash);
  }
  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }
  [[nodiscard]] std::uint64_t check() const noexcept { return 0; }
  bool operator==(own_hash const&) const = default;

 private:
  std::uint64_t seed_ = 0;
};

}  // namespace hortus::testing
