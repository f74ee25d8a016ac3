# loadstone_room(NAME SOURCES a.cpp ... DEPENDS core ... LIBRARIES fmt::fmt ...)
#
# A room is a static library whose include path holds its own folder and those of the rooms it depends on, and no other:
# an arrow that docs/design.md does not have finds no header and does not build. `#include "layout/x.hpp"` works through a
# link <build>/rooms/layout/layout -> src/layout.
function(loadstone_room name)
  cmake_parse_arguments(room "" "" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  set(door ${PROJECT_BINARY_DIR}/rooms/${name})
  file(MAKE_DIRECTORY ${door})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${door}/${name} SYMBOLIC)
  add_library(loadstone_${name} STATIC ${room_SOURCES})
  target_include_directories(loadstone_${name} PUBLIC ${door} ${PROJECT_SOURCE_DIR}/include)
  foreach(dependency IN LISTS room_DEPENDS)
    target_link_libraries(loadstone_${name} PUBLIC loadstone_${dependency})
  endforeach()
  target_link_libraries(loadstone_${name} PRIVATE loadstone_flags ${room_LIBRARIES})
  set_property(GLOBAL APPEND PROPERTY LOADSTONE_ROOMS ${name})
endfunction()
