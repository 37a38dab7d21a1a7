#include "redis/aof.hpp"

#include <array>
#include <cstddef>

namespace hortus::server {
namespace {

/// Redis' checksum: CRC-64 of Jones, reflected, from 0 on.
constexpr auto checksums_of_bytes = [] {
  constexpr std::uint64_t polynomial = 0x95ac9329ac4bc9b5U;
  std::array<std::uint64_t, 256> all{};
  for (std::size_t byte = 0; byte < all.size(); ++byte) {
    std::uint64_t sum = byte;
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum % 2 != 0 ? polynomial : 0);
    all[byte] = sum;
  }
  return all;
}();

std::uint64_t checksum(std::string_view bytes) noexcept {
  std::uint64_t sum = 0;
  for (char const c : bytes) sum = checksums_of_bytes[(sum ^ static_cast<unsigned char>(c)) & 0xff] ^ sum >> 8;
  return sum;
}

std::string_view view(api::string const* text) noexcept {
  std::size_t size = 0;
  char const* const bytes = api::StringPtrLen(text, &size);
  return {bytes, size};
}

void append(api::string* to, std::string_view bytes) noexcept {
  api::StringAppendBuffer(nullptr, to, bytes.data(), bytes.size());
}
void append_little_endian(api::string* to, std::uint64_t word, std::size_t bytes) noexcept {
  for (; bytes != 0; --bytes, word >>= 8) {
    char const byte = static_cast<char>(word & 0xff);
    append(to, {&byte, 1});
  }
}

constexpr char module_value = 7;
constexpr char eight_bytes_follow = static_cast<char>(0x81);
constexpr char end_of_module_value = 0;
constexpr std::uint64_t rdb_version = 10;  // of Redis 7.0; later servers read it

}  // namespace

std::uint64_t type_number(std::string_view name, unsigned encoding_version) noexcept {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::uint64_t number = 0;
  for (char const c : name) number = number << 6 | digits.find(c);
  return number << 10 | encoding_version;
}

/// Redis ends the process that rewrites the file if there is no memory for these strings; the server keeps the old file.
void emit_restore(api::stream* to, api::string* key, void* value, api::type const* type, std::uint64_t number) {
  api::string* const fields = api::SaveDataTypeToString(nullptr, value, type);
  if (fields == nullptr) return;
  char const head[] = {module_value, eight_bytes_follow};
  api::string* const dump = api::CreateString(nullptr, head, sizeof head);
  append_little_endian(dump, __builtin_bswap64(number), sizeof number);  // it is the only one with the highest byte first
  append(dump, view(fields));
  append(dump, {&end_of_module_value, 1});
  append_little_endian(dump, rdb_version, 2);
  append_little_endian(dump, checksum(view(dump)), sizeof(std::uint64_t));
  api::EmitAOF(to, "RESTORE", "sls", key, 0LL, dump);
  api::FreeString(nullptr, dump);
  api::FreeString(nullptr, fields);
}

}  // namespace hortus::server
