#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <new>

#include <hortus/io/file.hpp>

#include "src/descriptor.hpp"

namespace hortus {
namespace {

struct stat status_of(descriptor const& fd, fs::path const& path) {
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) fail("look at", path);
  if (S_ISDIR(status.st_mode)) fail("read", path, EISDIR);
  return status;
}

/// Reads until the span is full or the input ends, because read() may return fewer bytes and may be interrupted.
std::size_t read_some(int fd, std::span<std::byte> into, fs::path const& path) {
  std::size_t done = 0;
  while (done < into.size()) {
    auto const n = ::read(fd, into.data() + done, into.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("read", path);
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

void read_at(int fd, std::uint64_t offset, std::span<std::byte> into, fs::path const& path) {
  while (!into.empty()) {
    auto const n = ::pread(fd, into.data(), into.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("read", path);
    if (n == 0) throw error(errc::corrupt, "the file became shorter while it was read");
    offset += static_cast<std::uint64_t>(n);
    into = into.subspan(static_cast<std::size_t>(n));
  }
}

/// A buffer for a stream of bytes. Its address space can grow, but only the bytes that came take memory.
class arrivals {
 public:
  explicit arrivals(std::size_t size)
      : start_(::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)), size_(size) {
    if (start_ == MAP_FAILED) throw std::bad_alloc();
  }
  ~arrivals() { ::munmap(start_, size_); }
  arrivals(arrivals const&) = delete;
  arrivals& operator=(arrivals const&) = delete;
  void grow(std::size_t size) {
    void* const moved = ::mremap(start_, size_, size, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED) throw std::bad_alloc();
    start_ = moved;
    size_ = size;
  }
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return {static_cast<std::byte*>(start_), size_}; }

 private:
  void* start_;
  std::size_t size_;
};

/// Reads a file from a pipe into one buffer and uses its sections in place. The header is read first. It says when to stop, but
/// only bytes that really come take memory.
stored_parts parts_from_pipe(descriptor const& fd, fs::path const& path) {
  std::vector<std::byte> prefix(max_header_bytes);
  prefix.resize(read_some(fd.get(), prefix, path));
  auto head = read_header(prefix, prefix.size() < max_header_bytes ? prefix.size() : unknown_size);
  auto const size = head.file_bytes;
  auto const room = std::make_shared<arrivals>(std::min<std::uint64_t>(size, chunk_bytes));
  auto got = std::min<std::size_t>(prefix.size(), size);
  bool longer = got < prefix.size();
  std::copy_n(prefix.begin(), got, room->bytes().begin());
  std::vector<std::byte>().swap(prefix);
  for (std::size_t more = 1; got < size && more != 0; got += more) {
    if (got == room->bytes().size()) room->grow(std::min(size, 2 * got));
    more = read_some(fd.get(), room->bytes().subspan(got), path);
  }
  if (got < size)
    throw error(errc::corrupt, "the file has " + std::to_string(got) + " bytes where its header says " + std::to_string(size));
  std::byte past{};
  longer = longer || read_some(fd.get(), {&past, 1}, path) != 0;
  if (longer) throw error(errc::corrupt, "the file goes on after the " + std::to_string(size) + " bytes its header says");
  auto sections = borrow_sections(head, room->bytes(), room, true);
  return {std::move(head), std::move(sections)};
}

}  // namespace

stored_parts read_file(fs::path const& path) {
  auto const fd = open_to_read(path);
  auto const status = status_of(fd, path);
  if (!S_ISREG(status.st_mode)) return parts_from_pipe(fd, path);
  auto const size = static_cast<std::uint64_t>(status.st_size);
  auto head = [&] {
    std::vector<std::byte> prefix(std::min(size, max_header_bytes));
    read_at(fd.get(), 0, prefix, path);
    return read_header(prefix, size);
  }();
  auto sections =
      copy_sections(head, [&](std::uint64_t offset, std::span<std::byte> into) { read_at(fd.get(), offset, into, path); });
  return {std::move(head), std::move(sections)};
}

stored_parts map_file(fs::path const& path, bool verify_payload) {
  auto const fd = open_to_read(path);
  auto const status = status_of(fd, path);
  if (!S_ISREG(status.st_mode)) throw error(errc::io, "cannot map '" + path.string() + "': it is not a regular file");
  auto const size = static_cast<std::size_t>(status.st_size);
  if (size == 0) (void)read_header({}, 0);  // throws; mmap would refuse an empty file with a worse message
  void* const start = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd.get(), 0);
  if (start == MAP_FAILED) fail("map", path);
  std::shared_ptr<void const> owner(start, [size](void* p) { ::munmap(p, size); });
  std::span<std::byte const> const bytes(static_cast<std::byte const*>(start), size);
  auto head = read_header(bytes, size);
  auto sections = borrow_sections(head, bytes, owner, verify_payload);
  return {std::move(head), std::move(sections)};
}

}  // namespace hortus
