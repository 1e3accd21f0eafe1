/* stream.h - the bytes of a connection, with or without TLS: a client's, from its first byte on, or
 * one to another member, of which libwebsockets has done the handshake.
 *
 * Ownership: the caller owns a stream until it closes it; the loop then frees it. Threads: the
 * loop's. */
#ifndef GZ_NET_STREAM_H
#define GZ_NET_STREAM_H

#include <libwebsockets.h>
#include <openssl/types.h>
#include <stdbool.h>
#include <uv.h>

#include "net/sends.h"
#include "sync/bytes.h"

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
void gz_stream_collect(struct gz_stream *stream, struct gz_sends *sends);
/* The sends' gz_sends_done. */
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
