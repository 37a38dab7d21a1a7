# The list of families as CMake sees it: for_each_family(template output_folder result) makes a source of a template for each line
# HORTUS_FAMILY(name, room, type) of any/families.def, and lists them in `result`. Each includes the header of its own family and no
# other.
#
# Several of them are compiled as one unit, by batch_families(target sources), because half of what a family takes to compile is
# what all of them share. With more than four a unit takes longer than people like to wait who touch one family.
include(${CMAKE_CURRENT_LIST_DIR}/units.cmake)
if(HORTUS_UNITY)
  set(HORTUS_FAMILIES_A_UNIT 4)
else()
  set(HORTUS_FAMILIES_A_UNIT 1)
endif()
set(HORTUS_FAMILIES_DEF ${PROJECT_SOURCE_DIR}/include/hortus/any/families.def)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${HORTUS_FAMILIES_DEF})

function(for_each_family template folder result)
  file(STRINGS ${HORTUS_FAMILIES_DEF} lines REGEX "^HORTUS_FAMILY\\(")
  cmake_path(GET template STEM LAST_ONLY kind) # card.cpp.in: card.cpp
  set(units)
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^HORTUS_FAMILY\\(([a-z_0-9]+), ([a-z_0-9]+), (.+)\\)$" whole "${line}")
    set(name ${CMAKE_MATCH_1})
    set(room ${CMAKE_MATCH_2})
    set(type ${CMAKE_MATCH_3})
    if(NOT whole)
      message(FATAL_ERROR "families.def: expected HORTUS_FAMILY(name, room, type), not: ${line}")
    endif()
    configure_file(${template} ${folder}/${name}_${kind} @ONLY)
    list(APPEND units ${folder}/${name}_${kind})
  endforeach()
  if(NOT units)
    message(FATAL_ERROR "families.def names no family")
  endif()
  set(${result} ${units} PARENT_SCOPE)
endfunction()

function(batch_families target families)
  set(number 0)
  foreach(family IN LISTS families)
    math(EXPR batch "${number} / ${HORTUS_FAMILIES_A_UNIT}")
    math(EXPR number "${number} + 1")
    compile_together(${target} families_${batch} ${family})
  endforeach()
endfunction()
