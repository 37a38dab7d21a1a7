// Arbitrary bytes, as a file and in pieces through a socket. The line reader must deliver the same keys as a simple loop
// over the bytes and report the same number of bytes. The same holds for the bytes after compression. Read as if they were
// compressed, the bytes must give keys or an error. Fields, columns of CSV, folded case and integers must be as short as
// their lines, and each line must come once and in order. The first byte chooses the separator, the line endings, whether
// to compress and the part of the line. The second byte chooses how often the rest is repeated in the file (past the buffer)
// and the length of the pieces in the socket.
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <hortus/error.hpp>

#include "../cli/text/lines.hpp"
#include "../cli/text/records.hpp"

namespace {

using hortus::cli::decompress;
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

void check(line_reader in, std::uint64_t bytes, std::vector<std::string_view> const& expected) {
  std::size_t at = 0;
  for (std::vector<std::string_view> keys; in.next(keys);) {
    require(!keys.empty() && keys.size() <= line_reader::block_lines, "a block has 1 to 1024 keys");
    for (auto const key : keys) {
      require(at < expected.size(), "no key too many");
      require(key == expected[at++], "the same key");
    }
  }
  require(at == expected.size(), "no key too few");
  require(in.bytes_read() == bytes, "all bytes are read");
}

/// A file in memory with these bytes.
class memory_file {
 public:
  explicit memory_file(std::string_view bytes) : file_(::memfd_create("lines", MFD_CLOEXEC)) {
    require(file_ >= 0 && ::write(file_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), "a file in memory");
  }
  memory_file(memory_file const&) = delete;
  memory_file& operator=(memory_file const&) = delete;
  ~memory_file() { ::close(file_); }
  [[nodiscard]] std::array<std::string, 1> path() const { return {"/proc/self/fd/" + std::to_string(file_)}; }
  [[nodiscard]] int from_start() const {
    require(::lseek(file_, 0, SEEK_SET) == 0, "from the start again");
    return file_;
  }

 private:
  int file_;
};

/// Checks a file of these bytes, whose keys are those of the text.
void as_file(std::string_view bytes, std::string_view text, line_format format) {
  memory_file const file(bytes);
  auto const keys = keys_of(text, format);
  check(line_reader(file.path(), format), bytes.size(), keys);
  check(line_reader(file.from_start(), "a descriptor", format), bytes.size(), keys);
}

std::string gzipped(std::string_view text) {
  z_stream stream{};
  require(::deflateInit2(&stream, 1, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK, "a compressor");
  std::string bytes(::deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  require(::deflate(&stream, Z_FINISH) == Z_STREAM_END, "room for all of it");
  bytes.resize(stream.total_out);
  ::deflateEnd(&stream);
  return bytes;
}

std::string zstandard(std::string_view text) {
  std::string bytes(::ZSTD_compressBound(text.size()), '\0');
  bytes.resize(::ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), 1));
  return bytes;
}

/// Reads bytes that may look compressed: they give keys or an error. A small input can decompress to very many keys.
void as_they_look(std::string_view bytes, line_format format) {
  memory_file const file(bytes);
  format.unpack = decompress::yes;
  std::uint64_t keys = 0;
  try {
    line_reader in(file.path(), format);
    for (std::vector<std::string_view> block; keys < 1'000'000 && in.next(block);) keys += block.size();
  } catch (hortus::error const&) {
  }
}

/// Checks the parts of lines that are keys. Bytes that are no CSV or no integers are refused.
void in_parts(std::string_view bytes, line_format format, unsigned choice) {
  using hortus::cli::record_block;
  memory_file const file(bytes);
  hortus::cli::key_part part{.ignore_case = (choice & 1) != 0, .integers = (choice & 7) == 6};
  if ((choice & 2) != 0) {
    part.column = (choice & 8) != 0 ? "2" : "a";
    part.header = (choice & 8) == 0;
  } else {
    part.field = choice % 3;
  }
  if ((choice & 4) != 0) part.delimiter = ',';
  auto const lines = keys_of(bytes, format);
  std::size_t at = 0;
  try {
    hortus::cli::record_reader in({}, file.path(), format, part, [](std::string const&) {});
    for (record_block block; in.next(block); at += block.lines.size()) {
      require(block.first_line == at + 1 && !block.lines.empty(), "every line, in order");
      require(block.keys.size() == (block.what == record_block::kind::keys ? block.lines.size() : 0), "a key a line, or none");
      for (std::size_t i = 0; i < block.keys.size(); ++i) {
        require(block.keys[i].size() <= block.lines[i].size(), "a key is a part of its line");
        for (char const c : block.keys[i]) require(!part.ignore_case || c < 'A' || c > 'Z', "no upper case");
      }
    }
    require(at == lines.size(), "no line is lost");
  } catch (hortus::error const&) {
    require(part.is_csv() || part.integers, "what is neither CSV nor integers is not refused");
  }
}

/// Checks the text in pieces: each packet of the socket is one read.
void in_pieces(std::string_view text, std::size_t length, line_format format) {
  std::array<int, 2> ends{};
  require(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) == 0, "a pair of sockets");
  std::size_t sent = 0;
  for (; sent < text.size(); sent += std::min(length, text.size() - sent))
    if (::send(ends[0], text.data() + sent, std::min(length, text.size() - sent), MSG_DONTWAIT) < 0) break;  // buffer full
  ::close(ends[0]);
  text = text.substr(0, sent);
  check(line_reader(ends[1], "a socket", format), text.size(), keys_of(text, format));
  ::close(ends[1]);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 2) return 0;
  line_format const format{.separator = (data[0] & 1) != 0 ? '\0' : '\n', .crlf = (data[0] & 2) != 0, .unpack = decompress::no};
  std::string_view const body(reinterpret_cast<char const*>(data) + 2, size - 2);
  in_pieces(body, std::size_t{data[1]} + 1, format);
  bool const long_file = data[0] >= 0xf0;  // rarely, because it takes a hundred times longer
  std::string text;
  for (unsigned times = long_file ? 64 * data[1] + 1U : 1; times != 0 && text.size() < 300'000; --times) text += body;
  as_file(text, text, format);
  in_parts(text, format, data[0] / 16U ^ data[1]);
  as_they_look(body, format);
  auto const unpacked = line_format{.separator = format.separator, .crlf = format.crlf, .unpack = decompress::yes};
  if ((data[0] & 4) != 0) as_file(gzipped(text), text, unpacked);
  if ((data[0] & 8) != 0) as_file(zstandard(text), text, unpacked);
  return 0;
}
