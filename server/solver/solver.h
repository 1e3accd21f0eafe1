/* solver.h - pointer and camera in, transform out: handles, rings, balls, picking. Pure: no I/O, no allocation, no state of
 * its own, no clock; links libm only.
 * (contract sketch: the solver room completes it) */
#ifndef GZ_SOLVER_H
#define GZ_SOLVER_H

#include <stdint.h>

#include "base/linear.h"
#include "base/terms.h"

enum gz_solve {
    GZ_SOLVE_OK,         /* the result follows from this pointer */
    GZ_SOLVE_CLAMPED,    /* beyond a vanishing point, horizon or range: the result is the value at the clamp */
    GZ_SOLVE_KEPT,       /* this pointer has no answer: the result is the last good one (the press's where there was none) */
    GZ_SOLVE_NONE        /* a press without an answer: no drag starts */
};

/* A camera as the client says it. Units: pixels for viewport; view and proj column-major, float64. */
struct gz_camera_input {
    double view[16], proj[16], viewport[4];
    bool ndc_y_down, left_handed;
};

struct gz_camera { struct gz_camera_input input; /* ... prepared rows, eye, forward: the solver room's own */ };

/* False, with a sentence in *why, where the camera cannot be used (not finite, empty viewport, no inverse). */
bool gz_camera_prepare(struct gz_camera *camera, const struct gz_camera_input *input, const char **why);

/* Pixels of the camera's viewport, or a ray in world space; a ray needs no camera. */
struct gz_pointer { bool is_ray; double at[2]; gz_vec3 origin, direction; };

struct gz_snap { double t, r, s; bool on, absolute; };

struct gz_tool {
    enum gz_mode mode;
    enum gz_space space;
    enum gz_pivot pivot;
    gz_vec3 pivot_point;
    struct gz_snap snap;
    double size_px, tolerance_px;
    enum gz_axis_method axis_method;
    enum gz_ball ball;
    enum gz_ball_fit ball_fit;
};
extern const struct gz_tool gz_tool_default;

/* One top-most selected node: its local transform and what it hangs from. bounds NULL where it has none. */
struct gz_target { gz_trs local; gz_affine parent; const gz_box *bounds; };

/* Where the gizmo is and which of its handles can be seen: all that is needed to draw, hover, pick and drag it. */
struct gz_gizmo {
    enum gz_mode mode;
    enum gz_space space;
    gz_vec3 origin;
    gz_vec3 axes[3];     /* unit, world */
    double size;         /* world length of an axis */
    uint32_t handles;    /* bit 1 << enum gz_handle for each that is drawn */
};

/* camera may be NULL (bare rays): then size is in metres by a fixed rule. False where there is no gizmo. */
bool gz_gizmo_build(struct gz_gizmo *gizmo, const struct gz_tool *tool, const struct gz_camera *camera, const struct gz_target *targets, size_t count, size_t active);
enum gz_handle gz_gizmo_pick(const struct gz_gizmo *gizmo, const struct gz_tool *tool, const struct gz_camera *camera, const struct gz_pointer *pointer);

/* A drag: what was true at the press, and one count of whole turns. Plain data: copy it, keep it, replay it. */
struct gz_drag { enum gz_handle handle; /* ... */ };
enum gz_solve gz_drag_begin(struct gz_drag *drag, enum gz_handle handle, const struct gz_gizmo *gizmo, const struct gz_tool *tool, const struct gz_camera *camera, const struct gz_pointer *pointer, const struct gz_target *targets, size_t count, size_t active);
/* What the handle has done since the press, in world space. */
struct gz_motion { int kind; /* ... */ double value[2]; /* metres, radians or factors, for read-outs and history */ };
enum gz_solve gz_drag_solve(struct gz_drag *drag, const struct gz_camera *camera, const struct gz_pointer *pointer, uint32_t mods, struct gz_motion *motion);
/* The target's local transform after the motion; start is the target at the press, parent the parent's world transform now. */
bool gz_motion_apply(const struct gz_motion *motion, const struct gz_target *start, const gz_affine *parent, gz_trs *local, double *residual);

#endif
