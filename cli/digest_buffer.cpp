#include "cli/digest_buffer.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include <hortus/error.hpp>

namespace hortus::cli {
namespace {

std::string temporary_folder() {
  auto const* const wish = std::getenv("TMPDIR");
  return wish != nullptr && *wish != '\0' ? wish : P_tmpdir;
}

[[noreturn]] void fail(char const* doing) {
  auto const reason = std::generic_category().message(errno);
  throw error(errc::io, std::string("cannot ") + doing + " a temporary file for the keys in '" + temporary_folder() +
                            "': " + reason + "; TMPDIR names another folder, and with more --memory none is needed");
}

/// A file without a name, which disappears with the process. std::tmpfile() would do, but ignores TMPDIR.
std::FILE* open_temporary() {
  auto name = temporary_folder() + "/hortus.XXXXXX";
  int const fd = ::mkostemp(name.data(), O_CLOEXEC);
  if (fd < 0) fail("create");
  ::unlink(name.c_str());
  auto* const file = ::fdopen(fd, "w+b");
  if (file == nullptr) ::close(fd);
  return file;
}

}  // namespace

void digest_buffer::add(std::span<digest const> xs) {
  if (held_.size() + xs.size() > limit_) spill();
  held_.insert(held_.end(), xs.begin(), xs.end());
}

void digest_buffer::spill() {
  if (held_.empty()) return;
  if (!file_) file_.reset(open_temporary());
  if (!file_) fail("create");
  if (std::fwrite(held_.data(), sizeof(digest), held_.size(), file_.get()) != held_.size()) fail("write");
  spilled_ += held_.size();
  held_.clear();
}

void digest_buffer::rewind() {
  if (file_ && (std::fflush(file_.get()) != 0 || std::fseek(file_.get(), 0, SEEK_SET) != 0)) fail("write");
}

std::span<digest const> digest_buffer::all() {
  if (!file_) return held_;
  spill();
  rewind();
  auto const bytes = spilled_ * sizeof(digest);
  void* const at = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, ::fileno(file_.get()), 0);
  if (at == MAP_FAILED) fail("map");
  mapped_ = {static_cast<digest const*>(at), unmap{bytes}};
  return {mapped_.get(), spilled_};
}

void digest_buffer::unmap::operator()(digest const* first) const noexcept { ::munmap(const_cast<digest*>(first), bytes); }

std::size_t digest_buffer::read_spilled(std::span<digest> into) {
  if (!file_) return 0;
  auto const got = std::fread(into.data(), sizeof(digest), into.size(), file_.get());
  if (got == 0 && std::ferror(file_.get()) != 0) fail("read");
  return got;
}

}  // namespace hortus::cli
