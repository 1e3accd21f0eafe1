/* frame.h - the frames that the other side of a WebSocket sends, a client or a server, read from
 * its bytes as they come. What RFC 6455 forbids is refused with the close code that the RFC has for
 * it: no mask, reserved bits and opcodes, lengths that are longer than they have to be, fragments
 * in the wrong order, control frames that are long or in pieces, and a close with a wrong code or
 * reason. No extension is ever agreed on, so no reserved bit has a meaning. Pure: no I/O, no
 * allocation. Threads: any, one `struct gz_frames` at a time. */
#ifndef GZ_NET_FRAME_H
#define GZ_NET_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GZ_CONTROL_BYTES_MAX 125

/* Close codes of RFC 6455. GZ_CLOSE_NONE is never sent: a close without a code has it. */
enum gz_close {
    GZ_CLOSE_PROTOCOL = 1002,
    GZ_CLOSE_TEXT = 1003,
    GZ_CLOSE_NONE = 1005,
    GZ_CLOSE_UTF8 = 1007
};

/* Where in a connection's bytes we are. Begins as zeros. */
struct gz_frames {
    uint8_t header[14]; /* first byte, length, mask */
    uint8_t header_size;
    uint8_t mask_at;
    uint8_t control_size;
    bool is_of_server; /* the other side is a server, which masks nothing; set before the first byte
                        */
    bool keeps_mask;   /* the data of messages stays as it came; may be set between messages */
    bool in_payload, in_message; /* a message has begun, and its last frame has not */
    bool is_over;  /* after a close, and after what is forbidden: nothing more is read */
    uint64_t left; /* of this frame's payload */
    uint8_t control[GZ_CONTROL_BYTES_MAX];
};

enum gz_frame_kind {
    GZ_FRAME_NONE, /* the bytes ended before there was anything to say */
    GZ_FRAME_DATA, /* a piece of a message, possibly empty */
    GZ_FRAME_PING,
    GZ_FRAME_PONG,
    GZ_FRAME_CLOSE,
    GZ_FRAME_BROKEN /* something forbidden */
};

struct gz_frame_part {
    enum gz_frame_kind kind;
    const uint8_t *bytes; /* DATA: in the bytes that were given. PING, PONG: in the gz_frames */
    size_t size;
    uint64_t left; /* DATA: what is still to come of the frame */
    /* DATA: the frame's header with its mask, if the piece is its first; in the gz_frames, until
     * more is read. */
    const uint8_t *header;
    size_t header_size; /* 0 if it is not the first */
    bool is_first;      /* DATA: the piece is the first of its message ... */
    bool is_text;       /* ... and that message is text */
    bool is_last;       /* DATA: the message is whole */
    int code;           /* CLOSE: as it came. BROKEN: to close with */
    const char *what;   /* BROKEN: what is wrong; static */
};

/* Reads on, up to the next thing to be said; gives back how many bytes were used. They are unmasked
 * in their place, if they are masked and are not to stay so. */
size_t gz_frames_read(struct gz_frames *frames, uint8_t *bytes, size_t size,
                      struct gz_frame_part *part);

/* Puts the header of a server's binary message of so many bytes before them; up to 10 bytes, how
 * many is returned. */
size_t gz_frame_put_header(uint8_t *before, size_t size);

#endif
