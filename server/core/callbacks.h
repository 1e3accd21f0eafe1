/* callbacks.h - what a core asks of its host, and the tickets by which an answer finds its
 * question. */
#ifndef GZ_CORE_CALLBACKS_H
#define GZ_CORE_CALLBACKS_H

#include "proto/limits.h"
#include "proto/message.h"
#include "proto/token/claims.h"
#include "scene/record.h"

/* ---- host ---- */

/* The functions that a core needs from the program that it runs in.
 *
 * The core knows no socket, no SQLite and no clock: it gets the time with each call, and calls
 * these functions for the rest. Threads: all are called on the thread that calls the core. A worker
 * calls gz_core_destroy and, if the host lends the core, gz_core_do_bulk and gz_core_import. These
 * do not call `query`, `verify` and `sign`, and only gz_core_destroy calls `withdraw`. */

struct gz_claims; /* proto/token/claims.h */
struct gz_surfaces;

/* Both in seconds. `unix_s` is for people and the history, and may jump; `mono_s` is for intervals,
 * and never goes back. */
struct gz_now {
    double unix_s, mono_s;
};

struct gz_core_host {
    void *context;
    /* Stores a batch, which the host then owns. The host answers with gz_core_committed: later, on
     * this thread, in the order of the batches, of which there are at most gz_core_options.batches
     * at a time. If a batch is refused, so are those that left before the core knew, and the host
     * reads none of them any more. */
    void (*commit)(void *context, struct gz_batch *batch);
    /* Asks the file a question about the past, charged to `payer`. The host answers with
     * gz_core_answered and the same ticket on this thread: later, or at once if the file cannot be
     * asked. */
    void (*query)(void *context, uint64_t ticket, const char *payer, const struct gz_query *query);
    /* The session of this ticket has left: the question need not be asked any more. The host may
     * still answer it, but not within this call. NULL: the host answers every question. */
    void (*withdraw)(void *context, uint64_t ticket);
    /* Finds the committed edit of this user with this key, at once; edit->id is 0 if there is none.
     * Not GZ_OK: the file could not be read. */
    enum gz_status (*find_key)(void *context, const char *user, const char *key,
                               struct gz_arena *arena, struct gz_edit_record *edit);
    /* Finds the note of the committed request of this user with this key, likewise; *note is 0 if
     * there is none. */
    enum gz_status (*find_note_key)(void *context, const char *user, const char *key,
                                    uint64_t *note);
    /* The first seq of the past that is kept; NULL if all of it is kept. */
    uint64_t (*kept_since)(void *context);
    /* Verifies a token and reads its claims: GZ_UNAUTHORISED if it is not valid now. NULL: an open
     * server, which ignores tokens. */
    enum gz_status (*verify)(void *context, struct gz_text token, struct gz_claims *claims,
                             struct gz_error *error);
    /* Takes an answer that was sent, to free it on another thread: freeing memory that another
     * thread allocated is slow. NULL: the core frees it. */
    void (*discard)(void *context, struct gz_answer *answer);
    /* The same for large memory, which `finish` frees; NULL: the core frees it. */
    void (*release)(void *context, void *memory, void (*finish)(void *memory));
    /* Signs a token with these claims that expires in `seconds`. NULL: the server has no key. */
    /* Whether a token is revoked that was verified before; `user` is empty for a guest. NULL: none
     * is. The core asks again for all sessions when *revocations has changed. */
    bool (*is_revoked)(void *context, const char *user, const struct gz_token_id *id);
    const uint64_t *revocations;
    enum gz_status (*sign)(void *context, const struct gz_claims *claims, double seconds,
                           char token[GZ_TOKEN_BYTES_MAX + 1], struct gz_error *error);
    /* Asks whether `payer` may make an edit that adds about `bytes` to the file: with GZ_OK they
     * are taken from the payer's share. GZ_STORAGE if the disk has no room, GZ_TOO_MANY if the
     * server has too little memory, GZ_RATE_LIMITED if the share is used up. NULL: every edit may
     * be made. */
    enum gz_status (*spend)(void *context, const char *payer, uint64_t bytes,
                            struct gz_error *error);
    /* The same for bytes that are added in any case, such as the samples of a drag: the share may
     * be left in debt, so that the next edit is refused. NULL: they are not counted. */
    void (*charge)(void *context, const char *payer, uint64_t bytes);
    /* Asks whether a request may keep about `bytes` of memory. GZ_TOO_MANY if the server has too
     * little. An edit need not ask, because `spend` does. NULL: there is always enough. */
    enum gz_status (*room)(void *context, uint64_t bytes, struct gz_error *error);
};

/* Let the host free an answer, or memory; free it here if the host has no such function. NULL
 * memory is fine. */
void gz_host_discard(const struct gz_core_host *host, struct gz_answer *answer);
void gz_host_release(const struct gz_core_host *host, void *memory, void (*finish)(void *memory));
/* As `withdraw` says. */
void gz_host_withdraw(const struct gz_core_host *host, uint64_t ticket);
/* As `spend` says. */
GZ_MUST_USE enum gz_status gz_host_spend(const struct gz_core_host *host, const char *payer,
                                         uint64_t bytes, struct gz_error *error);
/* As `charge` says. */
void gz_host_charge(const struct gz_core_host *host, const char *payer, uint64_t bytes);
/* As `room` says. */
GZ_MUST_USE enum gz_status gz_host_room(const struct gz_core_host *host, uint64_t bytes,
                                        struct gz_error *error);

/* ---- tickets ---- */

/* The open questions about the past, oldest first. */

struct gz_session;
struct gz_ticket;

/* Handles a successful answer, and may take parts out of it. A failure is sent to the session. */
typedef enum gz_status gz_answer_handler(struct gz_session *session, const struct gz_ticket *ticket,
                                         struct gz_answer *answer, struct gz_failure *failure);

/* One open question. */
struct gz_ticket {
    struct gz_ticket *next;
    uint64_t number, session, rid;
    bool has_rid, has_key, is_sent;
    bool force; /* of a revert */
    char key[GZ_KEY_BYTES_MAX + 1];
    uint64_t after; /* the seq that has to be saved before the file is asked */
    struct gz_query query;
    gz_answer_handler *on_answer;
    bool is_answered; /* `answer` is put off (bulk.h) */
    struct gz_answer answer;
};

/* Zero: no tickets. */
struct gz_tickets {
    struct gz_ticket *first;
    uint64_t latest; /* the number of the newest ticket; numbers are never reused */
};

/* Appends a copy under the next number. False without memory. */
GZ_MUST_USE bool gz_tickets_add(struct gz_tickets *tickets, const struct gz_ticket *ticket);
/* The ticket with this number; NULL if there is none. */
struct gz_ticket *gz_tickets_find(const struct gz_tickets *tickets, uint64_t number);
/* Takes the ticket with this number out; the caller frees it. NULL if there is none. */
struct gz_ticket *gz_tickets_take(struct gz_tickets *tickets, uint64_t number);
void gz_tickets_finish(struct gz_tickets *tickets);

#endif
