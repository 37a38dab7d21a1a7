#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

/// Entropy codes of arrays of bits and cells. An array is cut into pieces of 256 KiB, and each is coded in the way that makes
/// it shortest:
///
///   zeros, ones   nothing but the kind: 1 byte
///   raw           the bytes, where no code is shorter (fingerprints, half-full filters)
///   classes       bits of any density, also where it varies: the number of ones in a byte has 9 stored frequencies
///   gaps          sparse bits: the zeros between two ones, of which only the number of ones is stored
///   full_gaps     the same for sparse zeros
///   bytes         cells: the frequencies of all bytes, with 1, 2, 4 or 8 contexts by the place of a byte
///   nonzero       sparse bytes: a piece that tells which are not zero, and a piece of these
///
/// All arithmetic is on integers: a message has the same bytes on every machine. docs/messages.md has the format.
namespace hortus::message {

inline constexpr std::size_t piece_bytes = std::size_t{1} << 18;

enum class piece_kind : std::uint8_t { zeros, ones, raw, classes, gaps, full_gaps, bytes, nonzero };
inline constexpr std::uint8_t piece_kinds = 8;

using code = std::vector<std::byte>;

/// Appends the codes of all pieces of an array. Its memory is used again for the next array.
class array_encoder {
 public:
  array_encoder();
  ~array_encoder();
  array_encoder(array_encoder const&) = delete;
  array_encoder& operator=(array_encoder const&) = delete;

  void encode(std::span<std::byte const> array, code& out);

 private:
  void encode_piece(std::span<std::byte const> piece, code& out, bool inside = false);  // `inside` a piece of kind nonzero
  code encode_nonzero(std::span<std::byte const> piece);
  struct scratch;
  std::unique_ptr<scratch> scratch_;
};

/// The inverse. Its input is untrusted: it throws errc::corrupt unless it is what an encoder can have written.
class array_decoder {
 public:
  array_decoder();
  ~array_decoder();
  array_decoder(array_decoder const&) = delete;
  array_decoder& operator=(array_decoder const&) = delete;

  /// Takes the codes of an array of that size from the front of `in`.
  void decode(std::span<std::byte const>& in, std::span<std::byte> array);

 private:
  void decode_piece(std::span<std::byte const>& in, std::span<std::byte> piece);
  struct scratch;
  std::unique_ptr<scratch> scratch_;
};

/// Skips the codes of an array of that size without decoding them, to see that they are there before memory is taken. Throws
/// errc::corrupt if they are not. Each piece has at least one byte, so an array is at most 2^18 times as long as its codes.
void skip_array(std::span<std::byte const>& in, std::uint64_t array_bytes);

/// The code of an array alone.
[[nodiscard]] code encode_array(std::span<std::byte const> array);
/// Throws errc::corrupt if `in` is not the code of an array of that size.
void decode_array(std::span<std::byte const> in, std::span<std::byte> array);

}  // namespace hortus::message
