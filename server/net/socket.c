/* socket.c - a WebSocket as the wire of a connection, after its handshake (caller.c). */
#include "net/bundle.h"
#include "net/internal.h"

#include <stdlib.h>
#include <string.h>

#include "net/progress.h"

struct gz_websocket {
    struct gz_wire wire; /* first */
    struct gz_stream *stream;
    struct gz_connection connection;
};

static struct gz_stream *stream_of(const struct gz_wire *wire)
{
    return ((const struct gz_websocket *)wire)->stream;
}

static bool is_free(const struct gz_wire *wire)
{
    return gz_stream_is_free(stream_of(wire));
}

static bool write_frame(struct gz_wire *wire, struct gz_bytes *frame)
{
    return gz_stream_send(stream_of(wire), frame);
}

static bool write_close(struct gz_wire *wire, int code, const char *words)
{
    uint8_t at[2 + GZ_CONTROL_BYTES_MAX];
    size_t size = words != NULL ? strnlen(words, GZ_CONTROL_BYTES_MAX - 2) + 2 : 2;
    if (code == GZ_CLOSE_NONE) size = 0;
    at[0] = 0x88;
    at[1] = (uint8_t)size;
    at[2] = (uint8_t)(code >> 8);
    at[3] = (uint8_t)code;
    if (size > 2) memcpy(at + 4, words, size - 2);
    return gz_stream_write(stream_of(wire), at, 2 + size);
}

static uint64_t taken_bytes(const struct gz_wire *wire)
{
    return gz_acknowledged_bytes(gz_stream_socket(stream_of(wire)));
}

static void pause_reading(struct gz_wire *wire)
{
    gz_stream_pause(stream_of(wire));
}

static void resume_reading(struct gz_wire *wire)
{
    gz_stream_resume(stream_of(wire));
}

static bool is_paused(const struct gz_wire *wire)
{
    return gz_stream_is_paused(stream_of(wire));
}

static void end_writing(struct gz_wire *wire)
{
    gz_stream_end_writing(stream_of(wire));
}

static void kill_socket(struct gz_wire *wire)
{
    gz_stream_close(stream_of(wire));
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

static struct gz_connection *connection_of(void *context)
{
    return &((struct gz_websocket *)context)->connection;
}

static size_t take_bytes(void *context, uint8_t *bytes, size_t size)
{
    return gz_connection_take(connection_of(context), bytes, size);
}

static void end(void *context)
{
    gz_connection_break(connection_of(context));
}

static void full(void *context)
{
    gz_alive_replan(connection_of(context));
}

static void go_on(void *context)
{
    gz_connection_go_on(connection_of(context));
}

static void finish(void *context)
{
    struct gz_websocket *websocket = context;
    struct gz_net *net = websocket->connection.net;
    gz_connection_finish(&websocket->connection);
    gz_arrival_leave(net, websocket->wire.arrival);
    free(websocket);
}

static const struct gz_stream_user user = {take_bytes, end, full, go_on, finish};

static void drop(struct gz_net *net, struct gz_arrival *arrival)
{
    if (arrival->stream != NULL) gz_stream_close(arrival->stream);
    net->session_count -= arrival->stream != NULL && !arrival->is_trunk;
    gz_arrival_leave(net, arrival);
}

static void begin(struct gz_net *net, struct gz_arrival *arrival)
{
    struct gz_websocket *websocket = calloc(1, sizeof *websocket);
    if (websocket == NULL) {
        drop(net, arrival);
        return;
    }
    websocket->wire = (struct gz_wire){&socket_kind, arrival};
    websocket->stream = arrival->stream;
    gz_connection_begin(&websocket->connection, net, &websocket->wire);
    gz_stream_collect(websocket->stream, net->sends);
    if (!gz_stream_start(websocket->stream, &user, websocket))
        gz_connection_break(&websocket->connection);
    else if (net->draining)
        gz_connection_dismiss(&websocket->connection, "the server is going away");
}

void gz_socket_begin(struct gz_net *net, struct gz_arrival *arrival)
{
    if (arrival->is_trunk)
        gz_branch_begin(net, arrival);
    else
        begin(net, arrival);
}
