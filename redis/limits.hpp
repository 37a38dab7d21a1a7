#pragma once
#include <cstdint>

#include "redis/api.hpp"
#include "redis/settings.hpp"

namespace hortus::server {

/// The most bytes of an object that is made now. The setting is for clients. It does not hold for what the server has agreed to
/// before: the objects in its own files, and those of its master. Otherwise a smaller setting would lose data at the next
/// start.
[[nodiscard]] inline std::uint64_t most_object_bytes() noexcept {
  constexpr int given = api::flag_loading | api::flag_async_loading | api::flag_replica;
  if ((api::GetContextFlags(nullptr) & given) != 0) return std::uint64_t{1} << 60;
  return static_cast<std::uint64_t>(current_settings().max_object_bytes);
}

}  // namespace hortus::server
