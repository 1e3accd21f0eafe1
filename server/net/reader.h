/* reader.h - the bytes that a WebSocket's client sends, by TLS or without. libwebsockets does the
 * handshake and writes; from then on it is kept from reading, because its own reader obeys frames
 * that RFC 6455 forbids. What a client sends before the answer to its handshake is never read.
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
    /* Takes bytes, up to a pause, and may change them. How many were taken. */
    size_t (*take)(void *context, uint8_t *bytes, size_t size);
    /* The client hung up, or the connection is broken: nothing more is read. */
    void (*end)(void *context);
};

/* NULL without memory or descriptors. */
struct gz_reader *gz_reader_start(uv_loop_t *loop, struct lws *wsi, struct gz_reader_user user);
void gz_reader_pause(struct gz_reader *reader);
/* What was not taken before the pause comes first. */
void gz_reader_resume(struct gz_reader *reader);
bool gz_reader_is_paused(const struct gz_reader *reader);
/* Nothing more is written: the client sees the end, and its own bytes still come. */
void gz_reader_end_writing(struct gz_reader *reader);
/* NULL is fine. */
void gz_reader_stop(struct gz_reader *reader);

#endif
