#pragma once

/// The one door to libxxhash (BSD-2, Yann Collet), inlined: a key of 20 bytes hashes in fewer cycles than a call takes. Its
/// macros all begin with XXH_; a program that also includes <xxhash.h>, before or after, gets the same functions either way.
#ifdef XXH_INLINE_ALL
#include <xxhash.h>
#else
#define XXH_INLINE_ALL
#include <xxhash.h>
#undef XXH_INLINE_ALL
#endif

static_assert(XXH_VERSION_NUMBER >= 800, "hortus needs xxHash 0.8.0 or later: only since then are the values of XXH3 final");
