/* selection.h - the nodes that a session has selected, in the order in which it selected them. The
 * last one is the active node.
 *
 * Ownership: the caller owns the struct; finish frees what it holds. Errors: GZ_NO_MEMORY, and then
 * nothing has changed. */
#ifndef GZ_SESSION_SELECTION_H
#define GZ_SESSION_SELECTION_H

#include "proto/message.h"
#include "scene/scene.h"

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

#endif
