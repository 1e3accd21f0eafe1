/* access.h - the rules of the scene's own access: who may be what, by the rows that are on the
 * disk and by nothing else. */
#ifndef GZ_TEST_SIM_ACCESS_H
#define GZ_TEST_SIM_ACCESS_H

#include "sim/act.h"
#include "sim/person.h"

struct gz_batch;
struct gz_error;
struct sim;

void say_access(struct sim *sim, struct person *person);
/* What the person may be; false for nothing. */
bool access_role(const struct sim *sim, const struct person *person, enum gz_role *role);
/* The core let the person in, or did not. */
void access_joined(const struct sim *sim, const struct person *person, enum gz_status status,
                   const struct gz_error *error);
void access_act(const struct sim *sim, const struct act *act);
/* Everybody who is here is what they may be. */
void access_check(const struct sim *sim);
void access_sent(const struct sim *sim, const struct gz_batch *batch);
void access_said_ok(const struct sim *sim, struct request *request);

#endif
