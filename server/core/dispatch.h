/* dispatch.h - the protocol on one page: whose each message is and what it costs, and the way of a
 * frame to it. */
#ifndef GZ_CORE_DISPATCH_H
#define GZ_CORE_DISPATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/message.h"

/* ---- what a message costs ---- */

/* What a message asks for, in nodes that it names or meets: one column of the dispatch
 * table. It gives the price of the message, which is charged before the message is handled and
 * which a session in debt cannot afford (budget.h), and says whether the message is put off for a
 * worker (bulk.h). What shows on the way is charged by the handler. */

struct gz_session;

struct gz_load {
    size_t price; /* in nodes that are looked at: what is certain. At least GZ_NODES_PER_MESSAGE if
                     the message may cost more than others */
    size_t held;  /* nodes that the message edits, moves or may begin to hold, at once. Ten that it
                     only selects, or looks at for the box of a group, count as one. If they are
                     more than GZ_NODES_AT_ONCE, they may be even more */
    size_t own;   /* nodes of a gesture that the message ends */
};

typedef struct gz_load gz_weigher(const struct gz_session *session,
                                  const struct gz_message *message);

/* Messages that cost a little more than others, of which the amount shows on the way. */
gz_weigher gz_weigh_something;
gz_weigher gz_weigh_select, gz_weigh_pointer, gz_weigh_grab, gz_weigh_wheel, gz_weigh_pick;
gz_weigher gz_weigh_hold, gz_weigh_release, gz_weigh_interest, gz_weigh_set, gz_weigh_create,
    gz_weigh_delete;
gz_weigher gz_weigh_undo, gz_weigh_redo, gz_weigh_revert;
/* Messages that verify or sign a token; that ask for a list of users. */
gz_weigher gz_weigh_signature, gz_weigh_who;

/* ---- dispatch ---- */

/* Decodes the frames of a client and calls the handler of each message. */

/* Whether the message edits, so that its answer waits for the disk. */
bool gz_dispatch_edits(enum gz_op op);
/* Handles the messages of a frame from *offset on, until one begins work that later turns continue
 * or, in a frame of GZ_FRAME_BYTES_LARGE or more, until the turn's slice is used up. False if no
 * message was read and no error was sent, because the frame is over the rate. */
bool gz_session_read_frame(struct gz_session *session, const uint8_t *bytes, size_t size,
                           size_t *offset);
/* The same for the frames in the session's inbox. */
void gz_session_read_inbox(struct gz_session *session);
/* Handles the message that was put off (bulk.h): the first of the inbox. It is not charged again.
 * Then goes on in its frame, within the core's slice. */
void gz_session_read_put_off(struct gz_session *session);

/* Sends the session an error if messages of it were dropped since the last such error, at most once
 * a second. The client then knows that an answer may be missing. */
void gz_session_tell_of_dropped(struct gz_session *session);
/* Monotonic seconds at which gz_session_tell_of_dropped has an error to send; INFINITY for
 * never. */
double gz_session_tells_of_dropped_s(const struct gz_session *session);

#endif
