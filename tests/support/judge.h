/* judge.h - reports a failed assertion of the test support: to cmocka, or, if GZ_SIMULATED is
 * defined, to the simulation, which prints the seed and the step, and ends. */
#ifndef GZ_TEST_JUDGE_H
#define GZ_TEST_JUDGE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#ifdef GZ_SIMULATED
#    include "sim/claims.h"
#else
#    include <cmocka.h>
#endif

#endif
