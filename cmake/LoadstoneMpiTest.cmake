# What a job under a launcher finds in its environment.
set(LOADSTONE_MPI_TEST_ENVIRONMENT
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  OMPI_MCA_rmaps_base_oversubscribe=1
  OMPI_MCA_btl_vader_single_copy_mechanism=none  # containers often forbid it
  OMPI_MCA_btl_base_warn_component_unused=0
  UCX_MEM_EVENTS=n  # its hooks do not bear sanitizers
  # use_tls=0: its look at the threads of MPI libraries loaded late crashes now and then
  "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/mpi/lsan.supp:use_tls=0"
  "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/mpi/tsan.supp"
  ASAN_OPTIONS=fast_unwind_on_malloc=0)

# loadstone_mpi_job(STACK RANKS RECORDED RESULT): the words before a program that start it on so many ranks; with the
# recorder of collective calls before MPI if RECORDED.
function(loadstone_mpi_job stack ranks recorded result)
  set(words ${LOADSTONE_MPI_${stack}_LAUNCHER})
  if(stack STREQUAL openmpi)
    list(APPEND words --oversubscribe --allow-run-as-root)
    set(preload -x LD_PRELOAD=$<TARGET_FILE:call_order_openmpi>)
  else()
    set(preload -genv LD_PRELOAD $<TARGET_FILE:call_order_mpich>)
  endif()
  if(recorded)
    list(APPEND words ${preload})
  endif()
  list(APPEND words -n ${ranks})
  set(${result} ${words} PARENT_SCOPE)
endfunction()

function(loadstone_mpi_entry name timeout labels)
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${timeout} LABELS "mpi;${labels}" PROCESSORS 2
    ENVIRONMENT "${LOADSTONE_MPI_TEST_ENVIRONMENT}")
endfunction()

# loadstone_mpi_test(NAME name PROGRAM target STACKS openmpi mpich RANKS 1 2 3 4 [ARGUMENTS ...] [LABELS ...] [TIMEOUT s]
#                    [IN_ORDER 2 3])
#
# One ctest entry a stack that was found and a number of ranks: name.openmpi.3. The program gets the expected size as
# --ranks=N and must fail where its world has another: a launcher of another stack than the library starts N jobs of one.
# IN_ORDER: the entries on so many ranks also fail if ranks differ in the collective calls that they make.
function(loadstone_mpi_test)
  cmake_parse_arguments(test "" "NAME;PROGRAM;TIMEOUT" "STACKS;RANKS;ARGUMENTS;LABELS;IN_ORDER" ${ARGN})
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 300)
  endif()
  foreach(stack IN LISTS test_STACKS)
    if(NOT TARGET mpi_${stack} OR NOT LOADSTONE_MPI_${stack}_LAUNCHER)
      continue()
    endif()
    foreach(ranks IN LISTS test_RANKS)
      set(recorded FALSE)
      set(judge)
      if(ranks IN_LIST test_IN_ORDER AND TARGET call_order_${stack})
        set(recorded TRUE)
        set(judge ${LOADSTONE_IN_ORDER})
      endif()
      loadstone_mpi_job(${stack} ${ranks} ${recorded} job)
      loadstone_mpi_entry(${test_NAME}.${stack}.${ranks} ${test_TIMEOUT} "${test_LABELS}"
        ${judge} ${job} $<TARGET_FILE:${test_PROGRAM}> --ranks=${ranks} ${test_ARGUMENTS})
    endforeach()
  endforeach()
endfunction()
