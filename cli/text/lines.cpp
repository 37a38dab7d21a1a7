#include "cli/text/lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <utility>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <hortus/error.hpp>

namespace hortus::cli {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{256} << 10;
constexpr std::size_t stride = 64;  // bytes scanned at a time: one bit each in a mask
static_assert(line_reader::block_lines >= stride, "a stride may hold 64 lines");

/// Repeats a byte in all eight bytes of a word.
constexpr std::uint64_t everywhere(char byte) { return 0x0101010101010101u * static_cast<unsigned char>(byte); }

/// Sets the top bit of each byte that equals the pattern's byte. Exact: no borrow crosses into a neighbouring byte.
std::uint64_t equal_bytes(char const* at, std::uint64_t pattern) {
  constexpr std::uint64_t low = 0x7f7f7f7f7f7f7f7f;
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  auto const differs = word ^ pattern;
  return ~(((differs & low) + low) | differs | low);
}

}  // namespace

std::uint64_t separator_mask_portable(char const* at, char separator) noexcept {
  std::uint64_t mask = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    auto word = equal_bytes(at + 8 * i, everywhere(separator));
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    // The product packs the eight bits, which are eight positions apart, into the top byte.
    mask |= ((word >> 7) * 0x0102040810204080u >> 56) << (8 * i);
  }
  return mask;
}

std::uint64_t separator_mask(char const* at, char separator) noexcept {
#if defined(__SSE2__)
  auto const pattern = _mm_set1_epi8(separator);
  auto const quarter = [&](int i) {
    auto const bytes = _mm_loadu_si128(reinterpret_cast<__m128i const*>(at + 16 * i));
    return static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, pattern)))) << (16 * i);
  };
  return quarter(0) | quarter(1) | quarter(2) | quarter(3);
#else
  return separator_mask_portable(at, separator);
#endif
}

std::uint64_t separator_mask(char const* at, std::size_t bytes, char separator) noexcept {
  if (bytes >= stride) return separator_mask(at, separator);
  char rest[stride] = {};
  std::memcpy(rest, at, bytes);
  return separator_mask(rest, separator) & ((std::uint64_t{1} << bytes) - 1);
}

line_reader::line_reader(std::span<std::string const> paths, line_format format)
    : line_reader(line_inputs(paths, format.unpack), format) {}

line_reader::line_reader(int descriptor, std::string name, line_format format)
    : line_reader({input_of(descriptor, std::move(name), format.unpack)}, format) {}

line_reader::line_reader(std::vector<line_input> inputs, line_format format)
    : inputs_(std::move(inputs)),
      format_(format),
      buffer_(std::make_unique_for_overwrite<char[]>(buffer_bytes)),
      base_(buffer_.get()),
      capacity_(buffer_bytes) {
  for (auto const& input : inputs_) {
    total_bytes_ += input.bytes;
    streaming_ = streaming_ || !input.regular;
  }
}

line_reader::line_reader(text_piece const& piece, line_format format)
    : inputs_({{.path = std::string(piece.input())}}),
      format_(format),
      next_line_(piece.first_line()),
      base_(piece.text().data()),
      end_(piece.text().size()) {}

bool line_reader::next(std::vector<std::string_view>& lines) {
  while (current_ < inputs_.size()) {
    split(lines);
    delivered_from_ = current_;
    first_line_ = next_line_;
    if (lines.empty() && !fill()) {
      if (start_ != end_) lines.emplace_back(base_ + start_, end_ - start_);  // the last line, without separator
      if (file_ && !file_->compressed()) bytes_read_ += end_ - start_;
      start_ = scanned_ = end_ = 0;
      file_.reset();
      ++current_;
      next_line_ = 1;
    } else {
      next_line_ += lines.size();
    }
    if (lines.empty()) continue;
    if (format_.crlf) {
      for (auto& line : lines) line.remove_suffix(line.ends_with('\r') ? 1 : 0);
    }
    return true;
  }
  lines.clear();
  return false;
}

/// Splits the buffer into lines. A block may end early, by fewer than 64 lines, so that a stride is never split.
void line_reader::split(std::vector<std::string_view>& lines) {
  lines.resize(block_lines);
  auto* out = lines.data();
  auto* const last = out + (block_lines - stride);
  auto const* start = base_ + start_;
  auto const* at = base_ + scanned_;
  auto const* const end = base_ + end_;
  while (at != end && out <= last) {
    auto const bytes = std::min(static_cast<std::size_t>(end - at), stride);
    for (auto mask = separator_mask(at, bytes, format_.separator); mask != 0; mask &= mask - 1) {
      auto const* const stop = at + std::countr_zero(mask);
      *out++ = {start, static_cast<std::size_t>(stop - start)};
      start = stop + 1;
    }
    at += bytes;
  }
  lines.resize(static_cast<std::size_t>(out - lines.data()));
  if (file_ && !file_->compressed()) bytes_read_ += static_cast<std::uint64_t>(start - (base_ + start_));
  start_ = static_cast<std::size_t>(start - base_);
  scanned_ = static_cast<std::size_t>(at - base_);
}

/// Moves the unfinished line to the front of the buffer and reads once behind it. False at the end of the input.
bool line_reader::fill() {
  if (!buffer_) return false;  // a piece
  if (!file_) file_.emplace(inputs_[current_], format_.unpack);
  auto const kept = end_ - start_;
  if (kept == capacity_) {
    grow();
  } else if (start_ != 0) {
    std::memmove(buffer_.get(), buffer_.get() + start_, kept);
  }
  scanned_ -= start_;
  start_ = 0;
  end_ = kept;
  auto const taken = file_->taken();
  auto const got = file_->read({buffer_.get() + end_, capacity_ - end_});
  if (file_->compressed()) bytes_read_ += file_->taken() - taken;
  end_ += got;
  return got != 0;
}

/// Makes room for a line that fills the buffer.
void line_reader::grow() {
  auto grown = grown_buffer(2 * capacity_, inputs_[current_]);
  std::memcpy(grown.get(), buffer_.get(), capacity_);
  buffer_ = std::move(grown);
  base_ = buffer_.get();
  capacity_ *= 2;
}

std::unique_ptr<char[]> grown_buffer(std::size_t bytes, line_input const& input) try {
  return std::make_unique_for_overwrite<char[]>(bytes);
} catch (std::bad_alloc const&) {
  throw error(errc::io, fmt::format("out of memory: {} has a line of more than {} bytes", shown_name(input), bytes / 2));
}

}  // namespace hortus::cli
