/* versions.h - lists ordered by version: deleted nodes, and what is no node: notes and checkpoints.
 */
#ifndef GZ_SCENE_VERSIONS_H
#define GZ_SCENE_VERSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/status.h"
#include "scene/record.h"

/* ---- deleted nodes ---- */

/* Which nodes were deleted, and when: all that a viewer who resumes needs of a deleted
 * node once it is stored. 28 bytes each, where a node takes 500.
 *
 * A ring of the latest GZ_TOMBSTONES_MAX graves, ascending by seq, with the graves of each bucket
 * of ids as a chain. Ownership: the caller's; zero is an empty one. Threads: one. */

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

/* ---- a versioned list ---- */

/* Things that change one by one, and how a viewer learns of each change: the order of
 * change, the latest removals, and the cursor that says how far a viewer has come.
 *
 * Edits, notes, checkpoints and the users who act are such a list each. A thing that is put on
 * the list, or changes, takes the next version and becomes the newest; a thing that is taken off
 * leaves its id and a version in a ring of the latest removals. A viewer at version v is behind by
 * the things and the removals whose versions are above v. There is no log: a thing that changed a
 * hundred times is on the list once, as it is now.
 *
 * A viewer starts anew, and is sent every thing that is there, if it was never sent any, or if it
 * is so far behind that the ring no longer holds all removals that it missed. Sending everything
 * may take several frames. Meanwhile the viewer stands at an old version, but a thing that was
 * removed before the first of these frames is unknown to it: such a removal is neither sent nor a
 * reason to start anew once more. `since` in the cursor remembers that moment.
 *
 * One frame for a viewer is one reading:
 *
 *     struct gz_versions_reading reading = gz_versions_read(&versions, &cursor);
 *     while (there is room && (item = gz_versions_next(&reading)) != NULL) encode the item;
 *     gone_count = gz_versions_gone(&reading, gone);
 *     if the frame could be encoded: cursor = reading.cursor;
 *
 * Viewers whose cursors are equal get equal readings, and can share the bytes of a frame.
 *
 * Ownership: an item is a member of the thing that is listed, and belongs to the thing's owner; it
 * stays where it is while it is on the list. The ring's memory belongs to the list's owner.
 * Threads: one. Memory: a list allocates nothing, and no function here can fail. */

/* The member that makes a thing fit for such a list. Zeroed while it is on none. */
struct gz_versions_item {
    uint64_t version; /* of its last change; 0 while it is on no list */
    struct gz_versions_item *older, *newer;
};

struct gz_versions_removal {
    uint64_t id, version;
};

struct gz_versions {
    struct gz_versions_item *oldest, *newest;
    size_t count;                     /* of the items */
    uint64_t version;                 /* of the latest change; 1 before the first one */
    struct gz_versions_removal *ring; /* removal number i, from 0, is at i % ring_size */
    size_t ring_size;
    uint64_t removals;  /* how many there ever were */
    uint64_t forgotten; /* the version of the latest removal that left the ring; 0: none */
};

/* How far a viewer has come. A zeroed cursor belongs to a viewer that was sent nothing. */
struct gz_versions_cursor {
    uint64_t version; /* it was sent all that changed up to here; 0: nothing */
    uint64_t
        since; /* while the viewer is sent everything: the version at which that began, else 0 */
};

struct gz_versions_reading {
    const struct gz_versions *versions;
    struct gz_versions_cursor cursor; /* the viewer's place after all that was read so far */
    uint64_t knows_until; /* removals up to this version are of no concern to the viewer */
    const struct gz_versions_item *next; /* NULL when every item was read */
    bool anew; /* the viewer is to forget what it was sent before: everything follows */
};

/* An empty list. The ring has room for `ring_size` removals and outlives the list. */
void gz_versions_init(struct gz_versions *versions, struct gz_versions_removal *ring,
                      size_t ring_size);

/* Puts the item on the list, or says that it changed: it takes the next version. */
void gz_versions_put(struct gz_versions *versions, struct gz_versions_item *item);
/* Puts `item` in the place of `before`, which leaves the list and is not remembered as removed:
 * they are the same thing to a viewer. */
void gz_versions_replace(struct gz_versions *versions, struct gz_versions_item *before,
                         struct gz_versions_item *item);
/* Takes the item off the list, and viewers are not told: fine for an item that is on no list. */
void gz_versions_forget(struct gz_versions *versions, struct gz_versions_item *item);
/* Takes the item off the list; viewers are sent `id`, which no item of this list has again. */
void gz_versions_remove(struct gz_versions *versions, struct gz_versions_item *item, uint64_t id);

/* Whether anything changed after the cursor. Nothing did for a viewer that was never sent anything
 * while the list is empty. */
static inline bool gz_versions_has_news(const struct gz_versions *versions,
                                        const struct gz_versions_cursor *cursor)
{
    if (cursor->version == 0) return versions->count > 0;
    return cursor->version < versions->version;
}

/* Begins a reading for the viewer at this cursor. The list must not change during a reading. */
struct gz_versions_reading gz_versions_read(const struct gz_versions *versions,
                                            const struct gz_versions_cursor *cursor);
/* The next item, oldest change first; NULL after the last. */
const struct gz_versions_item *gz_versions_next(struct gz_versions_reading *reading);
/* Ends the reading. Writes the ids of the removals that belong to it, newest first, to `ids`, which
 * has room for the list's ring_size, and returns how many they are. If items are left, the cursor
 * stays before them, and so do later removals. */
size_t gz_versions_gone(struct gz_versions_reading *reading, uint64_t *ids);

/* ---- notes ---- */

/* The notes that people wrote in a scene, as they are now, as a versioned list for viewers.
 *
 * Each change replaces the whole note, so there is no partial state to merge. Notes have no part in
 * the scene's seq, its undo or its past.
 *
 * Ownership: an entry belongs to the caller that created it until gz_notebook_put takes it over.
 * Threads: one. Errors: only creating asks for memory. */

struct gz_notebook_entry {
    struct gz_versions_item item; /* first, so that an item of the list is its entry */
    struct gz_note_record is;     /* its texts belong to the entry */
};

struct gz_notebook;

/* An entry with a copy of the record, in no notebook; NULL without memory. */
struct gz_notebook_entry *gz_notebook_entry_create(const struct gz_note_record *record);
void gz_notebook_entry_destroy(struct gz_notebook_entry *note); /* NULL is fine */

/* Holds the notes of `state`; NULL without memory. */
struct gz_notebook *gz_notebook_create(const struct gz_scene_state *state);
void gz_notebook_destroy(struct gz_notebook *notes); /* NULL is fine */

/* The versions of the entries; a removed note leaves its id. */
const struct gz_versions *gz_notebook_versions(const struct gz_notebook *notes);
size_t gz_notebook_count(const struct gz_notebook *notes);
/* How many of them this user wrote; compares the user with the author of each note. */
size_t gz_notebook_count_of(const struct gz_notebook *notes, const char *user);
/* NULL if there is no note with this id. */
const struct gz_notebook_entry *gz_notebook_find(const struct gz_notebook *notes, uint64_t id);

/* Takes the entry over and puts it in the place of the note with its id; an entry whose record is
 * `gone` removes that note. Needs no memory. The caller makes sure that there are never more than
 * GZ_NOTES_MAX notes. */
void gz_notebook_put(struct gz_notebook *notes, struct gz_notebook_entry *note);

/* ---- checkpoints ---- */

/* The names that people gave to states of a scene, as a versioned list for viewers.
 *
 * A name that is given or taken away is a change for viewers. A scene has few checkpoints: a frame
 * for a viewer, and a search for a name, may look at every one.
 *
 * Ownership: an entry belongs to the caller that created it until gz_checkpoint_list_put takes it
 * over. Threads: one. Errors: only creating asks for memory. */

struct gz_checkpoint_entry {
    struct gz_versions_item item;
    /* Its texts are `texts`. In a removal: the user that took the name away, and the time. */
    struct gz_checkpoint_record is;
    char texts[];
};

struct gz_checkpoint_list;

/* An entry with a copy of the record, in no list; NULL without memory. free() gives it back. */
struct gz_checkpoint_entry *gz_checkpoint_entry_create(const struct gz_checkpoint_record *record);

/* Holds the checkpoints of `state`; NULL without memory. */
struct gz_checkpoint_list *gz_checkpoint_list_create(const struct gz_scene_state *state);
void gz_checkpoint_list_destroy(struct gz_checkpoint_list *list); /* NULL is fine */

/* The versions of the entries. The id of a removal is for gz_checkpoint_list_removal. */
const struct gz_versions *gz_checkpoint_list_versions(const struct gz_checkpoint_list *list);
size_t gz_checkpoint_list_count(const struct gz_checkpoint_list *list);
/* How many of them this user made; compares the user with the maker of each checkpoint. */
size_t gz_checkpoint_list_count_of(const struct gz_checkpoint_list *list, const char *user);
/* Ascending by seq; checkpoints of the same seq are in the order in which they were made. */
const struct gz_checkpoint_entry *gz_checkpoint_list_at(const struct gz_checkpoint_list *list,
                                                        size_t place);
/* NULL if no checkpoint has this name, which need not be terminated. */
const struct gz_checkpoint_entry *gz_checkpoint_list_find(const struct gz_checkpoint_list *list,
                                                          const char *name, size_t size);
/* The removal that left this id in the versions, as it was put; NULL if it is out of date, because
 * the name was given or removed again since. */
const struct gz_checkpoint_entry *gz_checkpoint_list_removal(const struct gz_checkpoint_list *list,
                                                             uint64_t id);

/* Takes the entry over: a name that no checkpoint has yet or, if the record is `gone`, the removal
 * of a name. Needs no memory. The caller makes sure that there are never more than
 * GZ_CHECKPOINTS_MAX checkpoints. */
void gz_checkpoint_list_put(struct gz_checkpoint_list *list, struct gz_checkpoint_entry *entry);

#endif
