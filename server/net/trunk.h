/* trunk.h - the connection between two members of a cluster by which one of them, the edge, relays
 * its clients to the other, the authority of their scenes: as both ends have it. It is a WebSocket
 * from the edge to the authority with a subprotocol of its own, for members only (proof.h), whose
 * binary messages together are a stream of records: bundle.h. The number in the subprotocol's name
 * is the version of all this; members of another one are refused in words.
 *
 * What comes is given to the end's own `take`. What is to go out waits in `out` until the end of
 * the loop's turn. All that ends a trunk marks it, and it is ended at the end of the turn. Each end
 * sends a pong once in a while, and gives the other one up that is silent, or that takes nothing. A
 * trunk is not read while too many answers wait for it.
 *
 * Ownership: a trunk is embedded in its owner's struct, which `destroy` frees, when libwebsockets
 * has let go of it. Threads: the loop's. */
#ifndef GZ_NET_TRUNK_H
#define GZ_NET_TRUNK_H

#include <libwebsockets.h>

#include "net/bundle.h"
#include "net/frame.h"

/* Codes of a CLOSE of the authority that is no close of a WebSocket: the client's connection there
 * ended without one, or did not begin. */
#define GZ_CHANNEL_GONE 0
#define GZ_CHANNEL_REFUSED 1

struct gz_net;
struct gz_trunk;

struct gz_trunk_end {
    /* Takes a record. What is wrong with it, static; NULL for nothing. */
    const char *(*take)(struct gz_trunk *trunk, const struct gz_record *record);
    /* It was full, and is not any more. May be NULL. */
    void (*go_on)(struct gz_trunk *trunk);
    /* It is over: nothing is sent or comes any more. */
    void (*end)(struct gz_trunk *trunk, const char *why);
    /* Each sweep. May be NULL. */
    void (*look_at)(struct gz_trunk *trunk, double now_s);
    /* Whether it can be freed, once it is over. NULL: it can. */
    bool (*is_forgotten)(const struct gz_trunk *trunk, double now_s);
    void (*destroy)(struct gz_trunk *trunk);
};

struct gz_trunk {
    struct gz_net *net;
    const struct gz_trunk_end *end;
    struct lws *wsi;          /* NULL before there is one, and after its end */
    struct gz_reader *reader; /* NULL before the handshake is done, and after the end */
    struct gz_frames frames;
    struct gz_buffer in; /* the beginning of a record */
    struct gz_bundle out;
    size_t answers;                 /* bytes of TOOK and CLOSE in `out` */
    double heard_s, told_s, took_s; /* something came, was sent, was taken of what waits; by
                                       gz_awake_now */
    uint64_t acknowledged_bytes;    /* by the last sweep */
    const char *fault;              /* why it is to end, static; NULL: it is not */
    bool is_over;
    struct gz_trunk *next; /* of the net's */
};

/* A trunk that has no socket yet; it is one of the net's from now on. */
void gz_trunk_init(struct gz_trunk *trunk, struct gz_net *net, const struct gz_trunk_end *end);
/* The handshake of `wsi` is done. Without memory it is marked. */
void gz_trunk_begin(struct gz_trunk *trunk, struct lws *wsi, bool is_of_server);
/* It is to end. The first reason counts. */
void gz_trunk_fail(struct gz_trunk *trunk, const char *why);
/* libwebsockets lets go of its socket. */
void gz_trunk_lose(struct gz_trunk *trunk, const char *why);
/* Whether so much waits that nothing new is to be written, but what ends what was begun. */
bool gz_trunk_is_full(const struct gz_trunk *trunk);
/* Whether records can be written to it: later, if its socket is not there yet. */
bool gz_trunk_is_good(const struct gz_trunk *trunk);
/* Writes a record for one channel. */
void gz_trunk_add(struct gz_trunk *trunk, enum gz_record_kind kind, uint16_t channel,
                  const void *bytes, size_t size);
void gz_trunk_add_took(struct gz_trunk *trunk, uint16_t channel, size_t bytes);
/* `words` may be NULL. */
void gz_trunk_add_close(struct gz_trunk *trunk, uint16_t channel, int code, const char *words);

#endif
