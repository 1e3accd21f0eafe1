/* shown.h - the gizmo that a session was last sent, and where it stands. Plain data; gizmo.c keeps
 * it. */
#ifndef GZ_SESSION_SHOWN_H
#define GZ_SESSION_SHOWN_H

#include "solver/gizmo_state.h"

struct gz_shown {
    bool stale;   /* the session itself did something that its gizmo depends on */
    uint64_t seq; /* of the scene when the gizmo was last built */
    struct gz_gizmo_state gizmo;
};

/* Where the gizmo of what is selected stands, which is found anew if anything changed. */
struct gz_standing {
    bool is_known, has_groups;
    bool is_news;           /* it was found in slices, and not shown yet */
    uint64_t seq, selected; /* of the scene and the selection when it was found */
    struct gz_seat seat;
};

#endif
