#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

/// The bytes that two sides of a reconciliation exchange. Each side starts with a magic number and the version of the protocol.
/// Then come frames: type, length of the payload (4 bytes), payload, 4 bytes of checksum.
namespace hortus::sets {

inline constexpr std::uint8_t protocol_version = 1;
inline constexpr std::size_t most_payload = std::size_t{1} << 20;
inline constexpr std::size_t frame_overhead = 9;  ///< bytes around a payload
inline constexpr std::size_t preamble_bytes = 9;

enum class frame_type : std::uint8_t {
  hello = 1,    ///< initiator: the secret of this session
  summary = 2,  ///< responder: the number of its keys and the sum of their digests
  more = 3,     ///< initiator: send that many symbols
  symbols = 4,  ///< responder: number of the first, then the symbols
  want = 5,     ///< initiator: digests of keys; an empty one ends the list
  keys = 6,     ///< responder: a piece of the stream of these keys, each its length and its bytes
  done = 7,     ///< initiator: nothing more is wanted
  failed = 8,   ///< either: why this side gives up, as text
  busy = 9,     ///< either: still at work; carries nothing
};

struct frame {
  frame_type type;
  std::vector<std::byte> payload;
};

/// Where a side sends its bytes.
using byte_sink = std::function<void(std::span<std::byte const>)>;

[[nodiscard]] std::vector<std::byte> preamble();
/// Pre: at most most_payload bytes.
[[nodiscard]] std::vector<std::byte> framed(frame_type type, std::span<std::byte const> payload = {});
/// A frame that says why; a long text is cut.
[[nodiscard]] std::vector<std::byte> failure_frame(std::string_view why);

/// Cuts what the peer sends into frames. Holds at most one frame and what was pushed last.
class frame_reader {
 public:
  void push(std::span<std::byte const> bytes) { pending_.insert(pending_.end(), bytes.begin(), bytes.end()); }

  /// The next frame that is complete; busy ones are skipped. Throws errc::corrupt for bytes that are no frame,
  /// errc::unsupported for another version, and errc::io with the peer's words if it failed.
  [[nodiscard]] std::optional<frame> next();

  /// Frames so far, without busy ones: a peer that only says that it is busy makes no progress.
  [[nodiscard]] std::uint64_t frames() const noexcept { return frames_; }

 private:
  void check_preamble();
  std::vector<std::byte> pending_;
  bool greeted_ = false;
  std::uint64_t frames_ = 0;
};

}  // namespace hortus::sets
