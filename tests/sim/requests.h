/* requests.h - the rules of requests: what each has to be answered with. */
#ifndef GZ_TEST_SIM_REQUESTS_H
#define GZ_TEST_SIM_REQUESTS_H

#include "sim/lives.h"

struct sim;

void act_message(struct sim *sim, const struct act *act, struct deed *completed);
/* A message beside the one that may change the scene, in its frame: it changes nothing, whatever
 * it is answered with. */
void act_beside(const struct sim *sim, const struct act *act);
void act_answer(struct sim *sim, const struct act *act);

#endif
