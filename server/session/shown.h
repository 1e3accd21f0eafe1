/* shown.h - the gizmo that a session was last sent, and its seat. Plain data of gizmo.c, which
 * allocates what they point to when it is first needed; the session frees it. */
#ifndef GZ_SESSION_SHOWN_H
#define GZ_SESSION_SHOWN_H

#include "solver/gizmo_state.h"

struct gz_shown {
    bool stale;                   /* the session's own action may have changed its gizmo */
    uint64_t seq;                 /* of the scene when the gizmo was last built */
    struct gz_gizmo_state *gizmo; /* NULL: none was sent */
};

/* The seat of the gizmo on the selection; computed anew if anything changed. */
struct gz_standing {
    bool is_known, has_groups;
    bool is_news;           /* it was computed in slices, and is not shown yet */
    uint64_t seq, selected; /* of the scene and the selection when it was computed */
    struct gz_seat *seat;   /* NULL: none was computed */
};

#endif
