#include "cli/digest_buffer.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include <hortus/io/temporary_file.hpp>

namespace hortus::cli {
namespace {

[[noreturn]] void fail(char const* doing) { temporary_file_failed(doing, errno); }

std::FILE* open_temporary() {
  int const fd = open_temporary_file();
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
