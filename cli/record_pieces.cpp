#include "cli/record_pieces.hpp"

#include "cli/command.hpp"

namespace hortus::cli {
namespace {

void tell_nothing(std::string const&) {}

}  // namespace

record_pieces::record_pieces(key_input const& input, unsigned threads, bool quiet)
    : format_(input.format()),
      part_(input.part()),
      warn_(quiet ? tell_nothing : [](std::string const& text) { warn(text); }),
      source_(input.reads_input() ? line_inputs(input.paths, format_.unpack) : std::vector<line_input>{}, format_,
              threads == 1 ? piece_source::piece_bytes_of_one : piece_source::piece_bytes) {}

bool record_pieces::next(record_piece& piece) {
  if (!source_.next(piece.text)) return false;
  if (piece.text.first_line() == 1) {  // the first of an input: a first block tells what is needed
    record_reader in(piece.text, format_, part_, start_, warn_);
    record_block block;
    (void)in.next(block);
    start_ = in.start();
  }
  piece.start = start_;
  piece.bytes_read = source_.bytes_read();
  return true;
}

record_reader record_pieces::reader(record_piece const& piece) const {
  return {piece.text, format_, part_, piece.start, tell_nothing};
}

void record_pieces::note(missing_keys const& missing) noexcept {
  missing_.lines += missing.lines;
  missing_.without_key += missing.without_key;
}

void record_pieces::finish() const {
  if (auto const text = missing_.text(part_)) warn_(*text);
}

}  // namespace hortus::cli
