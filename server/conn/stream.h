/* stream.h - the bytes of a connection, and those that many send by one call of the kernel. */
#ifndef GZ_CONN_STREAM_H
#define GZ_CONN_STREAM_H

#include <libwebsockets.h>
#include <openssl/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "feed/bytes.h"

/* ---- send batch ---- */

/* Sends to many sockets by one call of the kernel (io_uring), which takes up to a third
 * less time than a call for each. Where the kernel refuses a ring, as in many containers, there is
 * a call for each. Bytes leave with gz_send_batch_go, and are the caller's: they stay as they are
 * until `done` is called for them. Threads: one at a time. */

struct gz_send_batch;

/* How many of the bytes that were added the socket has taken; 0 also where the connection is
 * broken. Does not call functions of this header. */
typedef void gz_send_batch_done(void *context, size_t sent);

/* NULL without memory. */
struct gz_send_batch *gz_send_batch_create(gz_send_batch_done *done);
/* Call gz_send_batch_go before. NULL is fine. */
void gz_send_batch_destroy(struct gz_send_batch *sends);
/* Whether the kernel has given a ring. */
bool gz_send_batch_has_ring(const struct gz_send_batch *sends);

/* Adds bytes for a socket that does not block, at most once for each socket until gz_send_batch_go.
 * False if they are more than GZ_SEND_BYTES_MAX. If there is no room for them, those that were
 * added before leave at once. */
bool gz_send_batch_add(struct gz_send_batch *sends, int socket, const uint8_t *bytes, size_t size,
                       void *context);
/* Sends what was added, and calls `done` for each, also where the connection is broken. */
void gz_send_batch_go(struct gz_send_batch *sends);

/* ---- stream ---- */

/* The bytes of a connection, with or without TLS: a client's, from its first byte on, or
 * one to another member, of which libwebsockets has done the handshake.
 *
 * Ownership: the caller owns a stream until it closes it; the loop then frees it. Threads: the
 * loop's. */

struct gz_stream;

struct gz_stream_user {
    /* Takes bytes, and may change them. Returns how many were taken before a pause. */
    size_t (*take)(void *context, uint8_t *bytes, size_t size);
    /* The other side hung up, or the connection is broken; nothing more is read. */
    void (*end)(void *context);
    /* The socket has not taken what was written before, although the stream was free then. May be
     * NULL; does not write. */
    void (*full)(void *context);
    /* All that was written is sent, after the stream was full, or the socket takes more, which was
     * asked for. May be NULL. */
    void (*go_on)(void *context);
    /* The stream is closed, and is freed now. May be NULL. */
    void (*closed)(void *context);
};

/* Takes the connection of `wsi`, which libwebsockets has to close at once: it then closes a
 * duplicate of the descriptor `stand_in`, and the other side notices nothing. NULL without memory
 * or descriptors. */
struct gz_stream *gz_stream_take(uv_loop_t *loop, struct lws *wsi, int stand_in);
/* Takes the socket of a client that has sent its first byte. With `tls` it is a handshake of TLS;
 * if it is none, the stream has no TLS. NULL without memory: then the socket is the caller's. */
struct gz_stream *gz_stream_create(uv_loop_t *loop, int socket, SSL_CTX *tls);
bool gz_stream_is_tls(const struct gz_stream *stream);
/* Bytes that are held (gz_stream_send) and go without TLS are collected in `sends` from now on,
 * which outlive the stream; otherwise they are sent at once. */
void gz_stream_collect(struct gz_stream *stream, struct gz_send_batch *sends);
/* The sends' gz_send_batch_done. */
void gz_stream_sent(void *context, size_t sent);
/* Begins to read, once libwebsockets has destroyed `wsi`; or goes on with another user. If it
 * fails, which it does without memory, the stream can only be closed. */
bool gz_stream_start(struct gz_stream *stream, const struct gz_stream_user *user, void *context);
/* Nobody is called back until the stream is started again. */
void gz_stream_forget_user(struct gz_stream *stream);
/* Calls go_on in a later turn of the loop, as soon as the socket takes more. */
void gz_stream_ask(struct gz_stream *stream);
/* Sends bytes, and holds them until the socket has taken them. False without memory, or if the
 * connection is broken: then a part may have been sent. */
bool gz_stream_send(struct gz_stream *stream, struct gz_bytes *bytes);
/* The same for bytes that nobody holds: keeps a copy of what the socket does not take now. */
bool gz_stream_write(struct gz_stream *stream, const uint8_t *bytes, size_t size);
/* Whether all that was written is sent or collected. */
bool gz_stream_is_free(const struct gz_stream *stream);
void gz_stream_pause(struct gz_stream *stream);
/* Bytes that were not taken before the pause come first. */
void gz_stream_resume(struct gz_stream *stream);
bool gz_stream_is_paused(const struct gz_stream *stream);
/* Ends writing: the other side sees the end, and its own bytes still come. */
void gz_stream_end_writing(struct gz_stream *stream);
/* The descriptor, for options and questions. */
int gz_stream_socket(const struct gz_stream *stream);
/* The loop closes the connection soon; the user is called back for that alone. Once more is fine.
 */
void gz_stream_close(struct gz_stream *stream);

#endif
