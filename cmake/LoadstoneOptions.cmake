# The switches, and where things are installed.
option(LOADSTONE_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(LOADSTONE_BUILD_CLI "Build the loadstone command" ON)
option(LOADSTONE_BUILD_PYTHON "Build the Python extension" OFF)
option(LOADSTONE_BUILD_BENCHMARKS "Add the target loadstone_benchmarks: ceilings and contenders" OFF)
set(LOADSTONE_WITH_MPI AUTO CACHE STRING "MPI modules: AUTO (those found), ON, OFF")
set(LOADSTONE_WITH_URING AUTO CACHE STRING "io_uring backend: AUTO, ON, OFF")
set(LOADSTONE_SANITIZE "" CACHE STRING "Sanitizers, such as address,undefined or thread")
set_property(CACHE LOADSTONE_WITH_MPI LOADSTONE_WITH_URING PROPERTY STRINGS AUTO ON OFF)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

# The command and the MPI modules find each other by relative path: bin/loadstone and lib/loadstone/*.so. In a wheel those
# are the environment's bin and lib, where the Python package finds the modules too.
if(SKBUILD)
  set(LOADSTONE_INSTALL_BINDIR ${SKBUILD_SCRIPTS_DIR})
  set(LOADSTONE_INSTALL_MODULEDIR ${SKBUILD_DATA_DIR}/lib/loadstone)
  set(LOADSTONE_TESTS_SCOPE EXCLUDE_FROM_ALL)  # a wheel needs no tests built first: `loadstone_tests` builds them
else()
  set(LOADSTONE_INSTALL_BINDIR ${CMAKE_INSTALL_BINDIR})
  set(LOADSTONE_INSTALL_MODULEDIR lib/loadstone)  # not LIBDIR: one place to look for, on every system
  set(LOADSTONE_TESTS_SCOPE "")
endif()
