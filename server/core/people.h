/* people.h - who is in the scene, and who may what: rights, colours, sessions by user and by id. */
#ifndef GZ_CORE_PEOPLE_H
#define GZ_CORE_PEOPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/status.h"
#include "proto/token/claims.h"

/* ---- rights ---- */

/* What a user's claims give in one scene. Plain data; pure; threads: any. */

struct gz_rights {
    bool has_role; /* the claims cover the scene, with `role` */
    bool is_guest; /* users choose their names themselves, so that the scene's access gives nothing
                    */
    enum gz_role role;
    double expires_unix_s; /* when the session ends; INFINITY for never */
};

static inline struct gz_rights gz_rights_of(const struct gz_claims *claims, const char *scene)
{
    return (struct gz_rights){.has_role = gz_claims_give(claims, scene, GZ_ROLE_VIEWER),
                              .is_guest = claims->is_guest,
                              .role = claims->role,
                              .expires_unix_s = claims->expires_unix_s};
}

/* ---- colours ---- */

/* The colours that tell users apart, and how many sessions have each.
 *
 * Plain data; zero: no colour is in use. Threads: one. */

#define GZ_COLOUR_COUNT 12

struct gz_colours {
    size_t taken[GZ_COLOUR_COUNT]; /* how many sessions have each */
};

/* The colour, as 0xRRGGBB, for a user without a session: the first free one, beginning at the
 * user's usual one; else the usual one. */
uint32_t gz_colour_of(const struct gz_colours *tints, const char *user);
/* A session takes this colour, or gives it back. */
void gz_colour_take(struct gz_colours *tints, uint32_t rgb);
void gz_colour_leave(struct gz_colours *tints, uint32_t rgb);

/* ---- sessions by user ---- */

/* A hash table by text: the sessions of a user, the share of a payer. A scene may have
 * thousands, and a search takes the same steps however many there are.
 *
 * Several items may have the same text. Ownership: an item holds its struct gz_name and the text,
 * which stay where they are while it is listed; the caller owns the struct gz_users, and finish
 * frees its buckets. Threads: one. Errors: only gz_users_reserve can fail. */

/* The member that makes an item fit for the table. */
struct gz_name {
    struct gz_name *next, **link; /* in its bucket; the pointer to this item */
    const char *text;
};

/* Zero: nothing is listed. */
struct gz_users {
    struct gz_name **buckets; /* a power of two of them */
    size_t bucket_count, count;
};

/* Room for one more; false without memory. */
GZ_MUST_USE bool gz_users_reserve(struct gz_users *names);
/* There must be room (gz_users_reserve). */
void gz_users_add(struct gz_users *names, struct gz_name *name, const char *text);
/* The item must be listed. */
void gz_users_remove(struct gz_users *names, struct gz_name *name);
/* An item with this text; NULL for none. */
struct gz_name *gz_users_find(const struct gz_users *names, const char *text);
void gz_users_finish(struct gz_users *names);

/* ---- sessions by id ---- */

/* The sessions of a scene by id, as a sorted array. Thousands may wait for one batch,
 * and each is searched for: a search takes O(log n) steps.
 *
 * Ownership: the caller owns the struct; finish frees what it holds. Threads: one. */

struct gz_session;

struct gz_sessions_row {
    uint64_t id;
    struct gz_session *session; /* NULL: it is gone */
};

/* Zero: an empty roster. A row whose session is gone stays until they are half of all: the oldest
 * sessions leave first, and the others would move up each time. */
struct gz_sessions {
    struct gz_sessions_row *rows; /* ascending by id */
    size_t count;                 /* of sessions */
    size_t row_count, capacity;
};

/* Room for one more session; false without memory. */
GZ_MUST_USE bool gz_sessions_reserve(struct gz_sessions *roster);
/* There must be room (gz_sessions_reserve), and no other session with this id. */
void gz_sessions_add(struct gz_sessions *roster, uint64_t id, struct gz_session *session);
/* The session must be in the roster. */
void gz_sessions_remove(struct gz_sessions *roster, uint64_t id);
/* NULL if there is none. `steps` (may be NULL) counts the rows that were looked at. */
struct gz_session *gz_sessions_find(const struct gz_sessions *roster, uint64_t id, size_t *steps);
/* The index of the first row with a greater id; `row_count` if there is none. */
size_t gz_sessions_after(const struct gz_sessions *roster, uint64_t id);
void gz_sessions_finish(struct gz_sessions *roster);

#endif
