/* chance.h - random numbers that are the same for the same seed, and how many of them a test takes.
 * Every test whose cases are random reads the same two variables of the environment: GIZMOD_SEED
 * chooses the cases, GIZMOD_TIMES how many there are, as a factor of what the test does by itself
 * (0.001 for one case, 100 for the long suite). */
#ifndef TESTS_SUPPORT_CHANCE_H
#define TESTS_SUPPORT_CHANCE_H

#include <stdint.h>
#include <stdlib.h>

/* 0 to limit - 1. */
static inline uint64_t chance_below(uint64_t *state, uint64_t limit)
{
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (z ^ (z >> 31)) % limit;
}

/* GIZMOD_SEED, or `usual`. */
static inline uint64_t chance_seed(uint64_t usual)
{
    const char *said = getenv("GIZMOD_SEED");
    return said != NULL && said[0] != '\0' ? strtoull(said, NULL, 0) : usual;
}

static inline double chance_times(void)
{
    const char *said = getenv("GIZMOD_TIMES");
    double times = said != NULL ? strtod(said, NULL) : 1;
    return times > 0 ? times : 1;
}

/* GIZMOD_TIMES times `usual`, at least 1. */
static inline uint64_t chance_count(uint64_t usual)
{
    double count = chance_times() * (double)usual;
    return count > 1 ? (uint64_t)count : 1;
}

/* The stride of a test that goes through every case: 1, or n if GIZMOD_TIMES is 1/n. */
static inline int chance_stride(void)
{
    double times = chance_times();
    return times < 1 && times > 1e-3 ? (int)(1 / times) : 1;
}

#endif
