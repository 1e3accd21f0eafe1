/* model.h - what must come of each act: all rules, one after the other. */
#ifndef GZ_TEST_SIM_MODEL_H
#define GZ_TEST_SIM_MODEL_H

#include "sim/act.h"

struct sim;

void model_act(struct sim *sim, const struct act *act);

#endif
