#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <hortus/any/any_filter.hpp>

/// The file of a filter, as `hortus build` writes it, in pieces: so RDB files, append-only files and exports hold filters
/// without a second copy of one in memory.
namespace hortus::server {

inline constexpr std::size_t piece_bytes = std::size_t{1} << 20;

using piece_sink = std::function<void(std::span<std::byte const>)>;
/// All bytes of the file in order, piece_bytes at a time; the last piece may be shorter.
void write_pieces(image const& what, piece_sink const& sink);

/// The next piece of a file; empty if there is none. It is valid until the next call.
using piece_source = std::function<std::span<std::byte const>()>;
/// The filter whose file comes in pieces, of any size but for the first, which holds the header. Every byte is verified, and
/// memory is taken only as bytes come. Throws errc::corrupt and others, as from_bytes() does. `check_size` is told the size of
/// the file before anything is allocated.
[[nodiscard]] any_filter read_pieces(piece_source const& next, std::function<void(std::uint64_t)> const& check_size);

}  // namespace hortus::server
