#pragma once
#include <cstddef>
#include <filesystem>
#include <span>

#include <hortus/io/store.hpp>
#include <hortus/result.hpp>

/// Reading filters without exceptions: as load, open, from_bytes and view, but errors are returned in a result instead of
/// thrown.
namespace hortus {

template <class Filter>
[[nodiscard]] result<Filter> try_from_bytes(std::span<std::byte const> bytes, reading const& how = {}) noexcept {
  return result<Filter>::of([&] { return from_bytes<Filter>(bytes, how); });
}
template <class Filter>
[[nodiscard]] result<view_of<Filter>> try_view(std::span<std::byte const> bytes, reading const& how = {}) noexcept {
  return result<view_of<Filter>>::of([&] { return view<Filter>(bytes, how); });
}
template <class Filter>
[[nodiscard]] result<Filter> try_load(std::filesystem::path const& path, reading const& how = {}) noexcept {
  return result<Filter>::of([&] { return load<Filter>(path, how); });
}
template <class Filter>
[[nodiscard]] result<Filter> try_open(std::filesystem::path const& path, reading const& how = {}) noexcept {
  return result<Filter>::of([&] { return open<Filter>(path, how); });
}

}  // namespace hortus
