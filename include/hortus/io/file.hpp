#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>

#include <hortus/io/envelope.hpp>

/// Access to files. Every failure of the operating system is hortus::error(errc::io) with the path and the system's reason.
namespace hortus {

/// Replaces `path` atomically by the bytes that `write` passes to its sink. At every moment, also after a power cut, `path` is
/// either the old file or the complete new one. The bytes go into an unnamed file in the same folder, which is synced and then
/// renamed over `path`. A symbolic link is followed. An existing file keeps its permissions and its owner, or at least its
/// group; if the system allows neither, it is not replaced. Anything but a regular file is refused.
///
/// A failure leaves no file behind. Nor does SIGKILL, except for an instant while an existing file is replaced. Where the
/// system has no unnamed files (O_TMPFILE, and /proc to name them) the new file is called .hortus-PID-N while it is
/// written. Then SIGHUP, SIGINT, SIGQUIT and SIGTERM to this thread are blocked until it is gone; SIGKILL leaves it behind.
void replace_file(std::filesystem::path const& path, std::function<void(byte_sink const&)> const& write);

/// The same for an image.
void write_file(std::filesystem::path const& path, image const& what);

/// A filter read from a file: the checked header and its sections.
struct stored_parts {
  header head;
  std::vector<memory> sections;
};

/// Copies everything into memory and verifies every checksum. It reads and never maps, so a file that changes meanwhile is
/// safe. Works with pipes, too.
stored_parts read_file(std::filesystem::path const& path);

/// Maps the file privately: pages are loaded when they are touched, and writing to cells changes neither the file nor other
/// mappings. Header, sizes and checksum table are verified at once, the payload only if verify_payload is set. Truncating a
/// mapped file crashes its readers: replace files by renaming, as write_file does.
stored_parts map_file(std::filesystem::path const& path, bool verify_payload);

/// An exclusive lock on the file among all users of file_lock, held until destroyed. The constructor waits for it. For
/// cycles of read, change and write_file: if the file is replaced while waiting, the lock is taken on the new file.
class file_lock {
 public:
  explicit file_lock(std::filesystem::path const& path);
  /// Does not block: as long as the lock is held elsewhere, it calls `wait` and tries again. `wait` sleeps for as long as it
  /// likes and throws to give up. So the caller decides about a deadline and a message to the user.
  file_lock(std::filesystem::path const& path, std::function<void()> const& wait);
  ~file_lock();
  file_lock(file_lock const&) = delete;
  file_lock& operator=(file_lock const&) = delete;

 private:
  int fd_ = -1;
};

}  // namespace hortus
