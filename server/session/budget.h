/* budget.h - what the work for a session costs, and who may have it done now.
 *
 * All work that grows with the scene, or with what a message names, is charged in messages: one is
 * some 20 us of the core. It is charged before it is done, or as soon as it is
 * known how much it was, and counts as well if it is refused. A session in debt goes on with all
 * that costs no more than a usual message; what costs more is refused (GZ_RATE_LIMITED), or waits
 * if the latest of it is all that counts: how far a drag has come, a gizmo, what a camera sees. The
 * sessions of a payer (claims.h) in a scene share a budget of a few sessions, which outlives them
 * while it is in debt.
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

/* The kinds of work; how many of each cost one message is in maxima.h. */
enum gz_work {
    GZ_WORK_CULL,         /* nodes passed over by their boxes */
    GZ_WORK_LOOK,         /* nodes named by a message or looked at for themselves */
    GZ_WORK_MOVE,         /* nodes held, moved, or told of */
    GZ_WORK_EDIT,         /* nodes edited */
    GZ_WORK_SURFACE_TEST, /* boxes and triangles tested */
    GZ_WORK_CHECKPOINT,   /* checkpoints told of */
    GZ_WORK_ACCESS_TEST,  /* users compared with a pattern */
    GZ_WORK_SIGNATURE,    /* tokens verified or signed */
    GZ_WORK_COUNT
};

/* What several sessions of one payer may have together: sessions of one user, or of one address if
 * nobody vouches for the names that are chosen there. */
struct gz_share {
    struct gz_name name; /* first, so that a name is its share */
    struct gz_share *next;
    char payer[GZ_USER_BYTES_MAX + 1];
    size_t sessions; /* that are here */
    struct gz_rate messages, work;
};

/* What so much work costs, in messages. */
double gz_work_messages(enum gz_work work, size_t count);

/* Gives a session that joins its budget; false without memory. */
GZ_MUST_USE bool gz_budget_join(struct gz_session *session);
void gz_budget_leave(struct gz_session *session);
void gz_budgets_finish(struct gz_core *core);

/* Whether there was room for a message, or which bucket held none. */
enum gz_taken { GZ_TAKEN, GZ_OVER_OWN_RATE, GZ_OVER_SHARED_RATE };
/* Takes a message out of the buckets, with so many bytes that are read with it. */
GZ_MUST_USE enum gz_taken gz_budget_take(struct gz_session *session, size_t bytes);
void gz_budget_charge(struct gz_session *session, enum gz_work work, size_t count);
void gz_budget_pay(struct gz_session *session, double messages);

/* How soon work is wanted. What nobody asked for leaves half of the budget to what is asked. */
enum gz_haste { GZ_HASTE_ASKED, GZ_HASTE_BESIDE };

/* Whether work of so many messages may be done now: it costs less than a message, or there is no
 * debt. */
bool gz_budget_affords(struct gz_session *session, double messages, enum gz_haste haste);
/* Monotonic time at which it may; in the past if it may now. */
double gz_budget_affords_s(const struct gz_session *session, double messages, enum gz_haste haste);
/* GZ_RATE_LIMITED, in words. */
GZ_MUST_USE enum gz_status gz_budget_refuse(const struct gz_session *session,
                                            const struct gz_message *message,
                                            struct gz_failure *failure);

#endif
