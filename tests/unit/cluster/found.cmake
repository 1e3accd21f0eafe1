# cmake -DLIFE=... -P found.cmake: passes if the program, which is the simulation with a mistake in it, finds that
# a promise is broken; prints how.
# As a rule a few lives are enough.
set(ENV{GIZMOD_TIMES} 30)
execute_process(COMMAND ${LIFE} RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE err)
if(NOT out MATCHES "GIZMOD_SEED" OR NOT err MATCHES "ERROR: [^\n]*")
    message(FATAL_ERROR "the mistake was not found: exit ${result}\n${out}${err}")
endif()
message("${CMAKE_MATCH_0}")
