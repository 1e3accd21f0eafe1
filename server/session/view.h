/* view.h - what a session sees and points at: its camera, its last pointer, and when the part of
 * the scene that it follows has to be looked at again.
 *
 * Frames: world. Units: pixels from the top left of the viewport for pointers. Plain data. */
#ifndef GZ_SESSION_VIEW_H
#define GZ_SESSION_VIEW_H

#include "proto/message.h"
#include "scene/failure.h"
#include "solver/solver.h"

struct gz_view {
    bool has_camera, has_lens, has_target, has_pointer;
    struct gz_camera camera;
    double lens[4];
    gz_vec3 target; /* what its camera turns about and goes to */
    struct {
        bool is_known;
        uint64_t seq, selected; /* of the scene and the selection when it was found */
        gz_vec3 at;
    } centre; /* what it does that about without a target */
    struct gz_pointer pointer;
    bool is_followed;      /* the session's interest is what the camera sees */
    bool moved;            /* since the interest was last brought up to date */
    double interest_due_s; /* monotonic: before it, that is not done again */
};

/* NULL if no camera was sent yet. */
const struct gz_camera *gz_view_camera(const struct gz_view *view);
/* Looks through this camera from now on. */
GZ_MUST_USE enum gz_status gz_view_set(struct gz_view *view, const struct gz_camera_input *input,
                                       struct gz_error *error);
/* A message's at, or its ray, as a pointer. GZ_BAD_STATE for pixels without a camera. */
GZ_MUST_USE enum gz_status gz_view_point(const struct gz_view *view, bool has_ray,
                                         const double at[2], const double ray[6],
                                         struct gz_pointer *pointer, struct gz_error *error);
/* The camera and the pointer, as others are shown them. */
void gz_view_present(const struct gz_view *view, struct gz_presence_user *user);
/* Monotonic time at which what the camera sees has to be looked at again; INFINITY for never. */
double gz_view_interest_due(const struct gz_view *view);

#endif
