// Any bytes at all, as a file and through a socket in pieces: the line reader gives the keys that a loop over the bytes does,
// says how many bytes those were, and the faster pass that only counts agrees. The first byte chooses separator and ends of
// lines, the second how often the rest is repeated in the file (past the buffer) and how long the pieces are in the socket.
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "../cli/lines.hpp"

namespace {

using hortus::cli::line_format;
using hortus::cli::line_reader;

void require(bool holds, char const* what) {
  if (holds) return;
  std::fprintf(stderr, "not true: %s\n", what);
  std::abort();
}

std::vector<std::string_view> keys_of(std::string_view text, line_format format) {
  std::vector<std::string_view> keys;
  while (!text.empty()) {
    auto const end = std::min(text.find(format.separator), text.size());
    auto key = text.substr(0, end);
    if (format.crlf && key.ends_with('\r')) key.remove_suffix(1);
    keys.push_back(key);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return keys;
}

void check(line_reader in, std::string_view text, std::vector<std::string_view> const& expected) {
  std::size_t at = 0;
  for (std::vector<std::string_view> keys; in.next(keys);) {
    require(!keys.empty() && keys.size() <= line_reader::block_lines, "a block has 1 to 1024 keys");
    for (auto const key : keys) {
      require(at < expected.size(), "no key too many");
      require(key == expected[at++], "the same key");
    }
  }
  require(at == expected.size(), "no key too few");
  require(in.bytes_read() == text.size(), "all bytes are read");
}

void as_file(std::string_view text, line_format format) {
  int const file = ::memfd_create("lines", MFD_CLOEXEC);
  require(file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()), "a file in memory");
  std::array const path{"/proc/self/fd/" + std::to_string(file)};
  auto const keys = keys_of(text, format);
  check(line_reader(path, format), text, keys);
  require(hortus::cli::count_lines(path, format) == keys.size(), "the keys are counted right");
  require(::lseek(file, 0, SEEK_SET) == 0, "from the start again");
  check(line_reader(file, "a descriptor", format), text, keys);
  ::close(file);
}

/// A packet is what one read gives.
void in_pieces(std::string_view text, std::size_t length, line_format format) {
  std::array<int, 2> ends{};
  require(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) == 0, "a pair of sockets");
  std::size_t sent = 0;
  for (; sent < text.size(); sent += std::min(length, text.size() - sent))
    if (::send(ends[0], text.data() + sent, std::min(length, text.size() - sent), MSG_DONTWAIT) < 0) break;  // it is full
  ::close(ends[0]);
  text = text.substr(0, sent);
  check(line_reader(ends[1], "a socket", format), text, keys_of(text, format));
  ::close(ends[1]);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 2) return 0;
  line_format const format{.separator = (data[0] & 1) != 0 ? '\0' : '\n', .crlf = (data[0] & 2) != 0};
  std::string_view const body(reinterpret_cast<char const*>(data) + 2, size - 2);
  in_pieces(body, std::size_t{data[1]} + 1, format);
  bool const long_file = data[0] >= 0xf0;  // seldom: it takes a hundred times longer
  std::string text;
  for (unsigned times = long_file ? 64 * data[1] + 1U : 1; times != 0 && text.size() < 300'000; --times) text += body;
  as_file(text, format);
  return 0;
}
