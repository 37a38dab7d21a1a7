#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include <hortus/any/any_family.hpp>
#include <hortus/any/catalogue.hpp>
#include <hortus/hash/any_hash.hpp>
#include <hortus/io/store.hpp>
#include <hortus/io/try_store.hpp>
#include <hortus/of_keys.hpp>

namespace hortus {

/// A filter whose family and hash are known only at run time, for example of a file.
using any_filter = of_keys<any_family, any_hash>;

/// make_filter("bloom", {.items = 1000, .fpr = 0.01})
[[nodiscard]] any_filter make_filter(std::string_view family, request const& wish, any_hash hash = {});

/// build_filter("bitwise_frozen", words, {.fpr = 0.01}): the filter of these keys, of any family.
template <key_range Keys>
[[nodiscard]] any_filter build_filter(std::string_view family, Keys const& keys, request const& wish, any_hash hash = {}) {
  auto const& its = family_named(family);
  if (its.has(verb::top)) {  // it keeps keys, and digests do not tell them
    any_filter made(its.make(wish), std::move(hash), envelope{.items_planned = wish.items, .fpr_planned = wish.fpr});
    (void)made.insert(keys);
    return made;
  }
  return any_filter::build_by(keys, wish, std::move(hash), [&](std::span<digest const> xs) { return its.build(xs, wish); });
}

namespace detail {
/// build_map() where the keys have become digests. No template: it is compiled once, whatever the keys are.
[[nodiscard]] any_family map_of_digests(family_info const& its, std::span<digest const> xs,
                                        std::span<std::uint64_t const> values, request const& wish);
}  // namespace detail

/// build_map("bloomier_map", names, numbers, {.fpr = 0.01}): the map in which keys[i] has values[i]. Throws errc::unsupported
/// for a family that is no map, or that takes its keys one by one.
template <key_range Keys>
[[nodiscard]] any_filter build_map(std::string_view family, Keys const& keys, std::span<std::uint64_t const> values,
                                   request const& wish, any_hash hash = {}) {
  auto const& its = family_named(family);
  if (its.build_map == nullptr) lacks(family, its.has(verb::find) ? verb::build : verb::find);
  return any_filter::build_by(keys, wish, std::move(hash),
                              [&](std::span<digest const> xs) { return detail::map_of_digests(its, xs, values, wish); });
}

template <>
struct family_reader<any_family> {
  static any_family read(envelope const& about, field_reader& in) { return family_named(about.family).read(in); }
};

/// These take the family from the file.
[[nodiscard]] inline any_filter load(std::filesystem::path const& path, reading const& how = {}) {
  return load<any_filter>(path, how);
}
[[nodiscard]] inline any_filter open(std::filesystem::path const& path, reading const& how = {}) {
  return open<any_filter>(path, how);
}
[[nodiscard]] inline any_filter from_bytes(std::span<std::byte const> bytes, reading const& how = {}) {
  return from_bytes<any_filter>(bytes, how);
}
[[nodiscard]] inline view_of<any_filter> view(std::span<std::byte const> bytes, reading const& how = {}) {
  return view<any_filter>(bytes, how);
}
[[nodiscard]] inline result<any_filter> try_load(std::filesystem::path const& path, reading const& how = {}) noexcept {
  return try_load<any_filter>(path, how);
}
[[nodiscard]] inline result<any_filter> try_open(std::filesystem::path const& path, reading const& how = {}) noexcept {
  return try_open<any_filter>(path, how);
}
[[nodiscard]] inline result<any_filter> try_from_bytes(std::span<std::byte const> bytes, reading const& how = {}) noexcept {
  return try_from_bytes<any_filter>(bytes, how);
}
[[nodiscard]] inline result<view_of<any_filter>> try_view(std::span<std::byte const> bytes, reading const& how = {}) noexcept {
  return try_view<any_filter>(bytes, how);
}

}  // namespace hortus
