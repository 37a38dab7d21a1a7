#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/text/decompress.hpp"

/// The inputs of a command as bytes: files, pipes, terminals, plain or compressed.
namespace hortus::cli {

/// Is compressed input decompressed? If not, the bytes of every input are used as they are.
enum class decompress { no, yes };

/// A source of keys: a path, or a descriptor that the caller opened and will close.
struct line_input {
  std::string path;          ///< also for messages; "-" is standard input
  int descriptor = -1;       ///< not negative: read this instead of opening the path
  bool regular = false;      ///< a regular file: has a size, can be read twice
  std::uint64_t offset = 0;  ///< where reading starts; not 0 for a redirected descriptor that was read before
  std::uint64_t bytes = 0;   ///< from the offset to the end, for a regular file
};

/// The inputs of a command; no paths means standard input. Throws errc::io for a path that cannot be read or is not a list of
/// keys, so that a mistake in the last one is reported before hours of work on the others.
[[nodiscard]] std::vector<line_input> line_inputs(std::span<std::string const> paths, decompress how = decompress::yes);

/// A descriptor with a name for messages, checked as in line_inputs().
[[nodiscard]] line_input input_of(int descriptor, std::string name, decompress how = decompress::yes);

/// "standard input", or the path in quotes.
[[nodiscard]] std::string shown_name(line_input const& input);

/// A descriptor that is closed with this object if the object owns it.
class open_file {
 public:
  open_file() = default;
  open_file(int descriptor, bool mine) noexcept : descriptor_(descriptor), mine_(mine) {}
  open_file(open_file&& other) noexcept { *this = std::move(other); }
  open_file& operator=(open_file&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(mine_, other.mine_);
    return *this;
  }
  ~open_file();
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_ = -1;
  bool mine_ = false;
};

/// The bytes of one input in one pass, decompressed if they are gzip or zstd. Plain bytes are read directly into the caller's
/// buffer. Every read returns the bytes that are available, without waiting for more from a slow pipe.
class input_bytes {
 public:
  input_bytes(line_input const& input, decompress how);

  /// Reads 1 to into.size() bytes, or 0 at the end. Pre: the first time there is room for most_telling_bytes. Throws errc::io,
  /// errc::corrupt.
  [[nodiscard]] std::size_t read(std::span<char> into);

  /// Will read() return without waiting for a pipe? Waits so long for that.
  [[nodiscard]] bool ready(int milliseconds) const noexcept;

  [[nodiscard]] bool compressed() const noexcept { return decoder_ != nullptr; }
  /// Bytes read from the input itself; if it is compressed, compressed bytes.
  [[nodiscard]] std::uint64_t taken() const noexcept { return taken_; }

 private:
  std::size_t read_raw(std::span<char> into);
  std::size_t read_first(std::span<char> into);
  std::size_t decoded(std::span<char> into);

  line_input input_;
  open_file file_;
  std::uint64_t taken_ = 0;
  bool started_ = false;
  std::unique_ptr<decoder> decoder_;
  std::vector<char> raw_;     // compressed bytes
  std::string_view pending_;  // those of them that are not decompressed yet
};

}  // namespace hortus::cli
