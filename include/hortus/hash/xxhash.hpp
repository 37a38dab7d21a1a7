#pragma once

/// The only place that includes libxxhash (BSD-2, Yann Collet). It is inlined, because hashing 20 bytes takes fewer cycles than
/// a call. All its macros begin with XXH_. A program that also includes <xxhash.h>, before or after, gets the same functions.
#ifdef XXH_INLINE_ALL
#include <xxhash.h>
#else
#define XXH_INLINE_ALL
#include <xxhash.h>
#undef XXH_INLINE_ALL
#endif

static_assert(XXH_VERSION_NUMBER >= 800, "hortus needs xxHash 0.8.0 or later: only since then are the values of XXH3 final");
