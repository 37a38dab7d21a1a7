# The command: cli/ and bench/, at the top of the build tree. All of it but main() is an object library, so that the tests can
# link the parts (how a number is read, how lines are cut) and ask them directly.
file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cli/*.cpp ${PROJECT_SOURCE_DIR}/bench/*.cpp)
set(main ${PROJECT_SOURCE_DIR}/cli/main.cpp)
if(NOT main IN_LIST sources)
  return()
endif()
list(REMOVE_ITEM sources ${main})
for_each_family(${PROJECT_SOURCE_DIR}/bench/measure_family.cpp.in ${PROJECT_BINARY_DIR}/families measured)

hortus_need_package(CLI11 2.0 CLI11 libcli11-dev) # set_version_flag
hortus_need_package(fmt 8.0 fmt libfmt-dev) # format_string
hortus_need_package(nlohmann_json 3.9 nlohmann-json nlohmann-json3-dev) # ordered_json
include(${CMAKE_CURRENT_LIST_DIR}/compression.cmake)
if(NOT TARGET hortus_compression)
  message(FATAL_ERROR "the command reads gzip and zstd: install zlib and zstd (Debian and Ubuntu: zlib1g-dev, libzstd-dev, pkgconf)")
endif()

# Files with loops over lines or keys are compiled as the library is. All others, which parse options and print tables, are
# compiled with -O1: that takes two thirds of the time, and nobody waits for them.
set(loops ${sources})
list(FILTER loops INCLUDE REGEX "/cli/(text/(lines|input|decompress|records|key_part|output|line_writer)|filling|piece_digests|selection|digest_buffer\
|distinct_keys|command|commands/(query|count|uniq)|redis/line_batches)[.]cpp$|/bench/")
list(REMOVE_ITEM sources ${loops})
add_library(hortus_cli_loops OBJECT ${loops})
add_library(hortus_cli_parts OBJECT ${sources})
foreach(target hortus_cli_loops hortus_cli_parts)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PUBLIC hortus::redis hortus::hortus CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json)
  target_link_libraries(${target} PUBLIC hortus_compression)
endforeach()
target_include_directories(hortus_cli_loops PRIVATE ${PROJECT_BINARY_DIR}/families) # compiled_families.def
compile_folders_together(hortus_cli_loops ${loops})
target_compile_options(hortus_cli_parts PRIVATE $<$<CONFIG:Release>:-O1>)
target_precompile_headers(hortus_cli_parts PRIVATE <fmt/format.h> <hortus/any/any_filter.hpp>)
compile_folders_together(hortus_cli_parts ${sources})
# Those that include CLI11, which takes five seconds.
compile_together(
  hortus_cli_parts arguments ${PROJECT_SOURCE_DIR}/cli/arguments.cpp ${PROJECT_SOURCE_DIR}/cli/options.cpp
  ${PROJECT_SOURCE_DIR}/cli/describe/walk.cpp ${PROJECT_SOURCE_DIR}/cli/describe/help.cpp
)
# What the benchmarks of all families share, which is as much to compile as a family.
add_library(hortus_cli_measured OBJECT ${measured})
target_include_directories(hortus_cli_measured PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(hortus_cli_measured PRIVATE hortus::hortus)
target_precompile_headers(hortus_cli_measured PRIVATE <bench/subject_of.hpp>)
batch_families(hortus_cli_measured "${measured}")
target_sources(hortus_cli_parts INTERFACE $<TARGET_OBJECTS:hortus_cli_loops> $<TARGET_OBJECTS:hortus_cli_measured>)

add_executable(hortus_cli ${main})
set_target_properties(hortus_cli PROPERTIES OUTPUT_NAME hortus RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_link_libraries(hortus_cli PRIVATE hortus_cli_parts)

# Man pages and completions of shells, which the command prints about itself: written whenever it is linked, for the
# installation. A cross-compiled command cannot run here.
if(CMAKE_CROSSCOMPILING)
  message(STATUS "hortus: cross-compiling, so no man pages and completions are made; `hortus man` and `hortus completion` print them")
else()
  set(hortus_pages ${PROJECT_BINARY_DIR}/pages)
  add_custom_command(
    TARGET hortus_cli POST_BUILD VERBATIM
    COMMAND ${CMAKE_COMMAND} -DHORTUS=$<TARGET_FILE:hortus_cli> -DFOLDER=${hortus_pages} -P ${CMAKE_CURRENT_LIST_DIR}/pages.cmake
  )
endif()
