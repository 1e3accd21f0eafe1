/* tree.h - what the files of this room share and no other room sees.
 *
 * Every node is in one list of siblings: its parent's children, the scene's roots or, once it is
 * deleted, the tombstones, oldest first. It is in the table as long as it is in one of these lists.
 * A tombstone that is stored becomes a grave, which is no node. A tombstone keeps its last parent:
 * children are deleted before their parents, so that a parent's tombstone is always younger and
 * stays longer. If the world transform of a node is known,
 * those of all nodes above it are known. */
#ifndef GZ_SCENE_TREE_H
#define GZ_SCENE_TREE_H

#include "scene/scene.h"

/* Nodes by id: open addressing, at most half full. The ids stand beside the nodes, so that a search
 * reads no node. */
struct gz_table_slot {
    uint64_t id;
    struct gz_node *node; /* NULL: the slot is free */
};
struct gz_table {
    struct gz_table_slot *slots;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
};

/* The bounds index: a slot for each node, with its box in the world. Like a viewer it is a cursor
 * into the order of change: it has every change up to `seq`. */
/* The box around the nodes of so many consecutive slots. */
#define GZ_BOUNDS_BLOCK 256
struct gz_bounds_block {
    gz_box box;
    bool is_stale; /* a box in it changed since */
};

struct gz_bounds_index {
    uint64_t seq;
    uint64_t branch_seq; /* boxes below nodes that moved up to this seq are up to date, too */
    float *sides[6];     /* by slot: least x, y, z, then largest; rounded outward */
    const struct gz_node **nodes, **found;
    size_t count, capacity;
    struct gz_bounds_block *blocks;
    size_t block_capacity;
};

/* A node at which a search in the order of change ended, with its seq; NULL for none. One for each
 * of so many viewers that read a large scene at the same time; with more viewers one is still
 * near. */
#define GZ_ORDER_PLACES 16
struct gz_order_place {
    struct gz_node *node;
    uint64_t seq;
};

struct gz_scene {
    uint64_t seq, next_id;
    uint64_t removals; /* grows with each deletion */
    uint64_t stored;   /* tombstones of a later seq are not in the file yet, and stay nodes */
    uint64_t mark;     /* the latest; each walk takes the next */
    size_t alive, tombstones;
    struct gz_table table;
    /* Heads of lists: only first_child and last_child are used. */
    struct gz_node roots, tombs;
    struct gz_graves graves;
    struct gz_node *oldest, *newest;
    struct gz_order_place places[GZ_ORDER_PLACES]; /* where gz_scene_after begins */
    size_t next_place;                             /* to be replaced next */
    struct gz_bounds_index bounds_index;
};

/* ---- lists.c ---- */

struct gz_node *gz_table_find(const struct gz_table *table, uint64_t id);
/* The id must not be there yet. False without memory. */
GZ_MUST_USE bool gz_table_add(struct gz_table *table, struct gz_node *node);
void gz_table_remove(struct gz_table *table, uint64_t id);

/* Puts the node into the list of siblings that its `gone` and `parent` select: before `next`, or
 * last if that is NULL. */
void gz_node_link(struct gz_scene *scene, struct gz_node *node, struct gz_node *next);
void gz_node_unlink(struct gz_scene *scene, struct gz_node *node);
/* Takes a seq for the node and makes it the newest. */
void gz_node_touch(struct gz_scene *scene, struct gz_node *node, uint64_t by);
/* Moves the node, which was touched before, to `t`. */
void gz_node_place(struct gz_node *node, const gz_vec3 *t);
/* A new node: at first a tombstone of seq 0, the oldest one, outside the order of change. NULL
 * without memory. */
struct gz_node *gz_node_create(struct gz_scene *scene, uint64_t id);
/* Frees the tombstones of seq 0, and makes graves of the stored ones. */
void gz_tombstones_sweep(struct gz_scene *scene);
/* Invalidates the world transforms of the node and of all nodes below it. */
void gz_world_forget(struct gz_node *node);

/* ---- changes.c ---- */

/* A bit (1 << enum gz_part) for each part in which a and b differ. */
unsigned gz_content_difference(const struct gz_content *a, const struct gz_content *b);
/* A copy from malloc; NULL without memory. */
char *gz_name_copy(const char *name);

/* ---- bounds_index.c ---- */

void gz_bounds_index_finish(struct gz_bounds_index *index);

/* ---- lists.c ---- */

/* Gives the node a slot, unless it has one. False without memory. */
GZ_MUST_USE bool gz_bounds_slot_take(struct gz_bounds_index *index, const struct gz_node *node);
/* Call it before the node is freed. Fine for a node without a slot. */
void gz_bounds_slot_give_back(struct gz_bounds_index *index, const struct gz_node *node);
/* The box in this slot, counted from 0, has changed. */
void gz_bounds_slot_mark(struct gz_bounds_index *index, size_t slot);

#endif
