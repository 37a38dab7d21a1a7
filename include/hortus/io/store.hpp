#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hortus/hash/any_hash.hpp>
#include <hortus/io/envelope.hpp>
#include <hortus/io/fields.hpp>
#include <hortus/io/file.hpp>

/// Saving and loading filters, to files and to memory the caller owns. Whatever the bytes are, loading either gives a valid
/// filter or throws hortus::error, so the caller has nothing to check afterwards.
namespace hortus {

/// Options for reading: the secret key of a keyed filter, and whether open() and view() verify the payload at once.
struct reading {
  std::optional<secret_key> key = std::nullopt;
  bool verify = false;
  [[nodiscard]] reading verified() const { return {.key = key, .verify = true}; }  ///< as load() and from_bytes() always do
};

/// Reads a family from its fields; the file must name that family.
template <class Family>
struct family_reader {
  static Family read(envelope const& about, field_reader& in) {
    if (about.family != Family::name)
      throw error(errc::incompatible, "is of the family " + about.family + ", not " + std::string(Family::name));
    Family f;
    Family::fields(f, in);
    if (!in.done() || !f.valid())
      throw error(errc::corrupt, "its fields do not describe a valid " + std::string(Family::name) + " filter");
    return f;
  }
};

/// The parts of a filter as they are stored in a file.
template <class Filter>
image image_of(Filter const& filter) {
  static_assert(storable_hash<typename Filter::hash_type>,
                "a hash of your own needs an id of first_user_hash_id or more: the others belong to hortus");
  field_writer out;
  Filter::family_type::fields(filter.family(), out);
  return {filter.about(), out.scalars(), out.sections(), out.take_made()};
}

/// Makes a filter from the parts in a file.
template <class Filter>
Filter assemble(header head, std::vector<memory> sections, reading const& how) {
  auto hash = hash_from<typename Filter::hash_type>(head.about.hash_id, head.about.seed, head.about.key_check, how.key);
  field_reader in(std::move(head.scalars), std::move(sections), how.verify);
  auto family = family_reader<typename Filter::family_type>::read(head.about, in);
  return Filter(std::move(family), std::move(hash), std::move(head.about));
}

/// Adds the file's name to the front of an error message.
template <class Act>
auto naming(std::filesystem::path const& path, Act act) {
  try {
    return act();
  } catch (error const& e) {
    if (e.code() == errc::io) throw;
    throw error(e.code(), "'" + path.string() + "': " + e.what());
  }
}

/// Atomic and durable: `path` is the old file or the complete new one, even after a crash.
template <class Filter>
void save(Filter const& filter, std::filesystem::path const& path) {
  write_file(path, image_of(filter));
}

/// Copies the file into memory and verifies every byte of it.
template <class Filter>
[[nodiscard]] Filter load(std::filesystem::path const& path, reading const& how = {}) {
  return naming(path, [&] {
    auto parts = read_file(path);
    return assemble<Filter>(std::move(parts.head), std::move(parts.sections), how.verified());
  });
}

/// Maps the file: cells are read from disk when they are first used. Inserts work, but only change this object, not the file.
/// Verifies the header and the geometry; with how.verify also the payload.
template <class Filter>
[[nodiscard]] Filter open(std::filesystem::path const& path, reading const& how = {}) {
  return naming(path, [&] {
    auto parts = map_file(path, how.verify);
    return assemble<Filter>(std::move(parts.head), std::move(parts.sections), how);
  });
}

/// The number of bytes that to_bytes() and save() write.
template <class Filter>
[[nodiscard]] std::uint64_t stored_size(Filter const& filter) {
  return stored_size(image_of(filter));
}

/// Writes the bytes of the file to the first stored_size(filter) bytes of the caller's `into`. Throws errc::bad_params if
/// they do not fit.
template <class Filter>
void to_bytes(Filter const& filter, std::span<std::byte> into) {
  auto const what = image_of(filter);
  if (into.size() < stored_size(what))
    throw error(errc::bad_params,
                "the filter needs " + std::to_string(stored_size(what)) + " bytes, not " + std::to_string(into.size()));
  write_image(what, [&](std::span<std::byte const> bytes) {
    if (!bytes.empty()) std::memcpy(into.data(), bytes.data(), bytes.size());
    into = into.subspan(bytes.size());
  });
}
template <class Filter>
[[nodiscard]] std::vector<std::byte> to_bytes(Filter const& filter) {
  std::vector<std::byte> bytes(stored_size(filter));
  to_bytes(filter, bytes);
  return bytes;
}

/// Copies and verifies, as load does.
template <class Filter>
[[nodiscard]] Filter from_bytes(std::span<std::byte const> bytes, reading const& how = {}) {
  auto head = read_header(bytes.first(std::min<std::size_t>(bytes.size(), max_header_bytes)), bytes.size());
  auto sections = copy_sections(head, [&](std::uint64_t offset, std::span<std::byte> into) {
    if (!into.empty()) std::memcpy(into.data(), bytes.data() + offset, into.size());
  });
  return assemble<Filter>(std::move(head), std::move(sections), how.verified());
}

/// A filter that uses the caller's bytes in place. It can be read and copied (the copy owns its cells), but must not be
/// changed. The bytes must outlive it and start on an 8-byte boundary.
template <class Filter>
class view_of {
 public:
  view_of(std::span<std::byte const> bytes, reading const& how) : filter_(read(bytes, how)) {}
  [[nodiscard]] Filter const& operator*() const noexcept { return filter_; }
  [[nodiscard]] Filter const* operator->() const noexcept { return &filter_; }

 private:
  static Filter read(std::span<std::byte const> bytes, reading const& how) {
    auto head = read_header(bytes.first(std::min<std::size_t>(bytes.size(), max_header_bytes)), bytes.size());
    auto sections = borrow_sections(head, bytes, nullptr, how.verify);
    return assemble<Filter>(std::move(head), std::move(sections), how);
  }
  Filter filter_;
};

template <class Filter>
[[nodiscard]] view_of<Filter> view(std::span<std::byte const> bytes, reading const& how = {}) {
  return {bytes, how};
}

}  // namespace hortus
