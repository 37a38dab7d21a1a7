#include <fcntl.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <hortus/error.hpp>

#include "cli/text/lines.hpp"
#include "tests/cli/scratch_lines.hpp"

/// Compressed lines must give the same keys as uncompressed ones, or an error, and never a key that was not written.
namespace hortus::cli {
namespace {

using namespace std::string_literals;
using keys = std::vector<std::string>;

/// One gzip member, flushed after every `piece` bytes, so that these can be read as soon as they arrive.
std::string gzipped(std::string_view text, std::size_t piece = std::string::npos) {
  z_stream stream{};
  if (::deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  std::string made(::deflateBound(&stream, text.size()) + 100 + 10 * (text.size() / std::max<std::size_t>(piece, 1)), '\0');
  stream.next_out = reinterpret_cast<Bytef*>(made.data());
  stream.avail_out = static_cast<uInt>(made.size());
  do {
    auto const now = text.substr(0, piece);
    text.remove_prefix(now.size());
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(now.data()));
    stream.avail_in = static_cast<uInt>(now.size());
    (void)::deflate(&stream, text.empty() ? Z_FINISH : Z_SYNC_FLUSH);
  } while (!text.empty());
  made.resize(stream.total_out);
  ::deflateEnd(&stream);
  return made;
}

/// One frame, with a checksum.
std::string zstandard(std::string_view text) {
  auto* const stream = ::ZSTD_createCCtx();
  (void)::ZSTD_CCtx_setParameter(stream, ZSTD_c_checksumFlag, 1);
  std::string made(::ZSTD_compressBound(text.size()), '\0');
  made.resize(::ZSTD_compress2(stream, made.data(), made.size(), text.data(), text.size()));
  (void)::ZSTD_freeCCtx(stream);
  return made;
}

/// A hand-made zstd frame: up to 63 bytes stored uncompressed, and the window size, 2^window_log.
std::string frame_with_window(int window_log, std::string_view text) {
  auto const window = static_cast<char>((window_log - 10) << 3);
  auto const block = static_cast<unsigned>(text.size() << 3 | 1);  // the last one, stored
  return "\x28\xb5\x2f\xfd\0"s + window + static_cast<char>(block & 0xff) + static_cast<char>(block >> 8) + '\0' +
         std::string(text);
}

std::string skipped_frame(std::string_view text) {
  return "\x5a\x2a\x4d\x18"s + static_cast<char>(text.size()) + "\0\0\0"s + std::string(text);
}

keys read_all(line_reader& in) {
  keys all;
  for (std::vector<std::string_view> block; in.next(block);) all.insert(all.end(), block.begin(), block.end());
  return all;
}

keys keys_of(std::string_view bytes, line_format format = {}) {
  scratch_file const file(bytes);
  line_reader in(std::vector{file.path}, format);
  auto all = read_all(in);
  EXPECT_EQ(in.bytes_read(), bytes.size()) << "progress is by the bytes of the file";
  EXPECT_EQ(in.total_bytes(), bytes.size());
  return all;
}

keys keys_through_pipe(std::string_view bytes, std::size_t piece) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  std::thread writer([&] {
    for (auto rest = bytes; !rest.empty(); rest.remove_prefix(std::min(piece, rest.size())))
      write_all(ends[1], rest.substr(0, piece));
    ::close(ends[1]);
  });
  keys all;
  try {
    line_reader in(ends[0], "pipe");
    all = read_all(in);
  } catch (error const& e) {
    all = {e.what()};
  }
  for (std::array<char, 4096> rest; ::read(ends[0], rest.data(), rest.size()) > 0;) {
  }
  writer.join();
  ::close(ends[0]);
  return all;
}

/// The error message, which must be the same for the file and for a pipe except for the name.
std::string refusal(std::string_view bytes) {
  scratch_file const file(bytes);
  std::string what = "no error";
  try {
    line_reader in(std::vector{file.path});
    (void)read_all(in);
  } catch (error const& e) {
    what = e.what();
  }
  if (auto const at = what.find(file.path); at != std::string::npos) what.replace(at, file.path.size(), "pipe");
  if (auto const at = what.find(file.path); at != std::string::npos) what.replace(at, file.path.size(), "pipe");
  auto const piped = keys_through_pipe(bytes, 7);
  EXPECT_EQ(piped.empty() ? "" : piped.front(), what);
  return what;
}

std::string some_text(std::size_t lines) {
  std::mt19937_64 random(7);
  std::string text;
  for (std::size_t i = 0; i < lines; ++i) text += std::to_string(random() >> random() % 50) + '\n';
  return text;
}

TEST(compressed_lines, are_the_lines_that_were_compressed) {
  for (std::size_t const lines : {0U, 1U, 2U, 1000U, 200'000U}) {
    auto const text = some_text(lines);
    auto const wanted = keys_of(text);
    EXPECT_EQ(wanted.size(), lines);
    auto const cut = text.size() / 3;
    auto const first = text.substr(0, cut);
    auto const second = text.substr(cut);
    for (auto const& bytes :
         {gzipped(text), zstandard(text), gzipped(first) + gzipped("") + gzipped(second), zstandard(first) + zstandard(second),
          skipped_frame("what?") + zstandard(first) + skipped_frame("") + zstandard("") + zstandard(second)}) {
      EXPECT_EQ(keys_of(bytes), wanted);
      EXPECT_EQ(keys_through_pipe(bytes, 1 + bytes.size() / 50), wanted);
      if (lines <= 2) {
        EXPECT_EQ(keys_through_pipe(bytes, 1), wanted);
      }
    }
  }
}

TEST(compressed_lines, among_plain_ones_each_file_for_itself) {
  scratch_file const a("one\ntwo");
  scratch_file const b(gzipped("three\nfour"));
  scratch_file const c(zstandard("\nfive"));
  line_reader in(std::vector{a.path, b.path, c.path, a.path});
  EXPECT_EQ(read_all(in), (keys{"one", "two", "three", "four", "", "five", "one", "two"}));
  EXPECT_EQ(in.bytes_read(), in.total_bytes());
}

TEST(compressed_lines, from_a_descriptor_are_read_from_where_it_stands) {
  scratch_file const file("skipped\n" + gzipped("one\ntwo"));
  int const descriptor = ::open(file.path.c_str(), O_RDONLY);
  ASSERT_EQ(::lseek(descriptor, 8, SEEK_SET), 8);
  int const saved = ::dup(0);
  ::dup2(descriptor, 0);
  line_reader in(std::vector<std::string>{});
  EXPECT_EQ(read_all(in), (keys{"one", "two"}));
  ::dup2(saved, 0);
  ::close(saved);
  ::close(descriptor);
}

TEST(compressed_lines, cut_off_anywhere_are_an_error) {
  auto const text = some_text(50);
  for (auto const& whole : {gzipped(text), zstandard(text), gzipped(text) + gzipped(text), zstandard(text) + zstandard(text)}) {
    auto const half = whole.size() / 2;
    for (std::size_t bytes = 4; bytes < whole.size(); ++bytes) {
      bool const twice = whole == whole.substr(0, half) + whole.substr(0, half);
      if (twice && bytes == half) continue;  // a complete member
      EXPECT_NE(refusal(whole.substr(0, bytes)).find("ends too soon"), std::string::npos) << bytes;
    }
  }
}

TEST(compressed_lines, with_a_flipped_bit_are_an_error_or_the_same) {
  auto const text = some_text(30);
  for (auto const& whole : {gzipped(text), zstandard(text)}) {
    auto const wanted = keys_of(whole);
    int noticed = 0;
    for (std::size_t bit = 4 * 8; bit < whole.size() * 8; ++bit) {
      auto bad = whole;
      bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
      scratch_file const file(bad);
      try {
        line_reader in(std::vector{file.path});
        EXPECT_EQ(read_all(in), wanted) << bit;  // the time and system fields of the gzip header
      } catch (error const& e) {
        EXPECT_EQ(e.code(), errc::corrupt);
        ++noticed;
      }
    }
    EXPECT_GT(noticed, 0.9 * static_cast<double>(8 * whole.size() - 8 * 10));
  }
}

TEST(compressed_lines, followed_by_something_else_are_an_error_that_says_so) {
  for (auto const& end : {"garbage"s, "\x1f(garbage"s, "(garbage"s, "\n"s, "\0\0x"s}) {
    EXPECT_NE(refusal(gzipped("one\ntwo\n") + end).find("after the end of the compressed data"), std::string::npos) << end;
    EXPECT_NE(refusal(zstandard("one\n") + end).find("after the end of the compressed data"), std::string::npos);
  }
  EXPECT_EQ(keys_of(gzipped("one\n") + std::string(1000, '\0')), keys{"one"}) << "filled up to a block, as on a tape";
}

TEST(compressed_lines, with_a_window_of_more_than_128_MiB_are_an_error_that_says_so) {
  EXPECT_EQ(keys_of(frame_with_window(27, "one\ntwo\n")), (keys{"one", "two"}));
  EXPECT_NE(refusal(frame_with_window(28, "one\ntwo\n")).find("a window of more than 128 MiB"), std::string::npos);
}

TEST(compressed_lines, in_other_formats_are_refused_with_the_remedy) {
  EXPECT_EQ(refusal("\xfd"s + "7zXZ\0..."s),
            "'pipe' looks compressed (xz): xzcat pipe | hortus ...; --no-decompress takes its bytes for keys");
  EXPECT_NE(refusal("BZh91AY&SY...").find("looks compressed (bzip2): bzcat"), std::string::npos);
  EXPECT_NE(refusal("\x04\x22\x4d\x18...").find("looks compressed (lz4): lz4cat"), std::string::npos);
  EXPECT_NE(refusal("PK\x03\x04...").find("looks compressed (zip): unzip -p"), std::string::npos);
  EXPECT_NE(refusal("\x89HORTUS\n...").find("is a hortus filter, not a list of keys"), std::string::npos);
}

TEST(compressed_lines, are_told_from_lines_that_look_a_little_like_it) {
  for (auto const& text :
       {"BZhang\nBZh9\n"s, "BZh9"s, "PKW\n"s, "\x1f\x8b\n"s, "\x1f"s, "(\n"s, "\x89HORTUS"s, "7z\n"s, "P"s}) {
    EXPECT_EQ(keys_of(text), keys_through_pipe(text, 1));
    EXPECT_EQ(keys_of(text).front(), text.substr(0, text.find('\n')));
  }
  EXPECT_EQ(content_of("BZh", false), std::nullopt);
  EXPECT_EQ(content_of("BZh", true), content::plain);
  EXPECT_EQ(content_of("", false), std::nullopt);
  EXPECT_EQ(content_of("", true), content::plain);
}

TEST(compressed_lines, are_bytes_like_others_when_nothing_is_to_be_unpacked) {
  line_format const raw{.unpack = decompress::no};
  for (auto const& bytes : {gzipped("one\n"), zstandard("two\n"), "\x89HORTUS\nx\n"s, "PK\x03\x04\n"s}) {
    auto const all = keys_of(bytes, raw);
    ASSERT_FALSE(all.empty());
    EXPECT_EQ(all.front(), bytes.substr(0, bytes.find('\n')));
  }
}

TEST(compressed_lines, through_a_slow_pipe_are_answered_at_once) {
  auto const bytes = gzipped("a\nb\nc\nd\n", 4);
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  line_reader in(ends[0], "pipe");
  std::vector<std::string_view> block;
  auto const flushed = bytes.find("\x00\x00\xff\xff"s) + 4;  // the end of the flushed part
  write_all(ends[1], bytes.substr(0, flushed));
  ASSERT_TRUE(in.next(block));  // would wait for ever if it wanted more
  EXPECT_EQ(keys(block.begin(), block.end()), (keys{"a", "b"}));
  write_all(ends[1], bytes.substr(flushed));
  ASSERT_TRUE(in.next(block));
  EXPECT_EQ(keys(block.begin(), block.end()), (keys{"c", "d"}));
  ::close(ends[1]);
  EXPECT_FALSE(in.next(block));
  ::close(ends[0]);
}

TEST(compressed_lines, are_read_in_bounded_memory) {
  std::string text;
  for (int i = 0; i < 2'000'000; ++i) text += "a line of some length\n";
  for (auto const& bytes : {gzipped(text), zstandard(text)}) {
    scratch_file const file(bytes);
    auto const in_use = [] {
      auto const info = ::mallinfo2();
      return info.uordblks + info.hblkhd;
    };
    auto const before = in_use();
    line_reader in(std::vector{file.path});
    std::size_t most = 0;
    std::size_t lines = 0;
    for (std::vector<std::string_view> block; in.next(block);) {
      lines += block.size();
      most = std::max(most, in_use());
    }
    EXPECT_EQ(lines, 2'000'000u);
    EXPECT_LT(most - before, std::size_t{16} << 20);
  }
}

}  // namespace
}  // namespace hortus::cli
