#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <hortus/cells/memory.hpp>
#include <hortus/hash/key_kind.hpp>

/// The file format, version 1, as docs/file-format.md describes it: a header with a checksum, a table with one checksum for
/// every MiB of payload, sections on 64-byte boundaries. This file handles bytes; families define their content in fields().
namespace hortus {

inline constexpr std::uint32_t format_version = 1;
inline constexpr std::uint64_t chunk_bytes = std::uint64_t{1} << 20;
inline constexpr std::uint64_t max_header_bytes = std::uint64_t{1} << 16;
inline constexpr std::uint64_t max_sections = 256;  ///< limited, because a section costs its reader about 100 more bytes
inline constexpr std::uint64_t unknown_size = ~std::uint64_t{0};

/// What a file says about a filter besides its cells: the family, the hash, the plan and the number of inserts.
struct envelope {
  std::string family = {};
  std::uint32_t hash_id = 0;
  std::uint64_t seed = 0;
  std::uint64_t key_check = 0;  ///< 0: not keyed; else detects a wrong secret key
  key_kind kinds = key_kind::none;
  std::uint64_t items_planned = 0;  ///< 0: made from params, without a plan
  double fpr_planned = 0;
  std::uint64_t items_inserted = 0;  ///< insert calls, not distinct keys
  bool operator==(envelope const&) const = default;
};

/// A filter ready to be written. Cells are not copied: a section is the filter's own memory, or one in `made`, which was
/// computed for the file.
struct image {
  envelope about;
  std::vector<std::uint64_t> scalars;
  std::vector<std::span<std::byte const>> sections;
  std::vector<memory> made = {};
};

struct section {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// A header that has been checked: its sections lie inside the file, in order, and fill it exactly.
struct header {
  envelope about;
  std::vector<std::uint64_t> scalars;
  std::vector<section> sections;
  std::uint64_t header_bytes = 0;
  std::uint64_t table_checksum = 0;
  std::uint64_t chunks = 0;
  std::uint64_t file_bytes = 0;
};

/// The size of the file that write_image() makes.
std::uint64_t stored_size(image const& what);

/// The checksum at the end of the header of that file. It covers the header and, through their table, the checksums of all
/// chunks: filters with equal ones are the same file.
std::uint64_t identity(image const& what);

/// Receives bytes, from front to back.
using byte_sink = std::function<void(std::span<std::byte const>)>;

/// Writes the image piece by piece.
void write_image(image const& what, byte_sink const& sink);

/// Writes at most `bytes` bytes of that file, from `offset` on. Checksums are computed only for a piece that contains some: the
/// first, as a rule.
void write_piece(image const& what, std::uint64_t offset, std::uint64_t bytes, byte_sink const& sink);

/// Reads the header at the start of `prefix`, which holds the whole file or its first max_header_bytes. `file_bytes` is the
/// size of the file. With unknown_size (a pipe) the size in the header is believed, and the caller checks that as many
/// bytes come. Throws errc::corrupt or errc::unsupported. Allocates no more than the header's own size.
header read_header(std::span<std::byte const> prefix, std::uint64_t file_bytes);

/// Fills a buffer with the file's bytes from an offset on.
using byte_source = std::function<void(std::uint64_t offset, std::span<std::byte> into)>;

/// Copies the sections into memory of their own and verifies every checksum. The source is asked for all bytes after the
/// header, in order. If the size of the input is not known, only the header says how large a section is: with `unproven` its
/// memory grows with the bytes that come, to at most 8 times as many or 64 MiB, so that a false header cannot cause a large
/// allocation.
enum class section_sizes { known, unproven };
std::vector<memory> copy_sections(header const& head, byte_source const& source, section_sizes = section_sizes::known);

/// The sections in place in `file`, which `owner` keeps alive. Always verifies the checksum table; payload and padding only if
/// verify_payload is set.
std::vector<memory> borrow_sections(header const& head, std::span<std::byte const> file, std::shared_ptr<void const> owner,
                                    bool verify_payload);

}  // namespace hortus
