/* drags.h - the rules of drags and wheels, and of the locks that they are. */
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
void check_unheld(const struct model *model);
void check_holders(const struct sim *sim);

#endif
