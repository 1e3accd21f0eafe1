/* pivot.h - what a gizmo stands on: groups of nodes, the frame of a selection, and what was sent of
 * it. */
#ifndef GZ_CORE_PIVOT_H
#define GZ_CORE_PIVOT_H

#include "core/view.h"
#include "solver/gizmo_state.h"

/* ---- what was sent ---- */

/* The gizmo that a session was last sent, and its seat. Plain data of gizmo.c, which
 * allocates what they point to when it is first needed; the session frees it. */

struct gz_shown {
    bool stale;                   /* the session's own action may have changed its gizmo */
    uint64_t seq;                 /* of the scene when the gizmo was last built */
    struct gz_gizmo_state *gizmo; /* NULL: none was sent */
};

/* The seat of the gizmo on the selection; computed anew if anything changed. */
struct gz_pivot_frame_state {
    bool is_known, has_groups;
    bool is_news;           /* it was computed in slices, and is not shown yet */
    uint64_t seq, selected; /* of the scene and the selection when it was computed */
    struct gz_seat *seat;   /* NULL: none was computed */
};

/* ---- groups of nodes ---- */

/* The bounds of groups, which have none of their own: the box around all nodes below.
 *
 * Ownership: the caller owns the struct; finish frees what it holds. Zeroed it is empty. */

/* The boxes below the targets of a gizmo, as they were last needed. */
struct gz_groups {
    uint64_t *ids;            /* the targets, in their order */
    gz_box *boxes;            /* of the targets with `found`, in the node's own space */
    bool *found;              /* the target has no bounds, but a node below it has */
    size_t count, capacity;   /* targets that were looked at so far */
    size_t walked;            /* nodes that were looked at */
    size_t uncharged;         /* those of them that are not charged yet */
    uint64_t seq;             /* of the scene when the first box was computed */
    const struct gz_node *at; /* where the walk below the next target was interrupted, or NULL */
};

/* Whether the gizmo of this tool, or a drag by `handle`, depends on the bounds of its targets. */
bool gz_groups_matter(const struct gz_tool *tool, enum gz_handle handle);
/* How many of these nodes there are, with those below the groups among them; at most `most`. */
size_t gz_groups_weigh(const struct gz_scene *scene, struct gz_ids ids, size_t most);
/* Gives each target without bounds the box around the bounds of all nodes below it, if the tool or
 * `handle` depends on bounds: first how many targets there are at most, then each of them in their
 * order. O(nodes below) for targets that are not those of the last call and, with `anew`, for all
 * if the scene has changed; else O(targets). Without memory such targets stay without bounds. The
 * boxes live until the next call.
 * Each node takes one from *budget. `give` is false if that ended in the middle of a group: the
 * same call is then to be repeated. Nodes may move meanwhile; if any is deleted, begin again. */
void gz_groups_begin(struct gz_groups *groups, struct gz_scene *scene, const struct gz_tool *tool,
                     enum gz_handle handle, bool anew, size_t count);
GZ_MUST_USE bool gz_groups_give(struct gz_groups *groups, struct gz_scene *scene,
                                const struct gz_node *node, size_t place, struct gz_target *target,
                                size_t *budget);
/* The seat of a gizmo on these targets, of which there is one at least, after gz_groups_begin;
 * `arena` is working memory. False without memory. */
GZ_MUST_USE bool gz_groups_seat(struct gz_groups *groups, struct gz_scene *scene,
                                const struct gz_targets *targets, struct gz_arena *arena,
                                struct gz_seat *seat);
/* The number of nodes looked at since the last call; the caller charges it. */
size_t gz_groups_uncharged(struct gz_groups *groups);
void gz_groups_finish(struct gz_groups *groups);

/* ---- the frame ---- */

/* Computes the seat of a gizmo on many nodes, in slices. The scene may change meanwhile:
 * each node counts as it is when it is looked at, and the caller computes the seat again later.
 *
 * Ownership: the caller owns the struct; finish frees what it holds. Zeroed it is empty. */

struct gz_pivot_frame {
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
bool gz_pivot_frame_is_looking(const struct gz_pivot_frame *stand);
/* Begins a look at the targets of this selection. Without memory none begins. */
void gz_pivot_frame_begin(struct gz_pivot_frame *stand, const struct gz_selection *selection,
                          const struct gz_scene *scene);
/* Continues the look; each selected node takes two from *budget, and each node above or below it
 * that is looked at one. True once all were looked at: the seat is complete, until finish. The look
 * ends without a result if the selection changed or nodes were deleted. */
GZ_MUST_USE bool gz_pivot_frame_go_on(struct gz_pivot_frame *stand, struct gz_selection *selection,
                                      struct gz_scene *scene, struct gz_groups *groups,
                                      size_t *budget);
void gz_pivot_frame_finish(struct gz_pivot_frame *stand);

#endif
