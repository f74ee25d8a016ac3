# loadstone_mpi_test(NAME name PROGRAM target STACKS openmpi mpich RANKS 1 2 3 4 [ARGUMENTS ...] [LABELS ...] [TIMEOUT s])
#
# One ctest entry a stack that was found and a number of ranks: name.openmpi.3. The program gets the expected size as
# --ranks=N and must fail where its world has another: a launcher of another stack than the library starts N jobs of one.
function(loadstone_mpi_test)
  cmake_parse_arguments(test "" "NAME;PROGRAM;TIMEOUT" "STACKS;RANKS;ARGUMENTS;LABELS" ${ARGN})
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 300)
  endif()
  set(environment
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    OMPI_MCA_rmaps_base_oversubscribe=1
    OMPI_MCA_btl_vader_single_copy_mechanism=none  # containers often forbid it
    OMPI_MCA_btl_base_warn_component_unused=0
    UCX_MEM_EVENTS=n  # its hooks do not bear sanitizers
    # use_tls=0: its look at the threads of MPI libraries loaded late crashes now and then
    "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/mpi/lsan.supp:use_tls=0"
    "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/mpi/tsan.supp"
    ASAN_OPTIONS=fast_unwind_on_malloc=0)
  foreach(stack IN LISTS test_STACKS)
    if(NOT TARGET mpi_${stack} OR NOT LOADSTONE_MPI_${stack}_LAUNCHER)
      continue()
    endif()
    set(launch ${LOADSTONE_MPI_${stack}_LAUNCHER})
    if(stack STREQUAL openmpi)
      list(APPEND launch --oversubscribe --allow-run-as-root)
    endif()
    foreach(ranks IN LISTS test_RANKS)
      set(entry ${test_NAME}.${stack}.${ranks})
      add_test(NAME ${entry} COMMAND ${launch} -n ${ranks} $<TARGET_FILE:${test_PROGRAM}> --ranks=${ranks}
        ${test_ARGUMENTS})
      set_tests_properties(${entry} PROPERTIES TIMEOUT ${test_TIMEOUT} LABELS "mpi;${test_LABELS}" PROCESSORS 2
        ENVIRONMENT "${environment}")
    endforeach()
  endforeach()
endfunction()
