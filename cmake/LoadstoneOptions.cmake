# Switches, warnings and hardening: one interface target that every target of ours links.
option(LOADSTONE_BUILD_TESTS "Build the tests" ON)
option(LOADSTONE_BUILD_CLI "Build the loadstone command" ON)
option(LOADSTONE_BUILD_PYTHON "Build the Python extension" OFF)
set(LOADSTONE_WITH_MPI AUTO CACHE STRING "MPI modules: AUTO (those found), ON, OFF")
set(LOADSTONE_WITH_URING AUTO CACHE STRING "io_uring backend: AUTO, ON, OFF")
set(LOADSTONE_SANITIZE "" CACHE STRING "Sanitizers, such as address,undefined or thread")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

add_library(loadstone_flags INTERFACE)
target_compile_options(loadstone_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Wold-style-cast -Wcast-align
  -Woverloaded-virtual -Wnull-dereference -Wno-missing-field-initializers -Werror -fstack-protector-strong)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 warns of overlapping memcpy inside std::string's own operators (GCC bug 105651).
  target_compile_options(loadstone_flags INTERFACE -Wno-restrict)
endif()
target_compile_definitions(loadstone_flags INTERFACE _GLIBCXX_ASSERTIONS)
if(LOADSTONE_SANITIZE)
  target_compile_options(loadstone_flags INTERFACE -fsanitize=${LOADSTONE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(loadstone_flags INTERFACE -fsanitize=${LOADSTONE_SANITIZE})
endif()
