/* stand.h - looks in slices at the many nodes that a gizmo is to stand on. The scene may change
 * meanwhile: each node counts as it was when its turn came, and whoever looks then looks again.
 *
 * Ownership: the caller owns the struct; finish frees what it holds. Zeroed it is empty. */
#ifndef GZ_SESSION_STAND_H
#define GZ_SESSION_STAND_H

#include "session/groups.h"

struct gz_stand {
    struct gz_seat seat; /* of the targets that were looked at so far */
    gz_vec3 *origins;    /* theirs */
    uint64_t *ids;
    size_t count, at;       /* the targets, and the one that is looked at next */
    uint64_t seq, selected; /* of the scene and the selection when the look began */
    uint64_t removals;
    bool has_groups, anew; /* whether groups have a box, and whether those are found anew */
};

/* Whether a look goes on. */
bool gz_stand_is_looking(const struct gz_stand *stand);
/* Begins a look at the targets of this selection, all of whose nodes are there; `scratch` is worked
 * in. Without memory none begins. */
void gz_stand_begin(struct gz_stand *stand, const struct gz_selection *selection,
                    struct gz_scene *scene, struct gz_arena *scratch);
/* Goes on with it; each node takes one from *budget, and so does each one below a group. Whether
 * all were looked at: then the seat is complete, until finish. The look is given up if another
 * selection was made, or if nodes were deleted. */
GZ_MUST_USE bool gz_stand_go_on(struct gz_stand *stand, const struct gz_selection *selection,
                                struct gz_scene *scene, struct gz_groups *groups, size_t *budget);
void gz_stand_finish(struct gz_stand *stand);

#endif
