/* hold.h - nodes that a program holds and poses from outside: what other edits have to know. */
#ifndef GZ_CORE_HOLD_H
#define GZ_CORE_HOLD_H

#include "proto/message.h"
#include "scene/record.h"

struct gz_gesture;
struct gz_gesture_target;
struct gz_node;
struct gz_session;

/* The session's hold that the client calls so; NULL if there is none. */
struct gz_gesture *gz_session_hold(const struct gz_session *session, uint64_t name);

/* Puts what `said` says of t, r and s into `trs`; the rest stays. */
void gz_place_as_said(const struct gz_set_node *said, gz_trs *trs);

/* A `set` by the session on nodes that it holds itself is an edit of where its hold found them. The
 * hold goes on: what was set is its new beginning, and what was posed otherwise stays posed.
 *
 * The node as the session's hold found it; NULL if no hold of the session has the node. */
const struct gz_gesture_target *gz_session_held_target(const struct gz_session *session,
                                                       const struct gz_node *node);
/* Frees the nodes of the set that the session's holds have, for the edit. */
void gz_session_lend_held(struct gz_session *session, const struct gz_set *set);
/* The holds have their nodes again. `changed`: for each node of the set, which is applied, whether
 * it is another now; NULL: the set was refused, and changed nothing. */
void gz_session_take_held(struct gz_session *session, const struct gz_set *set,
                          const bool *changed);

#endif
