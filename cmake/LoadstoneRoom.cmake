# loadstone_room(NAME SOURCES a.cpp ... DEPENDS core ... LIBRARIES fmt::fmt ...)
#
# A room is a static library whose include path holds its own folder and those of the rooms it depends on, and no other:
# an arrow that docs/design.md does not have finds no header and does not build. `#include "layout/x.hpp"` works through a
# link <build>/rooms/layout/layout -> src/layout.
function(loadstone_room name)
  cmake_parse_arguments(room "" "" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  set(door ${CMAKE_BINARY_DIR}/rooms/${name})
  file(MAKE_DIRECTORY ${door})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${door}/${name} SYMBOLIC)
  add_library(loadstone_${name} STATIC ${room_SOURCES})
  target_include_directories(loadstone_${name} PUBLIC ${door} ${PROJECT_SOURCE_DIR}/include)
  foreach(dependency IN LISTS room_DEPENDS)
    target_link_libraries(loadstone_${name} PUBLIC loadstone_${dependency})
  endforeach()
  target_link_libraries(loadstone_${name} PRIVATE loadstone_flags ${room_LIBRARIES})
endfunction()

# loadstone_test(NAME SOURCES a_test.cpp ... ROOMS core ... [LIBRARIES ...] [LABELS ...]): one GoogleTest program of a room.
function(loadstone_test name)
  cmake_parse_arguments(test "" "" "SOURCES;ROOMS;LIBRARIES;LABELS" ${ARGN})
  add_executable(${name} ${test_SOURCES})
  foreach(room IN LISTS test_ROOMS)
    target_link_libraries(${name} PRIVATE loadstone_${room})
  endforeach()
  target_link_libraries(${name} PRIVATE loadstone_flags GTest::gmock GTest::gtest GTest::gtest_main ${test_LIBRARIES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 300 LABELS "unit;${test_LABELS}")
endfunction()
