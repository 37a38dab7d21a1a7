#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

/// Detects the content of an input by its first bytes, and decompresses it. Not by a file's name, because a pipe has none.
namespace hortus::cli {

enum class content { plain, gzip, zstd, xz, bzip2, lz4, zip, filter };

/// The most bytes that are needed to detect the content.
constexpr std::size_t most_telling_bytes = 16;

/// The content that starts with these bytes; nothing if more bytes are needed. `all`: there are no more bytes.
///
/// No signature is text that a list of keys could start with. ("BZh" would be, so the bytes after it belong to the signature of
/// bzip2.) No signature has a newline or NUL except at its end, so a complete line from a slow pipe is never held back for
/// detection.
[[nodiscard]] std::optional<content> content_of(std::string_view start, bool all);

/// Decompresses bytes. Throws errc::corrupt for damage, and for bytes after the end that are not compressed. Takes at most
/// 128 MiB of memory, and a buffer.
class decoder {
 public:
  struct step {
    std::size_t taken = 0;
    std::size_t made = 0;
  };

  decoder() = default;
  decoder(decoder const&) = delete;
  decoder& operator=(decoder const&) = delete;
  virtual ~decoder() = default;

  /// Consumes some of `in` and fills some of `out`. If it does neither, it needs more input.
  virtual step decode(std::string_view in, std::span<char> out) = 0;
  /// May the input end here?
  [[nodiscard]] virtual bool at_an_end() const = 0;
};

/// For content::gzip (also of several members) and content::zstd (also of several frames).
[[nodiscard]] std::unique_ptr<decoder> make_decoder(content what);

}  // namespace hortus::cli
