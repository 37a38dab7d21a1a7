#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <hortus/any/any_filter.hpp>

#include "redis/background.hpp"
#include "redis/memory.hpp"

namespace hortus::server {

/// The value of a key to which the file of a filter comes in pieces. It is of a type of its own, so that no other command takes
/// it for a filter: the filter takes its place when all pieces are there and verified. It is saved, loaded and replicated as it
/// is, so that an import goes on after a restart or a failover.
class import_value {
 public:
  static api::type* type;

  /// Begins with the first piece. Throws errc::corrupt if that has no valid header.
  explicit import_value(std::span<std::byte const> first);

  [[nodiscard]] std::uint64_t file_bytes() const noexcept { return file_bytes_; }
  [[nodiscard]] std::uint64_t came() const noexcept { return came_; }
  /// Shared, because work in the background may outlive the key.
  using piece_list = std::vector<buffer, redis_allocator<buffer>>;
  [[nodiscard]] std::shared_ptr<piece_list const> pieces() const noexcept { return pieces_; }
  [[nodiscard]] reading_marks& marks() noexcept { return marks_; }
  [[nodiscard]] std::size_t allocated() const noexcept;

  /// Pre: it does not exceed file_bytes(), and no work reads the pieces
  void add(std::span<std::byte const> piece);

 private:
  std::uint64_t file_bytes_;
  std::uint64_t came_ = 0;
  std::shared_ptr<piece_list> pieces_ = std::allocate_shared<piece_list>(redis_allocator<piece_list>());
  reading_marks marks_;
};

bool add_import_type(api::context* to);

}  // namespace hortus::server
