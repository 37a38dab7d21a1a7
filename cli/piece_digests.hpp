#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <hortus/hash/any_hash.hpp>
#include <hortus/hash/keys.hpp>

#include "cli/record_pieces.hpp"
#include "cli/text/lines.hpp"

/// The digests of the keys of a piece, in order: fill(space) writes the next ones and returns their number, which is less than
/// space.size() at the end only.
namespace hortus::cli {

/// Where keys are whole lines, each is hashed as soon as its end is found, and no list of lines is made.
class line_digests {
 public:
  line_digests(std::string_view text, char separator, default_hash const& hash) noexcept
      : hash_(hash), separator_(separator), start_(text.data()), scanned_(start_), next_(start_), end_(start_ + text.size()) {}

  std::size_t operator()(std::span<digest> space) noexcept {
    constexpr std::ptrdiff_t stride = 64;
    std::size_t made = 0;
    for (;;) {
      for (; ends_ != 0 && made != space.size(); ends_ &= ends_ - 1) {
        auto const* const stop = scanned_ + std::countr_zero(ends_);
        space[made++] = digest_up_to(stop);
        start_ = stop + 1;
      }
      if (made == space.size() || next_ == end_) break;
      auto const bytes = std::min(end_ - next_, stride);
      ends_ = separator_mask(next_, static_cast<std::size_t>(bytes), separator_);
      scanned_ = next_;
      next_ += bytes;
    }
    if (made != space.size() && start_ < end_) {  // the last line, without separator
      space[made++] = digest_up_to(end_);
      start_ = end_;
    }
    lines_ += made;
    return made;
  }

  [[nodiscard]] std::uint64_t records() const noexcept { return lines_; }
  [[nodiscard]] missing_keys missing() const noexcept { return {.lines = lines_, .without_key = 0}; }

 private:
  [[nodiscard]] digest digest_up_to(char const* stop) const noexcept {
    return digest_of(hash_, std::string_view(start_, static_cast<std::size_t>(stop - start_)));
  }

  default_hash hash_;
  char separator_;
  char const* start_;  // of the next line
  // The bits of ends_ are separators in the bytes from scanned_ to next_.
  char const* scanned_;
  char const* next_;
  char const* end_;
  std::uint64_t ends_ = 0;
  std::uint64_t lines_ = 0;
};

/// All other keys.
class record_digests {
 public:
  record_digests(record_reader in, any_hash const& hash) : in_(std::move(in)), hash_(hash) {}

  std::size_t operator()(std::span<digest> space);

  /// The lines so far, without the header of a CSV file.
  [[nodiscard]] std::uint64_t records() const noexcept { return records_; }
  [[nodiscard]] missing_keys missing() const noexcept { return in_.missing(); }

 private:
  record_reader in_;
  any_hash const& hash_;
  record_block block_;
  std::size_t hashed_ = 0;  // keys of the block
  std::uint64_t records_ = 0;
};

/// Calls act(fill) with one of them.
template <class Act>
void with_digests(record_pieces const& pieces, record_piece const& piece, any_hash const& hash, Act act) {
  if (pieces.lines_are_keys() && hash.is<default_hash>()) {
    line_digests fill(piece.text.text(), pieces.separator(), default_hash(hash.seed()));
    act(fill);
  } else {
    record_digests fill(pieces.reader(piece), hash);
    act(fill);
  }
}

/// All of them, in the caller's vector, so that its memory is allocated once.
missing_keys hash_piece(record_pieces const& pieces, record_piece const& piece, any_hash const& hash,
                        std::vector<digest>& keys);

}  // namespace hortus::cli
