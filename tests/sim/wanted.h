/* wanted.h - what each edit makes of the scene, said anew; and whether the scene is that. */
#ifndef GZ_TEST_SIM_WANTED_H
#define GZ_TEST_SIM_WANTED_H

#include "sim/lives.h"

struct sim;

/* The node after what a set says of it. */
struct thing with_set(const struct thing *now, const struct gz_set_node *said);
void want_set(struct sim *sim, const struct act *act);
void want_create(struct sim *sim, const struct act *act);
void want_delete(struct sim *sim, const struct act *act);
void want_restore(struct sim *sim, const struct act *act);
void want_refused(struct sim *sim);
/* The scene is as wanted, and nothing else changed. */
void check_wanted(const struct model *model, const char *promise);
void check_nothing(const struct model *model);

#endif
