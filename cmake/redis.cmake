# The Redis module: build/hortus_redis.so. It exports one symbol, and links the library and its dependencies statically where
# that is possible, so that a server needs nothing beside the file.
file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/redis/*.cpp)
add_library(hortus_redis MODULE ${sources})
set_target_properties(
  hortus_redis PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR} CXX_VISIBILITY_PRESET hidden
                          VISIBILITY_INLINES_HIDDEN ON
)
target_include_directories(hortus_redis PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(hortus_redis PRIVATE hortus::hortus)
target_link_options(hortus_redis PRIVATE LINKER:--version-script=${PROJECT_SOURCE_DIR}/redis/exports.map LINKER:-z,defs)
set_target_properties(hortus_redis PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/redis/exports.map)
