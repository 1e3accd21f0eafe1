/* pick.h - what is under a pointer or in a rectangle: by bounds, and by triangles. */
#ifndef GZ_CORE_PICK_H
#define GZ_CORE_PICK_H

#include "proto/message.h"
#include "scene/bounds_index.h"
#include "scene/record.h"
#include "solver/solver.h"

/* ---- by bounds ---- */

/* The nodes under a pointer or in a rectangle, by their bounds. */

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

/* ---- by triangles ---- */

/* The nodes under a pointer by their triangles, or by their bounds if their
 * triangles are not known. */

struct gz_session;

/* The hits of the pointer, in the core's scratch; the node that a press takes comes first. First
 * the surfaces, and the bounds of nodes without known triangles, by distance. If none is hit, the
 * surfaces within the tool's tolerance of the pointer, by distance on the screen. Last the points,
 * by distance. With `first_only` one hit at most, which is less work. Charged to the session. */
GZ_MUST_USE enum gz_status gz_session_pick_surfaces(struct gz_session *session,
                                                    const struct gz_pointer *pointer,
                                                    bool first_only, struct gz_hit **hits,
                                                    size_t *count, struct gz_failure *failure);

/* ---- many nodes ---- */

/* Picks the nodes in a rectangle, in slices. A node that is created or changes meanwhile
 * is found as it was before, or as it is when it is looked at.
 *
 * Frames: world; pixels for the rectangle, under the session's camera, which cannot move meanwhile
 * because the session's messages wait. */

struct gz_session;
struct gz_search;

/* Begins the search that `message` asks for, within the rest of the core's slice, and answers it,
 * at once or later. The session must have a camera, and no other search. */
GZ_MUST_USE enum gz_status gz_session_search(struct gz_session *session,
                                             const struct gz_message *message,
                                             struct gz_failure *failure);
/* Continues the session's search, within the rest of the core's slice. */
void gz_session_go_on_searching(struct gz_session *session);
void gz_search_destroy(struct gz_search *search); /* NULL is fine */

/* ---- pick ---- */

/* Finds the node that a press selects. */

struct gz_session;

/* The node under the pointer, 0 for none: for a tool that picks surfaces the first of
 * gz_session_pick_surfaces, else the front-most one with bounds, else the front-most point. */
GZ_MUST_USE enum gz_status gz_session_node_under(struct gz_session *session,
                                                 const struct gz_pointer *pointer, uint64_t *id,
                                                 struct gz_failure *failure);

#endif
