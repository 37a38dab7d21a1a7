#include "redis/filter_pieces.hpp"

#include <algorithm>
#include <cstring>

namespace hortus::server {

void write_pieces(image const& what, piece_sink const& sink) {
  std::vector<std::byte> part;  // of the piece that is not complete
  part.reserve(piece_bytes);
  write_image(what, [&](std::span<std::byte const> bytes) {
    while (!bytes.empty()) {
      if (part.empty() && bytes.size() >= piece_bytes) {  // in place
        sink(bytes.first(piece_bytes));
        bytes = bytes.subspan(piece_bytes);
        continue;
      }
      auto const fits = bytes.first(std::min(bytes.size(), piece_bytes - part.size()));
      part.insert(part.end(), fits.begin(), fits.end());
      bytes = bytes.subspan(fits.size());
      if (part.size() == piece_bytes) {
        sink(part);
        part.clear();
      }
    }
  });
  if (!part.empty()) sink(part);
}

any_filter read_pieces(piece_source const& next, std::function<void(std::uint64_t)> const& check_size) {
  auto piece = next();
  auto head = read_header(piece.first(std::min<std::size_t>(piece.size(), max_header_bytes)), unknown_size);
  check_size(head.file_bytes);
  piece = piece.subspan(head.header_bytes);
  auto const in_order = [&](std::uint64_t, std::span<std::byte> into) {
    while (!into.empty()) {
      if (piece.empty()) piece = next();
      if (piece.empty()) throw error(errc::corrupt, "the file ends before the size that its header says");
      auto const some = std::min(piece.size(), into.size());
      std::memcpy(into.data(), piece.data(), some);
      piece = piece.subspan(some);
      into = into.subspan(some);
    }
  };
  auto sections = copy_sections(head, in_order, section_sizes::unproven);
  if (!piece.empty()) throw error(errc::corrupt, "the file goes on after the size that its header says");
  return assemble<any_filter>(std::move(head), std::move(sections), reading().verified());
}

}  // namespace hortus::server
