# cmake -DSOURCE=... -DCOPY=... -P plant.cmake: a copy of SOURCE in which what COPY.from says, which is there exactly once, is what
# COPY.to says.
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
