/* judge.h - who hears that a claim of the test support does not hold: cmocka, or, where
 * GZ_SIMULATED is defined, the simulation, which says in which seed and at which step it was, and
 * ends. */
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
