/* setup.h - sets a session's camera, tool and selection. */
#ifndef GZ_SESSION_SETUP_H
#define GZ_SESSION_SETUP_H

#include "proto/message.h"
#include "scene/failure.h"

struct gz_session;

/* Changes the selection; the failure is about the field `nodes`. */
GZ_MUST_USE enum gz_status gz_session_select(struct gz_session *session, struct gz_ids ids,
                                             enum gz_how how, struct gz_failure *failure);
/* Sends the session a view that the server computed. */
void gz_session_send_view(struct gz_session *session, const double view[16]);

#endif
