/* budget.h - what the work for a session costs, and whether the session can afford it now.
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
#ifndef GZ_SESSION_BUDGET_H
#define GZ_SESSION_BUDGET_H

#include "proto/message.h"
#include "scene/failure.h"
#include "session/names.h"
#include "session/rate.h"

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
