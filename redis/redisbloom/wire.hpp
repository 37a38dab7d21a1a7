#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

/// The packed little-endian numbers in the headers of SCANDUMP and LOADCHUNK.
namespace hortus::redisbloom {

static_assert(std::endian::native == std::endian::little, "a big-endian machine needs numbers turned round here");

/// Writes numbers one after the other. Pre: there is room.
class packer {
 public:
  explicit packer(char* to) noexcept : to_(to) {}
  template <class Number>
  packer& put(Number value) noexcept {
    std::memcpy(to_, &value, sizeof value);
    to_ += sizeof value;
    return *this;
  }

 private:
  char* to_;
};

/// Reads them back. Pre: there are as many bytes; who calls it has checked the length of the whole.
class unpacker {
 public:
  explicit unpacker(std::string_view from) noexcept : from_(from.data()) {}
  template <class Number>
  [[nodiscard]] Number take() noexcept {
    Number value;
    std::memcpy(&value, from_, sizeof value);
    from_ += sizeof value;
    return value;
  }

 private:
  char const* from_;
};

}  // namespace hortus::redisbloom
