/* scene.h - the authoritative scene: nodes, their hierarchy, the order in which they changed, who
 * holds what.
 *
 * Every change of a node takes the next seq. Each node remembers the seq of its last change and
 * sits in one list ordered by it, deleted ones included: what changed after a cursor is that list's
 * newer end, found in O(changed). A snapshot is what changed after 0. Deltas, resume, slow viewers
 * and the store all read this one list.
 *
 * A change is data (struct gz_change: before and after), so that one function applies edits, undoes
 * them, restores the past and takes back what the disk refused.
 *
 * Frames: transforms are local to the parent; the root's frame is the world's. Ownership: nodes
 * belong to the scene and stay where they are until it is destroyed or their tombstone is
 * forgotten; hold ids, not pointers, across turns. Threads: one. Errors: GZ_UNKNOWN_NODE,
 * GZ_BAD_VALUE, GZ_BAD_STATE, GZ_LOCKED, GZ_TOO_MANY, GZ_NO_MEMORY; on any of them nothing
 * changed. */
#ifndef GZ_SCENE_H
#define GZ_SCENE_H

#include "proto/base/buffer.h"
#include "proto/base/linear.h"
#include "proto/base/status.h"
#include "scene/failure.h"
#include "scene/record.h"

/* Parts of a node that change apart; each remembers the seq of its own last change, so that a delta
 * carries only what is new. */
enum gz_part {
    GZ_PART_T,
    GZ_PART_R,
    GZ_PART_S,
    GZ_PART_NAME,
    GZ_PART_PARENT,
    GZ_PART_BOUNDS,
    GZ_PART_ASSET,
    GZ_PART_COUNT
};

struct gz_node {
    uint64_t id;
    struct gz_node *parent; /* NULL for a root; of a gone node: the last one */
    struct gz_node *first_child, *last_child, *next, *previous;
    char *name;
    gz_trs trs;
    gz_box bounds;
    int64_t asset;
    bool has_bounds;
    bool gone;
    uint64_t by;     /* session of the last change, 0 for none of this epoch */
    uint64_t holder; /* session whose drag holds it, 0 for nobody */
    uint64_t seq;    /* of the last change */
    uint64_t born;   /* of the change that made it, or made it again */
    uint64_t part_seq[GZ_PART_COUNT];
    struct gz_node *older, *newer; /* the order of change */
    /* the scene's own */
    gz_affine world;
    bool world_known;
    uint32_t slot; /* in the bounds index, from 1; 0 for none */
    uint64_t mark;
};

struct gz_scene;

/* NULL without memory. */
struct gz_scene *gz_scene_create(const struct gz_scene_state *state);
void gz_scene_destroy(struct gz_scene *scene);

/* ---- reading ---- */

uint64_t gz_scene_seq(const struct gz_scene *scene);
size_t gz_scene_count(const struct gz_scene *scene);                            /* alive */
const struct gz_node *gz_scene_find(const struct gz_scene *scene, uint64_t id); /* alive, or NULL */
const struct gz_node *gz_scene_first_root(const struct gz_scene *scene);
const struct gz_node *
gz_scene_newest(const struct gz_scene *scene); /* by seq, gone ones included; NULL when empty */
const struct gz_node *gz_scene_oldest(const struct gz_scene *scene);
/* The oldest node that changed after `seq`, or NULL. */
const struct gz_node *gz_scene_after(const struct gz_scene *scene, uint64_t seq);
/* Deleted nodes of a seq at or below this one are forgotten: a cursor below it has to start from
 * 0. */
uint64_t gz_scene_forgotten(const struct gz_scene *scene);
/* Local to world. Cached; O(depth) after a change above. */
gz_affine gz_scene_world(struct gz_scene *scene, const struct gz_node *node);
/* What the node hangs from, as a transform: identity for a root. */
gz_affine gz_scene_parent_world(struct gz_scene *scene, const struct gz_node *node);
bool gz_scene_is_below(const struct gz_node *node, const struct gz_node *ancestor); /* strictly */
/* The next node of a walk through `top`'s subtree, parents first; NULL after the last. Start with
 * top itself. */
const struct gz_node *gz_scene_walk(const struct gz_node *top, const struct gz_node *at);
/* The next node of a walk through the whole scene, parents first; NULL at the end. Start with
 * NULL. */
const struct gz_node *gz_scene_walk_all(const struct gz_scene *scene, const struct gz_node *at);
/* What is different since `since`: each node that changed, gone ones too, and each node below one
 * that was made or hung elsewhere or, with `worlds`, whose transform changed. Every one at least
 * once, parents not always first. NULL at the end; the scene stays as it is meanwhile, and nobody
 * else walks it so. O(what it gives). */
struct gz_moved {
    const struct gz_node *changed, *top, *at;
    uint64_t since, mark;
    bool worlds;
};
struct gz_moved gz_scene_moved(struct gz_scene *scene, uint64_t since, bool worlds);
const struct gz_node *gz_moved_next(struct gz_moved *moved);
/* Fills `content` with what the node is; the name points into the scene and lives until the node is
 * next renamed or made again or its tombstone is forgotten. What is to outlast that is copied
 * (gz_changes_copy) before it is applied. */
void gz_node_content(const struct gz_node *node, struct gz_content *content);

/* ---- changing ---- */

/* Takes a seq that changes no node (an acknowledgement has to have its place in the order). */
uint64_t gz_scene_tick(struct gz_scene *scene);
/* Everything up to `seq` is in the file. Who keeps one says so from the start on: what was deleted
 * later is then remembered until it is stored, however much it is, because the file is told of
 * deletions by their tombstones. */
void gz_scene_stored(struct gz_scene *scene, uint64_t seq);
/* An id that was never given out. */
uint64_t gz_scene_new_id(struct gz_scene *scene);
uint64_t
gz_scene_next_id(const struct gz_scene *scene); /* the one that gz_scene_new_id would give */

/* A drag's hot path: the node's new local transform. No change where the bits are the same.
 * Allocates nothing. */
void gz_scene_pose(struct gz_scene *scene, const struct gz_node *node, const gz_trs *trs,
                   uint64_t by);

/* Whether `changes` can be applied now, all of them, by `session`. In the order of the list: nodes
 * are there or not there as `existed` says (GZ_UNKNOWN_NODE, GZ_BAD_STATE); their contents are not
 * compared; parents are there or made by an earlier change (GZ_UNKNOWN_NODE about the parent);
 * children are deleted or moved away before their parent is deleted (GZ_BAD_STATE). Of what comes
 * out in the end: no cycles (GZ_BAD_VALUE), depth and count (GZ_TOO_MANY). So the reverse of a list
 * that could be applied can be. Values are in range. Nobody else holds a node that changes
 * (GZ_LOCKED); one that `session` itself drags is GZ_BAD_STATE; `session` 0 overrules both (the
 * disk refused an edit), and whoever held a node that goes holds it no longer. */
GZ_MUST_USE enum gz_status gz_scene_check(struct gz_scene *scene, const struct gz_change *changes,
                                          size_t count, uint64_t session,
                                          struct gz_failure *failure);
/* Checks and applies; each node that is made, deleted or changed takes a seq, in order. Only those
 * parts of a node change that differ between before and after and are not so already: what a change
 * does not mean to touch stays as it is, also where somebody else touched it since. A node of an id
 * that was there before is that node again, with a new `born`. */
GZ_MUST_USE enum gz_status gz_scene_apply(struct gz_scene *scene, const struct gz_change *changes,
                                          size_t count, uint64_t session,
                                          struct gz_failure *failure);

/* ---- holding ---- */

/* Gives all of these nodes to a drag of `session`, or none of them: GZ_LOCKED, GZ_UNKNOWN_NODE. The
 * session keeps what it holds already. */
GZ_MUST_USE enum gz_status gz_scene_hold(struct gz_scene *scene, const uint64_t *ids, size_t count,
                                         uint64_t session, struct gz_failure *failure);
/* Frees those of the ids that `session` holds. */
void gz_scene_release(struct gz_scene *scene, const uint64_t *ids, size_t count, uint64_t session);

/* ---- changes as data: each makes its result in an arena; NULL without memory ---- */

struct gz_change_list {
    struct gz_change *changes;
    size_t count;
};

/* A deep copy, names included. */
struct gz_change *gz_changes_copy(struct gz_arena *arena, const struct gz_change *changes,
                                  size_t count);
/* What takes `changes` back: before and after swapped, in reverse order. Names still point where
 * they did. */
struct gz_change *gz_changes_reverse(struct gz_arena *arena, const struct gz_change *changes,
                                     size_t count);
/* Those of the ids (alive, in any order) that have none of the others above them, each once, in
 * their order. `tops` has room for `count`. O(count + the nodes above them). */
size_t gz_scene_tops(struct gz_scene *scene, const uint64_t *ids, size_t count,
                     const struct gz_node **tops);
/* The deletion of these nodes with their subtrees, children first, each node once.
 * GZ_UNKNOWN_NODE, GZ_NO_MEMORY. */
GZ_MUST_USE enum gz_status gz_changes_delete(struct gz_scene *scene, struct gz_arena *arena,
                                             const uint64_t *ids, size_t count,
                                             struct gz_change_list *list,
                                             struct gz_failure *failure);
/* What turns the scene as it is into `nodes` (alive, parents first): an order that gz_scene_apply
 * takes as it is. */
GZ_MUST_USE enum gz_status gz_changes_restore(struct gz_scene *scene, struct gz_arena *arena,
                                              const struct gz_node_record *nodes, size_t count,
                                              struct gz_change_list *list,
                                              struct gz_failure *failure);
/* Whether before and after differ in any bit. */
bool gz_change_is_real(const struct gz_change *change);
/* Whether the node is, in all that the change alters, as its `before` says. */
bool gz_change_fits(const struct gz_scene *scene, const struct gz_change *change);
/* Of a change that was made to a node as `before` says, only what it alters is to change; the rest
 * is as the node is now. */
void gz_change_rebase(const struct gz_node *node, struct gz_change *change);

#endif
