# From which version on what hortus is compiled with will do. Installed with hortusConfig.cmake: a program is compiled with the
# headers.

# Sets `result` to a sentence if the compiler is older, else to nothing. g++ 10 has no std::bit_cast; clang before 13 was not tried.
# Other compilers are not judged by their numbers.
function(hortus_compiler_is_too_old result)
  set(called_GNU g++)
  set(least_GNU 11)
  set(called_Clang clang)
  set(least_Clang 13)
  set(id ${CMAKE_CXX_COMPILER_ID})
  if(DEFINED least_${id} AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS least_${id})
    set(${result}
        "hortus needs g++ ${least_GNU} or clang ${least_Clang}, or later; ${CMAKE_CXX_COMPILER} is ${called_${id}} ${CMAKE_CXX_COMPILER_VERSION}. Another is chosen by -DCMAKE_CXX_COMPILER=..."
        PARENT_SCOPE
    )
  else()
    set(${result} "" PARENT_SCOPE)
  endif()
endfunction()

# find_package(), whose failure says what would be right.
function(hortus_need_package package version called debian)
  find_package(${package} ${version} QUIET)
  if(NOT ${package}_FOUND)
    set(there ${${package}_CONSIDERED_VERSIONS})
    list(REMOVE_DUPLICATES there)
    list(JOIN there ", " there)
    if(there)
      set(there "there is ${there}")
    else()
      set(there "CMake found none")
    endif()
    message(FATAL_ERROR "hortus needs ${called} ${version} or later (Debian and Ubuntu: ${debian}); ${there}.")
  endif()
endfunction()
