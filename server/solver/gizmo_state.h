/* gizmo_state.h - a gizmo as a client is shown it: where it stands, which handles are drawn, which
 * one is hovered or dragged, and how far. The daemon sends it; a client that predicts computes the
 * same. Frames and units are those of solver.h. Pure; plain data. */
#ifndef GZ_SOLVER_GIZMO_STATE_H
#define GZ_SOLVER_GIZMO_STATE_H

#include "solver/solver.h"

/* Fields that are there: `arm` and `axis` with RING, `start` whenever `active` is a handle. */
enum {
    GZ_GIZMO_TURN_AXES = 1,
    GZ_GIZMO_SCALE_AXES = 2,
    GZ_GIZMO_BOX = 4,
    GZ_GIZMO_RING = 8,
};

/* The bytes of two states that look the same are the same, padding included. */
struct gz_gizmo_state {
    uint64_t has;
    enum gz_mode mode;
    enum gz_space space;
    gz_vec3 origin, axes[3];
    gz_vec3 turn_axes[3], scale_axes[3]; /* of rings and of scale handles, if they are not `axes` */
    gz_vec3 box[4]; /* the middle of the bounds, and from there to the middle of the faces bxp, byp
                       and bzp */
    double size;
    uint64_t handles;             /* GZ_HANDLE_BIT of each that is drawn */
    enum gz_handle hover, active; /* or GZ_HANDLE_NONE */
    double value[2];              /* of the drag, since it began */
    uint32_t value_count;         /* 0 to 2 */
    gz_vec3 start;                /* the origin when the drag began */
    gz_vec3 arm, axis;            /* of a ring that is dragged, as gz_drag_ring says */
};

/* A drag that runs. */
struct gz_gizmo_drag {
    const struct gz_drag *drag;
    const struct gz_motion *motion;
    gz_vec3 start;
};

/* The gizmo that a client is shown. False if there is none or its numbers are beyond what a message
 * can say. */
bool gz_gizmo_build_shown(struct gz_gizmo *gizmo, const struct gz_tool *tool,
                          const struct gz_camera *camera, const struct gz_pointer *hand,
                          const struct gz_seat *seat);
/* The gizmo that a handle of any mode is grabbed on: one of a mode that has no gizmo is complete
 * all the same. */
bool gz_gizmo_build_grabbed(struct gz_gizmo *gizmo, const struct gz_tool *tool,
                            const struct gz_camera *camera, const struct gz_pointer *hand,
                            const struct gz_seat *seat);
/* The state of a gizmo, or without one (NULL) that of none. `hover` counts unless a drag runs; if
 * none does, `drag` is NULL. */
struct gz_gizmo_state gz_gizmo_state(const struct gz_gizmo *gizmo, const struct gz_tool *tool,
                                     enum gz_handle hover, const struct gz_gizmo_drag *drag);

#endif
