#include "cli/text/input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include <hortus/error.hpp>

namespace hortus::cli {
namespace {

constexpr std::size_t compressed_bytes = std::size_t{128} << 10;  // zstd's preferred input size; zlib has no preference

[[noreturn]] void cannot_read(line_input const& input, int code) {
  throw error(errc::io, fmt::format("cannot read {}: {}", shown_name(input), std::generic_category().message(code)));
}

/// The number of bytes that one read or pread gave, 0 at the end. Continues after a signal, and waits on a descriptor that
/// another program made non-blocking (for example on a shared terminal).
template <class Read>
std::size_t patient(line_input const& input, int descriptor, Read read_once) {
  for (;;) {
    auto const got = read_once();
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd ready{descriptor, POLLIN, 0};
      if (::poll(&ready, 1, -1) >= 0 || errno == EINTR) continue;
    }
    if (errno != EINTR) cannot_read(input, errno);
  }
}

/// Opens the input for one sequential pass.
open_file opened(line_input const& input) {
  bool const mine = input.descriptor < 0;
  open_file file(mine ? ::open(input.path.c_str(), O_RDONLY | O_CLOEXEC) : input.descriptor, mine);
  if (file.descriptor() < 0) cannot_read(input, errno);
  // A hint that doubles the read-ahead; it may fail without harm.
  if (input.regular) (void)::posix_fadvise(file.descriptor(), 0, 0, POSIX_FADV_SEQUENTIAL);
  return file;
}

struct remedy {
  content what;
  std::string_view name;
  std::string_view program;
};
constexpr std::array<remedy, 4> remedies{{{content::xz, "xz", "xzcat"},
                                          {content::bzip2, "bzip2", "bzcat"},
                                          {content::lz4, "lz4", "lz4cat"},
                                          {content::zip, "zip", "unzip -p"}}};

/// Throws for content that must not be read as lines: keys in a format that is not supported, or no list of keys at all.
void check_is_list(line_input const& input, content what) {
  if (what == content::filter)
    throw error(errc::io, fmt::format("{} is a hortus filter, not a list of keys; --no-decompress takes its bytes for keys",
                                      shown_name(input)));
  auto const* const found = std::ranges::find(remedies, what, &remedy::what);
  if (found == remedies.end()) return;
  bool const named = input.path != "-";
  throw error(errc::io, fmt::format("{} looks compressed ({}): {}{}{} | hortus ...; --no-decompress takes its bytes for keys",
                                    shown_name(input), found->name, found->program, named ? " " : "", named ? input.path : ""));
}

/// The same for the start of a regular file, without moving its position. If the file cannot be read, reading it later reports
/// that.
void check_start(line_input const& input) {
  bool const mine = input.descriptor < 0;
  open_file const file(mine ? ::open(input.path.c_str(), O_RDONLY | O_CLOEXEC) : input.descriptor, mine);
  std::array<char, most_telling_bytes> start{};
  auto const got = ::pread(file.descriptor(), start.data(), start.size(), static_cast<off_t>(input.offset));
  if (got > 0) check_is_list(input, *content_of({start.data(), static_cast<std::size_t>(got)}, true));
}

/// Fills in what the system knows about an input.
line_input inspected(line_input input, decompress how) {
  struct stat info {};
  bool const path = input.descriptor < 0;
  if ((path ? ::stat(input.path.c_str(), &info) : ::fstat(input.descriptor, &info)) != 0) {
    if (path && errno == ENOENT)
      throw error(errc::io, fmt::format("cannot read {0}: {1} (a key on the command line is -e {0})", shown_name(input),
                                        std::generic_category().message(ENOENT)));
    cannot_read(input, errno);
  }
  if (S_ISDIR(info.st_mode)) cannot_read(input, EISDIR);
  if (path && ::access(input.path.c_str(), R_OK) != 0) cannot_read(input, errno);
  input.regular = S_ISREG(info.st_mode);
  if (!input.regular) return input;
  auto const offset = path ? 0 : ::lseek(input.descriptor, 0, SEEK_CUR);
  input.offset = offset > 0 ? static_cast<std::uint64_t>(offset) : 0;
  auto const size = info.st_size > 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
  input.bytes = size > input.offset ? size - input.offset : 0;
  if (how == decompress::yes) check_start(input);
  return input;
}

}  // namespace

std::string shown_name(line_input const& input) {
  return input.path == "-" ? std::string("standard input") : fmt::format("'{}'", input.path);
}

std::vector<line_input> line_inputs(std::span<std::string const> paths, decompress how) {
  std::vector<line_input> inputs;
  bool standard_input = paths.empty();
  if (standard_input) inputs.push_back(inspected({.path = "-", .descriptor = STDIN_FILENO}, how));
  for (auto const& path : paths) {
    if (path != "-") {
      inputs.push_back(inspected({.path = path}, how));
    } else if (!std::exchange(standard_input, true)) {  // only once: after that it is at its end
      inputs.push_back(inspected({.path = path, .descriptor = STDIN_FILENO}, how));
    }
  }
  return inputs;
}

line_input input_of(int descriptor, std::string name, decompress how) {
  line_input input{.path = std::move(name), .descriptor = descriptor};
  if (descriptor < 0) cannot_read(input, EBADF);  // the path is not opened: here it is only a name
  return inspected(std::move(input), how);
}

open_file::~open_file() {
  if (mine_ && descriptor_ >= 0) ::close(descriptor_);
}

input_bytes::input_bytes(line_input const& input, decompress how)
    : input_(input), file_(opened(input)), started_(how == decompress::no) {}

std::size_t input_bytes::read_raw(std::span<char> into) {
  auto const got = patient(input_, file_.descriptor(), [&] { return ::read(file_.descriptor(), into.data(), into.size()); });
  taken_ += got;
  return got;
}

/// Reads until the content is detected, which nearly always takes one read.
std::size_t input_bytes::read_first(std::span<char> into) {
  started_ = true;
  std::size_t got = 0;
  std::optional<content> what;
  while (!what) {
    auto const more = read_raw(into.subspan(got));
    got += more;
    what = content_of({into.data(), got}, more == 0);
  }
  if (*what == content::plain) return got;
  check_is_list(input_, *what);
  decoder_ = make_decoder(*what);
  raw_.resize(std::max(got, compressed_bytes));
  std::copy_n(into.begin(), got, raw_.begin());
  pending_ = {raw_.data(), got};
  return decoded(into);
}

std::size_t input_bytes::read(std::span<char> into) {
  if (!started_) return read_first(into);
  return compressed() ? decoded(into) : read_raw(into);
}

bool input_bytes::ready(int milliseconds) const noexcept {
  pollfd one{file_.descriptor(), POLLIN, 0};
  return input_.regular || !pending_.empty() || ::poll(&one, 1, milliseconds) != 0;  // read() tells what is wrong
}

std::size_t input_bytes::decoded(std::span<char> into) try {
  for (;;) {
    auto const step = decoder_->decode(pending_, into);
    pending_.remove_prefix(step.taken);
    if (step.made != 0) return step.made;
    if (step.taken != 0) continue;
    if (!pending_.empty()) throw error(errc::corrupt, "its compressed data is damaged");
    auto const got = read_raw(raw_);
    pending_ = {raw_.data(), got};
    if (got != 0) continue;
    if (!decoder_->at_an_end()) throw error(errc::corrupt, "its compressed data ends too soon: the end is missing");
    return 0;
  }
} catch (error const& e) {
  if (e.code() != errc::corrupt) throw;
  throw error(errc::corrupt, fmt::format("cannot read {}: {}", shown_name(input_), e.what()));
}

}  // namespace hortus::cli
