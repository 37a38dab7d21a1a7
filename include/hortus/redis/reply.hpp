#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hortus::redis {

/// What a server answers.
struct reply {
  enum class kind { nothing, integer, text, error, array };
  kind what = kind::nothing;
  std::int64_t integer = 0;
  std::string text = {};  ///< of an error too
  std::vector<reply> parts = {};

  [[nodiscard]] bool is_error() const noexcept { return what == kind::error; }
  [[nodiscard]] bool is_error(std::string_view start) const noexcept { return is_error() && text.starts_with(start); }

  /// These throw errc::corrupt if it is of another kind: then the server is none that speaks this protocol, or not our module.
  [[nodiscard]] std::string const& as_text() const;
  [[nodiscard]] std::int64_t as_integer() const;
  [[nodiscard]] std::vector<reply> const& as_array(std::size_t least = 0) const;
  /// The value after a name, in an array of names and values; null if there is none.
  [[nodiscard]] reply const* find(std::string_view name) const;
};

/// Cuts the bytes that a server sends into replies (RESP, version 2). The bytes are not believed: nothing is allocated for
/// what was only announced.
class reply_parser {
 public:
  /// Room for at least `bytes` more bytes; filled() says how many came.
  [[nodiscard]] char* room(std::size_t bytes);
  void filled(std::size_t bytes) noexcept { end_ += bytes; }

  /// The next reply, or nothing if more bytes are needed: then missing() is how many at least. Throws errc::corrupt.
  [[nodiscard]] std::optional<reply> next();
  [[nodiscard]] std::size_t missing() const noexcept { return missing_; }

 private:
  [[nodiscard]] bool parse(reply& into, unsigned depth);
  [[nodiscard]] std::optional<std::string_view> line();
  [[nodiscard]] std::int64_t number(std::string_view digits) const;

  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // of the reply that is parsed next
  std::size_t at_ = 0;     // so far it was parsed
  std::size_t end_ = 0;
  std::size_t missing_ = 1;
};

}  // namespace hortus::redis
