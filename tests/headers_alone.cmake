# Every header must compile alone, and when included twice: one unit each, generated here and never linked. They take two minutes of
# a processor, so they are no part of a build: `make lint` compiles them, .ci/run has the compiler of another system read them, and with
# libc++ they are compiled at night. Without optimisation, because only the front end matters; not under a sanitizer, which would add
# nothing.
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
add_library(hortus_headers_alone OBJECT ${units})
set_target_properties(hortus_headers_alone PROPERTIES EXCLUDE_FROM_ALL $<NOT:$<BOOL:${HORTUS_LIBCXX}>>)
target_link_libraries(hortus_headers_alone PRIVATE hortus::hortus)
target_compile_options(hortus_headers_alone PRIVATE -O0)

# Programs may be compiled as a later C++. What a library removes there, and what a compiler then warns of, shows with libc++ first.
if(HORTUS_LIBCXX)
  foreach(standard 23 26)
    if(CMAKE_CXX${standard}_STANDARD_COMPILE_OPTION)
      add_library(hortus_headers_alone_${standard} OBJECT ${units})
      target_link_libraries(hortus_headers_alone_${standard} PRIVATE hortus::hortus)
      target_compile_options(hortus_headers_alone_${standard} PRIVATE -O0)
      set_target_properties(hortus_headers_alone_${standard} PROPERTIES CXX_STANDARD ${standard})
    endif()
  endforeach()
endif()
