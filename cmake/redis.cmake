# The Redis module: build/hortus_redis.so. It exports one symbol, and links the library and its dependencies statically where
# that is possible, so that a server needs nothing beside the file.
file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/redis/*.cpp)
# A build for tests has a command that makes an allocation fail; what is shipped has no trace of it.
option(HORTUS_REDIS_FAULTS "The Redis module has the command HORTUS.FAULT, for tests" OFF)
mark_as_advanced(HORTUS_REDIS_FAULTS)
if(NOT HORTUS_REDIS_FAULTS)
  list(FILTER sources EXCLUDE REGEX "/redis/faults/")
endif()
add_library(hortus_redis MODULE ${sources})
set_target_properties(
  hortus_redis PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR} CXX_VISIBILITY_PRESET hidden
                          VISIBILITY_INLINES_HIDDEN ON
)
set(of_hortus ${sources})
list(FILTER of_hortus INCLUDE REGEX "/redis/hortus_[^/]*$")
compile_together(hortus_redis hortus ${of_hortus})
set(of_redisbloom ${sources})
list(FILTER of_redisbloom INCLUDE REGEX "/redisbloom/[^/]*$")
compile_together(hortus_redis redisbloom ${of_redisbloom})
target_include_directories(hortus_redis PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(hortus_redis PRIVATE hortus::hortus)
target_compile_definitions(hortus_redis PRIVATE $<$<BOOL:${HORTUS_REDIS_FAULTS}>:HORTUS_REDIS_FAULTS>)
target_link_options(hortus_redis PRIVATE LINKER:--version-script=${PROJECT_SOURCE_DIR}/redis/exports.map LINKER:-z,defs)
set_target_properties(hortus_redis PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/redis/exports.map)
if(HORTUS_SANITIZE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # The server is not compiled with a sanitizer: it preloads the runtime (tests/redis/server.py), which the module then shares.
  target_link_options(hortus_redis PRIVATE -shared-libsan)
endif()

# A module of the tests that has names which this one would have: build/taken_names.so.
add_library(hortus_redis_taken_names MODULE ${PROJECT_SOURCE_DIR}/tests/redis/taken_names.cpp ${PROJECT_SOURCE_DIR}/redis/api.cpp)
set_target_properties(
  hortus_redis_taken_names PROPERTIES PREFIX "" OUTPUT_NAME taken_names LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
                                      CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
)
target_compile_features(hortus_redis_taken_names PRIVATE cxx_std_20)
target_include_directories(hortus_redis_taken_names PRIVATE ${PROJECT_SOURCE_DIR})

# A program with the client, which the tests run beside a server.
add_executable(example_redis_filter ${PROJECT_SOURCE_DIR}/examples/redis/filter.cpp)
set_target_properties(example_redis_filter PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_link_libraries(example_redis_filter PRIVATE hortus::redis)
