#pragma once
#include <cstdint>
#include <span>

#include <hortus/error.hpp>

#include "redis/api.hpp"
#include "redis/memory.hpp"
#include "redis/redisbloom/cells.hpp"

/// What a type's save() and load() are given: an RDB file, a replica, a DUMP, or the state of DEBUG DIGEST.
namespace hortus::server {

class saved_writer {
 public:
  explicit saved_writer(api::stream* to) noexcept : to_(to) {}
  void number(std::uint64_t value) const noexcept { api::SaveUnsigned(to_, value); }
  void real(double value) const noexcept { api::SaveDouble(to_, value); }
  void bytes(std::span<std::uint8_t const> value) const noexcept {
    api::SaveStringBuffer(to_, reinterpret_cast<char const*>(value.data()), value.size());
  }

 private:
  api::stream* to_;
};

/// Throws hortus::error when the stream ends or breaks. Redis has checked the length of a string against what there is.
class saved_reader {
 public:
  explicit saved_reader(api::stream* from) noexcept : from_(from) {}
  [[nodiscard]] std::uint64_t number() const { return checked(api::LoadUnsigned(from_)); }
  [[nodiscard]] double real() const { return checked(api::LoadDouble(from_)); }
  /// The block that Redis read into becomes the cells: a large filter is not copied.
  [[nodiscard]] redisbloom::cells bytes() const {
    std::size_t size = 0;
    char* const block = api::LoadStringBuffer(from_, &size);
    if (block != nullptr) count_adopted(block);
    auto adopted = redisbloom::cells::adopt(block, size);
    return checked(std::move(adopted));
  }

 private:
  template <class T>
  T checked(T value) const {
    if (api::IsIOError(from_) != 0) throw error(errc::corrupt, "a saved filter ends too early");
    return value;
  }
  api::stream* from_;
};

class digest_writer {
 public:
  explicit digest_writer(api::digest_state* to) noexcept : to_(to) {}
  void number(std::uint64_t value) const noexcept { api::DigestAddLongLong(to_, static_cast<long long>(value)); }
  void real(double value) const noexcept { add(&value, sizeof value); }
  void bytes(std::span<std::uint8_t const> value) const noexcept { add(value.data(), value.size()); }
  void end() const noexcept { api::DigestEndSequence(to_); }

 private:
  void add(void const* bytes, std::size_t size) const noexcept {
    api::DigestAddStringBuffer(to_, static_cast<char const*>(bytes), size);
  }
  api::digest_state* to_;
};

}  // namespace hortus::server
