# hortus::hortus, the library: headers, and src/ compiled. Static unless BUILD_SHARED_LIBS says otherwise.
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
find_package(XxhashHeader 0.8 REQUIRED)
find_package(hwy 1.0 REQUIRED)

file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp)
if(sources)
  add_library(hortus ${sources})
  set(scope PUBLIC)
  # Until 1.0 a minor number may change the binary interface, so it is part of the shared library's name.
  set_target_properties(hortus PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
else()
  add_library(hortus INTERFACE)
  set(scope INTERFACE)
endif()
add_library(hortus::hortus ALIAS hortus)

target_compile_features(hortus ${scope} cxx_std_20)
target_include_directories(
  hortus ${scope} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
)
target_link_libraries(hortus ${scope} Xxhash::header)
# Vector instructions, chosen when the program runs. Only src/ includes it, and a static hortus hands the library on.
target_link_libraries(hortus PRIVATE hwy::hwy hwy::hwy_contrib)
target_include_directories(hortus PRIVATE ${PROJECT_SOURCE_DIR})  # its kernels include themselves
