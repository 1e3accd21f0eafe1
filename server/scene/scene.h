/* scene.h - the authoritative scene: the nodes, their hierarchy, the order in which they changed,
 * and the drags that hold them.
 *
 * Every change of a node takes the next seq. Each node remembers the seq of its last change and
 * sits in one list ordered by it, deleted nodes included until they are stored; after that their
 * ids and seqs are in another one (versions.h). What changed after a cursor is the newer end of
 * these lists, found in O(changed). A snapshot is what changed after 0. Deltas, resume, slow
 * viewers and the store all read this one list.
 *
 * A change is data (struct gz_change: before and after), so that one function applies edits, undoes
 * them, restores the past and takes back what the disk refused.
 *
 * Frames: transforms are local to the parent; the root's frame is the world's. Ownership: nodes
 * belong to the scene and stay where they are until it is destroyed or their deletion is
 * stored; hold ids, not pointers, across turns. Threads: one. Errors: GZ_UNKNOWN_NODE,
 * GZ_BAD_VALUE, GZ_BAD_STATE, GZ_LOCKED, GZ_TOO_MANY, GZ_NO_MEMORY; on any of them nothing
 * changed. */
#ifndef GZ_SCENE_SCENE_H
#define GZ_SCENE_SCENE_H

#include "proto/base/buffer.h"
#include "proto/base/linear.h"
#include "proto/base/status.h"
#include "scene/record.h"
#include "scene/versions.h"

/* The parts of a node. Each remembers the seq of its own last change, so that a delta carries only
 * new states. */
enum gz_part {
    GZ_PART_T,
    GZ_PART_R,
    GZ_PART_S,
    GZ_PART_NAME,
    GZ_PART_PARENT,
    GZ_PART_BOUNDS,
    GZ_PART_ASSET,
    GZ_PART_BY, /* who changed it last */
    GZ_PART_COUNT
};

struct gz_node {
    uint64_t id;
    struct gz_node *parent; /* NULL for a root; a tombstone keeps its last parent */
    uint64_t mark;          /* the scene's own, here because walks read both */
    struct gz_node *first_child, *last_child, *next, *previous;
    char *name;
    gz_trs trs;
    gz_box bounds;
    int64_t asset;
    bool has_bounds;
    bool gone;       /* deleted: the node is a tombstone until that is stored */
    uint32_t grip;   /* which gesture of its holder holds it */
    uint64_t by;     /* the session that changed it last; 0: none of this epoch */
    uint64_t holder; /* the session of which a drag or a hold holds it; 0: none */
    uint64_t seq;    /* of the last change */
    uint64_t born;   /* the seq of the change that created it, or created it again */
    uint64_t part_seq[GZ_PART_COUNT];
    uint64_t axis_seq[3];          /* as part_seq, of x, y and z of t */
    struct gz_node *older, *newer; /* the order of change */
    /* the scene's own */
    gz_affine world;
    bool world_known;
    uint32_t slot; /* in the bounds index, from 1; 0 for none */
};

struct gz_scene;

/* NULL without memory. */
struct gz_scene *gz_scene_create(const struct gz_scene_state *state);
void gz_scene_destroy(struct gz_scene *scene);

/* ---- reading ---- */

uint64_t gz_scene_seq(const struct gz_scene *scene);
size_t gz_scene_count(const struct gz_scene *scene); /* without tombstones */
/* Grows whenever a node is deleted: while it is the same, each id that was of a node still is. */
uint64_t gz_scene_removals(const struct gz_scene *scene);
/* NULL if there is no such node, or if it is deleted. */
const struct gz_node *gz_scene_find(const struct gz_scene *scene, uint64_t id);
const struct gz_node *gz_scene_first_root(const struct gz_scene *scene);
/* The oldest node that changed after `seq`, or NULL. Its `newer` are the others, but for deleted
 * nodes that are stored. */
const struct gz_node *gz_scene_after(struct gz_scene *scene, uint64_t seq);
/* The oldest deleted node after `seq` among those that are stored, or NULL. Valid until the scene
 * changes. */
const struct gz_grave *gz_scene_grave_after(const struct gz_scene *scene, uint64_t seq);
/* Both together: all that changed after `seq`, oldest change first. The scene must not change
 * meanwhile. */
struct gz_new {
    uint64_t id, seq;
    const struct gz_node *node; /* NULL: it is deleted */
};
struct gz_news {
    struct gz_scene *scene;
    const struct gz_node *node;
    const struct gz_grave *grave;
};
struct gz_news gz_scene_news(struct gz_scene *scene, uint64_t seq);
bool gz_news_next(struct gz_news *news, struct gz_new *next); /* false at the end */
/* Bytes that the deleted nodes take which are stored, and forgetting them. */
size_t gz_scene_grave_bytes(const struct gz_scene *scene);
void gz_scene_forget_graves(struct gz_scene *scene);
/* Deleted nodes of a seq up to this one are forgotten: a cursor below it has to start from 0. */
uint64_t gz_scene_forgotten(const struct gz_scene *scene);
/* Local to world. Cached; O(depth) after a change above. */
gz_affine gz_scene_world(struct gz_scene *scene, const struct gz_node *node);
/* The frame of the node's parent, as a transform to the world: identity for a root. */
gz_affine gz_scene_parent_world(struct gz_scene *scene, const struct gz_node *node);
/* The next node of a walk through `top`'s subtree, parents first; NULL after the last. Start with
 * top itself. If nodes get other parents during the walk, it may leave the subtree, but ends. */
const struct gz_node *gz_scene_walk(const struct gz_node *top, const struct gz_node *at);
/* The next node of a walk through the whole scene, parents first; NULL at the end. Start with
 * NULL. */
const struct gz_node *gz_scene_walk_all(const struct gz_scene *scene, const struct gz_node *at);
/* A walk through all that changed after `since`: each node that changed, deleted ones included that
 * are not stored yet, and each node below one that was created or got another parent or, with
 * `worlds`, whose transform changed. Each is given at least once, not always parents first; NULL at
 * the end. The scene must not change during the walk, and no second walk may begin. O(nodes given).
 */
struct gz_moved {
    const struct gz_node *changed, *top, *at;
    uint64_t since, mark;
    bool worlds;
};
struct gz_moved gz_scene_moved(struct gz_scene *scene, uint64_t since, bool worlds);
const struct gz_node *gz_moved_next(struct gz_moved *moved);
/* Fills in the node's present content. The name points into the scene, and lives until the node is
 * renamed or created again, or its deletion is stored. Copy a change (gz_changes_copy) that has
 * to outlast that before you apply it. */
void gz_node_content(const struct gz_node *node, struct gz_content *content);

/* ---- changing ---- */

/* Takes a seq that changes no node, so that an acknowledgement has a place in the order. */
uint64_t gz_scene_tick(struct gz_scene *scene);
/* Says that everything up to `seq` is in the scene's file; at first, all that the scene was made
 * from is. Deleted nodes stay until they are stored, however many they are, because the file learns
 * of deletions from them. */
void gz_scene_stored(struct gz_scene *scene, uint64_t seq);
/* A new id. */
uint64_t gz_scene_new_id(struct gz_scene *scene);
uint64_t gz_scene_next_id(const struct gz_scene *scene); /* what gz_scene_new_id would return */

/* If a part of the node changed after `since`, it takes a new seq, so that it goes to the disk and
 * to viewers again. */
void gz_scene_touch(struct gz_scene *scene, const struct gz_node *node, uint64_t since,
                    uint64_t by);
/* Gives the node a new local transform. Nothing changes if the bits are the same. The hot path of a
 * drag: asks for no memory. */
void gz_scene_pose(struct gz_scene *scene, const struct gz_node *node, const gz_trs *trs,
                   uint64_t by);

/* Whether `session` can apply all of these changes now. In the order of the list:
 * - a node exists or not as `existed` says (GZ_UNKNOWN_NODE, GZ_BAD_STATE); its content is not
 *   compared;
 * - its parent exists, or an earlier change creates it (GZ_UNKNOWN_NODE about the parent);
 * - children are deleted or moved away before their parent is deleted (GZ_BAD_STATE);
 * - values are in range (GZ_BAD_VALUE);
 * - no other session holds a node that changes (GZ_LOCKED), and no gesture of `session` itself
 *   (GZ_BAD_STATE). `session` 0 overrules both, for an edit that the disk refused; the gesture then
 *   no longer holds a node that is deleted.
 * The result has no cycles (GZ_BAD_VALUE) and keeps to the maxima of depth and count (GZ_TOO_MANY).
 * Only the result counts for these, so that the reverse of an applied list can always be applied.
 */
GZ_MUST_USE enum gz_status gz_scene_check(struct gz_scene *scene, const struct gz_change *changes,
                                          size_t count, uint64_t session,
                                          struct gz_failure *failure);
/* Checks and applies. Each node that is created, deleted or changed takes a seq, in the order of
 * the list. A part of a node changes only if before and after differ in it and the node is not so
 * already: a part that the change does not mean to touch stays as it is, even if another session
 * touched it since. A node with the id of a tombstone is that node again, with a new `born`. */
GZ_MUST_USE enum gz_status gz_scene_apply(struct gz_scene *scene, const struct gz_change *changes,
                                          size_t count, uint64_t session,
                                          struct gz_failure *failure);

/* ---- holding ---- */

/* What holds nodes: one of a session's gestures, by its number. */
struct gz_grip {
    uint64_t session;
    uint32_t number; /* GZ_GRIP_POINTER, or of one of the holds */
};
#define GZ_GRIP_POINTER 0 /* drag or wheel */

/* Gives all of these nodes to a gesture, or none of them: GZ_LOCKED, GZ_UNKNOWN_NODE, GZ_BAD_STATE
 * about one that another gesture of the session holds. The gesture keeps what it holds already. */
GZ_MUST_USE enum gz_status gz_scene_hold(struct gz_scene *scene, const uint64_t *ids, size_t count,
                                         struct gz_grip grip, struct gz_failure *failure);
/* Frees the nodes among these that the gesture holds. */
void gz_scene_release(struct gz_scene *scene, const uint64_t *ids, size_t count,
                      struct gz_grip grip);
static inline bool gz_grips_equal(struct gz_grip a, struct gz_grip b)
{
    return a.session == b.session && a.number == b.number;
}
static inline bool gz_grip_has(struct gz_grip grip, const struct gz_node *node)
{
    return node->holder == grip.session && node->grip == grip.number;
}

/* ---- changes as data: each makes its result in an arena; NULL without memory ---- */

struct gz_change_list {
    struct gz_change *changes;
    size_t count;
};

/* A deep copy, names included. */
struct gz_change *gz_changes_copy(struct gz_arena *arena, const struct gz_change *changes,
                                  size_t count);
/* The list that takes `changes` back: before and after are swapped, the order is reversed. Names
 * point where they did. */
struct gz_change *gz_changes_reverse(struct gz_arena *arena, const struct gz_change *changes,
                                     size_t count);
/* The nodes among these ids that have none of the others above them, each once, in the order of the
 * ids. All of them exist. `tops` has room for `count`. O(count + the nodes above them). */
size_t gz_scene_tops(struct gz_scene *scene, const uint64_t *ids, size_t count,
                     const struct gz_node **tops);
/* The deletion of these nodes with their subtrees, children first, each node once.
 * GZ_UNKNOWN_NODE, GZ_NO_MEMORY. */
GZ_MUST_USE enum gz_status gz_changes_delete(struct gz_scene *scene, struct gz_arena *arena,
                                             const uint64_t *ids, size_t count,
                                             struct gz_change_list *list,
                                             struct gz_failure *failure);
/* The changes that turn the scene as it is into `nodes` (none of them deleted, parents first), in
 * an order that gz_scene_apply takes. */
GZ_MUST_USE enum gz_status gz_changes_restore(struct gz_scene *scene, struct gz_arena *arena,
                                              const struct gz_node_record *nodes, size_t count,
                                              struct gz_change_list *list,
                                              struct gz_failure *failure);
/* Whether before and after differ in any bit. */
bool gz_change_is_real(const struct gz_change *change);
/* Whether the node is as `before` says in every part that the change alters. */
bool gz_change_fits(const struct gz_scene *scene, const struct gz_change *change);
/* Makes the change alter the same parts of the node as it is now: `before` becomes what the node
 * is, and so do the parts of `after` that the change does not alter. */
void gz_change_rebase(const struct gz_node *node, struct gz_change *change);

#endif
