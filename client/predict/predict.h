/* predict.h - what the server is about to answer, computed by a client: the gizmo, the handle under
 * the pointer, where a drag, a wheel or an orbit takes the nodes and the view. The functions are
 * those that the server runs; the same events in the same order give the same bits.
 *
 * The way of one drag:
 *
 *     gz_predict_init(&predict);
 *     gz_predict_camera(&predict, &input, &why);      gz_predict_tool(&predict, &tool);
 *     gz_predict_targets(&predict, targets, count, active);
 *     handle = gz_predict_pick(&predict, &pointer);
 *     gz_predict_press(&predict, handle, &pointer, mods);
 *     gz_predict_move(&predict, &pointer, mods);      for each pointer; then look at predict.poses
 *     gz_predict_end(&predict);
 *
 * Frames and units: those of solver.h; a pointer is `at` in pixels, which needs a camera, or a ray.
 * `mods` are bits 1 << enum gz_mod. Ownership: the struct is the caller's and keeps no pointer that
 * it is given; finish frees what it holds. Errors: false, or GZ_SOLVE_NONE and GZ_SOLVE_KEPT, and
 * nothing has changed. Every number may be any double. Threads: one at a time. */
#ifndef GZ_PREDICT_H
#define GZ_PREDICT_H

#include "solver/gizmo_state.h"

enum gz_predict_gesture { GZ_PREDICT_IDLE, GZ_PREDICT_DRAG, GZ_PREDICT_WHEEL, GZ_PREDICT_ORBIT };

/* Read `count`, `poses` and `motion`; the rest is this file's own. */
struct gz_predict {
    size_t count;            /* of targets */
    gz_trs *poses;           /* what the targets' local transforms are after the motion */
    struct gz_motion motion; /* of the drag or the wheel, else none */

    enum gz_predict_gesture gesture;
    bool has_camera;
    struct gz_camera camera;
    struct gz_tool tool;
    bool has_pointer; /* what the gizmo is hovered by */
    struct gz_pointer pointer;

    void *block; /* what the targets, their boxes, starts and poses are in */
    size_t active, capacity;
    struct gz_target *targets; /* with the poses, and the parents as they are now */
    gz_box *boxes;             /* of those that have bounds */
    struct gz_target *starts;  /* as they were when the gesture began */
    bool is_seated;            /* the seat is that of the targets */
    bool lags;                 /* a parent has moved since the targets were posed */
    struct gz_seat seat;

    struct gz_drag drag;
    gz_vec3 start;                  /* the gizmo's origin at the press */
    bool is_typed;                  /* the pointer moves nothing any more */
    bool moved;                     /* a target since the gesture began */
    bool follows;                   /* the drag has a pointer: */
    struct gz_pointer drag_pointer; /* the last one, and the flags with it */
    uint32_t mods;
    struct gz_motion notch; /* what one notch of the wheel does */
    struct gz_orbit orbit;
};

/* With the default tool, and without camera, targets and pointer. */
void gz_predict_init(struct gz_predict *predict);
void gz_predict_finish(struct gz_predict *predict);

/* ---- What is there ---- */

/* NULL: no camera. A drag goes on with the new one: what was grabbed stays under the pointer. False
 * as gz_camera_prepare says; the camera is then the one before. */
bool gz_predict_camera(struct gz_predict *predict, const struct gz_camera_input *input,
                       const char **why);
void gz_predict_tool(struct gz_predict *predict, const struct gz_tool *tool);
/* The top-most selected nodes as they are now; `active` is the index of the one whose space counts.
 * While a drag or a wheel runs they have to be as many as before, and it holds them: their local
 * transforms are not read, and they go along with their parents as they are now. False without
 * memory, or if they cannot be taken. */
bool gz_predict_targets(struct gz_predict *predict, const struct gz_target *targets, size_t count,
                        size_t active);
/* The same for callers that have no list of them: begin, each one, end. */
bool gz_predict_targets_begin(struct gz_predict *predict, size_t count, size_t active);
void gz_predict_target(struct gz_predict *predict, size_t i, const struct gz_target *target);
void gz_predict_targets_end(struct gz_predict *predict);
/* Where the pointer is, which hovers handles; NULL: nowhere. */
void gz_predict_point(struct gz_predict *predict, const struct gz_pointer *pointer);

/* ---- The gizmo ---- */

/* What the server shows. False if there is no gizmo. */
bool gz_predict_gizmo(struct gz_predict *predict, struct gz_gizmo_state *state);
/* The handle that a press takes, or GZ_HANDLE_NONE. */
enum gz_handle gz_predict_pick(struct gz_predict *predict, const struct gz_pointer *pointer);

/* ---- Drag and wheel: they move the nodes ---- */

/* Begins a drag on any handle. Without a pointer (NULL) it takes typed values only. A wheel that
 * runs is over. GZ_SOLVE_OK or GZ_SOLVE_NONE. */
enum gz_solve gz_predict_press(struct gz_predict *predict, enum gz_handle handle,
                               const struct gz_pointer *pointer, uint32_t mods);
/* GZ_SOLVE_NONE: no drag runs. GZ_SOLVE_KEPT: the pointer has no answer, or a value was typed. A
 * target that cannot go there stays where it is. */
enum gz_solve gz_predict_move(struct gz_predict *predict, const struct gz_pointer *pointer,
                              uint32_t mods);
/* Types the drag's amount: metres, radians or factors, as many as the handle takes. GZ_SOLVE_KEPT:
 * a number that cannot be, or a target that cannot go there. */
enum gz_solve gz_predict_value(struct gz_predict *predict, const double *value, int count);
/* Scales by a wheel that was turned by `notches` since it began, which it does with the first call.
 * GZ_SOLVE_NONE: there is nothing to scale, or a drag runs. GZ_SOLVE_KEPT: too far. */
enum gz_solve gz_predict_wheel(struct gz_predict *predict, double notches);
/* What `motion` makes of a node that was at `local` beneath the parent of target `index` as the
 * gesture began, and is beneath `parent` (world) now; NULL: the target's own. False: it cannot go
 * there. */
bool gz_predict_apply(const struct gz_predict *predict, const struct gz_motion *motion,
                      size_t index, const gz_trs *local, const gz_affine *parent, gz_trs *pose);

/* ---- Orbit: the view moves, and the camera with it ---- */

/* False if there is nothing to orbit about in this view, or something else runs. */
bool gz_predict_orbit_begin(struct gz_predict *predict, gz_vec3 centre,
                            const struct gz_pointer *pointer);
/* GZ_SOLVE_KEPT: the pointer has no answer, and neither `view` nor the camera has changed. */
enum gz_solve gz_predict_orbit_move(struct gz_predict *predict, const struct gz_pointer *pointer,
                                    uint32_t mods, double view[16]);
/* The view after a wheel was turned by `notches` in the mode `orbit`. */
bool gz_predict_dolly(struct gz_predict *predict, gz_vec3 centre, double notches, double view[16]);

/* The drag, wheel or orbit is over. The targets stay where they are. */
void gz_predict_end(struct gz_predict *predict);

#endif
