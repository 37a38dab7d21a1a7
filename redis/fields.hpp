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
  void number(std::uint64_t field) const noexcept { api::SaveUnsigned(to_, field); }
  void real(double field) const noexcept { api::SaveDouble(to_, field); }
  void bytes(auto const& field) const noexcept {
    std::span const all(field);
    api::SaveStringBuffer(to_, reinterpret_cast<char const*>(all.data()), all.size_bytes());
  }

 private:
  api::stream* to_;
};

class digester {
 public:
  explicit digester(api::digest_state* to) noexcept : to_(to) {}
  void number(std::uint64_t field) const noexcept { api::DigestAddLongLong(to_, static_cast<long long>(field)); }
  void real(double field) const noexcept { number(std::bit_cast<std::uint64_t>(field)); }
  void bytes(auto const& field) const noexcept {
    std::span const all(field);
    api::DigestAddStringBuffer(to_, reinterpret_cast<char const*>(all.data()), all.size_bytes());
  }
  void end() const noexcept { api::DigestEndSequence(to_); }

 private:
  api::digest_state* to_;
};

/// A string of an RDB file or of RESTORE.
class loaded_string {
 public:
  loaded_string() noexcept = default;
  loaded_string(char* bytes, std::size_t size) noexcept : bytes_(bytes), size_(bytes == nullptr ? 0 : size) {}
  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.get(), size_}; }
  [[nodiscard]] std::span<std::byte const> bytes() const noexcept { return std::as_bytes(std::span(view())); }
  [[nodiscard]] char* release() noexcept { return bytes_.release(); }  ///< the caller frees it

 private:
  struct release_block {
    void operator()(char* bytes) const noexcept { api::Free(bytes); }
  };
  std::unique_ptr<char, release_block> bytes_;
  std::size_t size_ = 0;
};

/// All functions throw hortus::error if the stream has ended, has failed, or has a field of another kind.
class loader {
 public:
  explicit loader(api::stream* from) noexcept : from_(from) {}
  [[nodiscard]] std::uint64_t number() const { return checked(api::LoadUnsigned(from_)); }
  [[nodiscard]] double real() const { return checked(api::LoadDouble(from_)); }
  [[nodiscard]] loaded_string string() const {
    std::size_t size = 0;
    char* const bytes = api::LoadStringBuffer(from_, &size);
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

/// rdb_load of a type: read(loader) makes a T. Whatever it throws means that there is no such value; Redis' log says why.
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
