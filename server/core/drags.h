/* drags.h - the view that a session's pointer and wheel move, instead of nodes. */
#ifndef GZ_CORE_DRAGS_H
#define GZ_CORE_DRAGS_H

#include "scene/record.h"

struct gz_session;

/* Moves the camera towards its centre of rotation, or away. */
GZ_MUST_USE enum gz_status gz_session_dolly(struct gz_session *session, double notches,
                                            struct gz_failure *failure);

#endif
