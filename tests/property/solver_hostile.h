/* solver_hostile.h - runs the whole solver on numbers that may be anything, and says what it
 * promised and did not keep. */
#ifndef SOLVER_HOSTILE_H
#define SOLVER_HOSTILE_H

#include <stddef.h>
#include <stdint.h>

/* Numbers of any bits, taken in order; 0 when they are used up. */
struct supply {
    const uint8_t *bytes;
    size_t size, used;
};

/* NULL where every promise was kept: results finite and within limits, or nothing changed; a static
 * sentence otherwise. */
const char *hostile_run(struct supply *supply);

#endif
