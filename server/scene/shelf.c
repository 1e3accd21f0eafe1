/* Keeps a shelf's items in the order of change, and its latest removals in a ring. */
#include "scene/shelf.h"

void gz_shelf_init(struct gz_shelf *shelf, struct gz_shelf_removal *ring, size_t ring_size)
{
    *shelf = (struct gz_shelf){.version = 1, .ring = ring, .ring_size = ring_size};
}

/* ---- changing ---- */

static void unlink_item(struct gz_shelf *shelf, struct gz_shelf_item *item)
{
    if (item->version == 0) return;
    *(item->older != NULL ? &item->older->newer : &shelf->oldest) = item->newer;
    *(item->newer != NULL ? &item->newer->older : &shelf->newest) = item->older;
    *item = (struct gz_shelf_item){0};
    shelf->count--;
}

void gz_shelf_put(struct gz_shelf *shelf, struct gz_shelf_item *item)
{
    unlink_item(shelf, item);
    *item = (struct gz_shelf_item){.version = ++shelf->version, .older = shelf->newest};
    *(shelf->newest != NULL ? &shelf->newest->newer : &shelf->oldest) = item;
    shelf->newest = item;
    shelf->count++;
}

void gz_shelf_replace(struct gz_shelf *shelf, struct gz_shelf_item *before,
                      struct gz_shelf_item *item)
{
    unlink_item(shelf, before);
    gz_shelf_put(shelf, item);
}

void gz_shelf_remove(struct gz_shelf *shelf, struct gz_shelf_item *item, uint64_t id)
{
    unlink_item(shelf, item);
    struct gz_shelf_removal *slot = &shelf->ring[shelf->removals % shelf->ring_size];
    if (shelf->removals >= shelf->ring_size) shelf->forgotten = slot->version;
    shelf->removals++;
    *slot = (struct gz_shelf_removal){id, ++shelf->version};
}

/* ---- reading ---- */

bool gz_shelf_has_news(const struct gz_shelf *shelf, const struct gz_shelf_cursor *cursor)
{
    if (cursor->version == 0) return shelf->count > 0;
    return cursor->version < shelf->version;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The oldest item that changed after `version`, or NULL. */
static const struct gz_shelf_item *first_after(const struct gz_shelf *shelf, uint64_t version)
{
    const struct gz_shelf_item *first = NULL;
    const struct gz_shelf_item *item = shelf->newest;
    for (; item != NULL && item->version > version; item = item->older) first = item;
    return first;
}

struct gz_shelf_reading gz_shelf_read(const struct gz_shelf *shelf,
                                      const struct gz_shelf_cursor *cursor)
{
    struct gz_shelf_reading reading = {.shelf = shelf, .cursor = *cursor};
    uint64_t knows_until = later(cursor->version, cursor->since);
    reading.anew = cursor->version == 0 || knows_until < shelf->forgotten;
    if (reading.anew) {
        reading.cursor = (struct gz_shelf_cursor){.version = 0, .since = shelf->version};
        knows_until = shelf->version;
    }
    reading.knows_until = knows_until;
    reading.next = first_after(shelf, reading.cursor.version);
    return reading;
}

const struct gz_shelf_item *gz_shelf_next(struct gz_shelf_reading *reading)
{
    const struct gz_shelf_item *item = reading->next;
    if (item == NULL) return NULL;
    reading->cursor.version = item->version;
    reading->next = item->newer;
    return item;
}

size_t gz_shelf_gone(struct gz_shelf_reading *reading, uint64_t *ids)
{
    const struct gz_shelf *shelf = reading->shelf;
    struct gz_shelf_cursor *cursor = &reading->cursor;
    if (reading->next == NULL) cursor->version = shelf->version;
    if (cursor->version >= cursor->since) cursor->since = 0;
    uint64_t first = shelf->removals > shelf->ring_size ? shelf->removals - shelf->ring_size : 0;
    size_t count = 0;
    for (uint64_t i = shelf->removals; i > first; i--) {
        const struct gz_shelf_removal *removal = &shelf->ring[(i - 1) % shelf->ring_size];
        if (removal->version <= reading->knows_until) break;
        if (removal->version <= cursor->version) ids[count++] = removal->id;
    }
    return count;
}
