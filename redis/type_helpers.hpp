#pragma once
#include <cstddef>
#include <exception>
#include <span>
#include <utility>

#include <hortus/error.hpp>

#include "redis/api.hpp"

namespace hortus::server {

/// A string from an RDB file. Throws errc::corrupt where there is none.
class loaded_string {
 public:
  loaded_string() noexcept = default;
  explicit loaded_string(api::stream* from) : data_(api::LoadStringBuffer(from, &size_)) {
    if (api::IsIOError(from) != 0 || data_ == nullptr) {
      api::Free(std::exchange(data_, nullptr));
      throw error(errc::corrupt, "the data ends too early");
    }
  }
  loaded_string(loaded_string const&) = delete;
  loaded_string& operator=(loaded_string const&) = delete;
  loaded_string(loaded_string&& other) noexcept { swap(other); }
  loaded_string& operator=(loaded_string&& other) noexcept {
    swap(other);
    return *this;
  }
  ~loaded_string() { api::Free(data_); }
  [[nodiscard]] std::span<std::byte const> bytes() const noexcept { return {reinterpret_cast<std::byte const*>(data_), size_}; }

 private:
  void swap(loaded_string& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }
  std::size_t size_ = 0;
  char* data_ = nullptr;
};

/// What load() returns; null, after saying why in Redis' log, if it throws.
template <class Load>
void* loaded(api::stream* from, char const* what, Load load) noexcept {
  try {
    return load();
  } catch (std::exception const& why) {
    api::LogIOError(from, "warning", "cannot load %s: %s", what, why.what());
    return nullptr;
  }
}

}  // namespace hortus::server
