/* bounds_pick.h - the nodes under a pointer or in a rectangle, by their bounds. */
#ifndef GZ_SESSION_BOUNDS_PICK_H
#define GZ_SESSION_BOUNDS_PICK_H

#include "proto/message.h"
#include "scene/bounds_index.h"
#include "scene/failure.h"
#include "solver/solver.h"

struct gz_session;

/* The nodes that can be under the pointer. Only these few of many nodes are looked at, and
 * charged. */
GZ_MUST_USE enum gz_status gz_session_cull(struct gz_session *session,
                                           const struct gz_pointer *pointer,
                                           struct gz_culled *culled, struct gz_failure *failure);
/* Whether the pointer meets the node by its bounds, or as a point. */
bool gz_session_pick(struct gz_session *session, const struct gz_pointer *pointer,
                     const struct gz_node *node, struct gz_hit *hit);
/* Whether the node is in the rectangle, as asked. */
bool gz_session_pick_rect(struct gz_session *session, const struct gz_pick *asked,
                          const struct gz_node *node, struct gz_hit *hit);
/* Whether the hit can be sent. In a deep hierarchy coordinates can exceed what a double holds. */
bool gz_is_sendable_hit(const struct gz_hit *hit);

#endif
