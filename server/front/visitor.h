/* visitor.h - a request of HTTP as a client of a scene: a connection like others, whose wire ends
 * in this process. What its client says is a hello, and frames behind it; so rights, prices,
 * limits, waiting for a scene and fair shares are those of any other client. What it is told is
 * given to the request, message by message.
 *
 * Whether its wire is free, its user says (is_free). Without that function it is sent only what is
 * for it alone, and is told nothing of the scene.
 *
 * Ownership: the opener's struct; it must not move or be freed before `ended`. Threads: the
 * loop's. */
#ifndef GZ_FRONT_VISITOR_H
#define GZ_FRONT_VISITOR_H

#include "conn/connection.h"

struct gz_visitor;

struct gz_visitor_user {
    /* A message came; `bytes` of the frame are it. Not the place to end the visitor. */
    void (*hear)(struct gz_visitor *visitor, const struct gz_message *message, const uint8_t *bytes,
                 size_t size);
    /* Nothing more will come, and the visitor is free: also after gz_visitor_leave. */
    void (*ended)(struct gz_visitor *visitor);
    /* Whether it takes a frame now; the user then calls gz_connection_go_on when it does again.
     * NULL: as said above. */
    bool (*is_free)(const struct gz_visitor *visitor);
};

struct gz_visitor {
    struct gz_wire wire; /* first */
    struct gz_connection connection;
    const struct gz_visitor_user *user;
    struct gz_buffer said; /* frames of the client, not all of which were taken */
    size_t taken;
    struct gz_frames frames; /* of another member, which come in pieces */
    struct gz_buffer heard;  /* a message that is coming in pieces */
    bool is_paused, is_killed, is_left;
    bool is_stirred; /* it is in the net's list */
    struct gz_visitor *next_stirred;
};

/* Opens a client at the address, and of the user, of this arrival. One that `is_relayed` already is
 * not relayed to a member of the cluster that has its scene. On an error nothing was opened:
 * GZ_RATE_LIMITED if the address has too many connections, GZ_TOO_MANY, GZ_NO_MEMORY. */
GZ_MUST_USE enum gz_status gz_visitor_open(struct gz_visitor *visitor, struct gz_net *net,
                                           const struct gz_arrival *of, bool is_relayed,
                                           const struct gz_visitor_user *user,
                                           struct gz_error *error);
/* Its client says one frame of messages, which is sent in the loop's next turn. */
GZ_MUST_USE enum gz_status gz_visitor_say(struct gz_visitor *visitor, const uint8_t *messages,
                                          size_t size);
/* Its client hangs up, in the loop's next turn. */
void gz_visitor_leave(struct gz_visitor *visitor);

#endif
