/* The chances of one seed. */
#include "sim/chance.h"
#include "sim/sim.h"
#include "support/chance.h"

uint64_t below(struct sim *sim, uint64_t limit)
{
    return chance_below(&sim->random, limit);
}

double between(struct sim *sim, double low, double high)
{
    return low + (high - low) * (double)below(sim, 1 << 20) / (1 << 20);
}

bool chance(struct sim *sim, double probability)
{
    return (double)below(sim, 1 << 20) < probability * (1 << 20);
}
