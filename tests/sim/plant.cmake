# cmake -DSOURCE=... -DCOPY=... -P plant.cmake: writes COPY, which is SOURCE with the text of COPY.from replaced
# by the text of COPY.to. COPY.from has to occur exactly once.
file(READ ${SOURCE} text)
file(READ ${COPY}.from FROM)
file(READ ${COPY}.to TO)
string(FIND "${text}" "${FROM}" first)
string(FIND "${text}" "${FROM}" last REVERSE)
if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR "this is not exactly once in ${SOURCE}: ${FROM}")
endif()
string(REPLACE "${FROM}" "${TO}" text "${text}")
file(WRITE ${COPY} "${text}")
