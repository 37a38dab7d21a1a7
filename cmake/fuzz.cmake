# Each fuzz/NAME.cpp is one LLVMFuzzerTestOneInput. In the fuzz preset it becomes a libFuzzer program, fuzz_NAME; in every other
# build a program that replays the files of fuzz/corpus/NAME, so that what a fuzzer found once is asked on every run of the tests.
file(GLOB surfaces CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/*.cpp)
foreach(surface IN LISTS surfaces)
  cmake_path(GET surface STEM name)
  if(name STREQUAL "lines") # the command's reader, which formats its errors with fmt and unpacks what is compressed
    find_package(fmt QUIET)
    include(${CMAKE_CURRENT_LIST_DIR}/compression.cmake)
    if(NOT fmt_FOUND OR NOT TARGET hortus_compression OR HORTUS_LIBCXX) # fmt is installed compiled with another library
      continue()
    endif()
  endif()
  add_executable(fuzz_${name} ${surface})
  target_link_libraries(fuzz_${name} PRIVATE hortus::hortus)
  if(name MATCHES "^redis_")
    target_link_libraries(fuzz_${name} PRIVATE hortus::redis)
  endif()
  if(name STREQUAL "lines")
    target_sources(
      fuzz_${name} PRIVATE ${PROJECT_SOURCE_DIR}/cli/text/lines.cpp ${PROJECT_SOURCE_DIR}/cli/text/input.cpp
                           ${PROJECT_SOURCE_DIR}/cli/text/records.cpp ${PROJECT_SOURCE_DIR}/cli/text/key_part.cpp
                           ${PROJECT_SOURCE_DIR}/cli/text/decompress.cpp
    )
    target_include_directories(fuzz_${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(fuzz_${name} PRIVATE fmt::fmt hortus_compression)
  endif()
  set_target_properties(fuzz_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
  if(HORTUS_FUZZ)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  else()
    target_sources(fuzz_${name} PRIVATE ${PROJECT_SOURCE_DIR}/fuzz/replay_main.cc)
    set(replayed ${PROJECT_SOURCE_DIR}/fuzz/corpus/${name})
    if(name MATCHES "^load_") # files of every family
      list(APPEND replayed ${PROJECT_SOURCE_DIR}/tests/golden/v1 ${PROJECT_SOURCE_DIR}/tests/golden/near/v1)
    endif()
    add_test(NAME fuzz.${name} COMMAND fuzz_${name} ${replayed})
    set_tests_properties(fuzz.${name} PROPERTIES LABELS units TIMEOUT 300)
  endif()
endforeach()
