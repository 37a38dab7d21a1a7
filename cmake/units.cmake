# compile_together(target name sources...): these sources of a target are compiled as one unit. Sources that include much the same
# take a third of the time that way. Names in their unnamed namespaces then have to differ.
option(HORTUS_UNITY "Compile sources that share their includes as one unit; off, each alone: quicker when one of them is edited often" ON)
mark_as_advanced(HORTUS_UNITY)

function(compile_together target name)
  if(HORTUS_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP ${target}_${name})
  endif()
endfunction()

# compile_folders_together(target sources...): those of a folder are one unit.
function(compile_folders_together target)
  foreach(source IN LISTS ARGN)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    compile_together(${target} ${folder} ${source})
  endforeach()
endfunction()
