/* budget.h - what a session is charged: rates of messages, and work by who pays for it. */
#ifndef GZ_CORE_BUDGET_H
#define GZ_CORE_BUDGET_H

#include <stdbool.h>

#include "core/people.h"
#include "proto/message.h"
#include "scene/record.h"

/* ---- rates ---- */

/* A token bucket: of messages, which holds those of one second, and of the work for them
 * (budget.h); of frames that are no messages (net); of what a user may add to the disk
 * (host/disk.h).
 *
 * Pure: all times are monotonic seconds that are handed in. */

struct gz_rate {
    double per_s, most;       /* tokens that fill it in a second; the most that it holds */
    double tokens, counted_s; /* in it, below 0 in debt; when they were counted */
    double over_since_s, over_last_s,
        warned_s; /* first and latest message that came to an empty bucket; latest warning */
};

/* How to treat a message that comes to an empty bucket. */
enum gz_excess { GZ_EXCESS_DROP, GZ_EXCESS_WARN, GZ_EXCESS_END };

/* A full bucket: one that holds so many tokens; one that holds those of a second. */
struct gz_rate gz_rate_up_to(double most, double per_s, double now_s);
struct gz_rate gz_rate_of(double per_s, double now_s);
/* The tokens in the bucket. */
double gz_rate_left(struct gz_rate *rate, double now_s);
/* Whether the bucket holds a message. */
bool gz_rate_has(struct gz_rate *rate, double now_s);
/* Takes one message out of the bucket; false if it holds none. */
bool gz_rate_take(struct gz_rate *rate, double now_s);
/* Takes so many tokens out of what is in the bucket by now, which may be left in debt. */
void gz_rate_charge(struct gz_rate *rate, double tokens, double now_s);
/* Whether the bucket is filled above this part of it, from 0 to 1. */
bool gz_rate_is_above(struct gz_rate *rate, double part, double now_s);
/* Monotonic time from which it is, with one message to spare; in the past if it is now. */
double gz_rate_above_s(const struct gz_rate *rate, double part);
/* Whether to warn of a dropped message: at most once a second. */
bool gz_rate_warns(struct gz_rate *rate, double now_s);
/* Monotonic time from which the next warning is allowed. */
double gz_rate_warns_s(const struct gz_rate *rate);
/* Call it for a message that came to an empty bucket: drop it, drop it with a warning, or end the
 * session, if it has gone on for GZ_RATE_SECONDS_MAX without a pause of one second. */
enum gz_excess gz_rate_exceed(struct gz_rate *rate, double now_s);

/* ---- work ---- */

/* What the work for a session costs, and whether the session can afford it now.
 *
 * All work that grows with the scene, or with what a message names, is charged in nodes that are
 * looked at; GZ_NODES_PER_MESSAGE of them are a message. Work is charged before it is done, or as
 * soon as its amount is known, and also if the message is refused. A session in debt can still do
 * work that costs no more than a usual message. Costlier work is refused (GZ_RATE_LIMITED), or
 * waits if only its latest result counts: the motion of a drag, a gizmo, the nodes that a camera
 * sees. The sessions of a payer (claims.h) in a scene share a budget of a few sessions, which
 * outlives them while it is in debt.
 *
 * Edits of others wait for the transaction that a payer's edits are in. While there are others who
 * may edit, a payer therefore has only so many rows waiting for the disk, and its further edits
 * wait in the inboxes of its sessions (work.h). A single edit may have any number of rows.
 *
 * Threads: the core's. */

struct gz_core;
struct gz_session;

/* The budget that the sessions of one payer share. The payer is a user, or an address if users
 * choose their names without a token. */
struct gz_share {
    struct gz_name name; /* first, so that a name is its share */
    struct gz_share *next;
    char payer[GZ_USER_BYTES_MAX + 1];
    size_t sessions, editors; /* of this payer in the scene; those that may edit */
    size_t rows_waiting;      /* of its requests, for the disk; the journal counts them */
    struct gz_rate messages, work;
};

/* Gives a new session its budget; false without memory. */
GZ_MUST_USE bool gz_budget_join(struct gz_session *session);
void gz_budget_leave(struct gz_session *session);
void gz_budgets_finish(struct gz_core *core);

/* Whether a message could be taken, or which bucket was empty. */
enum gz_taken { GZ_TAKEN, GZ_OVER_OWN_RATE, GZ_OVER_SHARED_RATE };
/* Takes a message of `bytes` bytes out of the buckets. */
GZ_MUST_USE enum gz_taken gz_budget_take(struct gz_session *session, size_t bytes);
/* Charges work that costs as much as looking at so many nodes (maxima.h has the prices). */
void gz_budget_charge(struct gz_session *session, size_t nodes);

/* Whether a client asked for the work. Work that no client asked for leaves half of the budget to
 * work that a client asks for. */
enum gz_haste { GZ_HASTE_ASKED, GZ_HASTE_BESIDE };

/* Whether work that costs so many nodes may be done now: it costs less than a message, or the
 * session has no debt. */
bool gz_budget_affords(struct gz_session *session, size_t nodes, enum gz_haste haste);
/* Monotonic time from which gz_budget_affords is true; in the past if it is true now. */
double gz_budget_affords_s(const struct gz_session *session, size_t nodes, enum gz_haste haste);
/* Whether the next edit of the payer has to wait: for the disk, on which GZ_ROWS_WAITING_MAX of its
 * rows wait already, while another payer could edit as well. */
bool gz_budget_awaits_disk(const struct gz_session *session);
/* Whether a user may make one more of what a scene has at most `most` of, notes or checkpoints:
 * there are `all`, of which `own` are the user's. Nobody has more than are left for the others, so
 * nobody takes the last ones. Otherwise fills `failure` with GZ_TOO_MANY and a sentence about
 * `what`. */
GZ_MUST_USE enum gz_status gz_budget_check_room(const char *what, size_t all, size_t own,
                                                size_t most, struct gz_failure *failure);
/* Fills `failure` with GZ_RATE_LIMITED and a sentence. */
GZ_MUST_USE enum gz_status gz_budget_refuse(const struct gz_session *session,
                                            const struct gz_message *message,
                                            struct gz_failure *failure);

#endif
