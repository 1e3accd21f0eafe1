/* reader.c - reads a WebSocket's socket, by a duplicate of its descriptor, because libuv watches
 * each descriptor only once. See reader.h. */
#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/reader.h"
#include "proto/base/buffer.h"

/* Bytes read at once: a record of TLS. */
#define READ_BYTES (16 * 1024)

struct gz_reader {
    uv_poll_t poll; /* first, so that a handle is its reader */
    int socket;
    struct lws *wsi;
    struct gz_reader_user user;
    struct gz_buffer rest; /* read when the connection was paused, and not taken yet */
    bool is_paused;
};

static void handle_socket(uv_poll_t *poll, int status, int events);

static void free_reader(uv_handle_t *poll)
{
    free(poll);
}

/* With a rest also watches for writability, which calls back soon without new bytes. */
static void watch(struct gz_reader *reader)
{
    int events = UV_READABLE | (reader->rest.size > 0 ? UV_WRITABLE : 0);
    uv_poll_start(&reader->poll, events, handle_socket);
}

/* Returns the bytes read; 0 for none now, -1 at the end. */
static ssize_t receive_by_tls(SSL *ssl, uint8_t *bytes, size_t size)
{
    ERR_clear_error();
    int count = SSL_read(ssl, bytes, (int)size);
    if (count > 0) return count;
    int reason = SSL_get_error(ssl, count);
    ERR_clear_error();
    return reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE ? 0 : -1;
}

static ssize_t receive(struct gz_reader *reader, uint8_t *bytes, size_t size)
{
    SSL *ssl = lws_get_ssl(reader->wsi);
    if (ssl != NULL) return receive_by_tls(ssl, bytes, size);
    ssize_t count = recv(reader->socket, bytes, size, 0);
    if (count > 0) return count;
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

void gz_reader_pause(struct gz_reader *reader)
{
    reader->is_paused = true;
    uv_poll_stop(&reader->poll);
}

static void end(struct gz_reader *reader)
{
    gz_reader_pause(reader);
    reader->user.end(reader->user.context);
}

/* Gives bytes to the user, and keeps those that a pause leaves; nothing more is read until they are
 * taken. */
static void take(struct gz_reader *reader, uint8_t *bytes, size_t size)
{
    size_t used = reader->user.take(reader->user.context, bytes, size);
    if (used < size && gz_buffer_append(&reader->rest, bytes + used, size - used) != GZ_OK)
        end(reader);
}

static void take_rest(struct gz_reader *reader)
{
    struct gz_buffer rest = reader->rest;
    gz_buffer_init(&reader->rest, READ_BYTES, 0);
    take(reader, rest.data, rest.size);
    gz_buffer_finish(&rest);
    if (!reader->is_paused) watch(reader);
}

static void handle_socket(uv_poll_t *poll, int status, int events)
{
    struct gz_reader *reader = (struct gz_reader *)poll;
    uint8_t bytes[READ_BYTES];
    ssize_t count = 0;
    if (reader->rest.size > 0) {
        take_rest(reader);
        return;
    }
    if (status < 0)
        count = -1;
    else if (events & UV_READABLE)
        count = receive(reader, bytes, sizeof bytes);
    if (count > 0) take(reader, bytes, (size_t)count);
    if (count < 0) end(reader);
}

struct gz_reader *gz_reader_start(uv_loop_t *loop, struct lws *wsi, struct gz_reader_user user)
{
    struct gz_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) return NULL;
    reader->wsi = wsi;
    reader->user = user;
    gz_buffer_init(&reader->rest, READ_BYTES, 0);
    reader->socket = fcntl(lws_get_socket_fd(wsi), F_DUPFD_CLOEXEC, 0);
    if (reader->socket < 0 || uv_poll_init(loop, &reader->poll, reader->socket) != 0) {
        if (reader->socket >= 0) close(reader->socket);
        free(reader);
        return NULL;
    }
    lws_rx_flow_control(wsi, 0);
    watch(reader);
    return reader;
}

void gz_reader_resume(struct gz_reader *reader)
{
    reader->is_paused = false;
    watch(reader);
}

bool gz_reader_is_paused(const struct gz_reader *reader)
{
    return reader->is_paused;
}

void gz_reader_end_writing(struct gz_reader *reader)
{
    SSL *ssl = lws_get_ssl(reader->wsi);
    if (ssl != NULL)
        SSL_shutdown(ssl);
    else
        shutdown(reader->socket, SHUT_WR);
}

void gz_reader_stop(struct gz_reader *reader)
{
    if (reader == NULL) return;
    gz_buffer_finish(&reader->rest);
    uv_close((uv_handle_t *)&reader->poll, free_reader);
    close(reader->socket);
}
