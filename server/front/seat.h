/* seat.h - a request of HTTP as a client of a scene: a connection like others, whose wire ends in
 * this process. What its client says is a hello, and frames behind it; so rights, prices, limits,
 * waiting for a scene and fair shares are those of any other client. What it is told is given to
 * the request, message by message.
 *
 * It is told what is for it alone, and nothing of the scene: its wire is full for all else.
 *
 * Ownership: the opener's struct; it must not move or be freed before `ended`. Threads: the
 * loop's. */
#ifndef GZ_FRONT_SEAT_H
#define GZ_FRONT_SEAT_H

#include "conn/connection.h"

struct gz_seat;

struct gz_seat_user {
    /* A message came; `bytes` of the frame are it. Not the place to end the seat. */
    void (*hear)(struct gz_seat *seat, const struct gz_message *message, const uint8_t *bytes,
                 size_t size);
    /* Nothing more will come, and the seat is free: also after gz_seat_leave. */
    void (*ended)(struct gz_seat *seat);
};

struct gz_seat {
    struct gz_wire wire; /* first */
    struct gz_connection connection;
    const struct gz_seat_user *user;
    struct gz_buffer said; /* frames of the client, not all of which were taken */
    size_t taken;
    bool is_paused, is_killed, is_left;
    bool is_stirred; /* it is in the net's list */
    struct gz_seat *next_stirred;
};

/* Opens a client at the address, and of the user, of this arrival. On an error nothing was opened:
 * GZ_RATE_LIMITED if the address has too many connections, GZ_TOO_MANY, GZ_NO_MEMORY. */
GZ_MUST_USE enum gz_status gz_seat_open(struct gz_seat *seat, struct gz_net *net,
                                        const struct gz_arrival *of,
                                        const struct gz_seat_user *user, struct gz_error *error);
/* Its client says one frame of messages, which is sent in the loop's next turn. */
GZ_MUST_USE enum gz_status gz_seat_say(struct gz_seat *seat, const uint8_t *messages, size_t size);
/* Its client hangs up, in the loop's next turn. */
void gz_seat_leave(struct gz_seat *seat);

#endif
