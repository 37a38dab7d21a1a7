# Programs that must not compile, with a helpful message. A file of must_not_compile/ has several, chosen by the macro CASE:
#     // CASE 0: what the control shows; it must compile, or the others would prove nothing
#     // CASE 1: extended regular expression that the compiler's complaint must match
#     #if CASE == 0 ... #elif CASE == 1 ... #endif
# Each case is one test, must_not_compile.FILE.CASE.
file(GLOB sources CONFIGURE_DEPENDS must_not_compile/*.cpp)
foreach(source IN LISTS sources)
  cmake_path(GET source STEM name)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(STRINGS ${source} lines REGEX "// CASE [0-9]+")
  string(REGEX MATCHALL "// CASE [0-9]+" lines "${lines}")
  string(REGEX REPLACE "// CASE " "" cases "${lines}")
  if(NOT 0 IN_LIST cases)
    message(FATAL_ERROR "${source} has no line '// CASE 0', the control that must compile")
  endif()
  foreach(case IN LISTS cases)
    # -idirafter: the folder may be the system's own, and must not come before the compiler's.
    add_test(
      NAME must_not_compile.${name}.${case}
      COMMAND bash ${PROJECT_SOURCE_DIR}/tools/must_not_compile.sh ${source} ${case} ${CMAKE_CXX_COMPILER}
              ${CMAKE_CXX20_STANDARD_COMPILE_OPTION} -Werror=unused-result -I${PROJECT_SOURCE_DIR}
              -I${PROJECT_SOURCE_DIR}/include -idirafter ${XXHASH_INCLUDE_DIR}
    )
    set_tests_properties(must_not_compile.${name}.${case} PROPERTIES LABELS compile TIMEOUT 120)
  endforeach()
endforeach()
