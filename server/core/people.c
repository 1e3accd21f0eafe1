/* people.c - who is in the scene, and who may what: rights, colours, sessions by user and by id. */
#include "core/people.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/buffer.h"

/* The same number for the same text each time. */
static uint32_t hash_of(const char *text)
{
    uint32_t hash = 2166136261u;
    for (const char *at = text; *at != '\0'; at++) hash = (hash ^ (unsigned char)*at) * 16777619u;
    return hash;
}

/* ---- colours ---- */

/* The colours by which people are told apart. */

/* Easy to tell apart and equally bright: white text is legible on them (contrast 4.5:1), and they
 * stand out on light and on dark backgrounds. */
static const uint32_t colours[GZ_COLOUR_COUNT] = {
    0xEC0528, 0xB75E03, 0x967002, 0x6B7E02, 0x05893E, 0x028575,
    0x038297, 0x077BC2, 0x5B62FF, 0xA835FF, 0xD203CC, 0xE5027A,
};

uint32_t gz_colour_of(const struct gz_colours *tints, const char *user)
{
    /* From the name, so that a user gets the same colour each time if it is free. */
    const size_t usual = hash_of(user) % GZ_COLOUR_COUNT;
    for (size_t i = 0; i < GZ_COLOUR_COUNT; i++) {
        const size_t tint = (usual + i) % GZ_COLOUR_COUNT;
        if (tints->taken[tint] == 0) return colours[tint];
    }
    return colours[usual];
}

static size_t number_of(uint32_t rgb)
{
    size_t i = 0;
    while (i + 1 < GZ_COLOUR_COUNT && colours[i] != rgb) i++;
    return i;
}

void gz_colour_take(struct gz_colours *tints, uint32_t rgb)
{
    tints->taken[number_of(rgb)]++;
}

void gz_colour_leave(struct gz_colours *tints, uint32_t rgb)
{
    tints->taken[number_of(rgb)]--;
}

/* ---- sessions by user ---- */

/* A hash table by text. */

enum { BUCKETS_MIN = 16 };

static struct gz_name **bucket_of(const struct gz_users *names, const char *text)
{
    return &names->buckets[hash_of(text) & (names->bucket_count - 1)];
}

static void put_first(struct gz_name **bucket, struct gz_name *name)
{
    name->next = *bucket;
    name->link = bucket;
    if (name->next != NULL) name->next->link = &name->next;
    *bucket = name;
}

bool gz_users_reserve(struct gz_users *names)
{
    if (names->count < names->bucket_count) return true;
    struct gz_users more = {.count = names->count};
    more.bucket_count = names->bucket_count > 0 ? 2 * names->bucket_count : BUCKETS_MIN;
    more.buckets = calloc(more.bucket_count, sizeof *more.buckets);
    if (more.buckets == NULL) return false;
    for (size_t i = 0; i < names->bucket_count; i++) {
        for (struct gz_name *name = names->buckets[i], *next; name != NULL; name = next) {
            next = name->next;
            put_first(bucket_of(&more, name->text), name);
        }
    }
    free(names->buckets);
    *names = more;
    return true;
}

void gz_users_add(struct gz_users *names, struct gz_name *name, const char *text)
{
    name->text = text;
    put_first(bucket_of(names, text), name);
    names->count++;
}

void gz_users_remove(struct gz_users *names, struct gz_name *name)
{
    *name->link = name->next;
    if (name->next != NULL) name->next->link = name->link;
    names->count--;
}

struct gz_name *gz_users_find(const struct gz_users *names, const char *text)
{
    if (names->count == 0) return NULL;
    struct gz_name *name = *bucket_of(names, text);
    while (name != NULL && strcmp(name->text, text) != 0) name = name->next;
    return name;
}

void gz_users_finish(struct gz_users *names)
{
    free(names->buckets);
    *names = (struct gz_users){.count = 0};
}

/* ---- sessions by id ---- */

/* Finds a session by its id. */

/* Fewer than so many rows of sessions that are gone are nothing. */
#define GONE_MIN 16

bool gz_sessions_reserve(struct gz_sessions *roster)
{
    return gz_grow(&roster->rows, &roster->capacity, roster->row_count + 1, sizeof *roster->rows);
}

/* The index of the first row whose id is not less. */
static size_t find_place(const struct gz_sessions *roster, uint64_t id, size_t *steps)
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

void gz_sessions_add(struct gz_sessions *roster, uint64_t id, struct gz_session *session)
{
    const size_t place = find_place(roster, id, NULL);
    struct gz_sessions_row *row = &roster->rows[place];
    assert(roster->row_count < roster->capacity);
    memmove(row + 1, row, (roster->row_count++ - place) * sizeof *row);
    *row = (struct gz_sessions_row){id, session};
    roster->count++;
}

static void close_gaps(struct gz_sessions *roster)
{
    size_t kept = 0;
    for (size_t i = 0; i < roster->row_count; i++)
        if (roster->rows[i].session != NULL) roster->rows[kept++] = roster->rows[i];
    roster->row_count = kept;
}

void gz_sessions_remove(struct gz_sessions *roster, uint64_t id)
{
    const size_t place = find_place(roster, id, NULL);
    struct gz_sessions_row *row = &roster->rows[place];
    assert(place < roster->row_count && row->id == id && row->session != NULL);
    row->session = NULL;
    roster->count--;
    if (roster->row_count >= 2 * roster->count + GONE_MIN) close_gaps(roster);
}

struct gz_session *gz_sessions_find(const struct gz_sessions *roster, uint64_t id, size_t *steps)
{
    const size_t place = find_place(roster, id, steps);
    if (place == roster->row_count || roster->rows[place].id != id) return NULL;
    return roster->rows[place].session;
}

size_t gz_sessions_after(const struct gz_sessions *roster, uint64_t id)
{
    return find_place(roster, id + 1, NULL);
}

void gz_sessions_finish(struct gz_sessions *roster)
{
    free(roster->rows);
    *roster = (struct gz_sessions){.count = 0};
}
