# What `cmake --install` puts where, and how others find it again: find_package(hortus) and pkg-config. Both descriptions are
# relative to where they lie, so an installed tree may be moved.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/hortus)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/hortus DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp" PATTERN "*.def")
install(TARGETS hortus hortus_redis_client EXPORT hortusTargets)
install(EXPORT hortusTargets NAMESPACE hortus:: DESTINATION ${package_dir})
if(TARGET hortus_cli)
  install(TARGETS hortus_cli)
endif()
if(hortus_pages)
  install(DIRECTORY ${hortus_pages}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
  install(FILES ${hortus_pages}/hortus.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME hortus)
  install(FILES ${hortus_pages}/_hortus DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${hortus_pages}/hortus.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/hortusConfig.cmake.in ${PROJECT_BINARY_DIR}/hortusConfig.cmake INSTALL_DESTINATION ${package_dir}
)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/hortusConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(
  FILES ${PROJECT_BINARY_DIR}/hortusConfig.cmake ${PROJECT_BINARY_DIR}/hortusConfigVersion.cmake
        ${CMAKE_CURRENT_LIST_DIR}/FindXxhashHeader.cmake ${CMAKE_CURRENT_LIST_DIR}/needs.cmake
  DESTINATION ${package_dir}
)

get_target_property(hortus_kind hortus TYPE)
if(NOT hortus_kind STREQUAL "INTERFACE_LIBRARY")
  set(pc_libs "-L\${libdir} -lhortus")
endif()
# Whoever links a static hortus links Highway too, and asks for that without --static; a shared one brings it along. Of xxHash
# only the header is used.
set(pc_requires "libhwy-contrib >= 1.0, libhwy >= 1.0")
set(pc_requires_private "libxxhash >= 0.8")
if(hortus_kind STREQUAL "SHARED_LIBRARY")
  string(APPEND pc_requires_private ", ${pc_requires}")
  set(pc_requires "")
endif()
set(pc_dir ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH pc_prefix ${pc_dir} ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
file(RELATIVE_PATH pc_libdir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH pc_includedir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(${CMAKE_CURRENT_LIST_DIR}/hortus.pc.in ${PROJECT_BINARY_DIR}/hortus.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/hortus.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
