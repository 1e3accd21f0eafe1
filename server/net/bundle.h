/* bundle.h - what goes over a trunk, the one connection between two members of a cluster that
 * carries many clients: records, written one after the other, and read as they come. A client's
 * bytes go in its channel, which has a number.
 *
 * What is to go to several channels goes over the trunk once: `gz_bundle_share` remembers the
 * latest pieces that it wrote, in GZ_TRUNK_SLOTS places, and the other side remembers the same ones
 * in the same places. A piece that is there already is named by its place. Records are read in the
 * order in which they were written, so that each channel gets its pieces in order.
 *
 * Channels that get the same from now on are in a group, which the other side knows. DATA and AGAIN
 * name the group as if it were a channel: numbers from GZ_TRUNK_GROUP on are groups'.
 *
 * A record is 8 bytes, the payload, and the channels, with the least byte first:
 *
 *     kind 1, flags 1, number of channels 2, bytes of the payload 4 | payload | channels 2 each
 *
 * Flags, of DATA and AGAIN: the place (low bits), and GZ_RECORD_LAST.
 *
 * Pure: no I/O. Threads: any, one bundle at a time. Ownership: finish frees what a bundle holds.
 * Errors: false without memory, or when the bundle is full; it is of no use then. */
#ifndef GZ_NET_BUNDLE_H
#define GZ_NET_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/buffer.h"
#include "server/maxima.h"

/* The subprotocol of a trunk. */
#define GZ_TRUNK_PROTOCOL "gizmod.trunk.2"

enum gz_record_kind {
    GZ_RECORD_OPEN = 1, /* a client came: a channel begins */
    GZ_RECORD_DATA,     /* bytes of frames; they are at their place from now on */
    GZ_RECORD_AGAIN,    /* the bytes at a place once more; no payload */
    GZ_RECORD_TOOK,     /* so many bytes of the channel's window are free again: 4 bytes */
    GZ_RECORD_CLOSE,    /* the channel ends: 2 bytes of a code, and words */
    GZ_RECORD_GROUP, /* the channel is in this group from now on, or in none: 2 bytes, the group's
                        number or 0 */
    GZ_RECORD_KINDS
};

/* A frame ends with this piece. */
#define GZ_RECORD_LAST 0x80
#define GZ_RECORD_HEADER_BYTES 8
/* The first number of a group. */
#define GZ_TRUNK_GROUP 0x8000

/* ---- writing ---- */

struct gz_bundle {
    struct gz_buffer
        out; /* what is written and not sent; the sender empties it by gz_bundle_sent */
    struct gz_bundle_slot {
        struct gz_buffer piece;
        uint64_t used; /* when, by `uses`; 0: never */
        bool is_last;
    } slots[GZ_TRUNK_SLOTS];
    uint64_t uses;
    size_t latest; /* where in `out` the record of the latest shared piece begins, if it is the last
                      one ... */
    int latest_slot; /* ... and its place; -1 if it is not */
    /* Ever: pieces for channels, pieces whose bytes were written, records. */
    uint64_t given, written, records;
};

/* `max`: bytes that may wait to be sent; `headroom`: before them, for the sender. */
void gz_bundle_init(struct gz_bundle *bundle, size_t max, size_t headroom);
void gz_bundle_finish(struct gz_bundle *bundle);
/* A record for one channel, with payload. */
GZ_MUST_USE bool gz_bundle_add(struct gz_bundle *bundle, enum gz_record_kind kind, uint16_t channel,
                               const void *bytes, size_t size);
/* DATA of 1 to GZ_TRUNK_PIECE_BYTES for a channel, which other channels may get as well. */
GZ_MUST_USE bool gz_bundle_share(struct gz_bundle *bundle, uint16_t channel, const uint8_t *bytes,
                                 size_t size, bool is_last);
/* What waited is sent: `out` is emptied. */
void gz_bundle_sent(struct gz_bundle *bundle);

/* ---- reading ---- */

struct gz_record {
    enum gz_record_kind kind;
    uint8_t *bytes; /* in what was given, as `channels` */
    size_t size;
    const uint8_t *channels;
    size_t count; /* of channels, at least one; exactly one but for DATA and AGAIN */
    unsigned slot;
    bool is_last;
};

enum gz_bundle_found {
    GZ_BUNDLE_NONE, /* the record is not whole yet */
    GZ_BUNDLE_RECORD,
    GZ_BUNDLE_BROKEN /* that is no record */
};

/* The first record of these bytes, and how many of them it has. */
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

/* What a piece takes of its channel's window until the other side says TOOK: its bytes, and what
 * the other side keeps about it. */
static inline size_t gz_piece_cost(size_t size)
{
    return size + GZ_TRUNK_PIECE_COST;
}

#endif
