#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

/// What an input holds by its first bytes, and how to read what is compressed. By the bytes and not by a file's name: a pipe
/// has none.
namespace hortus::cli {

enum class content { plain, gzip, zstd, xz, bzip2, lz4, zip, filter };

/// More bytes than this are never needed to tell.
constexpr std::size_t most_telling_bytes = 16;

/// What starts with these bytes; nothing when more are needed to tell. `all`: there are no more.
///
/// No signature is text that a list of keys could start with ("BZh" would be, so bzip2 is known by what follows, too), and none
/// has a newline or NUL but at its end: a line that has come through a slow pipe is never held back for the sake of the
/// question.
[[nodiscard]] std::optional<content> content_of(std::string_view start, bool all);

/// Turns compressed bytes into what they stand for. Throws errc::corrupt for damage, and for bytes after the end that are not
/// compressed. Takes at most 128 MiB, and a buffer.
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

  /// Takes some of `in` and fills some of `out`. When it does neither it needs more input.
  virtual step decode(std::string_view in, std::span<char> out) = 0;
  /// May the input end here?
  [[nodiscard]] virtual bool at_an_end() const = 0;
};

/// For content::gzip (also of several members) and content::zstd (also of several frames).
[[nodiscard]] std::unique_ptr<decoder> make_decoder(content what);

}  // namespace hortus::cli
