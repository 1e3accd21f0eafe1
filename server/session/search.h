/* search.h - looks for the nodes in a rectangle of the picture, in slices. A node that is created
 * or changes meanwhile is found as it was, or as it is when its turn comes.
 *
 * Frames: world; pixels for the rectangle, under the session's camera, which cannot move meanwhile
 * because the session's messages wait. */
#ifndef GZ_SESSION_SEARCH_H
#define GZ_SESSION_SEARCH_H

#include "proto/message.h"
#include "scene/failure.h"

struct gz_session;
struct gz_search;

/* Begins to search for what `message` asks, in what is left of the core's slice. Its answer comes
 * from here, at once or later. The session has a camera, and no other search. */
GZ_MUST_USE enum gz_status gz_session_search(struct gz_session *session,
                                             const struct gz_message *message,
                                             struct gz_failure *failure);
/* Goes on with the session's search in what is left of the core's slice. */
void gz_session_go_on_searching(struct gz_session *session);
void gz_search_destroy(struct gz_search *search); /* NULL is fine */

#endif
