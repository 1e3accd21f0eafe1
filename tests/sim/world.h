/* world.h - one seed: what happens next, disturbances, the quiet end. */
#ifndef GZ_TEST_SIM_WORLD_H
#define GZ_TEST_SIM_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What was tried, for whoever wonders whether it was much. */
struct sim_counts {
    size_t seeds, steps, actions, edits, cuts, resumes, replaced, restarts, refusals;
};
void sim_run(uint64_t seed, uint64_t steps, bool trace_it, struct sim_counts *counts);

#endif
