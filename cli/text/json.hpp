#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace hortus::cli {

/// A template, because a type with a json_value in it is complete only after that, and json_value holds a vector of them.
template <class Value>
struct named_json {
  std::string name;
  Value value;
};

/// A JSON value for --json. Names keep their order. nlohmann-json prints it; it would be compiled again in every file that
/// includes it, 3 s each, so commands use this class and only json.cpp includes the library.
class json_value {
 public:
  using member = named_json<json_value>;
  using array_type = std::vector<json_value>;
  using object_type = std::vector<member>;
  using content = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, array_type, object_type>;

  json_value() = default;  ///< null
  // NOLINTBEGIN(google-explicit-constructor): what JSON can say is a JSON value
  json_value(std::nullptr_t) {}
  json_value(bool value) : value_(value) {}
  json_value(double value) : value_(value) {}
  template <std::unsigned_integral T>
  requires(!std::same_as<T, bool>) json_value(T value) : value_(std::uint64_t{value}) {}
  template <std::signed_integral T>
  json_value(T value) : value_(value < 0 ? content(std::int64_t{value}) : content(static_cast<std::uint64_t>(value))) {}
  json_value(std::string value) : value_(std::move(value)) {}
  json_value(std::string_view value) : value_(std::string(value)) {}
  json_value(char const* value) : value_(std::string(value)) {}
  template <class T>
  json_value(std::optional<T> const& value) : json_value(value ? json_value(*value) : json_value()) {}
  explicit json_value(array_type values) : value_(std::move(values)) {}
  json_value(std::vector<std::string_view> const& values) : value_(array_type(values.begin(), values.end())) {}
  json_value(std::initializer_list<member> members);
  // NOLINTEND(google-explicit-constructor)
  [[nodiscard]] static json_value array() { return json_value(array_type()); }
  [[nodiscard]] static json_value object() { return json_value(object_type()); }

  [[nodiscard]] bool is_null() const noexcept { return std::holds_alternative<std::monostate>(value_); }
  /// The value if it is a T: bool, double, std::uint64_t, std::int64_t (negative numbers only), std::string, array_type,
  /// object_type; or null.
  template <class T>
  [[nodiscard]] T const* as() const noexcept {
    return std::get_if<T>(&value_);
  }
  /// The same where it must be one.
  template <class T>
  [[nodiscard]] T const& get() const {
    return std::get<T>(value_);
  }

  /// The member of an object; null becomes an object, and a new member null.
  json_value& operator[](std::string_view name);
  [[nodiscard]] json_value const* find(std::string_view name) const noexcept;  ///< null if there is none
  void push_back(json_value value);

  /// On one line, or with every value on its own line. Bytes that are no UTF-8 are replaced.
  [[nodiscard]] std::string on_one_line() const { return printed(-1); }
  [[nodiscard]] std::string on_many_lines() const { return printed(2); }

 private:
  explicit json_value(object_type members) : value_(std::move(members)) {}

  [[nodiscard]] std::string printed(int indent) const;

  content value_;
};

}  // namespace hortus::cli
