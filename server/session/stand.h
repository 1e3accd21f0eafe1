/* stand.h - computes the seat of a gizmo on many nodes, in slices. The scene may change meanwhile:
 * each node counts as it is when it is looked at, and the caller computes the seat again later.
 *
 * Ownership: the caller owns the struct; finish frees what it holds. Zeroed it is empty. */
#ifndef GZ_SESSION_STAND_H
#define GZ_SESSION_STAND_H

#include "session/groups.h"

struct gz_stand {
    bool is_due;          /* a look is to begin */
    bool lacks_nodes;     /* a selected node was deleted: nothing goes on before a prune */
    bool has_groups;      /* whether groups have boxes, */
    bool anew;            /* which are computed again if the scene has changed */
    struct gz_seat *seat; /* of the targets so far; NULL while no look is under way */
    gz_vec3 *origins;     /* of the targets so far */
    uint64_t *marks;      /* by id: the selected nodes, and nodes that have none of them above */
    size_t capacity, marked;
    size_t named, at;       /* how many of the selection are marked; how many were looked at */
    uint64_t seq, selected; /* of the scene and the selection when the look began */
    uint64_t removals;
};

/* Whether a look is under way, or is to begin. */
bool gz_stand_is_looking(const struct gz_stand *stand);
/* Begins a look at the targets of this selection. Without memory none begins. */
void gz_stand_begin(struct gz_stand *stand, const struct gz_selection *selection,
                    const struct gz_scene *scene);
/* Continues the look; each selected node takes two from *budget, and each node above or below it
 * that is looked at one. True once all were looked at: the seat is complete, until finish. The look
 * ends without a result if the selection changed or nodes were deleted. */
GZ_MUST_USE bool gz_stand_go_on(struct gz_stand *stand, struct gz_selection *selection,
                                struct gz_scene *scene, struct gz_groups *groups, size_t *budget);
void gz_stand_finish(struct gz_stand *stand);

#endif
