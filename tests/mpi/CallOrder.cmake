# T33: the order of collective calls. A recorder a stack, preloaded into jobs, compares over ranks what each one called.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(LOADSTONE_IN_ORDER Python3::Interpreter -B ${CMAKE_CURRENT_LIST_DIR}/in_order.py)

# call_recorder(STACK): the library to preload; that it notes every collective call of the stack's module; that it finds
# ranks that differ.
function(call_recorder stack)
  add_library(call_order_${stack} MODULE call_order.cpp call_recorder.cpp call_log.cpp)
  target_include_directories(call_order_${stack} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(call_order_${stack} PRIVATE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
  target_link_libraries(call_order_${stack} PRIVATE mpi_${stack} loadstone_flags)
  set_target_properties(call_order_${stack} PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET default)
  add_test(NAME watched_calls.${stack} COMMAND Python3::Interpreter -B ${CMAKE_CURRENT_SOURCE_DIR}/watched_calls.py
    $<TARGET_FILE:loadstone_mpi_${stack}> $<TARGET_FILE:call_order_${stack}>)
  set_tests_properties(watched_calls.${stack} PROPERTIES TIMEOUT 60 LABELS mpi)

  add_executable(other_calls_${stack} other_calls.cpp)
  target_compile_definitions(other_calls_${stack} PRIVATE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
  target_link_libraries(other_calls_${stack} PRIVATE mpi_${stack} loadstone_flags)
  foreach(ranks 2 3)
    math(EXPR last "${ranks} - 1")
    other_calls(${stack} ${ranks} same)
    other_calls(${stack} ${ranks} hidden --differs
      "call 0 on communicator world.0 differs: rank 0 called nothing more, rank ${last} called MPI_Ibarrier")
    other_calls(${stack} ${ranks} swapped --differs "call 0 on communicator world.0 differs: \
rank 0 called MPI_Ibcast of 1 bytes, root 0, rank 1 called MPI_Ibcast of 1 bytes, root 1")
  endforeach()
endfunction()

# other_calls(STACK RANKS KIND [words of in_order.py]): ranks that call the same, or that differ in a way.
function(other_calls stack ranks kind)
  loadstone_mpi_job(${stack} ${ranks} TRUE job)
  loadstone_mpi_entry(other_calls.${kind}.${stack}.${ranks} 60 ""
    ${LOADSTONE_IN_ORDER} ${ARGN} ${job} $<TARGET_FILE:other_calls_${stack}> ${kind})
endfunction()

# command_in_order(NAME STACK words ...): the command under a launcher, on a dataset that a test before wrote.
function(command_in_order name stack)
  foreach(ranks 2 3)
    loadstone_mpi_job(${stack} ${ranks} TRUE job)
    set(entry command_in_order.${name}.${stack}.${ranks})
    loadstone_mpi_entry(${entry} 60 cli ${LOADSTONE_IN_ORDER} ${job} $<TARGET_FILE:loadstone_cli> ${ARGN})
    set_tests_properties(${entry} PROPERTIES FIXTURES_REQUIRED call_order_data)
  endforeach()
endfunction()

foreach(stack openmpi mpich)
  # A library with a sanitizer in it cannot come before the program that brings its run time.
  if(TARGET mpi_${stack} AND NOT LOADSTONE_SANITIZE)
    call_recorder(${stack})
  endif()
endforeach()

if(TARGET loadstone_cli AND NOT LOADSTONE_SANITIZE)
  set(data ${CMAKE_CURRENT_BINARY_DIR}/call_order_data)
  add_test(NAME call_order_data COMMAND loadstone_cli write ${data} --shape 4000,6 --shards 5 --force)
  set_tests_properties(call_order_data PROPERTIES FIXTURES_SETUP call_order_data LABELS mpi TIMEOUT 60)
  foreach(stack openmpi mpich)
    if(TARGET call_order_${stack})
      command_in_order(load ${stack} load ${data} --digest --stats)
      command_in_order(load_cast ${stack} load ${data} --split 1 --dtype f8 --budget 1MiB)
      command_in_order(verify ${stack} verify ${data})
    endif()
  endforeach()
endif()
