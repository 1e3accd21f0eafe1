/* internal.h - what the files of this room share and nobody else sees.
 *
 * Every node is in one list of siblings: its parent's children, the scene's roots, or, once it is
 * gone, the tombstones, oldest first. It is in the table as long as it is in one of them. Graves
 * keep their last parent: children are deleted before their parents, so that a parent's tombstone
 * is always the younger one and is forgotten later. Where a world is known, those of all ancestors
 * are. */
#ifndef GZ_SCENE_INSIDE_H
#define GZ_SCENE_INSIDE_H

#include "scene/scene.h"

/* Nodes by id: open addressing, at most half full. */
struct gz_table {
    struct gz_node **slots;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
};

/* The bounds index: for each node that is alive a slot, which holds its box in the world. A cursor
 * into the order of change, as viewers are: it knows all up to `seq`. */
struct gz_bounds_index {
    uint64_t seq;
    float *sides[6]; /* by slot: least x, y, z, then largest; rounded outward */
    const struct gz_node **nodes, **found;
    size_t count, capacity;
};

struct gz_scene {
    uint64_t seq, next_id, forgotten;
    uint64_t stored; /* tombstones of a later seq are not in the file yet and are kept */
    uint64_t mark;   /* the last one given out: a walk takes the next */
    size_t alive, tombstones;
    struct gz_table table;
    struct gz_node roots,
        graveyard; /* heads of lists: only their first_child and last_child are used */
    struct gz_node *oldest, *newest;
    struct gz_bounds_index bounds_index;
};

/* ---- table.c ---- */

struct gz_node *gz_table_find(const struct gz_table *table, uint64_t id);
/* The id must not be there yet. False without memory. */
GZ_MUST_USE bool gz_table_add(struct gz_table *table, struct gz_node *node);
void gz_table_remove(struct gz_table *table, uint64_t id);

/* ---- links.c ---- */

/* Puts the node into the list that its `gone` and `parent` say, before `next` or, where that is
 * NULL, last. */
void gz_node_link(struct gz_scene *scene, struct gz_node *node, struct gz_node *next);
void gz_node_unlink(struct gz_scene *scene, struct gz_node *node);
/* Takes a seq for the node and makes it the newest. */
void gz_node_touch(struct gz_scene *scene, struct gz_node *node, uint64_t by);
/* A node that is not there yet: the oldest tombstone, of seq 0, which is in no order of change.
 * NULL without memory. */
struct gz_node *gz_node_create(struct gz_scene *scene, uint64_t id);
/* Forgets tombstones of seq 0, and of those that are stored the ones beyond GZ_TOMBSTONES_MAX. */
void gz_tombstones_sweep(struct gz_scene *scene);
/* The worlds of the node and of all below it have to be found again. */
void gz_world_forget(struct gz_node *node);

/* ---- changes.c ---- */

/* A bit (1 << enum gz_part) for each part whose bits differ. */
unsigned gz_content_difference(const struct gz_content *a, const struct gz_content *b);
/* A copy from malloc; NULL without memory. */
char *gz_name_copy(const char *name);

/* ---- bounds_index.c ---- */

void gz_bounds_index_finish(struct gz_bounds_index *boxes);

#endif
