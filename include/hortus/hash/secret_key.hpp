#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>

#include <hortus/error.hpp>

namespace hortus {

/// The 128 secret bits of a keyed hash. They are never stored in a filter's file. Draw them from the system's random source,
/// once for each group of filters that must merge. A password is not a suitable key.
class secret_key {
 public:
  static constexpr std::size_t size = 16;

  /// All zero, which is not a secret: a placeholder to assign a key to.
  constexpr secret_key() noexcept = default;
  explicit constexpr secret_key(std::span<std::byte const, size> bytes) noexcept {
    std::copy(bytes.begin(), bytes.end(), bytes_.begin());
  }

  /// From bytes whose number is known only at run time. Throws errc::bad_params unless there are exactly 16.
  [[nodiscard]] static secret_key from_bytes(std::span<std::byte const> bytes) {
    if (bytes.size() != size) throw error(errc::bad_params, "a secret key is 16 bytes, not " + std::to_string(bytes.size()));
    return secret_key(bytes.first<size>());
  }

  [[nodiscard]] constexpr std::span<std::byte const, size> bytes() const noexcept { return bytes_; }
  constexpr bool operator==(secret_key const&) const noexcept = default;

 private:
  std::array<std::byte, size> bytes_{};
};

}  // namespace hortus
