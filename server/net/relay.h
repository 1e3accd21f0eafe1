/* relay.h - clients of this member whose scenes another member has, the authority: relay.c has one
 * of them, and route.c the trunk to that member, which they share. Threads: the loop's. */
#ifndef GZ_NET_RELAY_H
#define GZ_NET_RELAY_H

#include <uv.h>

#include "net/internal.h"
#include "net/trunk.h"

/* Bytes of frames for clients. It is there once for all of them that have not taken it yet. */
struct gz_piece {
    size_t uses; /* it is freed with the last one */
    size_t size;
    bool is_last; /* a frame ends with it */
    uint8_t bytes[];
};

/* A client, and its channel. Lives until the client is gone and the channel is free. */
struct gz_relay {
    struct gz_net *net;
    struct gz_connection *connection; /* NULL once one of the two is over */
    struct gz_route *route;           /* NULL once its channel is free */
    uint16_t channel;
    struct gz_relay *next_in_group, **group_link; /* link NULL: it is in none */
    bool is_open;                                 /* the authority knows of it */
    bool has_closed; /* we closed the channel, and wait for the authority's close */
    double since_s;  /* the client is over, by gz_awake_now */
    bool is_ending;  /* the authority closed it: what came before goes to the client */
    uint64_t id;     /* the connection's, for the log */
    char client[GZ_ADDRESS_TEXT_BYTES], user[GZ_USER_BYTES_MAX + 1];
    struct gz_buffer to_authority; /* the hello until it is sent; then of one read */
    bool is_amid;                  /* of a frame to the authority */
    size_t in_flight;              /* bytes that the authority has not taken */
    struct gz_piece **pieces;      /* that wait for the client, from `first_piece` on */
    size_t first_piece, piece_count, piece_capacity;
    size_t given; /* by the authority, which was not told that it is taken; as windows count */
    size_t owed;  /* given to the client's socket, which has not taken it yet; as windows count */
    size_t taken; /* by the client, and the authority was not told yet */
};

enum gz_route_phase {
    GZ_ROUTE_RESOLVING, /* the name of the member */
    GZ_ROUTE_CONNECTING,
    GZ_ROUTE_OPEN
};

/* The way to a member. */
struct gz_route {
    struct gz_trunk trunk; /* first */
    enum gz_route_phase phase;
    double since_s; /* it is in this phase, or over, by gz_awake_now */
    double used_s;  /* it had clients */
    uv_getaddrinfo_t lookup;
    bool is_looking_up; /* libuv has `lookup` */
    char url[GZ_MEMBER_URL_BYTES_MAX + 1], host[GZ_MEMBER_URL_BYTES_MAX + 1],
        authority[GZ_MEMBER_URL_BYTES_MAX + 1], path[GZ_MEMBER_URL_BYTES_MAX + 5];
    int port;
    bool is_tls;
    struct gz_relay **relays; /* by channel; NULL where it is free */
    size_t capacity, count;
    size_t next_channel;                          /* from here on a free one is looked for */
    struct gz_relay *groups[GZ_TRUNK_GROUPS_MAX]; /* the first of each, from GZ_TRUNK_GROUP on */
    struct gz_piece *latest[GZ_TRUNK_SLOTS];      /* by place: bundle.h */
};

/* ---- route.c ---- */
/* Gives the relay a channel of the trunk to the member at `url`, which is made if there is none.
 * False with words if that cannot be. */
bool gz_route_enter(struct gz_relay *relay, const char *url, const char **why);
/* The channel is free. */
void gz_route_leave(struct gz_relay *relay);
void gz_piece_release(struct gz_piece *piece);

/* ---- relay.c: for the route ---- */
/* The trunk is there. */
void gz_relay_open(struct gz_relay *relay);
/* A piece for the client. False if it is more than the window. */
GZ_MUST_USE bool gz_relay_give(struct gz_relay *relay, struct gz_piece *piece);
/* The authority took so many bytes; false if there were not so many. */
bool gz_relay_take_back(struct gz_relay *relay, size_t bytes);
/* The authority closed the channel. */
void gz_relay_end(struct gz_relay *relay, int code, const uint8_t *words, size_t size);
/* The trunk is over: whole messages that came before go to the client. */
void gz_relay_lose(struct gz_relay *relay, bool was_open);
/* Each sweep. */
void gz_relay_look_at(struct gz_relay *relay, double now_s);

#endif
