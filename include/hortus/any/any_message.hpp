#pragma once
#include <cstddef>
#include <filesystem>
#include <span>

#include <hortus/any/any_filter.hpp>
#include <hortus/message/message.hpp>

/// Messages whose family is known only at run time.
namespace hortus {

/// These take the family from the message.
[[nodiscard]] inline any_filter unpack(std::span<std::byte const> bytes, unpacking const& how = {}) {
  return unpack<any_filter>(bytes, how);
}
[[nodiscard]] inline any_filter load_packed(std::filesystem::path const& path, unpacking const& how = {}) {
  return load_packed<any_filter>(path, how);
}
[[nodiscard]] inline result<any_filter> try_unpack(std::span<std::byte const> bytes, unpacking const& how = {}) noexcept {
  return try_unpack<any_filter>(bytes, how);
}

}  // namespace hortus
