/* people.h - people come, do something, lose patience and come back. */
#ifndef GZ_TEST_SIM_PEOPLE_H
#define GZ_TEST_SIM_PEOPLE_H

#include "sim/person.h"

struct sim;

void person_act(struct sim *sim, struct person *person);

#endif
