/* socket.c - a WebSocket of libwebsockets as the wire of a connection. The connection lives in
 * libwebsockets' memory for it. */
#include "net/internal.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "net/progress.h"

static struct gz_socket *socket_of(const struct gz_wire *wire)
{
    return (struct gz_socket *)wire;
}

static bool is_free(const struct gz_wire *wire)
{
    return !lws_partial_buffered(socket_of(wire)->wsi);
}

/* What the socket takes at once; negative if it is broken. */
static ssize_t send_now(struct lws *wsi, const uint8_t *bytes, size_t size)
{
    const ssize_t sent = send(lws_get_socket_fd(wsi), bytes, size, MSG_NOSIGNAL);
    return sent < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : sent;
}

/* libwebsockets does TLS, and keeps what the socket does not take. Its own way to a free socket is
 * as long as all that comes before it. */
static bool write_bytes(struct lws *wsi, uint8_t *bytes, size_t size)
{
    const bool is_direct = lws_get_ssl(wsi) == NULL && !lws_partial_buffered(wsi);
    const ssize_t sent = is_direct ? send_now(wsi, bytes, size) : 0;
    if (sent < 0) return false;
    return (size_t)sent == size ||
           lws_write(wsi, bytes + sent, size - (size_t)sent, LWS_WRITE_RAW) >= 0;
}

static enum gz_frame_first first_of(enum lws_write_protocol kind)
{
    switch (kind) {
    case LWS_WRITE_PING: return GZ_FRAME_PING_FIRST;
    case LWS_WRITE_PONG: return GZ_FRAME_PONG_FIRST;
    default: return GZ_FRAME_BINARY_FIRST;
    }
}

static bool write_frame(struct gz_wire *wire, const struct gz_buffer *frame,
                        enum lws_write_protocol kind)
{
    const size_t header =
        kind != LWS_WRITE_RAW ? gz_frame_put_header(frame->data, frame->size, first_of(kind)) : 0;
    return write_bytes(socket_of(wire)->wsi, frame->data - header, header + frame->size);
}

/* Writes a close of our own, because that of libwebsockets ends the connection at once. */
static bool write_close(struct gz_wire *wire, int code, const char *words)
{
    uint8_t bytes[LWS_PRE + 2 + GZ_CONTROL_BYTES_MAX], *at = bytes + LWS_PRE;
    size_t size = words != NULL ? strnlen(words, GZ_CONTROL_BYTES_MAX - 2) + 2 : 2;
    if (code == GZ_CLOSE_NONE) size = 0;
    at[0] = 0x88;
    at[1] = (uint8_t)size;
    at[2] = (uint8_t)(code >> 8);
    at[3] = (uint8_t)code;
    if (size > 2) memcpy(at + 4, words, size - 2);
    return write_bytes(socket_of(wire)->wsi, at, 2 + size);
}

static uint64_t taken_bytes(const struct gz_wire *wire)
{
    return gz_acknowledged_bytes(lws_get_socket_fd(socket_of(wire)->wsi));
}

static void pause_reading(struct gz_wire *wire)
{
    gz_reader_pause(socket_of(wire)->reader);
}

static void resume_reading(struct gz_wire *wire)
{
    gz_reader_resume(socket_of(wire)->reader);
}

static bool is_paused(const struct gz_wire *wire)
{
    return gz_reader_is_paused(socket_of(wire)->reader);
}

static void end_writing(struct gz_wire *wire)
{
    gz_reader_end_writing(socket_of(wire)->reader);
}

static void kill_socket(struct gz_wire *wire)
{
    struct lws *wsi = socket_of(wire)->wsi;
    gz_arrival_kill(gz_net_of(wsi), wsi);
}

static const struct gz_wire_kind socket_kind = {.write = write_frame,
                                                .write_close = write_close,
                                                .is_free = is_free,
                                                .taken_bytes = taken_bytes,
                                                .pause = pause_reading,
                                                .resume = resume_reading,
                                                .is_paused = is_paused,
                                                .end_writing = end_writing,
                                                .kill = kill_socket};

/* ---- beginning and end ---- */

static size_t take_bytes(void *context, uint8_t *bytes, size_t size)
{
    return gz_connection_take(context, bytes, size);
}

static void end_bytes(void *context)
{
    gz_connection_break(context);
}

static void begin(struct gz_websocket *websocket, struct lws *wsi)
{
    struct gz_net *net = gz_net_of(wsi);
    struct gz_connection *connection = &websocket->connection;
    websocket->socket = (struct gz_socket){.wire = {&socket_kind, gz_arrival_of(wsi)}, .wsi = wsi};
    gz_connection_begin(connection, net, &websocket->socket.wire);
    websocket->socket.reader =
        gz_reader_start(net->loop, wsi, (struct gz_reader_user){connection, take_bytes, end_bytes});
    if (websocket->socket.reader == NULL) {
        gz_log(net->log, GZ_WARN, connection->id, "no memory or descriptor to read from it");
        gz_connection_break(connection);
    }
}

static void finish(struct gz_websocket *websocket)
{
    gz_connection_finish(&websocket->connection);
    gz_reader_stop(websocket->socket.reader);
}

int gz_socket_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                       size_t size)
{
    struct gz_websocket *websocket = user;
    (void)in;
    (void)size;
    if (reason == LWS_CALLBACK_ESTABLISHED) {
        if (gz_arrival_of(wsi)->is_trunk) return -1; /* libwebsockets chose another subprotocol */
        begin(websocket, wsi);
        return 0;
    }
    /* The end can come without a beginning. */
    if (websocket == NULL || websocket->connection.net == NULL) return 0;
    switch (reason) {
    case LWS_CALLBACK_SERVER_WRITEABLE: gz_connection_go_on(&websocket->connection); return 0;
    case LWS_CALLBACK_WS_SERVER_DROP_PROTOCOL: gz_connection_lose(&websocket->connection); return 0;
    case LWS_CALLBACK_CLOSED: finish(websocket); return 0;
    default: return 0;
    }
}
