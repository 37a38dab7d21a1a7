# The command: cli/ and bench/, at the top of the build tree. All of it but main() is an object library, so that the tests can
# link the parts (how a number is read, how lines are cut) and ask them directly.
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cli/*.cpp ${PROJECT_SOURCE_DIR}/bench/*.cpp)
set(main ${PROJECT_SOURCE_DIR}/cli/main.cpp)
if(NOT main IN_LIST sources)
  return()
endif()
list(REMOVE_ITEM sources ${main})

find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)

add_executable(hortus_cli ${main})
set_target_properties(hortus_cli PROPERTIES OUTPUT_NAME hortus RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_include_directories(hortus_cli PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(hortus_cli PRIVATE hortus::hortus CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json)
if(sources)
  add_library(hortus_cli_parts OBJECT ${sources})
  target_include_directories(hortus_cli_parts PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(hortus_cli_parts PUBLIC hortus::hortus CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json)
  target_link_libraries(hortus_cli PRIVATE hortus_cli_parts)
  # Two thirds of the time it takes to compile a command is these two.
  target_precompile_headers(hortus_cli_parts PRIVATE <CLI/CLI.hpp> <nlohmann/json.hpp>)
endif()
