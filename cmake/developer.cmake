# What work on hortus itself asks for. Directory-wide, so that every target below gets it, and nobody who uses the library does.
add_compile_options(-Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Wpedantic)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # They cry wolf about std::string when optimising: "text" + string (GCC's bugs 105651 and 105329), strings in aggregates (105562).
  add_compile_options(-Wno-restrict -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overread -Wno-stringop-overflow)
endif()
if(HORTUS_WERROR)
  add_compile_options(-Werror)
endif()

if(HORTUS_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "HORTUS_FUZZ needs clang, which brings libFuzzer: cmake --preset fuzz")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(HORTUS_SANITIZE)
  # Standard containers check their indices as well: a sanitizer cannot see a wrong index that stays inside the allocation.
  add_compile_options(-fsanitize=${HORTUS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  add_link_options(-fsanitize=${HORTUS_SANITIZE})
endif()

set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
find_program(CCACHE_PROGRAM ccache)
mark_as_advanced(CCACHE_PROGRAM)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # By default ccache stores nothing that is compiled with a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
endif()
