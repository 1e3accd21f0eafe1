/* wire.h - the transport below a connection: a socket, or a channel of a trunk. It sends frames,
 * pauses reading, and ends. Received bytes go to gz_connection_take (internal.h). Threads: the
 * loop's. */
#ifndef GZ_NET_WIRE_H
#define GZ_NET_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "net/frame.h"
#include "sync/bytes.h"

struct gz_wire {
    const struct gz_wire_kind *kind;
    struct gz_arrival *arrival; /* the state of the other end */
};

struct gz_wire_kind {
    bool is_tended; /* another member checks whether the client is alive */
    /* Takes one frame, or complete bytes of frames (RAW), and holds it while it needs it. False if
     * it cannot take the whole frame, without memory or because the wire is broken: a part may be
     * on its way, so that no frame can follow. */
    bool (*write)(struct gz_wire *wire, struct gz_bytes *frame);
    /* Takes a close, as `write`. `words` may be NULL; GZ_CLOSE_NONE sends neither code nor
     * words. */
    bool (*write_close)(struct gz_wire *wire, int code, const char *words);
    /* Whether it takes a frame now; gz_connection_go_on is called when it does again. */
    bool (*is_free)(const struct gz_wire *wire);
    /* How many bytes the other side has taken so far. NULL if `is_tended`. */
    uint64_t (*taken_bytes)(const struct gz_wire *wire);
    /* Stops reading until it is resumed; bytes that were not taken then come first. */
    void (*pause)(struct gz_wire *wire);
    void (*resume)(struct gz_wire *wire);
    bool (*is_paused)(const struct gz_wire *wire);
    /* Ends writing: the other side sees the end, and its own bytes still come. */
    void (*end_writing)(struct gz_wire *wire);
    /* Has the loop end the connection soon, without a message to the other side. */
    void (*kill)(struct gz_wire *wire);
};

#endif
