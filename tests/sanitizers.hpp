#pragma once

/// The sanitizer that this was compiled with: g++ defines a macro for each, clang has __has_feature.
namespace hortus::testing {

#if defined(__has_feature)
#define HORTUS_TEST_HAS_FEATURE(name) __has_feature(name)
#else
#define HORTUS_TEST_HAS_FEATURE(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || HORTUS_TEST_HAS_FEATURE(address_sanitizer)
#define HORTUS_TEST_ADDRESS_SANITIZER 1
#else
#define HORTUS_TEST_ADDRESS_SANITIZER 0
#endif
#if defined(__SANITIZE_THREAD__) || HORTUS_TEST_HAS_FEATURE(thread_sanitizer)
#define HORTUS_TEST_THREAD_SANITIZER 1
#else
#define HORTUS_TEST_THREAD_SANITIZER 0
#endif

inline constexpr bool under_thread_sanitizer = HORTUS_TEST_THREAD_SANITIZER != 0;

/// Under any sanitizer: it finds other faults than wrong rates, and is ten times slower.
inline constexpr bool sanitized = under_thread_sanitizer || HORTUS_TEST_ADDRESS_SANITIZER != 0;

}  // namespace hortus::testing
