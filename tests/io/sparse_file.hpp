#pragma once
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include <hortus/any/any_filter.hpp>

#include "io/parts.hpp"
#include "io/scratch_folder.hpp"

/// Files of empty filters of any size: all zeros but for header and table, which take no room on the disk.
namespace hortus::testing {

struct shape {
  std::string family;
  std::vector<std::uint64_t> scalars;  ///< as docs/file-format.md lists them for the family
  std::uint64_t slices;
  std::uint64_t probes;
  [[nodiscard]] std::uint64_t bits() const { return scalars.back(); }
};
inline shape bloom_of(std::uint64_t bits) { return {"bloom", {1, 7, bits}, 1, 7}; }
inline shape partitioned_of(std::uint64_t bits) { return {"partitioned", {1, bits / 8, 8, bits}, 8, 8}; }

/// An empty filter's file. Its chunk checksums are right if `verifiable`; hashing the zeros of 2^42 bits would take a minute.
/// False if the file system has no files of that size.
inline bool write_sparse(std::filesystem::path const& path, shape const& what, bool verifiable) {
  auto const payload = (what.bits() + 63) / 64 * 8;
  auto const chunks = (payload + (1 << 20) - 1) >> 20;
  bytes_of_file head = take_apart(to_bytes(make_filter(what.family, {.items = 0, .fpr = 0.01, .settings = {}}))).fixed;
  auto const header_bytes = on_a_line(at::end + 8 * what.scalars.size() + 16 + 8);
  auto const start = header_bytes + on_a_line(8 * chunks);
  auto const size = start + on_a_line(payload);
  head.resize(start);
  auto offset = at::end;
  for (auto const scalar : what.scalars) put(head, std::exchange(offset, offset + 8), scalar);
  put(head, offset, std::uint64_t{start});
  put(head, offset + 8, payload);
  put(head, at::header_bytes, static_cast<std::uint32_t>(header_bytes));
  put(head, at::file_bytes, std::uint64_t{size});
  put(head, at::scalars, static_cast<std::uint32_t>(what.scalars.size()));
  put(head, at::sections, std::uint32_t{1});
  if (verifiable) {
    bytes_of_file const zeros(1 << 20);
    for (std::uint64_t i = 0; i < chunks; ++i)
      put(head, header_bytes + 8 * i,
          xxh3_of(std::span(zeros).first(std::min<std::uint64_t>(1 << 20, payload - (i << 20))), i));
  }
  put(head, at::table_checksum, xxh3_of(std::span(head).subspan(header_bytes, 8 * chunks)));
  put(head, header_bytes - 8, xxh3_of(std::span(head).first(header_bytes - 8)));
  write_contents(path, head);
  return ::truncate(path.c_str(), static_cast<off_t>(size)) == 0;
}

}  // namespace hortus::testing
