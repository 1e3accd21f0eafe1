/* link.h - the link between two members: the records of many clients, and both ends. */
#ifndef GZ_LINK_LINK_H
#define GZ_LINK_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conn/frame.h"
#include "conn/stream.h"
#include "feed/bytes.h"
#include "server/maxima.h"

/* ---- records of many clients ---- */

/* The records of a link, the one connection between two members of a cluster that
 * carries many clients. Each client has a channel with a number.
 *
 * A piece for several channels goes over the link once: `gz_mux_share` remembers the latest
 * pieces of frames in GZ_TRUNK_SLOTS slots, and the other side remembers the same pieces in the
 * same slots. A remembered piece is sent as the number of its slot. Records are read in the order
 * in which they were written, so that each channel gets its pieces in order.
 *
 * Channels that are sent the same from now on are in a group, which the other side knows. DATA and
 * AGAIN name the group as if it were a channel: numbers from GZ_TRUNK_GROUP on are groups'.
 *
 * A record is 8 bytes, the payload, and the channels, least significant byte first:
 *
 *     kind 1, flags 1, number of channels 2, bytes of the payload 4 | payload | channels 2 each
 *
 * Flags, of DATA and AGAIN: the slot (low bits), and GZ_RECORD_LAST.
 *
 * Pure: no I/O. Threads: any, one bundle at a time. Ownership: finish frees what a bundle holds.
 * Errors: false without memory, or when the bundle is full; it must not be used afterwards. */

/* The subprotocol of a link. */
#define GZ_TRUNK_PROTOCOL "gizmod.trunk.3"

enum gz_record_kind {
    GZ_RECORD_OPEN = 1, /* a client connects: its channel begins */
    GZ_RECORD_DATA,     /* bytes of frames, which are in the slot from now on */
    GZ_RECORD_AGAIN,    /* the bytes in a slot once more; no payload */
    GZ_RECORD_TOOK,     /* bytes of the channel's window that are free again: 4 bytes */
    GZ_RECORD_CLOSE,    /* the channel ends: 2 bytes of a code, and a reason */
    GZ_RECORD_GROUP,    /* the channel is in this group from now on: 2 bytes, its number or 0 */
    GZ_RECORD_STATE, /* about the authority, in channel 0: 4 bytes, see gz_member_link_tell_state */
    GZ_RECORD_KINDS
};

/* A frame ends with this piece. */
#define GZ_RECORD_LAST 0x80
#define GZ_RECORD_HEADER_BYTES 8
/* The first number of a group. */
#define GZ_TRUNK_GROUP 0x8000

/* ---- writing ---- */

struct gz_mux {
    struct gz_buffer out; /* written and not sent */
    struct gz_mux_slot {
        struct gz_bytes *frame; /* held; NULL: no further channel is sent this piece */
        size_t at, size;        /* the piece of it */
        uint64_t used;          /* value of `uses` at its last use; 0: never */
    } slots[GZ_TRUNK_SLOTS];
    uint64_t uses;
    size_t latest;   /* offset in `out` of the record of the latest shared piece, if it is the last
                        record ... */
    int latest_slot; /* ... and its slot; -1 if it is not */
    /* Totals: pieces for channels, pieces whose bytes were written, records. */
    uint64_t given, written, records;
};

/* `max`: bytes that may wait to be sent. */
void gz_mux_init(struct gz_mux *bundle, size_t max);
void gz_mux_finish(struct gz_mux *bundle);
/* A record for one channel, with payload. */
GZ_MUST_USE bool gz_mux_add(struct gz_mux *bundle, enum gz_record_kind kind, uint16_t channel,
                            const void *bytes, size_t size);
/* A piece of 1 to GZ_TRUNK_PIECE_BYTES of a frame, header included, for a channel. Other channels
 * share it if they are sent the same piece of the same frame, which others hold as well. */
GZ_MUST_USE bool gz_mux_share(struct gz_mux *bundle, uint16_t channel, struct gz_bytes *frame,
                              size_t at, size_t size);
/* Takes the waiting bytes, of which there are some, out of `out`, as a frame with this mask (NULL
 * for none); and gives that back once it is sent, for the memory. */
struct gz_bytes *gz_mux_take(struct gz_mux *bundle, const uint8_t *mask);
void gz_mux_give_back(struct gz_mux *bundle, struct gz_bytes *sent);

/* ---- reading ---- */

struct gz_record {
    enum gz_record_kind kind;
    uint8_t *bytes; /* in the given bytes, as `channels` */
    size_t size;
    const uint8_t *channels;
    size_t count; /* of channels: exactly one, except DATA and AGAIN, which may have more */
    unsigned slot;
    bool is_last;
};

enum gz_mux_found {
    GZ_BUNDLE_NONE, /* the record is not complete */
    GZ_BUNDLE_RECORD,
    GZ_BUNDLE_BROKEN /* no valid record */
};

/* Reads the first record of these bytes, and its size. */
enum gz_mux_found gz_mux_read(uint8_t *bytes, size_t size, struct gz_record *record, size_t *used);

static inline uint16_t gz_record_channel(const struct gz_record *record, size_t index)
{
    return (uint16_t)(record->channels[2 * index] | record->channels[2 * index + 1] << 8);
}

/* A number in a payload. */
static inline uint32_t gz_record_number(const uint8_t *bytes, size_t size)
{
    uint32_t number = 0;
    while (size > 0) number = number << 8 | bytes[--size];
    return number;
}

static inline void gz_record_set_number(uint8_t *bytes, size_t size, uint32_t number)
{
    for (size_t i = 0; i < size; i++, number >>= 8) bytes[i] = (uint8_t)number;
}

/* ---- windows ---- */

/* The part of a channel's window that a piece takes until the other side sends TOOK: its bytes and
 * their bookkeeping. */
static inline size_t gz_piece_cost(size_t size)
{
    return size + GZ_TRUNK_PIECE_COST;
}

/* ---- both ends ---- */

/* The common part of both ends of a link: a connection between two members of a cluster
 * by which one of them, the edge, relays its clients to the other, the authority of their scenes.
 * It is a WebSocket from the edge to the authority with a subprotocol of its own, for members only
 * (members.h), whose binary messages are a stream of records (link.h). The number in the
 * subprotocol's name is the version; members with another version are refused.
 *
 * Received records go to the end's own `take`. Records to send wait in `out` until the end of the
 * loop's turn. A failure only marks a link, which is ended at the end of the turn. Each end sends
 * signs of life, and ends a link whose other end is silent or takes nothing. A link is not read
 * while too many answers wait in it.
 *
 * Ownership: a link is embedded in its owner's struct, which `destroy` frees after the end.
 * Threads: the loop's. */

/* Codes of the authority's CLOSE that are no close codes of a WebSocket: the client's connection
 * there ended without a close, or did not begin. */
#define GZ_CHANNEL_GONE 0
#define GZ_CHANNEL_REFUSED 1

struct gz_net;
struct gz_member_link;

struct gz_member_link_end {
    /* Takes a record. Returns its fault, static; NULL for none. */
    const char *(*take)(struct gz_member_link *link, const struct gz_record *record);
    /* The link was full, and is not any more. May be NULL. */
    void (*go_on)(struct gz_member_link *link);
    /* The link has ended. */
    void (*end)(struct gz_member_link *link, const char *why);
    /* Writes a record as a sign of life; NULL: a pong is sent. */
    void (*tell)(struct gz_member_link *link);
    /* Called at each sweep. May be NULL. */
    void (*look_at)(struct gz_member_link *link, double now_s);
    /* Whether an ended link can be freed. NULL: it can. */
    bool (*is_forgotten)(const struct gz_member_link *link, double now_s);
    void (*destroy)(struct gz_member_link *link);
};

struct gz_member_link {
    struct gz_net *net;
    const struct gz_member_link_end *end;
    struct gz_stream *stream; /* NULL before the handshake is done, and after the end */
    struct gz_frames frames;
    struct gz_buffer in; /* the beginning of a record */
    struct gz_mux out;
    size_t answers;                   /* bytes of TOOK and CLOSE in `out` */
    double heard_s, stated_s, took_s; /* when bytes last came, a sign of life was sent (INFINITY:
                                         none was), bytes were taken by the peer; by gz_awake_now */
    uint64_t acknowledged_bytes;      /* by the last sweep */
    const char *fault;                /* why it has to end, static; NULL: it does not */
    bool is_over;
    struct gz_member_link *next; /* in the net's list */
};

/* A link without a socket yet; adds it to the net's list. */
void gz_member_link_init(struct gz_member_link *link, struct gz_net *net,
                         const struct gz_member_link_end *end);
/* Takes over its connection, whose handshake is done. Without memory the link is marked. */
void gz_member_link_begin(struct gz_member_link *link, struct gz_stream *stream, bool is_of_server);
/* Marks the link to be ended. The first reason counts. */
void gz_member_link_fail(struct gz_member_link *link, const char *why);
/* Whether so many bytes wait that no new frames should be written; begun ones may be finished. */
bool gz_member_link_is_full(const struct gz_member_link *link);
/* Whether records can be written to it, also if its socket is not open yet. */
bool gz_member_link_is_good(const struct gz_member_link *link);
/* Writes a record for one channel. */
void gz_member_link_add(struct gz_member_link *link, enum gz_record_kind kind, uint16_t channel,
                        const void *bytes, size_t size);
void gz_member_link_add_took(struct gz_member_link *link, uint16_t channel, size_t bytes);
/* `words` may be NULL. */
void gz_member_link_add_close(struct gz_member_link *link, uint16_t channel, int code,
                              const char *words);

#endif
