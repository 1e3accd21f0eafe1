/* session.h - the session of one user in a scene: its state, in types with headers of their own,
 * and how it is answered.
 *
 * Threads: the core's. A session is never freed in the middle of a message: it is marked as ended,
 * and the host closes it after the turn. */
#ifndef GZ_CORE_SESSION_H
#define GZ_CORE_SESSION_H

#include "core/budget.h"
#include "core/gesture.h"
#include "core/past.h"
#include "core/people.h"
#include "core/pivot.h"
#include "core/queues.h"
#include "core/state.h"
#include "core/view.h"
#include "feed/feed.h"
#include "server/maxima.h"

struct gz_search; /* pick.h */

/* The lists that others were last shown. */
struct gz_presented {
    uint64_t selection; /* its version */
    uint64_t locks;     /* their version */
};

/* All nodes that the gestures of a session hold: presence.user.locks. */
struct gz_locks {
    uint64_t *ids; /* of several gestures; those of one alone are not copied */
    size_t capacity;
    uint64_t version;
};

struct gz_session {
    struct gz_name by_user; /* first, so that a name is its session */
    struct gz_core *core;
    struct gz_session *previous, *next;
    struct gz_session *previous_awake, *next_awake;
    bool is_awake, is_drowsy;
    void *owner; /* the host's own */
    bool is_relayed;
    uint64_t id;
    char user[GZ_USER_BYTES_MAX + 1];
    char name[GZ_USER_BYTES_MAX + 1];  /* shown instead of the user; empty for none */
    char payer[GZ_USER_BYTES_MAX + 1]; /* whose share of the server it uses, see gz_claims */
    struct gz_rights rights;
    struct gz_token_id *token;                 /* NULL if it could not be revoked */
    enum gz_role asked;                        /* the highest role that the client wants */
    enum gz_role role;                         /* the highest role that it may have and wants */
    char secret[2 * GZ_SECRET_BYTES + 16 + 1]; /* random digits, and its id; empty for none */
    bool is_json;  /* the client reads and writes JSON, not MessagePack */
    bool draw;     /* the client wants the lines of its gizmo */
    bool departed; /* the file is told that it left */
    bool ended, replaced;
    char *end_reason; /* NULL without memory */

    struct gz_outbox outbox;
    bool is_answered;       /* the outbox holds more than the gizmo */
    struct gz_rate rate;    /* of messages */
    enum gz_taken dropped;  /* why messages were dropped since the last error about that; GZ_TAKEN:
                               none were */
    struct gz_rate work;    /* of the work for them beyond one message each */
    struct gz_share *share; /* the budget of its payer */
    struct gz_subscriber subscriber;
    struct gz_presence_entry presence;
    struct gz_presented presented;
    struct gz_view view;
    struct gz_tool tool;
    bool by_surface; /* a press selects by triangles, not by bounds */
    struct gz_selection selection;
    struct gz_groups groups;
    struct gz_pivot_frame stand;
    struct gz_gesture gesture; /* of its pointer; `next` are its holds */
    struct gz_locks locks;
    struct gz_shown shown;
    struct gz_pivot_frame_state standing;
    struct gz_past past;
    struct gz_search *search; /* the running one; NULL for none */
    struct gz_inbox inbox;    /* frames that wait for earlier work */
    enum gz_awaited awaits;   /* why the first message of the inbox was left in place */
    bool frame_waits;         /* for the next turn: GZ_TOLD_BYTES_PER_TURN */
    bool is_leaving; /* the host forgot it; it is freed once its drag is completed (bulk.h) */
    struct gz_session *next_gone; /* the host's own, while the core is lent */
};

/* The role of a client that may have `role` and wants `asked` at most. */
static inline enum gz_role gz_role_here(const struct gz_core *core, enum gz_role asked,
                                        enum gz_role role)
{
    if (core->read_only[0] != '\0') return GZ_ROLE_VIEWER;
    return asked < role ? asked : role;
}

/* The session with this id, or NULL. */
struct gz_session *gz_core_session(const struct gz_core *core, uint64_t id);

/* ---- answers ---- */

/* Queues a message. A session that does not take its messages is ended. */
void gz_session_send(struct gz_session *session, const struct gz_message *message);
/* Answers `request` if it has a rid. `has` marks the members of `ok` that are set; `ok` may be
 * NULL. */
void gz_session_ok(struct gz_session *session, const struct gz_message *request, uint64_t has,
                   const struct gz_ok *ok);
/* Sends an `ok` that has a rid, or refuses the request if the `ok` is too large; whether the `ok`
 * was sent. */
bool gz_session_answer(struct gz_session *session, const struct gz_message *ok);
void gz_session_refuse(struct gz_session *session, bool has_rid, uint64_t rid,
                       const struct gz_failure *failure, bool fatal);
/* Marks the session as ended; the host closes it once its frames are sent. The first reason
 * counts. */
void gz_session_end(struct gz_session *session, const char *reason);
/* Adds the user that holds the node to a failure with GZ_LOCKED. */
void gz_core_name_holder(const struct gz_core *core, struct gz_failure *failure);

/* ---- state ---- */

/* Makes a session awake: each turn looks at awake sessions only, and costs the same with one idle
 * viewer as with thousands. Call it whenever the session may have something to do, or something to
 * be sent that others are not: after a message of its client, an answer, an end. */
void gz_session_wake(struct gz_session *session);
/* The session leaves: it is not awake any more. */
void gz_session_forget_awake(struct gz_session *session);

/* Updates the session's presence, after a change that others see. */
void gz_session_present(struct gz_session *session);
/* Sends the session its own presence record, if that is not among those that it is sent, because it
 * only watches. */
void gz_session_tell_self(struct gz_session *session);
/* Looks anew which nodes its gestures hold. False without memory, which only more nodes need. */
bool gz_session_update_locks(struct gz_session *session);
/* How many nodes its gestures hold. */
size_t gz_session_count_held(const struct gz_session *session);
/* A new hold of the session, empty. NULL if it has GZ_HOLDS_MAX (*is_full), or without memory. */
struct gz_gesture *gz_session_add_hold(struct gz_session *session, bool *is_full);
/* Frees a hold, which is empty. */
void gz_session_drop_hold(struct gz_session *session, struct gz_gesture *hold);
/* Takes deleted nodes out of the selection. */
void gz_session_prune_selection(struct gz_session *session);

#endif
