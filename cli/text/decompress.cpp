#include "cli/text/decompress.hpp"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <new>
#include <string>

#include <hortus/error.hpp>

namespace hortus::cli {
namespace {

using namespace std::string_view_literals;

struct signature {
  content what;
  std::string_view bytes;
  std::size_t loose = std::string_view::npos;  // position of a byte of which only the upper four bits count
};
constexpr signature signatures[] = {
    {content::gzip, "\x1f\x8b\x08"sv},
    {content::zstd, "\x28\xb5\x2f\xfd"sv},
    {content::zstd, "\x50\x2a\x4d\x18"sv, 0},  // a skippable frame, with which some compressors begin
    {content::xz, "\xfd\x37zXZ\x00"sv},
    {content::bzip2, "BZh91AY&SY"sv, 3},
    {content::bzip2, "BZh9\x17\x72\x45\x38\x50\x90"sv, 3},  // an empty file, compressed
    {content::lz4, "\x04\x22\x4d\x18"sv},
    {content::zip, "PK\x03\x04"sv},
    {content::zip, "PK\x05\x06"sv},  // an empty archive
    {content::filter, "\x89HORTUS\n"sv},
};
static_assert(std::ranges::all_of(signatures, [](auto const& s) { return s.bytes.size() <= most_telling_bytes; }));

/// Do they agree up to the end of the shorter one?
bool agrees(std::string_view start, signature const& s) {
  for (std::size_t i = 0; i < std::min(start.size(), s.bytes.size()); ++i) {
    auto const differs = static_cast<unsigned char>(start[i] ^ s.bytes[i]);
    if ((i == s.loose ? differs & 0xf0 : differs) != 0) return false;
  }
  return true;
}

[[noreturn]] void damaged(char const* format, char const* why) {
  throw error(errc::corrupt, fmt::format("its {} data is damaged: {}", format, why == nullptr ? "no reason known" : why));
}

[[noreturn]] void goes_on() {
  throw error(errc::corrupt, "after the end of the compressed data come bytes that are not compressed");
}

class gzip_decoder final : public decoder {
 public:
  gzip_decoder() {
    constexpr int gzip_only = 16;
    if (::inflateInit2(&stream_, MAX_WBITS + gzip_only) != Z_OK) throw std::bad_alloc();
  }
  ~gzip_decoder() override { ::inflateEnd(&stream_); }

  step decode(std::string_view in, std::span<char> out) override {
    if (ended_) {
      if (in.empty()) return {};
      padded_ = padded_ || in.front() == '\0';  // zeros up to the end of a block, as on tapes
      if (padded_) {
        if (in.find_first_not_of('\0') != std::string_view::npos) goes_on();
        return {.taken = in.size()};
      }
      if (in.front() != '\x1f') goes_on();
      ::inflateReset(&stream_);
      ended_ = false;
    }
    constexpr std::size_t most = std::size_t{1} << 30;  // zlib counts in unsigned int
    in = in.substr(0, most);
    out = out.first(std::min(out.size(), most));
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    auto const result = ::inflate(&stream_, Z_NO_FLUSH);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result == Z_STREAM_END) {
      ended_ = another_ = true;
    } else if (result != Z_OK && result != Z_BUF_ERROR) {  // Z_BUF_ERROR: it needs more input
      constexpr uLong header_bytes = 10;
      if (another_ && stream_.total_in < header_bytes) goes_on();
      damaged("gzip", stream_.msg);
    }
    return {.taken = in.size() - stream_.avail_in, .made = out.size() - stream_.avail_out};
  }
  [[nodiscard]] bool at_an_end() const override { return ended_; }

 private:
  z_stream stream_{};
  bool ended_ = false;
  bool another_ = false;  // not the first member
  bool padded_ = false;
};

class zstd_decoder final : public decoder {
 public:
  zstd_decoder() : stream_(::ZSTD_createDStream()) {
    if (!stream_) throw std::bad_alloc();
    (void)::ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, window_log);
  }

  step decode(std::string_view in, std::span<char> out) override {
    if (at_an_end()) {
      if (in.empty()) return {};  // zstd would begin another frame
      if (in.front() != '\x28' && (in.front() & 0xf0) != 0x50) goes_on();
    }
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    wanted_ = ::ZSTD_decompressStream(stream_.get(), &to, &from);
    if (::ZSTD_isError(wanted_) != 0) refuse();
    another_ = another_ || wanted_ == 0;
    return {.taken = from.pos, .made = to.pos};
  }
  [[nodiscard]] bool at_an_end() const override { return wanted_ == 0; }

 private:
  static constexpr int window_log = 27;
  struct free_stream {
    void operator()(ZSTD_DStream* s) const noexcept { ::ZSTD_freeDStream(s); }
  };

  [[noreturn]] void refuse() const {
    switch (::ZSTD_getErrorCode(wanted_)) {
      case ZSTD_error_memory_allocation:
        throw std::bad_alloc();
      case ZSTD_error_frameParameter_windowTooLarge:
        throw error(errc::corrupt, "it was compressed with a window of more than 128 MiB: zstd -dc --long=31 unpacks it");
      case ZSTD_error_prefix_unknown:
        if (another_) goes_on();
        [[fallthrough]];
      default:
        damaged("zstd", ::ZSTD_getErrorName(wanted_));
    }
  }

  std::unique_ptr<ZSTD_DStream, free_stream> stream_;
  std::size_t wanted_ = 1;  // zstd's hint of bytes still to come in the frame; 0 at its end
  bool another_ = false;    // not the first frame
};

}  // namespace

std::optional<content> content_of(std::string_view start, bool all) {
  bool open = false;
  for (auto const& s : signatures) {
    if (!agrees(start, s)) continue;
    if (start.size() >= s.bytes.size()) return s.what;
    open = true;
  }
  if (open && !all) return std::nullopt;
  return content::plain;
}

std::unique_ptr<decoder> make_decoder(content what) {
  if (what == content::gzip) return std::make_unique<gzip_decoder>();
  return std::make_unique<zstd_decoder>();
}

}  // namespace hortus::cli
