#include "cli/text/pieces.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "cli/text/lines.hpp"

namespace hortus::cli {
namespace {

std::uint64_t separators_in(std::string_view text, char separator) {
  std::uint64_t count = 0;
  std::size_t at = 0;
  for (; at + 64 <= text.size(); at += 64)
    count += static_cast<std::uint64_t>(std::popcount(separator_mask(text.data() + at, separator)));
  return count + static_cast<std::uint64_t>(std::ranges::count(text.substr(at), separator));
}

}  // namespace

piece_source::piece_source(std::vector<line_input> inputs, line_format format, std::size_t bytes)
    : inputs_(std::move(inputs)), format_(format), bytes_(bytes) {
  for (auto const& input : inputs_) {
    total_bytes_ += input.bytes;
    streaming_ = streaming_ || !input.regular;
  }
}

bool piece_source::next(text_piece& piece) {
  for (; current_ < inputs_.size() && !stopped_; ++current_, next_line_ = 1) {
    if (!file_) file_.emplace(inputs_[current_], format_.unpack);
    std::size_t end = 0;
    std::size_t scanned = rest_.size();  // no separator there
    while (wait_for_bytes() && read_behind(piece, end)) {
      std::string_view const fresh(piece.buffer_.get() + scanned, end - scanned);
      auto const last = fresh.rfind(format_.separator);
      scanned = end;
      if (last == std::string_view::npos) continue;  // the start of a long line
      finish(piece, end - fresh.size() + last + 1, end);
      return true;
    }
    if (stopped_) return false;
    file_.reset();
    if (end == 0) continue;
    finish(piece, end, end);  // the last line, without separator
    ++current_, next_line_ = 1;
    return true;
  }
  return false;
}

/// False if stop() was called meanwhile.
bool piece_source::wait_for_bytes() const noexcept {
  constexpr int a_tenth_of_a_second = 100;
  while (!file_->ready(a_tenth_of_a_second))
    if (stopped_) return false;
  return !stopped_;
}

/// Appends what one read delivers to the piece, which starts with the rest of the piece before. False at the end of the input.
bool piece_source::read_behind(text_piece& piece, std::size_t& end) {
  auto const kept = std::max(end, rest_.size());
  if (piece.capacity_ < std::max(2 * kept, bytes_)) {
    piece.capacity_ = std::max(2 * kept, bytes_);
    auto grown = grown_buffer(piece.capacity_, inputs_[current_]);
    if (end != 0) std::memcpy(grown.get(), piece.buffer_.get(), end);
    piece.buffer_ = std::move(grown);
  }
  if (!rest_.empty()) std::memcpy(piece.buffer_.get(), rest_.data(), rest_.size());
  rest_.clear();
  auto const taken = file_->taken();
  auto const got = file_->read({piece.buffer_.get() + kept, piece.capacity_ - kept});
  bytes_read_ += file_->taken() - taken;
  end = kept + got;
  return got != 0;
}

/// The piece has `size` bytes; the rest of what was read is the start of the next one.
void piece_source::finish(text_piece& piece, std::size_t size, std::size_t end) {
  rest_.assign(piece.buffer_.get() + size, end - size);
  piece.size_ = size;
  piece.input_ = inputs_[current_].path;
  piece.first_line_ = next_line_;
  next_line_ += separators_in(piece.text(), format_.separator);
}

}  // namespace hortus::cli
