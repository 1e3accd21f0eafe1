/* bundle.h - the records of a trunk, the one connection between two members of a cluster that
 * carries many clients. Each client has a channel with a number.
 *
 * A piece for several channels goes over the trunk once: `gz_bundle_share` remembers the latest
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
#ifndef GZ_NET_BUNDLE_H
#define GZ_NET_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/maxima.h"
#include "sync/bytes.h"

/* The subprotocol of a trunk. */
#define GZ_TRUNK_PROTOCOL "gizmod.trunk.3"

enum gz_record_kind {
    GZ_RECORD_OPEN = 1, /* a client connects: its channel begins */
    GZ_RECORD_DATA,     /* bytes of frames, which are in the slot from now on */
    GZ_RECORD_AGAIN,    /* the bytes in a slot once more; no payload */
    GZ_RECORD_TOOK,     /* bytes of the channel's window that are free again: 4 bytes */
    GZ_RECORD_CLOSE,    /* the channel ends: 2 bytes of a code, and a reason */
    GZ_RECORD_GROUP,    /* the channel is in this group from now on: 2 bytes, its number or 0 */
    GZ_RECORD_STATE,    /* about the authority, in channel 0: 4 bytes, see gz_trunk_tell_state */
    GZ_RECORD_KINDS
};

/* A frame ends with this piece. */
#define GZ_RECORD_LAST 0x80
#define GZ_RECORD_HEADER_BYTES 8
/* The first number of a group. */
#define GZ_TRUNK_GROUP 0x8000

/* ---- writing ---- */

struct gz_bundle {
    struct gz_buffer out; /* written and not sent */
    struct gz_bundle_slot {
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
void gz_bundle_init(struct gz_bundle *bundle, size_t max);
void gz_bundle_finish(struct gz_bundle *bundle);
/* A record for one channel, with payload. */
GZ_MUST_USE bool gz_bundle_add(struct gz_bundle *bundle, enum gz_record_kind kind, uint16_t channel,
                               const void *bytes, size_t size);
/* A piece of 1 to GZ_TRUNK_PIECE_BYTES of a frame, header included, for a channel. Other channels
 * share it if they are sent the same piece of the same frame, which others hold as well. */
GZ_MUST_USE bool gz_bundle_share(struct gz_bundle *bundle, uint16_t channel, struct gz_bytes *frame,
                                 size_t at, size_t size);
/* Takes the waiting bytes, of which there are some, out of `out`, as a frame with this mask (NULL
 * for none); and gives that back once it is sent, for the memory. */
struct gz_bytes *gz_bundle_take(struct gz_bundle *bundle, const uint8_t *mask);
void gz_bundle_give_back(struct gz_bundle *bundle, struct gz_bytes *sent);

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

enum gz_bundle_found {
    GZ_BUNDLE_NONE, /* the record is not complete */
    GZ_BUNDLE_RECORD,
    GZ_BUNDLE_BROKEN /* no valid record */
};

/* Reads the first record of these bytes, and its size. */
enum gz_bundle_found gz_bundle_read(uint8_t *bytes, size_t size, struct gz_record *record,
                                    size_t *used);

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

#endif
