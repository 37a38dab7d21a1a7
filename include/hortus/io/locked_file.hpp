#pragma once
#include <filesystem>
#include <functional>
#include <memory>

#include <hortus/io/file.hpp>

namespace hortus {

/// A file that is replaced several times under one lock, the lock of file_lock. Plain write_file() would give it away: the new
/// file is another one, which nobody has locked. Here the new file is locked before it gets the name, so that who waits for
/// the lock goes on waiting until this object is destroyed.
class locked_file {
 public:
  /// Waits for the lock as file_lock does.
  locked_file(std::filesystem::path path, std::function<void()> const& wait);
  ~locked_file();
  locked_file(locked_file const&) = delete;
  locked_file& operator=(locked_file const&) = delete;

  /// As write_file(). A failure leaves the file as it was, and locked.
  void replace(image const& what);

 private:
  std::filesystem::path path_;
  std::unique_ptr<file_lock> first_;  // until the file is replaced for the first time
  int fd_ = -1;                       // of the file that replaced it, locked
};

}  // namespace hortus
