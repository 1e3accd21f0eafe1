/* view.h - the camera and the last pointer of a session, and when an interest that is the camera's
 * view is to be updated.
 *
 * Frames: world. Units: pixels from the top left of the viewport for pointers. Ownership: the
 * caller owns the struct; finish frees what it holds. Zeroed it is empty. */
#ifndef GZ_SESSION_VIEW_H
#define GZ_SESSION_VIEW_H

#include "proto/message.h"
#include "scene/failure.h"
#include "solver/solver.h"

struct gz_view {
    bool has_lens, has_target, has_pointer;
    struct gz_camera *camera; /* NULL: none was sent yet */
    double lens[4];
    gz_vec3 target; /* the centre of rotation that the client set */
    struct {
        bool is_known;
        uint64_t seq, selected; /* of the scene and the selection when it was found */
        gz_vec3 at;
    } centre; /* the centre of rotation without a target */
    struct gz_pointer pointer;
    bool is_followed;      /* the session's interest is the camera's view */
    bool moved;            /* since the interest was last brought up to date */
    double interest_due_s; /* monotonic: no earlier update than this */
};

void gz_view_finish(struct gz_view *view);
/* Sets the camera. Without memory nothing changed. */
GZ_MUST_USE enum gz_status gz_view_set(struct gz_view *view, const struct gz_camera_input *input,
                                       struct gz_error *error);
/* Makes a pointer of a message's `at` or `ray`. GZ_BAD_STATE for pixels without a camera. */
GZ_MUST_USE enum gz_status gz_view_point(const struct gz_view *view, bool has_ray,
                                         const double at[2], const double ray[6],
                                         struct gz_pointer *pointer, struct gz_error *error);
/* The last pointer; NULL if there is none yet. */
static inline const struct gz_pointer *gz_view_pointer(const struct gz_view *view)
{
    return view->has_pointer ? &view->pointer : NULL;
}
/* Fills in the camera and the pointer, as others are shown them. */
void gz_view_present(const struct gz_view *view, struct gz_presence_user *user);
/* Monotonic time at which the interest is to be updated to the camera's view; INFINITY for
 * never. */
double gz_view_interest_due(const struct gz_view *view);

#endif
