#pragma once
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// A second writer and signer of hortus files, made from docs/file-format.md and not from src/envelope.cpp: whoever forges a
/// file has one too. Everything a file says can be changed here, and its checksums made right again.
namespace hortus::testing {

using bytes_of_file = std::vector<std::byte>;

/// Where the fixed header has what.
namespace at {
inline constexpr std::size_t magic = 0, version = 8, header_bytes = 12, file_bytes = 16, family = 24, required_features = 48,
                             hash_id = 52, seed = 56, key_check = 64, key_kinds = 72, chunk_bytes = 76, items_planned = 80,
                             fpr_planned = 88, items_inserted = 96, scalars = 104, sections = 108, table_checksum = 112,
                             reserved = 120, end = 128;
}  // namespace at

template <class Word>
Word get(std::span<std::byte const> file, std::size_t offset) {
  Word word{};
  std::memcpy(&word, file.data() + offset, sizeof word);
  return word;
}
template <class Word>
void put(std::span<std::byte> file, std::size_t offset, Word word) {
  std::memcpy(file.data() + offset, &word, sizeof word);
}

inline std::uint64_t xxh3_of(std::span<std::byte const> bytes, std::uint64_t seed = 0) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

/// Makes every checksum right that can be found: of the chunks, of the table, of the header. A file whose own sizes lead
/// outside of it is left as it is from there on. Takes anything.
inline void sign(bytes_of_file& file) {
  if (file.size() < at::end) return;
  std::uint64_t const header_bytes = get<std::uint32_t>(file, at::header_bytes);
  std::uint64_t const scalars = get<std::uint32_t>(file, at::scalars);
  std::uint64_t const sections = get<std::uint32_t>(file, at::sections);
  if (header_bytes < at::end + 8 || header_bytes > file.size()) return;
  auto const entries = at::end + 8 * scalars;
  if (entries + 16 * sections + 8 <= header_bytes) {
    std::uint64_t chunk = 0;
    bool inside = true;
    for (std::uint64_t i = 0; i < sections && inside; ++i) {
      auto const offset = get<std::uint64_t>(file, entries + 16 * i);
      auto const bytes = get<std::uint64_t>(file, entries + 16 * i + 8);
      inside = offset <= file.size() && bytes <= file.size() - offset;
      for (std::uint64_t done = 0; inside && done < bytes; done += 1 << 20, ++chunk) {
        inside = header_bytes + 8 * chunk + 8 <= file.size();
        auto const part = std::span(file).subspan(offset + done, std::min<std::uint64_t>(1 << 20, bytes - done));
        if (inside) put(file, header_bytes + 8 * chunk, xxh3_of(part, chunk));
      }
    }
    if (inside) put(file, at::table_checksum, xxh3_of(std::span(file).subspan(header_bytes, 8 * chunk)));
  }
  put(file, header_bytes - 8, xxh3_of(std::span(file).first(header_bytes - 8)));
}

/// What a file is made of, to be put together in a way no release would.
struct file_parts {
  bytes_of_file fixed = {};  ///< 128 bytes; sizes and checksums in it are filled in by put_together
  std::vector<std::uint64_t> scalars = {};
  std::vector<bytes_of_file> sections = {};
};

inline std::size_t on_a_line(std::size_t n) { return (n + 63) / 64 * 64; }

/// Pre: a valid file.
inline file_parts take_apart(std::span<std::byte const> file) {
  file_parts parts;
  parts.fixed.assign(file.begin(), file.begin() + at::end);
  auto offset = at::end;
  for (auto n = get<std::uint32_t>(file, at::scalars); n != 0; --n, offset += 8)
    parts.scalars.push_back(get<std::uint64_t>(file, offset));
  for (auto n = get<std::uint32_t>(file, at::sections); n != 0; --n, offset += 16) {
    auto const section = file.subspan(get<std::uint64_t>(file, offset), get<std::uint64_t>(file, offset + 8));
    parts.sections.emplace_back(section.begin(), section.end());
  }
  return parts;
}

inline bytes_of_file put_together(file_parts const& parts) {
  std::size_t chunks = 0;
  for (auto const& section : parts.sections) chunks += (section.size() + (1 << 20) - 1) >> 20;
  auto const header_bytes = on_a_line(at::end + 8 * parts.scalars.size() + 16 * parts.sections.size() + 8);
  bytes_of_file file = parts.fixed;
  file.resize(header_bytes + on_a_line(8 * chunks));
  auto offset = at::end;
  for (auto const scalar : parts.scalars) put(file, std::exchange(offset, offset + 8), scalar);
  for (auto const& section : parts.sections) {
    put(file, offset, std::uint64_t{file.size()});
    put(file, offset + 8, std::uint64_t{section.size()});
    offset += 16;
    file.insert(file.end(), section.begin(), section.end());
    file.resize(on_a_line(file.size()));
  }
  put(file, at::header_bytes, static_cast<std::uint32_t>(header_bytes));
  put(file, at::file_bytes, std::uint64_t{file.size()});
  put(file, at::scalars, static_cast<std::uint32_t>(parts.scalars.size()));
  put(file, at::sections, static_cast<std::uint32_t>(parts.sections.size()));
  sign(file);
  return file;
}

}  // namespace hortus::testing
