/* pick.h - finds the node that a press selects. */
#ifndef GZ_SESSION_PICK_H
#define GZ_SESSION_PICK_H

#include "proto/message.h"
#include "scene/failure.h"
#include "solver/solver.h"

struct gz_session;

/* The node under the pointer, 0 for none: for a tool that picks surfaces the first of
 * gz_session_pick_surfaces, else the front-most one with bounds, else the front-most point. */
GZ_MUST_USE enum gz_status gz_session_node_under(struct gz_session *session,
                                                 const struct gz_pointer *pointer, uint64_t *id,
                                                 struct gz_failure *failure);

#endif
