/* view.h - what a session looks at and has chosen: selection, targets of the gizmo, camera and
 * tool. */
#ifndef GZ_CORE_VIEW_H
#define GZ_CORE_VIEW_H

#include "proto/message.h"
#include "scene/record.h"
#include "scene/scene.h"
#include "solver/solver.h"

/* ---- the selection ---- */

/* The nodes that a session has selected, in the order in which it selected them. The
 * last one is the active node.
 *
 * Ownership: the caller owns the struct; finish frees what it holds. Errors: GZ_NO_MEMORY, and then
 * nothing has changed. */

struct gz_selection {
    uint64_t *ids;
    size_t count, capacity;
    uint64_t version;  /* grows with each change of the ids or their order */
    uint64_t removals; /* of the scene at the last prune */
};

/* Sets the selection to these ids, or adds, removes or toggles them. An id that is added again
 * becomes the last. `scratch` is working memory. */
GZ_MUST_USE enum gz_status gz_selection_change(struct gz_selection *selection,
                                               struct gz_arena *scratch, struct gz_ids ids,
                                               enum gz_how how);
/* Takes out the nodes that were deleted; whether there were any. */
bool gz_selection_prune(struct gz_selection *selection, const struct gz_scene *scene);
void gz_selection_finish(struct gz_selection *selection);

/* ---- what a gizmo is for ---- */

/* The nodes that a gizmo stands on: the selected nodes without a selected node above
 * them. The others move along. */

/* The gizmo uses the space of the last one, which was selected last. */
struct gz_targets {
    const struct gz_node **nodes;
    uint64_t *ids; /* in the same order */
    size_t count;
};

/* A node as a target; its bounds point into the scene. */
struct gz_target gz_target_of(struct gz_scene *scene, const struct gz_node *node);
/* The targets of this selection, whose nodes all exist; made in `arena`. None if nothing is
 * selected, or without memory. */
struct gz_targets gz_targets_of(const struct gz_selection *selection, struct gz_scene *scene,
                                struct gz_arena *arena);

/* ---- view ---- */

/* The camera and the last pointer of a session, and when an interest that is the camera's
 * view is to be updated.
 *
 * Frames: world. Units: pixels from the top left of the viewport for pointers. Ownership: the
 * caller owns the struct; finish frees what it holds. Zeroed it is empty. */

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
