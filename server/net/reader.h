/* reader.h - reads the bytes of a WebSocket's client, with or without TLS. libwebsockets does the
 * handshake and writes, but does not read, because its reader accepts frames that RFC 6455 forbids.
 * Bytes that a client sends before the answer to its handshake are never read.
 *
 * Ownership: the reader is the caller's until it stops it, before libwebsockets frees `wsi`.
 * Threads: the loop's. */
#ifndef GZ_NET_READER_H
#define GZ_NET_READER_H

#include <libwebsockets.h>
#include <stdbool.h>
#include <uv.h>

struct gz_reader;

struct gz_reader_user {
    void *context;
    /* Takes bytes, and may change them. Returns how many were taken before a pause. */
    size_t (*take)(void *context, uint8_t *bytes, size_t size);
    /* The client hung up, or the connection is broken; nothing more is read. */
    void (*end)(void *context);
};

/* NULL without memory or descriptors. */
struct gz_reader *gz_reader_start(uv_loop_t *loop, struct lws *wsi, struct gz_reader_user user);
void gz_reader_pause(struct gz_reader *reader);
/* Bytes that were not taken before the pause come first. */
void gz_reader_resume(struct gz_reader *reader);
bool gz_reader_is_paused(const struct gz_reader *reader);
/* Ends writing: the client sees the end, and its own bytes still come. */
void gz_reader_end_writing(struct gz_reader *reader);
/* NULL is fine. */
void gz_reader_stop(struct gz_reader *reader);

#endif
