#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include <hortus/io/store.hpp>
#include <hortus/result.hpp>

/// Filters as messages: as short as the entropy of their cells allows, and unpacked to the same file, byte for byte.
///
///   auto const message = hortus::pack(seen);                       // all of it
///   auto const there = hortus::unpack<hortus::bloom_filter>(message);
///   auto const news = hortus::pack(seen_today, seen);              // what has changed since
///   auto const now = hortus::unpack(news, there);                  // applied to what the receiver has
///
/// A sparse filter of more bits gives a shorter message at the same rate than a filter that is half full: plan/compressed.hpp
/// finds the best one. Messages are untrusted: a damaged, forged or foreign one throws hortus::error, and so does a change to
/// another filter than the receiver has. docs/messages.md describes the format.
namespace hortus {

/// Options for unpacking.
struct unpacking {
  std::optional<secret_key> key = std::nullopt;  ///< of a keyed filter
  /// The most bytes that the cells of the unpacked filter may take; more is errc::too_large, and nothing is allocated. Without
  /// it the limit follows from the message, see unpack_limit().
  std::optional<std::uint64_t> most_bytes = std::nullopt;
};

namespace message {

/// The size of cells up to which a message is unpacked unless the caller says otherwise: 64 MiB, and 1024 times its own length.
/// An almost empty filter of 1 GiB packs to some KiB and exceeds it. A change may also be as large as what it is applied to.
[[nodiscard]] constexpr std::uint64_t unpack_limit(std::uint64_t message_bytes) noexcept {
  return (std::uint64_t{64} << 20) + 1024 * message_bytes;
}

/// `since` may be null: then the message is complete.
[[nodiscard]] std::vector<std::byte> pack_image(image const& what, image const* since);
/// `onto` is null for a complete message.
[[nodiscard]] stored_parts unpack_image(std::span<std::byte const> message, image const* onto,
                                        std::optional<std::uint64_t> most_bytes);
/// All bytes of a file or a pipe.
[[nodiscard]] std::vector<std::byte> read_bytes(std::filesystem::path const& path);
void write_bytes(std::filesystem::path const& path, std::span<std::byte const> bytes);

template <class Filter>
Filter assembled(stored_parts parts, unpacking const& how) {
  return assemble<Filter>(std::move(parts.head), std::move(parts.sections), {.key = how.key, .verify = true});
}

}  // namespace message

/// The filter as a message.
template <class Filter>
[[nodiscard]] std::vector<std::byte> pack(Filter const& filter) {
  return message::pack_image(image_of(filter), nullptr);
}
/// What has to be changed in `since` to get `filter`. Any two filters will do, but only similar ones give a short message.
template <class Filter>
[[nodiscard]] std::vector<std::byte> pack(Filter const& filter, Filter const& since) {
  auto const before = image_of(since);
  return message::pack_image(image_of(filter), &before);
}

template <class Filter>
[[nodiscard]] Filter unpack(std::span<std::byte const> bytes, unpacking const& how = {}) {
  return message::assembled<Filter>(message::unpack_image(bytes, nullptr, how.most_bytes), how);
}
/// `onto` is the filter that the change was packed since; another is errc::incompatible.
template <class Filter>
[[nodiscard]] Filter unpack(std::span<std::byte const> bytes, Filter const& onto, unpacking const& how = {}) {
  auto const before = image_of(onto);
  return message::assembled<Filter>(message::unpack_image(bytes, &before, how.most_bytes), how);
}

/// The same with files. Writing is atomic, as in save(); reading also takes pipes.
template <class Filter>
void save_packed(Filter const& filter, std::filesystem::path const& path) {
  message::write_bytes(path, pack(filter));
}
template <class Filter>
void save_packed(Filter const& filter, Filter const& since, std::filesystem::path const& path) {
  message::write_bytes(path, pack(filter, since));
}
template <class Filter>
[[nodiscard]] Filter load_packed(std::filesystem::path const& path, unpacking const& how = {}) {
  return naming(path, [&] { return unpack<Filter>(message::read_bytes(path), how); });
}
template <class Filter>
[[nodiscard]] Filter load_packed(std::filesystem::path const& path, Filter const& onto, unpacking const& how = {}) {
  return naming(path, [&] { return unpack<Filter>(message::read_bytes(path), onto, how); });
}

/// Without exceptions.
template <class Filter>
[[nodiscard]] result<Filter> try_unpack(std::span<std::byte const> bytes, unpacking const& how = {}) noexcept {
  return result<Filter>::of([&] { return unpack<Filter>(bytes, how); });
}
template <class Filter>
[[nodiscard]] result<Filter> try_unpack(std::span<std::byte const> bytes, Filter const& onto,
                                        unpacking const& how = {}) noexcept {
  return result<Filter>::of([&] { return unpack<Filter>(bytes, onto, how); });
}

}  // namespace hortus
