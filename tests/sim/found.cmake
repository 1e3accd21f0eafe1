# cmake -DSIM=... -DFAULT=... -DSEEDS=... -P found.cmake: passes if the program, with the library FAULT loaded before its own,
# finds a broken promise; prints the promise and the step.
set(ENV{LD_PRELOAD} ${FAULT})
execute_process(COMMAND ${SIM} --first ${CMAKE_CURRENT_LIST_DIR}/seeds.txt --seeds ${SEEDS} RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE err)
if(NOT result EQUAL 1 OR NOT err MATCHES "seed [0-9]+, step [0-9]+, at [0-9.]+ s: BROKEN PROMISE [a-z]")
    message(FATAL_ERROR "the fault was not found: exit ${result}\n${out}${err}")
endif()
string(STRIP "${err}" err)
message("${err}")
