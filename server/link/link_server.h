/* link_server.h - the authority's end of a link: its channels and their groups, for link_server.c
 * and subscribers.c. Threads: the loop's. */
#ifndef GZ_LINK_LINK_SERVER_H
#define GZ_LINK_LINK_SERVER_H

#include "conn/connection.h"
#include "feed/feed.h"
#include "front/state.h"
#include "link/link.h"
#include "link/relaying.h"
#include "server/maxima.h"

struct gz_link_server {
    struct gz_member_link link;   /* first */
    struct gz_arrival *arrival;   /* of its connection; until the end */
    struct gz_channel **channels; /* by number; NULL for none */
    size_t capacity;
    struct gz_subscribers *groups[GZ_TRUNK_GROUPS_MAX]; /* by number, from GZ_TRUNK_GROUP on */
    size_t next; /* the channel after the one that filled the link: the next walk's first */
};

struct gz_channel {
    struct gz_wire wire; /* first */
    struct gz_connection connection;
    struct gz_link_server *branch; /* NULL once the edge, or the link, is gone */
    uint16_t number;
    struct gz_bytes_queue rest; /* frames that wait for the window */
    size_t in_flight; /* bytes that the edge has not taken; in a group see gz_subscribers_settle */
    uint64_t counted; /* in a group: the part of group->sent that is in `in_flight` */
    struct gz_channel *next_in_group, **group_link;
    struct gz_buffer inbox; /* received, and not taken yet */
    size_t taken;           /* bytes that are not acknowledged by TOOK yet */
    const char *close_words;
    int close_code;
    bool owes_close, has_closed; /* the close is due after the rest; it is sent */
    bool is_paused, is_killed;
    bool is_stirred; /* it is in the net's list */
    struct gz_channel *next_stirred;
};

/* Clients of the link that only watch a scene, in step: one connection of the scene, without a wire
 * and a session. The clients are in no queue, and not in the scene's list. The group is freed when
 * the last one leaves. */
struct gz_subscribers {
    struct gz_connection connection; /* first */
    struct gz_link_server *branch;
    struct gz_subscribers *next_ended; /* in the scene's list */
    struct gz_subscriber subscriber;
    uint16_t number;
    struct gz_channel *first;
    size_t count;
    uint64_t sent;   /* to each client since the group began; by gz_piece_cost */
    size_t room;     /* what fits into the windows of all; by gz_piece_cost */
    bool is_visited; /* an empty group is freed after the visit */
};

/* Adds to `in_flight` what the group was sent since the last call. */
void gz_subscribers_settle(struct gz_channel *channel);

#endif
