# What is installed for C++: all rooms in one static, position-independent libloadstone, the public headers, and the
# package that find_package(loadstone) reads. Static, so that nothing but what a user links ever shows a symbol of ours.
include(CMakePackageConfigHelpers)

get_property(rooms GLOBAL PROPERTY LOADSTONE_ROOMS)
add_library(loadstone_library STATIC)
add_library(loadstone::loadstone ALIAS loadstone_library)
set_target_properties(loadstone_library PROPERTIES
  OUTPUT_NAME loadstone EXPORT_NAME loadstone LINKER_LANGUAGE CXX INTERFACE_COMPILE_FEATURES cxx_std_20)

# The objects of each room, and the libraries that it names besides rooms. What pkg-config found goes by its plain name,
# so that the installed package needs no pkg-config.
foreach(room IN LISTS rooms)
  target_sources(loadstone_library PRIVATE $<TARGET_OBJECTS:loadstone_${room}>)
  get_target_property(libraries loadstone_${room} LINK_LIBRARIES)
  list(FILTER libraries EXCLUDE REGEX "^loadstone_|^\\$<")
  foreach(library IN LISTS libraries)
    if(library MATCHES "^PkgConfig::(.+)$")
      set(library ${${CMAKE_MATCH_1}_LIBRARIES})
    endif()
    list(APPEND foreign ${library})
  endforeach()
endforeach()
list(REMOVE_DUPLICATES foreign)
target_link_libraries(loadstone_library PRIVATE ${foreign})

# Headers that need a foreign one (interop/) stand in a set of their own: only those of HEADERS must compile by themselves.
file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/loadstone/*.hpp)
file(GLOB_RECURSE interop CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/loadstone/interop/*.hpp)
target_sources(loadstone_library PUBLIC
  FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${headers}
  FILE_SET interop TYPE HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${interop})
set_target_properties(loadstone_library PROPERTIES
  VERIFY_INTERFACE_HEADER_SETS ON INTERFACE_HEADER_SETS_TO_VERIFY HEADERS)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/loadstone)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/loadstoneConfig.cmake.in
  ${PROJECT_BINARY_DIR}/loadstoneConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/loadstoneConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(TARGETS loadstone_library EXPORT loadstone COMPONENT development
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} FILE_SET HEADERS FILE_SET interop)
install(EXPORT loadstone NAMESPACE loadstone:: FILE loadstoneTargets.cmake DESTINATION ${package_dir} COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/loadstoneConfig.cmake ${PROJECT_BINARY_DIR}/loadstoneConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT development)
