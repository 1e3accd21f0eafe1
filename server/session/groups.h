/* groups.h - the bounds of groups, which have none of their own: the box around all nodes below.
 *
 * Ownership: the caller owns the struct; finish frees what it holds. Zeroed it is empty. */
#ifndef GZ_SESSION_GROUPS_H
#define GZ_SESSION_GROUPS_H

#include "session/targets.h"

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

#endif
