/* disk.h - the rules of the disk. */
#ifndef GZ_TEST_SIM_DISK_H
#define GZ_TEST_SIM_DISK_H

#include "sim/act.h"

struct gz_batch;
struct sim;

/* The batch is what was done, and no more. */
void model_sent(struct sim *sim, const struct gz_batch *batch);
/* Once the model knows all batches: every edit is in one, or is made after the last one and
 * waits. */
void edits_settled(const struct sim *sim);
/* The disk refused: the scene is as it was before. */
void act_refused(struct sim *sim);
/* Forgets the edits and notes that the disk refused. */
void forget_refused(struct sim *sim);
/* After the core was made from the store: it is what was saved. */
void model_restart(struct sim *sim);

#endif
