/* host.h - what the core asks of the program that it runs in.
 *
 * The core knows no socket, no SQLite and no clock: it gets the time with each call, and has the
 * rest done by these functions. Threads: all are called on the thread that calls the
 * core. A worker calls gz_core_destroy and, if the host lends the core, gz_core_do_bulk,
 * gz_core_import and gz_core_nodes. These do not call `query`, `verify` and `sign`, and only
 * gz_core_destroy calls `withdraw`. */
#ifndef GZ_SESSION_HOST_H
#define GZ_SESSION_HOST_H

#include "proto/message.h"
#include "scene/record.h"

struct gz_claims; /* proto/token/claims.h */
struct gz_surfaces;

/* Both in seconds: `unix_s` for people and the history, may jump (the times that the core gives
 * never go back); `mono_s` for intervals, never goes back. */
struct gz_now {
    double unix_s, mono_s;
};

struct gz_core_host {
    void *context;
    /* Stores a batch, which the host then owns; answered by gz_core_committed, later, on this
     * thread, in the order of the batches. At most gz_core_options.batches at a time. If one is
     * refused, so is each that left before the core knew, and the host reads none of them any
     * more. */
    void (*commit)(void *context, struct gz_batch *batch);
    /* Asks the past on the share of `payer`; answered by gz_core_answered with the same ticket on
     * this thread: later, or at once if it cannot be asked. */
    void (*query)(void *context, uint64_t ticket, const char *payer, const struct gz_query *query);
    /* The user of this ticket has left: its question need not be asked any more. It may be answered
     * all the same, but not from here. NULL: it is answered. */
    void (*withdraw)(void *context, uint64_t ticket);
    /* The committed edit of this user with this key, answered at once; edit->id is 0 if there is
     * none. Not GZ_OK: the file did not say. */
    enum gz_status (*find_key)(void *context, const char *user, const char *key,
                               struct gz_arena *arena, struct gz_edit_record *edit);
    /* The note that a committed request of this user with this key was about, likewise; *note is 0
     * if there is none. */
    enum gz_status (*find_note_key)(void *context, const char *user, const char *key,
                                    uint64_t *note);
    /* The seq from which on the past can be asked for; NULL for all of it. */
    uint64_t (*kept_since)(void *context);
    /* Who a token's owner is, and what the token gives: GZ_UNAUTHORISED if it is not good now.
     * NULL: an open server, where tokens say nothing. */
    enum gz_status (*verify)(void *context, struct gz_text token, struct gz_claims *claims,
                             struct gz_error *error);
    /* Takes an answer that was sent, to free it elsewhere: memory that another thread took is slow
     * to give back, and that thread may hold it up. NULL: it is freed here. */
    void (*discard)(void *context, struct gz_answer *answer);
    /* The same for large memory that is not needed any more, which `finish` frees; NULL: it is
     * freed here. */
    void (*release)(void *context, void *memory, void (*finish)(void *memory));
    /* Signs a token with these claims that expires in so many seconds. NULL: there is no key. */
    enum gz_status (*sign)(void *context, const struct gz_claims *claims, double seconds,
                           char token[GZ_TOKEN_BYTES_MAX + 1], struct gz_error *error);
    /* Whether an edit may be made that adds about so many bytes to the file, by one whose share
     * they are taken from: GZ_OK has taken them. GZ_STORAGE if the disk has no room,
     * GZ_RATE_LIMITED if the share is used up. NULL: any edit may. */
    enum gz_status (*spend)(void *context, const char *payer, uint64_t bytes,
                            struct gz_error *error);
    /* The same for what is added in any case, such as the samples of a drag: the share may be left
     * in debt, so that the next edit is refused. NULL: nobody counts. */
    void (*charge)(void *context, const char *payer, uint64_t bytes);
};

/* Gives an answer, or memory, to the host to be freed; frees it if the host does not take it. NULL
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

#endif
