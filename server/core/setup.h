/* setup.h - what a client says of its view and asks of the scene as a whole: camera, tool,
 * selection, interest, who. */
#ifndef GZ_CORE_SETUP_H
#define GZ_CORE_SETUP_H

#include "proto/limits.h"
#include "proto/message.h"
#include "scene/record.h"

/* ---- setup ---- */

/* Sets a session's camera, tool and selection. */

struct gz_session;

/* Changes the selection; the failure is about the field `nodes`. */
GZ_MUST_USE enum gz_status gz_session_select(struct gz_session *session, struct gz_ids ids,
                                             enum gz_how how, struct gz_failure *failure);
/* Sends the session a view that the server computed. */
void gz_session_send_view(struct gz_session *session, const double view[16]);

/* ---- a part of the scene ---- */

/* The interest of a session: the part of the scene that it is sent. */

/* Monotonic time at which an interest that is the camera's view is to be updated; INFINITY for
 * never. */
double gz_session_interest_due(const struct gz_session *session);
/* Updates an interest that is the camera's view, if it is time. */
void gz_session_update_interest(struct gz_session *session);

/* ---- who ---- */

/* The length of an answer to `who`. */

/* The most users in the answer to this `who`. */
static inline uint64_t gz_who_limit(const struct gz_message *message)
{
    return (message->has & GZ_HAS_WHO_LIMIT) != 0 ? message->who.limit : GZ_HISTORY_ROWS_MAX;
}

#endif
