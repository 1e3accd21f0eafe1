/* drags.h - the rules of drags, wheels and holds, and of the locks that they are. */
#ifndef GZ_TEST_SIM_DRAGS_H
#define GZ_TEST_SIM_DRAGS_H

#include "sim/lives.h"

struct gz_gesture;
struct sim;

/* Whether a node of the gesture is not yet where its last motion has it. */
bool gesture_moves(const struct gz_gesture *gesture);
/* Whether a drag holds a node that an edit changed which is not stored. */
bool touches_unstored(const struct model *model, const struct grip *grip);
/* Drags that are over, in the order in which the core ends them; returns the edit that an `up` made
 * of its own. What the end of another drag moved is no longer among the changes. */
struct deed *end_grips(struct sim *sim, const struct act *act);
void begin_grips(struct sim *sim, const struct act *act);
/* Only transforms of nodes that the session (0: anybody) holds. */
void check_dragged(const struct model *model, uint64_t session);
/* An `up` and a `cancel` change what was held until then, and nothing else. */
void check_released(const struct model *model, const struct act *act);
/* Nobody holds what changes; but `setter`, a session, may set what its own holds have; 0: nobody
 * does. */
void check_unheld(const struct model *model, uint64_t setter);
/* The node as a hold of the session found it; NULL if none has it. */
struct fact *held_fact(const struct model *model, uint64_t session, uint64_t node);
/* The seq of an edit that waits for the disk; 0 for another one. */
uint64_t edit_seq(const struct sim *sim, uint64_t edit);
/* The edit to be of the gesture that holds the node, if the disk does not follow its way; else
 * 0. */
uint64_t preview_of(const struct sim *sim, uint64_t node);
void check_holders(const struct sim *sim);

#endif
