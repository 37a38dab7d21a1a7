#pragma once
#include <string_view>

// The version is defined only here: the build system reads these three lines.
#define HORTUS_VERSION_MAJOR 0
#define HORTUS_VERSION_MINOR 1
#define HORTUS_VERSION_PATCH 0

#define HORTUS_AS_TEXT(number) #number
#define HORTUS_DOTTED(major, minor, patch) HORTUS_AS_TEXT(major) "." HORTUS_AS_TEXT(minor) "." HORTUS_AS_TEXT(patch)
#define HORTUS_VERSION_STRING HORTUS_DOTTED(HORTUS_VERSION_MAJOR, HORTUS_VERSION_MINOR, HORTUS_VERSION_PATCH)

namespace hortus {

/// The release of these headers, "major.minor.patch". Until 1.0 a new minor number may change interfaces. Files carry a
/// format version of their own.
inline constexpr std::string_view version = HORTUS_VERSION_STRING;

}  // namespace hortus
