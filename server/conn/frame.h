/* frame.h - frames of RFC 6455, and what carries them: a socket, or a channel of a link. */
#ifndef GZ_CONN_FRAME_H
#define GZ_CONN_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "feed/bytes.h"

/* ---- frame ---- */

/* Reads the WebSocket frames of a client or a server from its bytes; feed/bytes.h makes
 * those that are sent. Violations of RFC 6455 are refused with the RFC's close code: a missing
 * mask, reserved bits and opcodes, lengths that are not minimal, fragments in the wrong order, long
 * or fragmented control frames, and a close with a wrong code or reason. No extension is
 * negotiated, so no reserved bit has a meaning. Pure: no I/O, no allocation. Threads: any, one
 * `struct gz_frames` at a time. */

#define GZ_CONTROL_BYTES_MAX 125

/* Close codes of RFC 6455. GZ_CLOSE_NONE is never sent; it stands for a close without a code. */
enum gz_close {
    GZ_CLOSE_PROTOCOL = 1002,
    GZ_CLOSE_TEXT = 1003,
    GZ_CLOSE_NONE = 1005,
    GZ_CLOSE_UTF8 = 1007
};

/* The state of reading. Begins as zeros. */
struct gz_frames {
    uint8_t header[14]; /* first byte, length, mask */
    uint8_t header_size;
    uint8_t mask_at;
    uint8_t control_size;
    bool is_of_server; /* the other side is a server, which does not mask; set before the first byte
                        */
    bool keeps_mask;   /* the data of messages stays masked; may be set between messages */
    bool in_payload, in_message; /* a message has begun, and its last frame has not */
    bool is_over;                /* after a close or a violation: nothing more is read */
    uint64_t left;               /* of this frame's payload */
    uint8_t control[GZ_CONTROL_BYTES_MAX];
};

enum gz_frame_kind {
    GZ_FRAME_NONE, /* all bytes were read without a result */
    GZ_FRAME_DATA, /* a piece of a message, possibly empty */
    GZ_FRAME_PING,
    GZ_FRAME_PONG,
    GZ_FRAME_CLOSE,
    GZ_FRAME_BROKEN /* a violation */
};

struct gz_frame_part {
    enum gz_frame_kind kind;
    const uint8_t *bytes; /* DATA: in the given bytes. PING, PONG: in the gz_frames */
    size_t size;
    uint64_t left; /* DATA: bytes of the frame that are still to come */
    /* DATA: the frame's header with its mask, if the piece is its first; in the gz_frames, until
     * more is read. */
    const uint8_t *header;
    size_t header_size; /* 0 if it is not the first */
    bool is_first;      /* DATA: the piece is the first of its message ... */
    bool is_text;       /* ... and that message is text */
    bool is_last;       /* DATA: the piece is the last of its message */
    int code;           /* CLOSE: the received code. BROKEN: the code to close with */
    const char *what;   /* BROKEN: the fault; static */
};

/* Reads up to the next result; returns how many bytes were used. They are unmasked in place, unless
 * `keeps_mask`. */
size_t gz_frames_read(struct gz_frames *frames, uint8_t *bytes, size_t size,
                      struct gz_frame_part *part);

/* Whether a close may have this code: one of the RFC and of IANA's list, or for private use. */
bool gz_frame_close_is_valid(int code);

/* ---- what carries frames ---- */

/* The transport below a connection: a socket, or a channel of a link. It sends frames,
 * pauses reading, and ends. Received bytes go to gz_connection_take (connection.h). Threads: the
 * loop's. */

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
