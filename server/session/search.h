/* search.h - picks the nodes in a rectangle, in slices. A node that is created or changes meanwhile
 * is found as it was before, or as it is when it is looked at.
 *
 * Frames: world; pixels for the rectangle, under the session's camera, which cannot move meanwhile
 * because the session's messages wait. */
#ifndef GZ_SESSION_SEARCH_H
#define GZ_SESSION_SEARCH_H

#include "proto/message.h"
#include "scene/failure.h"

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

#endif
