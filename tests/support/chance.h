/* chance.h - random numbers that are the same for the same seed, and what the environment asks of a test. */
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

/* The number in an environment variable, or `usual`. */
static inline uint64_t chance_from_environment(const char *name, uint64_t usual)
{
    const char *said = getenv(name);
    return said != NULL && said[0] != '\0' ? strtoull(said, NULL, 10) : usual;
}

#endif
