/* trunk.h - the common part of both ends of a trunk: a connection between two members of a cluster
 * by which one of them, the edge, relays its clients to the other, the authority of their scenes.
 * It is a WebSocket from the edge to the authority with a subprotocol of its own, for members only
 * (proof.h), whose binary messages are a stream of records (bundle.h). The number in the
 * subprotocol's name is the version; members with another version are refused.
 *
 * Received records go to the end's own `take`. Records to send wait in `out` until the end of the
 * loop's turn. A failure only marks a trunk, which is ended at the end of the turn. Each end sends
 * signs of life, and ends a trunk whose other end is silent or takes nothing. A trunk is not read
 * while too many answers wait in it.
 *
 * Ownership: a trunk is embedded in its owner's struct, which `destroy` frees after the end.
 * Threads: the loop's. */
#ifndef GZ_NET_TRUNK_H
#define GZ_NET_TRUNK_H

#include "net/bundle.h"
#include "net/frame.h"
#include "net/stream.h"

/* Codes of the authority's CLOSE that are no close codes of a WebSocket: the client's connection
 * there ended without a close, or did not begin. */
#define GZ_CHANNEL_GONE 0
#define GZ_CHANNEL_REFUSED 1

struct gz_net;
struct gz_trunk;

struct gz_trunk_end {
    /* Takes a record. Returns its fault, static; NULL for none. */
    const char *(*take)(struct gz_trunk *trunk, const struct gz_record *record);
    /* The trunk was full, and is not any more. May be NULL. */
    void (*go_on)(struct gz_trunk *trunk);
    /* The trunk has ended. */
    void (*end)(struct gz_trunk *trunk, const char *why);
    /* Writes a record as a sign of life; NULL: a pong is sent. */
    void (*tell)(struct gz_trunk *trunk);
    /* Called at each sweep. May be NULL. */
    void (*look_at)(struct gz_trunk *trunk, double now_s);
    /* Whether an ended trunk can be freed. NULL: it can. */
    bool (*is_forgotten)(const struct gz_trunk *trunk, double now_s);
    void (*destroy)(struct gz_trunk *trunk);
};

struct gz_trunk {
    struct gz_net *net;
    const struct gz_trunk_end *end;
    struct gz_stream *stream; /* NULL before the handshake is done, and after the end */
    struct gz_frames frames;
    struct gz_buffer in; /* the beginning of a record */
    struct gz_bundle out;
    size_t answers;                   /* bytes of TOOK and CLOSE in `out` */
    double heard_s, stated_s, took_s; /* when bytes last came, a sign of life was sent, bytes were
                                         taken by the peer; by gz_awake_now */
    uint64_t acknowledged_bytes;      /* by the last sweep */
    const char *fault;                /* why it has to end, static; NULL: it does not */
    bool is_over;
    struct gz_trunk *next; /* in the net's list */
};

/* A trunk without a socket yet; adds it to the net's list. */
void gz_trunk_init(struct gz_trunk *trunk, struct gz_net *net, const struct gz_trunk_end *end);
/* Takes over its connection, whose handshake is done. Without memory the trunk is marked. */
void gz_trunk_begin(struct gz_trunk *trunk, struct gz_stream *stream, bool is_of_server);
/* Marks the trunk to be ended. The first reason counts. */
void gz_trunk_fail(struct gz_trunk *trunk, const char *why);
/* Whether so many bytes wait that no new frames should be written; begun ones may be finished. */
bool gz_trunk_is_full(const struct gz_trunk *trunk);
/* Whether records can be written to it, also if its socket is not open yet. */
bool gz_trunk_is_good(const struct gz_trunk *trunk);
/* Writes a record for one channel. */
void gz_trunk_add(struct gz_trunk *trunk, enum gz_record_kind kind, uint16_t channel,
                  const void *bytes, size_t size);
void gz_trunk_add_took(struct gz_trunk *trunk, uint16_t channel, size_t bytes);
/* `words` may be NULL. */
void gz_trunk_add_close(struct gz_trunk *trunk, uint16_t channel, int code, const char *words);

#endif
