/* relay.h - clients of this member whose scenes another member, the authority, has: relay.c is
 * about one client, link_client.c about the link to that member, which the clients share. Threads:
 * the loop's. */
#ifndef GZ_LINK_RELAY_H
#define GZ_LINK_RELAY_H

#include <uv.h>

#include "conn/connection.h"
#include "front/state.h"
#include "link/link.h"
#include "link/relaying.h"

/* A client and its channel. Freed when the client is gone and the channel is free. */
struct gz_relay {
    struct gz_net *net;
    struct gz_connection *connection; /* NULL once the client or the relay has ended */
    struct gz_link_client *route;     /* NULL once its channel is free */
    uint16_t channel;
    struct gz_relay *next_in_group, **group_link; /* link NULL: it is in no group */
    bool is_open;                                 /* the authority was sent OPEN */
    bool has_closed; /* this side has closed the channel, and waits for the authority's close */
    double since_s;  /* when the client ended, by gz_awake_now */
    bool is_ending;  /* the authority has closed it: earlier pieces still go to the client */
    uint64_t id;     /* the connection's, for the log */
    char client[GZ_ADDRESS_TEXT_BYTES], user[GZ_USER_BYTES_MAX + 1];
    struct gz_buffer to_authority; /* the hello until it is sent; then the bytes of one read */
    bool is_amid;                  /* in the middle of a frame to the authority */
    size_t in_flight;              /* bytes that the authority has not taken yet */
    struct gz_bytes_queue pieces;  /* of frames, waiting for the client */
    size_t given; /* bytes from the authority that are not acknowledged by TOOK, as windows count */
    size_t owed;  /* bytes in the client's socket, as windows count */
    size_t taken; /* bytes that the client has taken, not acknowledged by TOOK yet */
};

enum gz_link_client_phase {
    GZ_ROUTE_RESOLVING, /* the name of the member is looked up */
    GZ_ROUTE_CONNECTING,
    GZ_ROUTE_OPEN
};

/* The link to another member. */
struct gz_link_client {
    struct gz_member_link link; /* first */
    enum gz_link_client_phase phase;
    struct lws *wsi;         /* until the connection is the link's */
    struct gz_stream *taken; /* the connection, until libwebsockets has let go of it */
    double since_s;   /* the beginning of the phase, or the end of the link, by gz_awake_now */
    double used_s;    /* when it last had clients */
    double silence_s; /* since the member heard of the database, as it said last; -1: it has not */
    char why[GZ_ERROR_BYTES_MAX]; /* why it cannot be reached; empty without a reason */
    uv_getaddrinfo_t lookup;
    bool is_looking_up; /* libuv uses `lookup` */
    char url[GZ_MEMBER_URL_BYTES_MAX + 1], host[GZ_MEMBER_URL_BYTES_MAX + 1],
        authority[GZ_MEMBER_URL_BYTES_MAX + 1], path[GZ_MEMBER_URL_BYTES_MAX + 5];
    int port;
    bool is_tls;
    struct gz_relay **relays; /* by channel; NULL for a free one */
    size_t capacity, count;
    size_t next_channel;                          /* the search for a free one begins here */
    struct gz_relay *groups[GZ_TRUNK_GROUPS_MAX]; /* the first of each, from GZ_TRUNK_GROUP on */
    struct gz_bytes *latest[GZ_TRUNK_SLOTS];      /* pieces of frames, by slot (link.h) */
};

/* ---- link_client.c ---- */
/* Gives the relay a channel of the link to the member at `url`, which is created if there is none.
 * False, with the reason in *why, on failure. */
bool gz_link_client_enter(struct gz_relay *relay, const char *url, const char **why);
/* Opens a link to the member at `url` if there is none, for as long as it is a member. */
void gz_link_client_keep(struct gz_net *net, const char *url);
/* Ends the link to that member. */
void gz_link_client_drop(const struct gz_net *net, const char *url, const char *why);
/* Whether that member answers, and what it says of itself. */
bool gz_link_client_is_heard(const struct gz_net *net, const char *url, double *silence_s);
/* Frees the channel. */
void gz_link_client_leave(struct gz_relay *relay);

/* ---- relay.c: for the route ---- */
/* The link is open. */
void gz_relay_open(struct gz_relay *relay);
/* Takes a piece of a frame for the client. False if it exceeds the window. */
GZ_MUST_USE bool gz_relay_give(struct gz_relay *relay, struct gz_bytes *piece);
/* The authority has taken `bytes`; false if fewer were on the way. */
bool gz_relay_take_back(struct gz_relay *relay, size_t bytes);
/* The authority has closed the channel. */
void gz_relay_end(struct gz_relay *relay, int code, const uint8_t *words, size_t size);
/* The link has ended: complete messages that came before still go to the client. */
void gz_relay_lose(struct gz_relay *relay, bool was_open);
/* Called at each sweep. */
void gz_relay_look_at(struct gz_relay *relay, double now_s);

#endif
