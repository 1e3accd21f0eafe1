/* pick.h - what is under a pointer or in a rectangle: by bounds, and by triangles. */
#ifndef GZ_CORE_PICK_H
#define GZ_CORE_PICK_H

#include "proto/message.h"
#include "scene/bounds_index.h"
#include "scene/record.h"
#include "solver/solver.h"

struct gz_session;
struct gz_search;

/* The node that a press selects, 0 for none: for a tool that picks surfaces the first that the
 * pointer meets, else the front-most one with bounds, else the front-most point. */
GZ_MUST_USE enum gz_status gz_session_node_under(struct gz_session *session,
                                                 const struct gz_pointer *pointer, uint64_t *id,
                                                 struct gz_failure *failure);

/* A pick in a rectangle takes slices. A node that is created or changes meanwhile is found as it
 * was before, or as it is when it is looked at. Frames: world; pixels for the rectangle, under the
 * session's camera, which cannot move meanwhile because the session's messages wait. */

/* Continues the session's search, within the rest of the core's slice. */
void gz_session_go_on_searching(struct gz_session *session);
void gz_search_destroy(struct gz_search *search); /* NULL is fine */

#endif
