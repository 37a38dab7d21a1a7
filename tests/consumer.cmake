# consumer/ is a user's project. It and the program of the README are built in each way to use hortus: an installed tree (moved
# after installation), the sources as a subfolder, pkg-config, and both ways with an installed shared library. A version that
# does not exist must be refused, and so must a compiler or a library that is too old, and a family that does not exist.
if(HORTUS_SANITIZE OR NOT HORTUS_INSTALL OR NOT EXISTS ${PROJECT_SOURCE_DIR}/include/hortus/hortus.hpp)
  return()
endif()
set(run bash ${CMAKE_CURRENT_SOURCE_DIR}/consumer/run.sh)
set(ways find_package wrong_version too_old pkg_config add_subdirectory shared_library wrong_families)
if(TARGET hortus_cli)
  list(APPEND ways command)
endif()

add_test(NAME consumer.install COMMAND ${run} install)
set_tests_properties(consumer.install PROPERTIES FIXTURES_SETUP installed_tree)
foreach(way IN LISTS ways)
  add_test(NAME consumer.${way} COMMAND ${run} ${way})
  if(NOT way MATCHES "^(add_subdirectory|shared_library|wrong_families)$") # which start from the sources
    set_tests_properties(consumer.${way} PROPERTIES FIXTURES_REQUIRED installed_tree)
  endif()
endforeach()
list(TRANSFORM ways PREPEND consumer. OUTPUT_VARIABLE tests)
set_tests_properties(
  consumer.install ${tests} PROPERTIES LABELS package TIMEOUT 600 COST 100 # the longest tests start first
  ENVIRONMENT "CMAKE=${CMAKE_COMMAND};CXX=${CMAKE_CXX_COMPILER};SOURCE=${PROJECT_SOURCE_DIR};BUILD=${PROJECT_BINARY_DIR};\
VERSION=${PROJECT_VERSION}"
)
