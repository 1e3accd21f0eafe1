/* mirrors.h - people have exactly the scene that there was. */
#ifndef GZ_TEST_SIM_MIRRORS_H
#define GZ_TEST_SIM_MIRRORS_H

#include "sim/person.h"

struct sim;

/* Compares what changed since the last comparison, or everything. */
void model_compare(struct sim *sim, struct person *person, bool everything);
/* What a person has of a node; of a preview as it would be exactly. */
struct thing thing_told(const struct sim *sim, const struct person *person,
                        const struct mirror_node *node);
/* In the end, while nothing moves: what motions say of nodes that somebody holds. */
void previews_compare(struct sim *sim, const struct person *person);

#endif
