/* stream.c - the bytes of a connection, and those that many send by one call of the kernel. */
#include "conn/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proto/base/buffer.h"
#include "server/maxima.h"

/* ---- send batch ---- */

/* Collects sends, and hands them to the kernel together. See stream.h.
 *
 * A send that does not block ends within the call that begins it, so that all results are there
 * when the call returns. */

/* The result of a send that the kernel has not taken. */
#define UNSENT (-ECANCELED)

struct send {
    int socket;
    void *context;
    const uint8_t *bytes;
    size_t size;
    int result; /* bytes, or a negative error; UNSENT until then */
};

struct gz_send_batch {
    struct io_uring ring;
    bool has_ring;
    gz_send_batch_done *done;
    size_t count;
    struct send sends[GZ_SENDS_MAX];
};

/* Without this flag, which kernels have since 5.19, results would interrupt the thread. */
static bool open_ring(struct io_uring *ring)
{
    struct io_uring_params parameters = {.flags = IORING_SETUP_COOP_TASKRUN};
    return io_uring_queue_init_params(GZ_SENDS_MAX, ring, &parameters) == 0;
}

struct gz_send_batch *gz_send_batch_create(gz_send_batch_done *done)
{
    struct gz_send_batch *sends = calloc(1, sizeof *sends);
    if (sends == NULL) return NULL;
    sends->done = done;
    sends->has_ring = open_ring(&sends->ring);
    return sends;
}

static void close_ring(struct gz_send_batch *sends)
{
    if (sends->has_ring) io_uring_queue_exit(&sends->ring);
    sends->has_ring = false;
}

void gz_send_batch_destroy(struct gz_send_batch *sends)
{
    if (sends == NULL) return;
    close_ring(sends);
    free(sends);
}

bool gz_send_batch_has_ring(const struct gz_send_batch *sends)
{
    return sends->has_ring;
}

bool gz_send_batch_add(struct gz_send_batch *sends, int socket, const uint8_t *bytes, size_t size,
                       void *context)
{
    if (size > GZ_SEND_BYTES_MAX) return false;
    if (sends->count == GZ_SENDS_MAX) gz_send_batch_go(sends);
    sends->sends[sends->count++] = (struct send){socket, context, bytes, size, UNSENT};
    return true;
}

/* ---- sending ---- */

static void send_one(struct send *one)
{
    const ssize_t count = send(one->socket, one->bytes, one->size, MSG_NOSIGNAL);
    one->result = count < 0 ? -errno : (int)count;
}

static void read_results(struct gz_send_batch *sends)
{
    struct io_uring_cqe *entry;
    while (io_uring_peek_cqe(&sends->ring, &entry) == 0) {
        sends->sends[io_uring_cqe_get_data64(entry)].result = entry->res;
        io_uring_cqe_seen(&sends->ring, entry);
    }
}

/* A kernel that does not take all of them, for want of memory or of permission, is not asked
 * again. */
static void send_by_ring(struct gz_send_batch *sends)
{
    const unsigned count = (unsigned)sends->count;
    for (size_t i = 0; i < count; i++) {
        const struct send *one = &sends->sends[i];
        struct io_uring_sqe *entry = io_uring_get_sqe(&sends->ring);
        io_uring_prep_send(entry, one->socket, one->bytes, one->size, MSG_NOSIGNAL | MSG_DONTWAIT);
        io_uring_sqe_set_data64(entry, i);
    }
    const bool is_taken = io_uring_submit_and_wait(&sends->ring, count) == (int)count;
    read_results(sends);
    if (!is_taken) close_ring(sends);
}

void gz_send_batch_go(struct gz_send_batch *sends)
{
    const size_t count = sends->count;
    if (sends->has_ring && count > 1) send_by_ring(sends);
    sends->count = 0;
    for (size_t i = 0; i < count; i++) {
        struct send *one = &sends->sends[i];
        if (one->result == UNSENT) send_one(one);
        sends->done(one->context, one->result > 0 ? (size_t)one->result : 0);
    }
}

/* ---- stream ---- */

/* Reads and writes a connection, with or without TLS. */

/* Bytes read at once: a record of TLS. */
#define READ_BYTES (16 * 1024)

struct gz_stream {
    uv_poll_t poll; /* first, so that a handle is its stream */
    int socket;
    bool is_started, is_paused;
    bool is_asked;               /* the user is called once the socket takes more */
    struct gz_send_batch *sends; /* NULL: it sends by itself */
    struct gz_bytes *collected;  /* they are in `sends`; NULL for none */
    SSL *ssl;                    /* NULL without TLS */
    const struct gz_stream_user *user;
    void *context;
    struct gz_buffer rest;        /* read when the stream was paused, and not taken yet */
    struct gz_bytes_queue unsent; /* the socket has not taken them yet */
};

static bool is_closing(const struct gz_stream *stream)
{
    return uv_is_closing((const uv_handle_t *)&stream->poll) != 0;
}

static void handle_socket(uv_poll_t *poll, int status, int events);

/* A handshake of TLS that the socket did not take whole. */
static bool wants_to_write(const struct gz_stream *stream)
{
    return stream->ssl != NULL && SSL_want_write(stream->ssl);
}

/* With a rest also watches for writability, which calls back soon without new bytes. */
static void watch(struct gz_stream *stream)
{
    const bool is_read = !stream->is_paused;
    const bool is_written = !gz_stream_is_free(stream) || (is_read && stream->rest.size > 0) ||
                            stream->is_asked || wants_to_write(stream);
    const int events = (is_read ? UV_READABLE : 0) | (is_written ? UV_WRITABLE : 0);
    if (is_closing(stream) || !stream->is_started) return;
    if (events == 0)
        uv_poll_stop(&stream->poll);
    else
        uv_poll_start(&stream->poll, events, handle_socket);
}

void gz_stream_pause(struct gz_stream *stream)
{
    stream->is_paused = true;
    watch(stream);
}

void gz_stream_resume(struct gz_stream *stream)
{
    stream->is_paused = false;
    watch(stream);
}

bool gz_stream_is_paused(const struct gz_stream *stream)
{
    return stream->is_paused;
}

static void end(struct gz_stream *stream)
{
    gz_stream_pause(stream);
    stream->user->end(stream->context);
}

/* ---- TLS ---- */

/* The result of a call: bytes; 0 for none now, -1 if the connection is over. */
static ssize_t result_of(SSL *ssl, int count)
{
    if (count > 0) return count;
    const int reason = SSL_get_error(ssl, count);
    ERR_clear_error();
    return reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE ? 0 : -1;
}

static ssize_t receive_by_tls(SSL *ssl, uint8_t *bytes, size_t size)
{
    ERR_clear_error();
    return result_of(ssl, SSL_read(ssl, bytes, (int)size));
}

static ssize_t send_by_tls(SSL *ssl, const uint8_t *bytes, size_t size)
{
    ERR_clear_error();
    return result_of(ssl, SSL_write(ssl, bytes, size < INT_MAX ? (int)size : INT_MAX));
}

/* ---- reading ---- */

static ssize_t receive(const struct gz_stream *stream, uint8_t *bytes, size_t size)
{
    if (stream->ssl != NULL) return receive_by_tls(stream->ssl, bytes, size);
    const ssize_t count = recv(stream->socket, bytes, size, 0);
    if (count > 0) return count;
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

/* Gives bytes to the user, and keeps those that a pause leaves; nothing more is read until they are
 * taken. */
static void take(struct gz_stream *stream, uint8_t *bytes, size_t size)
{
    const size_t used = stream->user->take(stream->context, bytes, size);
    if (used == size || is_closing(stream)) return;
    if (gz_buffer_append(&stream->rest, bytes + used, size - used) != GZ_OK)
        end(stream);
    else
        watch(stream);
}

static void take_rest(struct gz_stream *stream)
{
    struct gz_buffer rest = stream->rest;
    gz_buffer_init(&stream->rest, READ_BYTES, 0);
    take(stream, rest.data, rest.size);
    gz_buffer_finish(&rest);
    watch(stream);
}

static void read_socket(struct gz_stream *stream)
{
    uint8_t bytes[READ_BYTES];
    const ssize_t count = receive(stream, bytes, sizeof bytes);
    if (count > 0) take(stream, bytes, (size_t)count);
    if (count < 0) end(stream);
    if (count == 0 && wants_to_write(stream)) watch(stream);
}

/* ---- writing ---- */

/* Adds to *sent what the socket takes now. False if it is broken. */
static bool send_now(const struct gz_stream *stream, const uint8_t *bytes, size_t size,
                     size_t *sent)
{
    ssize_t count = 1;
    while (*sent < size && count > 0) {
        const size_t left = size - *sent;
        count = stream->ssl != NULL ? send_by_tls(stream->ssl, bytes + *sent, left)
                                    : send(stream->socket, bytes + *sent, left, MSG_NOSIGNAL);
        if (count > 0) *sent += (size_t)count;
    }
    return count >= 0 || (stream->ssl == NULL && (errno == EAGAIN || errno == EINTR));
}

/* Keeps all of the bytes but what is `sent`, of which nothing is if others wait already. */
static bool keep(struct gz_stream *stream, struct gz_bytes *bytes, size_t sent)
{
    if (!gz_bytes_push(&stream->unsent, bytes)) return false;
    stream->unsent.taken += sent;
    watch(stream);
    return true;
}

static bool collect(struct gz_stream *stream, struct gz_bytes *bytes)
{
    if (stream->sends == NULL || stream->ssl != NULL || !gz_stream_is_free(stream) ||
        !gz_send_batch_add(stream->sends, stream->socket, gz_bytes_wire(bytes),
                           gz_bytes_wire_size(bytes), stream))
        return false;
    stream->collected = gz_bytes_hold(bytes);
    return true;
}

/* What was collected of the stream leaves before anything else that is done to it. */
static void send_collected(struct gz_stream *stream)
{
    if (stream->collected != NULL) gz_send_batch_go(stream->sends);
}

/* A broken socket takes nothing: the loop notices it when it sends the rest. */
void gz_stream_sent(void *context, size_t sent)
{
    struct gz_stream *stream = context;
    struct gz_bytes *bytes = stream->collected;
    stream->collected = NULL;
    if (sent < gz_bytes_wire_size(bytes) && !is_closing(stream)) {
        if (!keep(stream, bytes, sent)) shutdown(stream->socket, SHUT_RDWR); /* the rest is lost */
        if (stream->user->full != NULL) stream->user->full(stream->context);
    }
    gz_bytes_release(bytes);
}

bool gz_stream_send(struct gz_stream *stream, struct gz_bytes *bytes)
{
    const size_t size = gz_bytes_wire_size(bytes);
    size_t sent = 0;
    send_collected(stream);
    if (collect(stream, bytes)) return true;
    if (gz_stream_is_free(stream) && !send_now(stream, gz_bytes_wire(bytes), size, &sent))
        return false;
    return sent == size || keep(stream, bytes, sent);
}

bool gz_stream_write(struct gz_stream *stream, const uint8_t *bytes, size_t size)
{
    size_t sent = 0;
    send_collected(stream);
    if (gz_stream_is_free(stream) && !send_now(stream, bytes, size, &sent)) return false;
    if (sent == size) return true;
    struct gz_bytes *rest = gz_bytes_copy(GZ_FRAME_RAW, bytes + sent, size - sent);
    const bool is_kept = rest != NULL && keep(stream, rest, 0);
    gz_bytes_release(rest);
    return is_kept;
}

static void tell_free(struct gz_stream *stream)
{
    stream->is_asked = false;
    watch(stream);
    if (stream->user->go_on != NULL) stream->user->go_on(stream->context);
}

void gz_stream_ask(struct gz_stream *stream)
{
    stream->is_asked = true;
    watch(stream);
}

static void send_unsent(struct gz_stream *stream)
{
    struct gz_bytes_queue *unsent = &stream->unsent;
    struct gz_bytes *first;
    while ((first = gz_bytes_first_of(unsent)) != NULL) {
        const size_t size = gz_bytes_wire_size(first);
        if (!send_now(stream, gz_bytes_wire(first), size, &unsent->taken)) {
            gz_bytes_clear(unsent);
            end(stream);
            return;
        }
        if (unsent->taken < size) return;
        gz_bytes_release(gz_bytes_pop(unsent));
    }
    tell_free(stream);
}

bool gz_stream_is_free(const struct gz_stream *stream)
{
    return stream->unsent.count == 0;
}

void gz_stream_end_writing(struct gz_stream *stream)
{
    send_collected(stream);
    if (stream->ssl != NULL)
        SSL_shutdown(stream->ssl);
    else
        shutdown(stream->socket, SHUT_WR);
}

static void handle_socket(uv_poll_t *poll, int status, int events)
{
    struct gz_stream *stream = (struct gz_stream *)poll;
    if (status < 0) {
        end(stream);
        return;
    }
    if ((events & UV_WRITABLE) && !gz_stream_is_free(stream))
        send_unsent(stream);
    else if ((events & UV_WRITABLE) && stream->is_asked)
        tell_free(stream);
    if (stream->is_paused || is_closing(stream)) return;
    if (stream->rest.size > 0)
        take_rest(stream);
    else if ((events & UV_READABLE) || wants_to_write(stream))
        read_socket(stream);
}

/* ---- beginning and end ---- */

int gz_stream_socket(const struct gz_stream *stream)
{
    return stream->socket;
}

/* Puts the stand-in in the place of the descriptor of libwebsockets, because that shuts the
 * connection down before it closes it. libuv could no longer stop to watch it then. */
static bool replace(const uv_loop_t *loop, int socket, int stand_in)
{
    epoll_ctl(uv_backend_fd(loop), EPOLL_CTL_DEL, socket, NULL);
    return dup3(stand_in, socket, O_CLOEXEC) == socket;
}

/* libwebsockets frees the SSL, and ends it, which is to be without effect. */
static SSL *share_ssl(struct lws *wsi)
{
    SSL *ssl = lws_get_ssl(wsi);
    if (ssl == NULL) return NULL;
    SSL_up_ref(ssl);
    SSL_set_quiet_shutdown(ssl, 1);
    return ssl;
}

/* The kernel's timeout ends a connection whose other side has not taken all that waits, even if it
 * takes some again and again; alive.c and link.c look at how much it takes. */
static void lift_timeout(int socket)
{
    const int none = 0;
    (void)setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &none, sizeof none);
}

/* A stream of this descriptor, which it closes at its end; NULL if it fails, without closing it. */
static struct gz_stream *make(uv_loop_t *loop, int socket)
{
    struct gz_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL) return NULL;
    stream->socket = socket;
    if (uv_poll_init(loop, &stream->poll, socket) != 0) {
        free(stream);
        return NULL;
    }
    gz_buffer_init(&stream->rest, READ_BYTES, 0);
    return stream;
}

struct gz_stream *gz_stream_take(uv_loop_t *loop, struct lws *wsi, int stand_in)
{
    const int socket = lws_get_socket_fd(wsi), own = fcntl(socket, F_DUPFD_CLOEXEC, 0);
    struct gz_stream *stream = own >= 0 ? make(loop, own) : NULL;
    if (stream == NULL) {
        if (own >= 0) close(own);
        return NULL;
    }
    if (!replace(loop, socket, stand_in)) {
        gz_stream_close(stream);
        return NULL;
    }
    lift_timeout(stream->socket);
    stream->ssl = share_ssl(wsi);
    return stream;
}

static void set_modes(SSL *ssl)
{
    SSL_set_mode(ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                          SSL_MODE_RELEASE_BUFFERS);
}

/* Whether the first byte is of TLS: a request in the clear begins with a letter. */
static bool begins_tls(int socket)
{
    uint8_t first = 0;
    return recv(socket, &first, 1, MSG_PEEK) == 1 && first < ' ';
}

struct gz_stream *gz_stream_create(uv_loop_t *loop, int socket, SSL_CTX *tls)
{
    SSL *ssl = NULL;
    if (tls != NULL && begins_tls(socket)) {
        ssl = SSL_new(tls);
        if (ssl == NULL || SSL_set_fd(ssl, socket) != 1) {
            SSL_free(ssl);
            return NULL;
        }
        set_modes(ssl);
        SSL_set_accept_state(ssl);
    }
    struct gz_stream *stream = make(loop, socket);
    if (stream == NULL) {
        SSL_free(ssl);
        return NULL;
    }
    stream->ssl = ssl;
    stream->is_started = true;
    return stream;
}

bool gz_stream_is_tls(const struct gz_stream *stream)
{
    return stream->ssl != NULL;
}

void gz_stream_collect(struct gz_stream *stream, struct gz_send_batch *sends)
{
    stream->sends = sends;
}

void gz_stream_forget_user(struct gz_stream *stream)
{
    stream->user = NULL;
    stream->context = NULL;
    lift_timeout(stream->socket);
}

static bool take_ssl_over(const struct gz_stream *stream)
{
    if (SSL_set_fd(stream->ssl, stream->socket) != 1) return false;
    SSL_set_quiet_shutdown(stream->ssl, 0);
    SSL_set_shutdown(stream->ssl, 0);
    set_modes(stream->ssl);
    return true;
}

bool gz_stream_start(struct gz_stream *stream, const struct gz_stream_user *user, void *context)
{
    stream->user = user;
    stream->context = context;
    if (!stream->is_started) stream->is_started = stream->ssl == NULL || take_ssl_over(stream);
    watch(stream);
    return stream->is_started;
}

static void handle_closed(uv_handle_t *poll)
{
    struct gz_stream *stream = (struct gz_stream *)poll;
    send_collected(stream);
    if (stream->user != NULL && stream->user->closed != NULL) stream->user->closed(stream->context);
    if (stream->ssl != NULL) SSL_shutdown(stream->ssl);
    ERR_clear_error();
    SSL_free(stream->ssl);
    close(stream->socket);
    gz_buffer_finish(&stream->rest);
    gz_bytes_clear(&stream->unsent);
    free(stream);
}

void gz_stream_close(struct gz_stream *stream)
{
    if (!is_closing(stream)) uv_close((uv_handle_t *)&stream->poll, handle_closed);
}
