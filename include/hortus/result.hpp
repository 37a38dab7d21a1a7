#pragma once
#include <new>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include <hortus/error.hpp>

namespace hortus {

/// A value, or the reason why there is none. Functions return it that report errors without throwing.
///
///     if (auto const filter = try_from_bytes<bloom_filter>(bytes)) use(*filter);
///     else log(filter.message());
template <class T>
class [[nodiscard]] result {
 public:
  /// The result of act(), or the error that it throws. Copying an error does not allocate, so this throws nothing. hortus
  /// throws only hortus::error and std::bad_alloc; any other exception ends the program.
  template <class Act>
  static result of(Act act) noexcept {
    try {
      return result(act());
    } catch (error const& why) {
      return result(std::optional<error>(why));
    } catch (std::bad_alloc const&) {
      return result(std::optional<error>());
    }
  }

  [[nodiscard]] bool has_value() const noexcept { return held_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  /// Pre: has_value().
  [[nodiscard]] T& operator*() & noexcept { return *std::get_if<0>(&held_); }
  [[nodiscard]] T const& operator*() const& noexcept { return *std::get_if<0>(&held_); }
  [[nodiscard]] T&& operator*() && noexcept { return std::move(*std::get_if<0>(&held_)); }
  [[nodiscard]] T* operator->() noexcept { return std::get_if<0>(&held_); }
  [[nodiscard]] T const* operator->() const noexcept { return std::get_if<0>(&held_); }

  /// The value; throws the error if there is none.
  [[nodiscard]] T& value() & { return check(), **this; }
  [[nodiscard]] T const& value() const& { return check(), **this; }
  [[nodiscard]] T&& value() && { return check(), std::move(**this); }

  /// Pre: !has_value(). The kind of failure, and a message for users.
  [[nodiscard]] errc code() const noexcept { return reason() ? reason()->code() : errc::no_memory; }
  [[nodiscard]] char const* message() const noexcept {
    return reason() ? reason()->what() : "there is not enough memory for it";
  }

 private:
  static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_copy_constructible_v<error>);

  explicit result(T value) noexcept : held_(std::in_place_index<0>, std::move(value)) {}
  explicit result(std::optional<error> why) noexcept : held_(std::in_place_index<1>, std::move(why)) {}

  [[nodiscard]] std::optional<error> const& reason() const noexcept { return *std::get_if<1>(&held_); }
  void check() const {
    if (has_value()) return;
    if (reason()) throw error(*reason());
    throw std::bad_alloc();
  }

  std::variant<T, std::optional<error>>
      held_;  // an empty optional stands for std::bad_alloc: there may be no memory even for a message
};

}  // namespace hortus
