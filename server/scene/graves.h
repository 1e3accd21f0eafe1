/* graves.h - which nodes were deleted, and when: all that a viewer who resumes needs of a deleted
 * node once it is stored. 28 bytes each, where a node takes 500.
 *
 * A ring of the latest GZ_TOMBSTONES_MAX graves, ascending by seq, with the graves of each bucket
 * of ids as a chain. Ownership: the caller's; zero is an empty one. Threads: one. */
#ifndef GZ_SCENE_GRAVES_H
#define GZ_SCENE_GRAVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gz_grave {
    uint64_t id; /* 0: the node was created again */
    uint64_t seq;
};

struct gz_graves {
    struct gz_grave *ring;
    uint32_t *next;    /* by place in the ring: the next grave of its bucket, from 1; 0 for none */
    uint32_t *buckets; /* as many as there are places: the first grave, likewise */
    size_t first, count, capacity;
    uint64_t forgotten; /* graves up to this seq are forgotten */
};

void gz_graves_finish(struct gz_graves *graves);
/* Adds a grave of a seq above all others; the id has no other one. Forgets the oldest if there are
 * too many, and all of them without memory. */
void gz_graves_add(struct gz_graves *graves, uint64_t id, uint64_t seq);
/* The node was created again. Fine for an id without a grave. */
void gz_graves_open(struct gz_graves *graves, uint64_t id);
/* The oldest one above this seq, or NULL. */
const struct gz_grave *gz_graves_after(const struct gz_graves *graves, uint64_t seq);
/* The bytes that they take; and forgets them all. */
size_t gz_graves_bytes(const struct gz_graves *graves);
void gz_graves_forget(struct gz_graves *graves);

#endif
