/* roster.c - finds a session by its id. See roster.h. */
#include "session/roster.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/buffer.h"

/* Fewer than so many rows of sessions that are gone are nothing. */
#define GONE_MIN 16

bool gz_roster_reserve(struct gz_roster *roster)
{
    return gz_grow(&roster->rows, &roster->capacity, roster->row_count + 1, sizeof *roster->rows);
}

/* The index of the first row whose id is not less. */
static size_t find_place(const struct gz_roster *roster, uint64_t id, size_t *steps)
{
    size_t from = 0, to = roster->row_count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (steps != NULL) ++*steps;
        if (roster->rows[middle].id < id)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

void gz_roster_add(struct gz_roster *roster, uint64_t id, struct gz_session *session)
{
    const size_t place = find_place(roster, id, NULL);
    struct gz_roster_row *row = &roster->rows[place];
    assert(roster->row_count < roster->capacity);
    memmove(row + 1, row, (roster->row_count++ - place) * sizeof *row);
    *row = (struct gz_roster_row){id, session};
    roster->count++;
}

static void close_gaps(struct gz_roster *roster)
{
    size_t kept = 0;
    for (size_t i = 0; i < roster->row_count; i++)
        if (roster->rows[i].session != NULL) roster->rows[kept++] = roster->rows[i];
    roster->row_count = kept;
}

void gz_roster_remove(struct gz_roster *roster, uint64_t id)
{
    const size_t place = find_place(roster, id, NULL);
    struct gz_roster_row *row = &roster->rows[place];
    assert(place < roster->row_count && row->id == id && row->session != NULL);
    row->session = NULL;
    roster->count--;
    if (roster->row_count >= 2 * roster->count + GONE_MIN) close_gaps(roster);
}

struct gz_session *gz_roster_find(const struct gz_roster *roster, uint64_t id, size_t *steps)
{
    const size_t place = find_place(roster, id, steps);
    if (place == roster->row_count || roster->rows[place].id != id) return NULL;
    return roster->rows[place].session;
}

size_t gz_roster_after(const struct gz_roster *roster, uint64_t id)
{
    return find_place(roster, id + 1, NULL);
}

void gz_roster_finish(struct gz_roster *roster)
{
    free(roster->rows);
    *roster = (struct gz_roster){.count = 0};
}
