/* shelf.h - things that change one by one, and how a viewer learns of each change: the order of
 * change, the latest removals, and the cursor that says how far a viewer has come.
 *
 * Notes, checkpoints and the users who are present stand on a shelf each. A thing that is put on
 * the shelf, or changes, takes the next version and becomes the newest; a thing that is taken off
 * leaves its id and a version in a ring of the latest removals. A viewer at version v is behind by
 * the things and the removals whose versions are above v. There is no log: a thing that changed a
 * hundred times is on the shelf once, as it is now.
 *
 * A viewer starts anew, and is sent every thing that is there, if it was never sent any, or if it
 * is so far behind that the ring no longer holds all removals that it missed. Sending everything
 * may take several frames. Meanwhile the viewer stands at an old version, but a thing that was
 * removed before the first of these frames is unknown to it: such a removal is neither sent nor a
 * reason to start anew once more. `since` in the cursor remembers that moment.
 *
 * One frame for a viewer is one reading:
 *
 *     struct gz_shelf_reading reading = gz_shelf_read(&shelf, &cursor);
 *     while (there is room && (item = gz_shelf_next(&reading)) != NULL) encode the item;
 *     gone_count = gz_shelf_gone(&reading, gone);
 *     if the frame could be encoded: cursor = reading.cursor;
 *
 * Viewers whose cursors are equal get equal readings, and can share the bytes of a frame.
 *
 * Ownership: an item is a member of the thing that is shelved, and belongs to the thing's owner; it
 * stays where it is while it is on the shelf. The ring's memory belongs to the shelf's owner.
 * Threads: one. Memory: a shelf allocates nothing, and no function here can fail. */
#ifndef GZ_SCENE_SHELF_H
#define GZ_SCENE_SHELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The member that makes a thing fit for a shelf. Zeroed while it is on none. */
struct gz_shelf_item {
    uint64_t version; /* of its last change; 0 while it is on no shelf */
    struct gz_shelf_item *older, *newer;
};

struct gz_shelf_removal {
    uint64_t id, version;
};

struct gz_shelf {
    struct gz_shelf_item *oldest, *newest;
    size_t count;                  /* of the items */
    uint64_t version;              /* of the latest change; 1 before the first one */
    struct gz_shelf_removal *ring; /* removal number i, from 0, is at i % ring_size */
    size_t ring_size;
    uint64_t removals;  /* how many there ever were */
    uint64_t forgotten; /* the version of the latest removal that left the ring; 0: none */
};

/* How far a viewer has come. A zeroed cursor belongs to a viewer that was sent nothing. */
struct gz_shelf_cursor {
    uint64_t version; /* it was sent all that changed up to here; 0: nothing */
    uint64_t
        since; /* while the viewer is sent everything: the version at which that began, else 0 */
};

struct gz_shelf_reading {
    const struct gz_shelf *shelf;
    struct gz_shelf_cursor cursor; /* the viewer's place after all that was read so far */
    uint64_t knows_until;          /* removals up to this version are of no concern to the viewer */
    const struct gz_shelf_item *next; /* NULL when every item was read */
    bool anew; /* the viewer is to forget what it was sent before: everything follows */
};

/* An empty shelf. The ring has room for `ring_size` removals and outlives the shelf. */
void gz_shelf_init(struct gz_shelf *shelf, struct gz_shelf_removal *ring, size_t ring_size);

/* Puts the item on the shelf, or says that it changed: it takes the next version. */
void gz_shelf_put(struct gz_shelf *shelf, struct gz_shelf_item *item);
/* Puts `item` in the place of `before`, which leaves the shelf and is not remembered as removed:
 * they are the same thing to a viewer. */
void gz_shelf_replace(struct gz_shelf *shelf, struct gz_shelf_item *before,
                      struct gz_shelf_item *item);
/* Takes the item off the shelf; viewers are sent `id`, which no item of this shelf has again. */
void gz_shelf_remove(struct gz_shelf *shelf, struct gz_shelf_item *item, uint64_t id);

/* Whether anything changed after the cursor. Nothing did for a viewer that was never sent anything
 * while the shelf is empty. */
bool gz_shelf_has_news(const struct gz_shelf *shelf, const struct gz_shelf_cursor *cursor);

/* Begins a reading for the viewer at this cursor. The shelf must not change during a reading. */
struct gz_shelf_reading gz_shelf_read(const struct gz_shelf *shelf,
                                      const struct gz_shelf_cursor *cursor);
/* The next item, oldest change first; NULL after the last. */
const struct gz_shelf_item *gz_shelf_next(struct gz_shelf_reading *reading);
/* Ends the reading. Writes the ids of the removals that belong to it, newest first, to `ids`, which
 * has room for the shelf's ring_size, and returns how many they are. If items are left, the cursor
 * stays before them, and so do later removals. */
size_t gz_shelf_gone(struct gz_shelf_reading *reading, uint64_t *ids);

#endif
