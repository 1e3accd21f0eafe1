/* groups.h - the bounds of nodes that have none of their own, as groups do not: the box about all
 * that is below them.
 *
 * Ownership: the caller owns the struct; finish frees what it holds. Zeroed it is empty. */
#ifndef GZ_SESSION_GROUPS_H
#define GZ_SESSION_GROUPS_H

#include "session/targets.h"

/* What was found below the targets of a gizmo when it last mattered. */
struct gz_groups {
    uint64_t *ids;          /* the targets that it was found for, in their order */
    gz_box *boxes;          /* of those with `found`, in the node's own space */
    bool *found;            /* the target has no bounds, and something below it has */
    size_t count, capacity; /* the targets that were looked at so far */
    size_t walked;          /* nodes that were looked at: what it cost */
    size_t uncharged;       /* of those, the ones that no message was charged for yet */
    uint64_t seq;           /* of the scene then */
};

/* Whether the gizmo of this tool, dragged by `handle` or not, goes by the bounds of its targets. */
bool gz_groups_matter(const struct gz_tool *tool, enum gz_handle handle);
/* Gives each target without bounds the box about the bounds of all nodes below it, if the tool or
 * `handle` goes by bounds. O(nodes below) if the targets are others than the last time or, with
 * `anew`, the scene has changed; else O(targets). Without memory such targets stay without bounds.
 * The boxes live until the next call. */
void gz_groups_bound(struct gz_groups *groups, struct gz_scene *scene, const struct gz_tool *tool,
                     enum gz_handle handle, bool anew, const struct gz_targets *targets);
/* The same for targets that are looked at a few at a time: which targets they are, and then each of
 * them, in their order. Those of another call in between are the ones that count. */
void gz_groups_begin(struct gz_groups *groups, struct gz_scene *scene, const struct gz_tool *tool,
                     enum gz_handle handle, bool anew, struct gz_ids ids);
void gz_groups_give(struct gz_groups *groups, struct gz_scene *scene, const struct gz_node *node,
                    size_t place, struct gz_target *target);
/* The nodes that were looked at since this was asked last, which are to be charged. */
size_t gz_groups_uncharged(struct gz_groups *groups);
void gz_groups_finish(struct gz_groups *groups);

#endif
