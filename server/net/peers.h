/* peers.h - the connections of a server by address and activity: how many an address has, and which
 * are inactive, so that they can make room for others.
 *
 * An address is an IPv4 address, or the first 64 bits of an IPv6 address, which one customer
 * usually has; those that a proxy does not name are one address. Loopback is not counted. Pure: no
 * I/O; it knows no libwebsockets. Threads: one at a time. Ownership: a peer is the caller's,
 * embedded or allocated, and has to leave before it is freed. */
#ifndef GZ_NET_PEERS_H
#define GZ_NET_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/address.h"

enum gz_peer_kind {
    GZ_PEER_SILENT,   /* it has not sent a byte yet */
    GZ_PEER_IDLE,     /* it has no complete request */
    GZ_PEER_NAMELESS, /* a WebSocket without a session */
    GZ_PEER_RELAYED,  /* the same of a client of another member */
    GZ_PEER_BUSY,     /* a request, or a session */
    GZ_PEER_KINDS
};

struct gz_peer {
    struct gz_peer_address *address; /* NULL: not counted */
    enum gz_peer_kind kind;
    struct gz_peer *next, *previous; /* of the same kind, in the order of becoming it */
};

struct gz_peer_list {
    struct gz_peer *first, *last; /* the first has been of this kind for the longest time */
    size_t count;
};

/* Each of GZ_RELAYED_MAX clients may come from an address of its own. */
#define GZ_PEER_BUCKETS 8192
struct gz_peers {
    size_t per_address; /* connections of one address, at most */
    uint64_t seed;      /* random, so that nobody can choose addresses that share a bucket */
    struct gz_peer_list kinds[GZ_PEER_KINDS];
    struct gz_peer_address *buckets[GZ_PEER_BUCKETS];
};

void gz_peers_init(struct gz_peers *peers, size_t per_address, uint64_t seed);
/* Adds a silent connection, which is not counted for an address. */
void gz_peer_enter(struct gz_peers *peers, struct gz_peer *peer);
/* Counts it for this address instead of the one before. False if the address has too many, or
 * without memory: then it is not counted. */
bool gz_peer_count(struct gz_peers *peers, struct gz_peer *peer, const struct gz_address *address);
void gz_peer_uncount(struct gz_peers *peers, struct gz_peer *peer);
/* Makes it the latest of this kind. */
void gz_peer_become(struct gz_peers *peers, struct gz_peer *peer, enum gz_peer_kind kind);
void gz_peer_leave(struct gz_peers *peers, struct gz_peer *peer);
/* The one that has been of this kind for the longest time; NULL for none. */
struct gz_peer *gz_peers_oldest(const struct gz_peers *peers, enum gz_peer_kind kind);

#endif
