/* wire.h - what leads from a connection to its client, as the connection sees it: frames go out,
 * bytes are held back or let come, and it ends. What comes in by it, the wire tells the connection:
 * gz_connection_take and its neighbours in internal.h. Threads: the loop's. */
#ifndef GZ_NET_WIRE_H
#define GZ_NET_WIRE_H

#include <libwebsockets.h>
#include <stdbool.h>
#include <stdint.h>

#include "proto/base/buffer.h"

struct gz_wire {
    const struct gz_wire_kind *kind;
    struct gz_arrival *arrival; /* what is known of who is at the other end */
};

struct gz_wire_kind {
    bool is_tended; /* whether the other side is there is looked after by somebody else */
    /* Takes one frame, which has room for its header before it; RAW: bytes of frames as they are.
     * False if it cannot take the whole frame, for want of memory or because the wire is broken: a
     * part of it may be on its way, and nothing can follow a part. */
    bool (*write)(struct gz_wire *wire, const struct gz_buffer *frame,
                  enum lws_write_protocol kind);
    /* Takes a close, as `write`. `words` may be NULL; GZ_CLOSE_NONE has neither code nor words. */
    bool (*write_close)(struct gz_wire *wire, int code, const char *words);
    /* Whether it takes a frame now. When it does so again, gz_connection_go_on is called. */
    bool (*is_free)(const struct gz_wire *wire);
    /* How many bytes the other side has taken so far. NULL for one that is tended. */
    uint64_t (*taken_bytes)(const struct gz_wire *wire);
    /* Nothing is read until it is resumed: then what was not taken before comes first, later. */
    void (*pause)(struct gz_wire *wire);
    void (*resume)(struct gz_wire *wire);
    bool (*is_paused)(const struct gz_wire *wire);
    /* Nothing more is written: the other side sees the end, and its own bytes still come. */
    void (*end_writing)(struct gz_wire *wire);
    /* The connection is finished soon, by the loop, without a word to the other side. */
    void (*kill)(struct gz_wire *wire);
};

#endif
