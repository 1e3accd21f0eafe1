/* pending_actions.h - this client's drags, wheels and typed edits that the server's state does not
 * show yet, with the expected transforms of their nodes. Ownership: the mirror is the caller's;
 * clear frees the rest. Threads: one at a time. */
#ifndef GZ_CLIENT_PENDING_ACTIONS_H
#define GZ_CLIENT_PENDING_ACTIONS_H

#include "predicted.h"

/* The most at the same time: a second of typed values at 60 a second. Beyond that the oldest is
 * dropped. */
#define GZ_UNANSWERED_MAX 64

struct gz_sent {
    uint64_t number;       /* counts up; 0: nothing */
    uint64_t rid, end_rid; /* of its first message, and of its last one */
    uint64_t end_n;        /* the pointer that ends it; 0 for none */
    uint64_t ended;        /* their order of ending; UINT64_MAX while it runs */
    enum gz_handle handle; /* expected in the first answer; GZ_HANDLE_NONE for none */
    bool is_hold;          /* poses of a hold, which the client calls `hold` */
    uint64_t hold;
    bool is_done; /* the server has done all of it */
    uint64_t seq; /* of the state that shows it */
};

struct gz_pending_actions {
    struct gz_predicted foreseen;
    struct gz_sent list[GZ_UNANSWERED_MAX];
    uint64_t count, ended; /* totals */
    uint64_t corrections;
};

struct gz_sent *gz_pending_actions_add(struct gz_pending_actions *unanswered, uint64_t rid);
/* Makes the message with this rid its last one so far. */
void gz_pending_actions_end(struct gz_pending_actions *unanswered, struct gz_sent *sent,
                            uint64_t rid);
/* A `set`: expects its nodes at their new transforms, except nodes that are unknown, that also get
 * another parent, or that the server will refuse. */
void gz_pending_actions_set(struct gz_pending_actions *unanswered,
                            const struct gz_message *message);

/* A `pose`: expects its nodes there until the hold is over. A `release` or `cancel` of the hold. */
void gz_pending_actions_pose(struct gz_pending_actions *unanswered,
                             const struct gz_message *message);
void gz_pending_actions_end_hold(struct gz_pending_actions *unanswered,
                                 const struct gz_message *message);

/* Takes a received message: the nodes of finished actions are expected where the server has them.
 * The server works in order, so actions that ended earlier are finished too. */
void gz_pending_actions_answer(struct gz_pending_actions *unanswered,
                               const struct gz_message *message);
void gz_pending_actions_acknowledge(struct gz_pending_actions *unanswered, uint64_t n);
void gz_pending_actions_look(
    struct gz_pending_actions *unanswered); /* the mirror has another state */

void gz_pending_actions_drop(struct gz_pending_actions *unanswered, struct gz_sent *sent);
void gz_pending_actions_drop_all(struct gz_pending_actions *unanswered);
/* Clears all for a new session, without counting a correction. */
void gz_pending_actions_clear(struct gz_pending_actions *unanswered);

#endif
