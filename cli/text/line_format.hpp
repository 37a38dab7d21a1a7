#pragma once
#include "cli/text/input.hpp"

namespace hortus::cli {

/// The format of keys in the input. Keys are bytes: no locale, no encoding, no length limit except memory.
struct line_format {
  char separator = '\n';  ///< '\0' for --null
  bool crlf = false;      ///< remove one CR from the end of every key
  decompress unpack = decompress::yes;
};

}  // namespace hortus::cli
