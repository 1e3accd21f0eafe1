/* session.h - one user in a scene: what it sees, has selected and does, and how it is answered.
 * Each group of these is a type of its own, with a header of its own.
 *
 * Threads: the core's. A session is never freed in the middle of a message: it is marked as ended,
 * and its host closes it after the turn. */
#ifndef GZ_SESSION_SESSION_H
#define GZ_SESSION_SESSION_H

#include "server/maxima.h"
#include "session/budget.h"
#include "session/gesture.h"
#include "session/groups.h"
#include "session/inbox.h"
#include "session/internal.h"
#include "session/outbox.h"
#include "session/past.h"
#include "session/rights.h"
#include "session/selection.h"
#include "session/shown.h"
#include "session/stand.h"
#include "session/view.h"
#include "sync/sync.h"

struct gz_search; /* search.h */

/* Which lists others were shown last. */
struct gz_presented {
    uint64_t selection; /* its version */
    uint64_t gesture;   /* the id of the edit that it becomes; 0: it holds nothing */
};

struct gz_session {
    struct gz_name by_user; /* first, so that a name is its session */
    struct gz_core *core;
    struct gz_session *previous, *next;
    struct gz_session *previous_awake, *next_awake;
    bool is_awake, is_drowsy;
    void *owner; /* the host's own */
    uint64_t id;
    char user[GZ_USER_BYTES_MAX + 1];
    char name[GZ_USER_BYTES_MAX + 1];  /* to be shown in its place; empty for none */
    char payer[GZ_USER_BYTES_MAX + 1]; /* whose share of the server it uses, see gz_claims */
    struct gz_rights rights;
    enum gz_role asked;                        /* the most that the client wants to be */
    enum gz_role role;                         /* the most that it may be and wants to be */
    char secret[2 * GZ_SECRET_BYTES + 16 + 1]; /* random digits, and its id; empty for none */
    bool draw;                                 /* it wants the lines of its gizmo */
    bool departed;                             /* the file will say that it left */
    bool ended, replaced;
    char end_reason[GZ_ERROR_BYTES_MAX];

    struct gz_outbox outbox;
    bool is_answered;       /* there is more in it than the gizmo */
    struct gz_rate rate;    /* of messages */
    enum gz_taken dropped;  /* why messages were dropped that it was not told of; GZ_TAKEN: none */
    struct gz_rate work;    /* of what they cost beyond that */
    struct gz_share *share; /* of its payer, with the other sessions of that payer */
    struct gz_cursor cursor;
    struct gz_presence_entry presence;
    struct gz_presented presented;
    struct gz_view view;
    struct gz_tool tool;
    bool by_surface; /* a press selects by triangles, and not by bounds */
    struct gz_selection selection;
    struct gz_groups groups;
    struct gz_stand stand;
    struct gz_gesture gesture;
    struct gz_shown shown;
    struct gz_standing standing;
    struct gz_past past;
    struct gz_search *search;     /* that goes on; NULL: none does */
    struct gz_inbox inbox;        /* what waits for the end of it */
    bool is_put_off;              /* the first message of the inbox: bulk.h */
    bool frame_waits;             /* for the next turn: GZ_TOLD_BYTES_PER_TURN */
    bool is_leaving;              /* its host has let go of it; it leaves with its drag: bulk.h */
    struct gz_session *next_gone; /* the host's own, while the core is lent */
};

/* What a client is that may be the second and wants to be the first at most. */
static inline enum gz_role gz_role_here(const struct gz_core *core, enum gz_role asked,
                                        enum gz_role role)
{
    if (core->read_only[0] != '\0') return GZ_ROLE_VIEWER;
    return asked < role ? asked : role;
}

/* The session with this id, or NULL. */
struct gz_session *gz_core_session(const struct gz_core *core, uint64_t id);

/* ---- answers ---- */

/* A session that does not take its messages is ended. */
void gz_session_send(struct gz_session *session, const struct gz_message *message);
/* Answers `request` if it has a rid. `has` names the members of `ok` that are set; `ok` may be
 * NULL. */
void gz_session_ok(struct gz_session *session, const struct gz_message *request, uint64_t has,
                   const struct gz_ok *ok);
/* Answers with the seq at which the scene stands; NULL: nobody asked. */
void gz_session_ok_seq(struct gz_session *session, const struct gz_message *request);
/* Sends an `ok` that has a rid; whether that was possible. One that is too large is refused
 * instead. */
bool gz_session_answer(struct gz_session *session, const struct gz_message *ok);
void gz_session_refuse(struct gz_session *session, bool has_rid, uint64_t rid,
                       const struct gz_failure *failure, bool fatal);
/* Marks the session as ended; its host closes it once its frames are sent. The first reason
 * counts. */
void gz_session_end(struct gz_session *session, const char *reason);
/* Of a node that is locked: says who holds it. */
void gz_core_name_holder(const struct gz_core *core, struct gz_failure *failure);

/* ---- state ---- */

/* Sessions that are awake are looked at in each turn. All others have nothing to do and nothing to
 * be sent but what everybody is sent: a turn does not even pass over them, and costs the same with
 * one viewer and with thousands. To be called for whatever may give the session something to do or
 * to be sent: a message of its client, an answer, an end. */
void gz_session_wake(struct gz_session *session);
/* The session leaves. */
void gz_session_forget_awake(struct gz_session *session);

/* What others see of the session has changed. */
void gz_session_present(struct gz_session *session);
/* Tells the session of itself, if it is not told with the others: it only watches. */
void gz_session_tell_self(struct gz_session *session);
/* Takes nodes that are gone out of the selection. */
void gz_session_prune_selection(struct gz_session *session);

#endif
