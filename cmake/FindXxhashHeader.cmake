# Finds xxhash.h and makes Xxhash::header. The hash is compiled into its callers (XXH_INLINE_ALL), so that there is nothing to
# link; XXH3 has given its final values since 0.8.0. Installed beside hortusConfig.cmake, for whoever includes the headers.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(PC_XXHASH QUIET libxxhash)
endif()
find_path(XXHASH_INCLUDE_DIR xxhash.h HINTS ${PC_XXHASH_INCLUDE_DIRS})
mark_as_advanced(XXHASH_INCLUDE_DIR)

if(XXHASH_INCLUDE_DIR)
  file(STRINGS ${XXHASH_INCLUDE_DIR}/xxhash.h xxhash_lines REGEX "^#define XXH_VERSION_(MAJOR|MINOR|RELEASE) +[0-9]+")
  string(REGEX REPLACE "[^0-9;]" "" xxhash_numbers "${xxhash_lines}")
  list(JOIN xxhash_numbers "." XxhashHeader_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  XxhashHeader REQUIRED_VARS XXHASH_INCLUDE_DIR VERSION_VAR XxhashHeader_VERSION
  REASON_FAILURE_MESSAGE "install xxHash 0.8 or later (Debian and Ubuntu: libxxhash-dev)"
)

if(XxhashHeader_FOUND AND NOT TARGET Xxhash::header)
  add_library(Xxhash::header INTERFACE IMPORTED GLOBAL)
  target_include_directories(Xxhash::header INTERFACE ${XXHASH_INCLUDE_DIR})
endif()
