/* actions.h - what people do, at random, with what they know. */
#ifndef GZ_TEST_SIM_ACTIONS_H
#define GZ_TEST_SIM_ACTIONS_H

#include "sim/person.h"

struct sim;

void say_something(struct sim *sim, struct person *person);
void say_camera(struct sim *sim, struct person *person);
void say_tool(struct sim *sim, struct person *person);

#endif
