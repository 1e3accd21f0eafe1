/* shown.h - the gizmo that a session was last sent. Plain data; gizmo.c keeps it. */
#ifndef GZ_SESSION_SHOWN_H
#define GZ_SESSION_SHOWN_H

#include "proto/message.h"

struct gz_shown {
    bool stale;   /* the session itself did something that its gizmo depends on */
    uint64_t seq; /* of the scene when the gizmo was last built */
    struct gz_gizmo_message gizmo;
};

#endif
