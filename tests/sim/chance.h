/* chance.h - the chances of one seed: everything that is random in the simulation is drawn here. */
#ifndef GZ_TEST_SIM_CHANCE_H
#define GZ_TEST_SIM_CHANCE_H

#include <stdbool.h>
#include <stdint.h>

struct sim;

/* 0 to limit - 1. */
uint64_t below(struct sim *sim, uint64_t limit);
double between(struct sim *sim, double low, double high);
bool chance(struct sim *sim, double probability);

#endif
