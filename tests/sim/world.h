/* world.h - one seed: what happens next, disturbances, the quiet end. */
#ifndef GZ_TEST_SIM_WORLD_H
#define GZ_TEST_SIM_WORLD_H

#include <stdbool.h>
#include <stdint.h>

struct sim_counts;

/* Runs the seed until it ends quietly, and adds what was tried to `counts`. A broken promise ends
 * the program. */
void sim_run(uint64_t seed, uint64_t steps, bool trace_it, struct sim_counts *counts);

#endif
