#pragma once
#include <cstdint>

#include "cli/shared_options.hpp"
#include "cli/text/pieces.hpp"

namespace hortus::cli {

/// Some lines of an input, what its start tells about them, and how far the inputs were read.
struct record_piece {
  text_piece text;
  input_start start;
  std::uint64_t bytes_read = 0;
};

/// The inputs of a command in pieces, for several threads: see in_order(). Keys of the command line are not among them.
class record_pieces {
 public:
  /// A quiet one has no warnings: it is for the first of two passes.
  record_pieces(key_input const& input, unsigned threads, bool quiet = false);

  /// False at the end. Warns as a reader of all lines would. One thread at a time.
  [[nodiscard]] bool next(record_piece& piece);
  /// The records of a piece. Several threads at a time.
  [[nodiscard]] record_reader reader(record_piece const& piece) const;
  /// Is each line of a piece a key, as it is?
  [[nodiscard]] bool lines_are_keys() const noexcept { return part_.is_line_as_it_is() && !format_.crlf; }
  [[nodiscard]] char separator() const noexcept { return format_.separator; }
  /// A piece is done: its reader has found so many lines without a key. One thread at a time.
  void note(missing_keys const& missing) noexcept;
  /// No more pieces are needed: see piece_source.
  void stop() noexcept { source_.stop(); }
  /// All are done: warns if lines had no key.
  void finish() const;

  [[nodiscard]] std::uint64_t total_bytes() const noexcept { return source_.total_bytes(); }
  [[nodiscard]] bool streaming() const noexcept { return source_.streaming(); }

 private:
  line_format format_;
  key_part part_;
  record_reader::tell warn_;
  piece_source source_;
  input_start start_;
  missing_keys missing_;
};

}  // namespace hortus::cli
