#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace hortus::cli {

/// The number of bytes of the UTF-8 character at the start of the text; 0 if there is no valid one (Unicode 15, table 3-7: no
/// overlong forms, no surrogates).
[[nodiscard]] std::size_t utf8_length(std::string_view text);

/// Text for HTML and SVG: markup is escaped; control characters and invalid UTF-8 become U+FFFD.
[[nodiscard]] std::string escaped(std::string_view text);

}  // namespace hortus::cli
