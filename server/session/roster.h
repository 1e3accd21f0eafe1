/* roster.h - the sessions of a scene by id, as a sorted array. Thousands may wait for one batch,
 * and each is searched for: a search takes O(log n) steps.
 *
 * Ownership: the caller owns the struct; finish frees what it holds. Threads: one. */
#ifndef GZ_SESSION_ROSTER_H
#define GZ_SESSION_ROSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/status.h"

struct gz_session;

struct gz_roster_row {
    uint64_t id;
    struct gz_session *session; /* NULL: it is gone */
};

/* Zero: an empty roster. A row whose session is gone stays until they are half of all: the oldest
 * sessions leave first, and the others would move up each time. */
struct gz_roster {
    struct gz_roster_row *rows; /* ascending by id */
    size_t count;               /* of sessions */
    size_t row_count, capacity;
};

/* Room for one more session; false without memory. */
GZ_MUST_USE bool gz_roster_reserve(struct gz_roster *roster);
/* There must be room (gz_roster_reserve), and no other session with this id. */
void gz_roster_add(struct gz_roster *roster, uint64_t id, struct gz_session *session);
/* The session must be in the roster. */
void gz_roster_remove(struct gz_roster *roster, uint64_t id);
/* NULL if there is none. `steps` (may be NULL) counts the rows that were looked at. */
struct gz_session *gz_roster_find(const struct gz_roster *roster, uint64_t id, size_t *steps);
/* The index of the first row with a greater id; `row_count` if there is none. */
size_t gz_roster_after(const struct gz_roster *roster, uint64_t id);
void gz_roster_finish(struct gz_roster *roster);

#endif
