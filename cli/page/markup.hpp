#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace hortus::cli {

/// Bytes of the UTF-8 character that starts here, 0 if none does (Unicode 15, table 3-7: no overlong forms, no surrogates).
[[nodiscard]] std::size_t utf8_length(std::string_view text);

/// Text for HTML and SVG: markup becomes harmless; control characters and what is not UTF-8 become U+FFFD.
[[nodiscard]] std::string escaped(std::string_view text);

}  // namespace hortus::cli
