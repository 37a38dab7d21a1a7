#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string_view>

#include <hortus/error.hpp>

#include "redis/api.hpp"
#include "redis/memory.hpp"

/// The fields of a value: written to RDB files, replicas and DUMP, added to DEBUG DIGEST, and loaded.
namespace hortus::server {

class saver {
 public:
  explicit saver(api::stream* to) noexcept : to_(to) {}
  void integer(std::uint64_t field) const noexcept { api::SaveUnsigned(to_, field); }
  void number(double field) const noexcept { api::SaveDouble(to_, field); }
  void string(std::span<char const> field) const noexcept { api::SaveStringBuffer(to_, field.data(), field.size()); }

 private:
  api::stream* to_;
};

class digester {
 public:
  explicit digester(api::digest_state* to) noexcept : to_(to) {}
  void integer(std::uint64_t field) const noexcept { api::DigestAddLongLong(to_, static_cast<long long>(field)); }
  void number(double field) const noexcept { integer(std::bit_cast<std::uint64_t>(field)); }
  void string(std::span<char const> field) const noexcept { api::DigestAddStringBuffer(to_, field.data(), field.size()); }
  void end() const noexcept { api::DigestEndSequence(to_); }

 private:
  api::digest_state* to_;
};

/// A string of an RDB file or of RESTORE.
class loaded_string {
 public:
  loaded_string(char* bytes, std::size_t size) noexcept : bytes_(bytes), size_(size) {}
  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.get(), size_}; }

 private:
  struct release {
    void operator()(char* bytes) const noexcept { api::Free(bytes); }
  };
  std::unique_ptr<char, release> bytes_;
  std::size_t size_;
};

/// All functions throw hortus::error if the stream has ended, has failed, or has a field of another kind.
class loader {
 public:
  explicit loader(api::stream* from) noexcept : from_(from) {}
  [[nodiscard]] std::uint64_t integer() const { return checked(api::LoadUnsigned(from_)); }
  [[nodiscard]] double number() const { return checked(api::LoadDouble(from_)); }
  [[nodiscard]] loaded_string string() const {
    std::size_t size = 0;
    char* const bytes = api::LoadStringBuffer(from_, &size);
    if (bytes == nullptr) size = 0;
    return checked(loaded_string(bytes, size));
  }

 private:
  template <class Field>
  [[nodiscard]] Field checked(Field field) const {
    if (api::IsIOError(from_) != 0) throw error(errc::corrupt, "the value ends early or has a field of another kind");
    return field;
  }
  api::stream* from_;
};

/// rdb_load of a type: read(loader) makes a T. Whatever it throws means that there is no such value.
template <class T, class Read>
void* load_value(api::stream* from, Read read) noexcept {
  try {
    return new_value<T>(read(loader(from)));
  } catch (std::exception const& why) {
    api::LogIOError(from, "warning", "hortus: %s", why.what());
    return nullptr;
  }
}

}  // namespace hortus::server
