# cmake -D BUILD=... -D WORK=... -D README=... [-D FLAGS=... -D COMPILER=...] -P install_and_build.cmake
# Installs the build into an empty prefix, builds the project beside this file against it, runs the results.
function(step)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK})
step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix --component development)
step(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/project -B ${WORK}/build -D CMAKE_PREFIX_PATH=${WORK}/prefix
  -D CMAKE_CXX_COMPILER=${COMPILER} "-DCMAKE_CXX_FLAGS=${FLAGS}" -D README=${README})
step(${CMAKE_COMMAND} --build ${WORK}/build)
file(MAKE_DIRECTORY ${WORK}/data)
step(${WORK}/build/consumer run42 WORKING_DIRECTORY ${WORK}/data)
step(${WORK}/build/readme WORKING_DIRECTORY ${WORK}/data)
file(REMOVE_RECURSE ${WORK})
