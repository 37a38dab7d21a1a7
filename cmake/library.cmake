# hortus::hortus, the library: headers, and src/ compiled. Static unless BUILD_SHARED_LIBS says otherwise.
include(${CMAKE_CURRENT_LIST_DIR}/needs.cmake)
hortus_compiler_is_too_old(too_old)
if(too_old)
  message(FATAL_ERROR "${too_old}")
endif()
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
find_package(XxhashHeader 0.8 REQUIRED)
hortus_need_package(hwy 1.0 Highway libhwy-dev) # TruncateTo

for_each_family(${PROJECT_SOURCE_DIR}/src/families/family.cpp.in ${PROJECT_BINARY_DIR}/families families)
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp)
add_library(hortus ${sources} ${families})
# Until 1.0 a minor number may change the binary interface, so it is part of the shared library's name.
set_target_properties(hortus PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
add_library(hortus::hortus ALIAS hortus)
batch_families(hortus "${families}")

target_compile_features(hortus PUBLIC cxx_std_20)
# A static library is linked into shared objects too: the Redis module, bindings of other languages. Without the option its
# functions could not be inlined into each other, because a program might replace them.
set_target_properties(hortus PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_compile_options(hortus PRIVATE -fno-semantic-interposition)
target_include_directories(
  hortus PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
)
target_link_libraries(hortus PUBLIC Xxhash::header)
# Vector instructions, chosen when the program runs. Only src/ includes it, and a static hortus hands the library on.
target_link_libraries(hortus PRIVATE hwy::hwy hwy::hwy_contrib)
# Its kernels include themselves, the catalogue compiled_families.def.
target_include_directories(hortus PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/families)
# What the units of the families share is half of their compile time. Sources that use a small part of it are quicker without.
target_precompile_headers(hortus PRIVATE <hortus/any/catalogue.hpp>)
set(of_files ${sources})
list(FILTER of_files INCLUDE REGEX "/(any_|catalogue|choice|planner|shards|map_entry|envelope|file|read_file|temporary_file|memory)[^/]*$")
set(of_messages ${sources})
list(FILTER of_messages INCLUDE REGEX "/(reconcil|message|piece_|byte_census|stored_records|counted_keys|gap_code)[^/]*$")
compile_together(hortus files ${of_files})
compile_together(hortus messages ${of_messages})
list(REMOVE_ITEM sources ${of_files})
set_source_files_properties(${sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)

# What chooses and plans needs no files, memory maps or vector instructions. Compiled only for those who link it alone.
for_each_family(${PROJECT_SOURCE_DIR}/src/families/card.cpp.in ${PROJECT_BINARY_DIR}/families cards)
add_library(
  hortus_planner OBJECT EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/src/planner.cpp ${PROJECT_SOURCE_DIR}/src/choice.cpp ${cards}
)
target_compile_features(hortus_planner PUBLIC cxx_std_20)
target_include_directories(hortus_planner PUBLIC ${PROJECT_SOURCE_DIR}/include PRIVATE ${PROJECT_BINARY_DIR}/families)
target_link_libraries(hortus_planner PUBLIC Xxhash::header)
target_precompile_headers(hortus_planner PRIVATE <hortus/any/card.hpp>)
batch_families(hortus_planner "${cards}")

# hortus::redis, the client of servers with the Redis module. A library of its own: who has no server does not link it.
file(GLOB redis_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/redis/*.cpp)
add_library(hortus_redis_client ${redis_sources})
set_target_properties(
  hortus_redis_client PROPERTIES EXPORT_NAME redis VERSION ${PROJECT_VERSION}
                                 SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
)
add_library(hortus::redis ALIAS hortus_redis_client)
target_link_libraries(hortus_redis_client PUBLIC hortus::hortus)
target_include_directories(hortus_redis_client PRIVATE ${PROJECT_SOURCE_DIR})
set_target_properties(hortus_redis_client PROPERTIES POSITION_INDEPENDENT_CODE ON)
compile_folders_together(hortus_redis_client ${redis_sources})
