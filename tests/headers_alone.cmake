# Every header must compile alone, and when included twice: one unit each, generated here and never linked. They take two minutes of
# a processor, so they are no part of a build: `make lint` compiles them, and .ci/run with the compiler of another system. Without
# optimisation, because only the front end matters; not under a sanitizer, which would add nothing.
if(HORTUS_SANITIZE)
  return()
endif()
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/include/*.hpp)
set(units "")
foreach(header IN LISTS headers)
  string(REGEX REPLACE "\\.hpp$" ".cpp" unit ${CMAKE_CURRENT_BINARY_DIR}/headers_alone/${header})
  file(CONFIGURE OUTPUT ${unit} CONTENT "#include <@header@>\n#include <@header@>\n" @ONLY)
  list(APPEND units ${unit})
endforeach()
add_library(hortus_headers_alone OBJECT EXCLUDE_FROM_ALL ${units})
target_link_libraries(hortus_headers_alone PRIVATE hortus::hortus)
target_compile_options(hortus_headers_alone PRIVATE -O0)
