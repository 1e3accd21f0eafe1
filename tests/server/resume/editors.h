/* editors.h - people at work, all at the same time and at random: they drag, set, rename, hang
 * elsewhere, create, delete, undo and redo. What they ask may be refused; they go on, and come back
 * when their connection is lost. An `up` has a key, so that in the file an edit by a handle without
 * one is a drag that ended by itself. Everything here fails the test where it cannot go on.
 * Threads: one. */
#ifndef TESTS_RESUME_EDITORS_H
#define TESTS_RESUME_EDITORS_H

#include "gizmo_client.h"

struct editor {
    struct gz_client *client;
    uint64_t random, keys;
    uint64_t nodes_min, nodes_max; /* how many it leaves there */
    size_t name_bytes;             /* of those that it makes */
    bool dragging;
    uint64_t losses;
};

void editor_start(struct editor *editor, const char *url, const char *scene, const char *user,
                  uint64_t seed);
void editor_finish(struct editor *editor);
/* Makes the least number of nodes that it leaves there; returns when they are saved. */
void editor_fill(struct editor *editor);
/* Does one thing, and reads what came. */
void editor_step(struct editor *editor);
/* Reads what came. */
void editor_hear(struct editor *editor);
/* Moves and renames every node there is, in one edit. */
void editor_change_all(struct editor *editor);
/* Lets go of what it drags; returns when all that it asked is answered and saved. */
void editor_rest(struct editor *editor);

#endif
