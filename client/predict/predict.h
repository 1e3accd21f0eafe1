/* predict.h - predicts the server's answers in a client: the gizmo, the handle under the pointer,
 * the nodes and the view after a drag, a wheel or an orbit. It calls the server's own functions;
 * the same events in the same order give the same bits.
 *
 * One drag:
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
 * `mods` are bits 1 << enum gz_mod. Ownership: the struct is the caller's and keeps no pointer of
 * the caller; finish frees what it holds. Errors: false, or GZ_SOLVE_NONE and GZ_SOLVE_KEPT; then
 * nothing has changed. Every number may be any double. Threads: one at a time. */
#ifndef GZ_PREDICT_H
#define GZ_PREDICT_H

#include "solver/gizmo_state.h"

enum gz_predict_gesture { GZ_PREDICT_IDLE, GZ_PREDICT_DRAG, GZ_PREDICT_WHEEL, GZ_PREDICT_ORBIT };

/* Read `count`, `poses` and `motion`; the rest is private. */
struct gz_predict {
    size_t count;            /* of targets */
    gz_trs *poses;           /* the targets' local transforms after the motion */
    struct gz_motion motion; /* of the drag or the wheel, else none */

    enum gz_predict_gesture gesture;
    bool has_camera;
    struct gz_camera camera;
    struct gz_tool tool;
    bool has_pointer; /* the hovering pointer */
    struct gz_pointer pointer;

    void *block; /* the memory of the targets, their boxes, starts and poses */
    size_t active, capacity;
    struct gz_target *targets; /* with the poses, and the parents as they are now */
    gz_box *boxes;             /* of those that have bounds */
    struct gz_target *starts;  /* as they were when the gesture began */
    bool is_seated;            /* the seat is that of the targets */
    bool lags;                 /* a parent has moved since the targets were posed */
    struct gz_seat seat;

    struct gz_drag drag;
    gz_vec3 start;                  /* the gizmo's origin at the press */
    bool is_typed;                  /* a value was typed, so the pointer has no effect */
    bool moved;                     /* a target moved since the gesture began */
    bool follows;                   /* the drag has a pointer: */
    struct gz_pointer drag_pointer; /* the last one, and the flags with it */
    uint32_t mods;
    struct gz_motion notch; /* the motion of one notch of the wheel */
    double notches;         /* how far it is turned */
    struct gz_orbit orbit;
};

/* Begins with the default tool, without camera, targets and pointer. */
void gz_predict_init(struct gz_predict *predict);
void gz_predict_finish(struct gz_predict *predict);

/* ---- What is there ---- */

/* Sets the camera; NULL: none. A drag continues with it: the grabbed point stays under the pointer.
 * False as for gz_camera_prepare; the camera is then unchanged. */
bool gz_predict_camera(struct gz_predict *predict, const struct gz_camera_input *input,
                       const char **why);
void gz_predict_tool(struct gz_predict *predict, const struct gz_tool *tool);
/* Sets the top-most selected nodes as they are now; `active` is the index of the one whose space
 * counts. While a drag or a wheel runs their number must not change, and it holds them: their local
 * transforms are not read, and they move with their parents. False without memory, or if the number
 * differs. */
bool gz_predict_targets(struct gz_predict *predict, const struct gz_target *targets, size_t count,
                        size_t active);
/* The same for callers without a list: begin, each one, end. */
bool gz_predict_targets_begin(struct gz_predict *predict, size_t count, size_t active);
void gz_predict_target(struct gz_predict *predict, size_t i, const struct gz_target *target);
void gz_predict_targets_end(struct gz_predict *predict);
/* Sets the pointer that hovers handles; NULL: none. */
void gz_predict_point(struct gz_predict *predict, const struct gz_pointer *pointer);

/* ---- The gizmo ---- */

/* The gizmo that the server shows. False if there is none. */
bool gz_predict_gizmo(struct gz_predict *predict, struct gz_gizmo_state *state);
/* The handle that a press takes, or GZ_HANDLE_NONE. */
enum gz_handle gz_predict_pick(struct gz_predict *predict, const struct gz_pointer *pointer);

/* ---- Drag and wheel: they move the nodes ---- */

/* Begins a drag on any handle, and ends a running wheel. `mods` has
 * GZ_MOD_PICKED if the handle is the one that was under the pointer, not one that was named.
 * Without a pointer (NULL) the drag takes typed values only. GZ_SOLVE_OK or GZ_SOLVE_NONE. */
enum gz_solve gz_predict_press(struct gz_predict *predict, enum gz_handle handle,
                               const struct gz_pointer *pointer, uint32_t mods);
/* Moves the drag. GZ_SOLVE_NONE: no drag runs. GZ_SOLVE_KEPT: the pointer has no solution, or a
 * value was typed. A target that cannot follow stays where it is. */
enum gz_solve gz_predict_move(struct gz_predict *predict, const struct gz_pointer *pointer,
                              uint32_t mods);
/* Types the drag's value: metres, radians or factors, as many as the handle takes. GZ_SOLVE_KEPT:
 * an invalid number, or a target that cannot follow. */
enum gz_solve gz_predict_value(struct gz_predict *predict, const double *value, int count);
/* Scales by a wheel that is turned by `notches` more; the first call begins its turn.
 * GZ_SOLVE_NONE: there is nothing to scale, or a drag runs. GZ_SOLVE_KEPT: too far. */
enum gz_solve gz_predict_wheel(struct gz_predict *predict, double notches);
/* Applies `motion` to a node that was at `local` below the parent of target `index` when the
 * gesture began, and is below `parent` (world) now; NULL: the target's own. False: it cannot
 * follow. */
bool gz_predict_apply(const struct gz_predict *predict, const struct gz_motion *motion,
                      size_t index, const gz_trs *local, const gz_affine *parent, gz_trs *pose);

/* ---- Orbit: the view moves, and the camera with it ---- */

/* Begins an orbit. False if this view has no centre to orbit about, or another gesture runs. */
bool gz_predict_orbit_begin(struct gz_predict *predict, gz_vec3 centre,
                            const struct gz_pointer *pointer);
/* Moves the orbit. GZ_SOLVE_KEPT: the pointer has no solution; `view` and the camera are
 * unchanged. */
enum gz_solve gz_predict_orbit_move(struct gz_predict *predict, const struct gz_pointer *pointer,
                                    uint32_t mods, double view[16]);
/* The view after a wheel was turned by `notches` in the mode `orbit`. */
bool gz_predict_dolly(struct gz_predict *predict, gz_vec3 centre, double notches, double view[16]);

/* Ends the drag, wheel or orbit. The targets stay where they are. */
void gz_predict_end(struct gz_predict *predict);

#endif
