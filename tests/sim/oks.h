/* oks.h - the rule that no answer relies on what is not on the disk: a crash, or a COMMIT that is
 * refused, at any moment after an answer leaves a scene in which what it said is true. */
#ifndef GZ_TEST_SIM_OKS_H
#define GZ_TEST_SIM_OKS_H

#include "sim/act.h"
#include "sim/person.h"

struct sim;

/* How far the scene is: what a request may find done. */
struct ground oks_ground(const struct sim *sim);
/* The core has had the request, on this ground at least. `waits`: it may look at it later. */
void oks_act(struct sim *sim, const struct act *act, const struct ground *ground, bool waits);
/* A restore that waited for the file is looked at now. */
void oks_looked(struct request *request, const struct ground *ground);
/* The disk refuses what is not stored: no request that found it done is answered with that. */
void oks_refused(struct sim *sim);
/* The core answers. */
void oks_said(struct sim *sim, struct request *request, const struct gz_message *message);

#endif
