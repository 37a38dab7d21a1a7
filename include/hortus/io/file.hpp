#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>

#include <hortus/io/envelope.hpp>

/// Files as the operating system knows them. Every failure is hortus::error(errc::io) with the path and the system's reason.
namespace hortus {

/// Writes what `write` hands to its sink, so that at every moment `path` is either what it was or the complete new file, also
/// after a power cut: into an unnamed file in the same folder, synced, then renamed over. A symbolic link is followed; an
/// existing file keeps its permissions and its owner, or at least its group: where the system lets us keep neither, it is not
/// replaced. Anything but a regular file is refused.
///
/// A failure leaves nothing behind. Nor does SIGKILL, but for an instant when an existing file is replaced. Where the system
/// has no unnamed files (O_TMPFILE, and /proc to name them) the new file is called .hortus-PID-N while it is written: SIGHUP,
/// SIGINT, SIGQUIT and SIGTERM to this thread are then held back until it is gone, SIGKILL leaves it.
void replace_file(std::filesystem::path const& path, std::function<void(byte_sink const&)> const& write);

/// The same with an image.
void write_file(std::filesystem::path const& path, image const& what);

/// A filter read from a file: the checked header and its sections.
struct stored_parts {
  header head;
  std::vector<memory> sections;
};

/// Copies everything into memory, every checksum verified. Reads, never maps: safe against a file that changes meanwhile.
/// Takes pipes too.
stored_parts read_file(std::filesystem::path const& path);

/// Maps the file privately: cells are loaded as they are touched, and writing to them changes neither the file nor other maps.
/// Header, sizes and checksum table are verified at once, the payload when asked. Whoever truncates a mapped file crashes its
/// readers: replace files by renaming, as write_file does.
stored_parts map_file(std::filesystem::path const& path, bool verify_payload);

/// Holds the file against everybody else who asks for the same lock, until destroyed. Waits. For read, change, write_file
/// cycles: the lock stays right when the file is replaced while waiting.
class file_lock {
 public:
  explicit file_lock(std::filesystem::path const& path);
  /// Does not wait itself: as long as somebody else holds the lock it calls `wait` and tries again. `wait` sleeps for as long
  /// as it sees fit, and throws to give up; so a deadline, and a word to the user, are the caller's.
  file_lock(std::filesystem::path const& path, std::function<void()> const& wait);
  ~file_lock();
  file_lock(file_lock const&) = delete;
  file_lock& operator=(file_lock const&) = delete;

 private:
  int fd_ = -1;
};

}  // namespace hortus
