#include "cli/piece_digests.hpp"

#include <utility>

namespace hortus::cli {

std::size_t record_digests::operator()(std::span<digest> space) {
  std::size_t made = 0;
  while (made != space.size()) {
    if (hashed_ == block_.lines.size()) {
      hashed_ = 0;
      if (!in_.next(block_)) break;  // the block is empty then
      if (block_.what != record_block::kind::header) records_ += block_.lines.size();
      if (block_.what != record_block::kind::keys) hashed_ = block_.lines.size();
      continue;
    }
    block_.with_keys([&](auto keys) {
      auto key = keys.begin() + static_cast<std::ptrdiff_t>(hashed_);
      auto const count = digests_of(hash_, key, keys.end(), space.subspan(made));
      hashed_ += count;
      made += count;
    });
  }
  return made;
}

missing_keys hash_piece(record_pieces const& pieces, record_piece const& piece, any_hash const& hash,
                        std::vector<digest>& keys) {
  keys.clear();
  missing_keys missing;
  with_digests(pieces, piece, hash, [&](auto& fill) {
    digest_space<line_reader::block_lines> space;
    while (auto const made = fill(space.all())) keys.insert(keys.end(), space.first(), space.first() + made);
    missing = fill.missing();
  });
  return missing;
}

}  // namespace hortus::cli
