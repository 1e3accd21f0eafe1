/* websocket.c - a connection's input: from the bytes of its socket to messages. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conn/connection.h"
#include "conn/progress.h"
#include "front/state.h"
#include "link/link.h"
#include "link/relaying.h"
#include "proto/base/text.h"
#include "proto/json.h"
#include "server/maxima.h"

/* ---- a socket as a wire ---- */

/* A WebSocket as the wire of a connection, after its handshake (caller.c). */

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
    net->session_count -= arrival->stream != NULL && !arrival->is_link;
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
    if (arrival->is_link)
        gz_link_server_begin(net, arrival);
    else
        begin(net, arrival);
}

/* ---- websocket ---- */

/* The input of a WebSocket connection: from bytes to messages, its beginning and its end. */

/* Bytes of a buffer that are kept for the next message in pieces. */
#define KEPT_BYTES_MAX (64 * 1024)
/* The number of refused frames in a turn that are answered with an error; further ones are not
 * answered. */
#define REFUSALS_MAX 8
#define OUT_BYTES_MAX (REFUSALS_MAX * (GZ_ERROR_BYTES_MAX + GZ_KEY_BYTES_MAX + 256))

/* ---- from bytes to messages ---- */

static void fail_message(struct gz_connection *connection, enum gz_status status,
                         const char *message)
{
    struct gz_error error;
    gz_fail(&error, status, "%s", message);
    gz_connection_refuse(connection, NULL, &error,
                         status != GZ_BAD_MESSAGE || connection->session == NULL);
}

/* Charges a frame that is no message to a bucket of its own, because before hello there is no
 * session. */
static bool pay(struct gz_connection *connection)
{
    double now_s = gz_clock_mono_s();
    if (gz_rate_take(&connection->rate, now_s)) return true;
    enum gz_excess excess = gz_rate_exceed(&connection->rate, now_s);
    struct gz_error error;
    if (excess == GZ_EXCESS_DROP) return false;
    gz_fail(&error, GZ_RATE_LIMITED, "more than %d pings, pongs and empty frames per second",
            GZ_CONTROL_FRAMES_PER_S);
    gz_connection_refuse(connection, NULL, &error, excess == GZ_EXCESS_END);
    return false;
}

/* Pauses reading until a pass finds that the session can take more. */
static void websocket_pause_reading(struct gz_connection *connection)
{
    connection->paused = true;
    connection->wire->kind->pause(connection->wire);
}

static void pause_if_full(struct gz_connection *connection)
{
    if (!connection->paused && gz_session_is_full(connection->session))
        websocket_pause_reading(connection);
}

static void refuse_frame(struct gz_connection *connection, const struct gz_frame_part *part)
{
    gz_connection_leave(connection, gz_clock_now());
    if (connection->end != 0) return;
    connection->net->host.errors[GZ_BAD_MESSAGE]++;
    gz_log(connection->net->log, GZ_INFO, connection->id, "violation of RFC 6455: %s", part->what);
    connection->end_words = part->what;
    gz_connection_end(connection, part->code);
}

/* RFC 6455, 8.1 */
static void refuse_bytes(struct gz_connection *connection)
{
    const struct gz_frame_part part = {.code = GZ_CLOSE_UTF8, .what = "a text frame is not UTF-8"};
    refuse_frame(connection, &part);
}

static void take_message(struct gz_connection *connection, const uint8_t *bytes, size_t size)
{
    connection->net->counters.frames_in++;
    if (connection->is_json && !gz_text_is_utf8((const char *)bytes, size)) {
        refuse_bytes(connection);
        return;
    }
    if (size == 0) {
        if (pay(connection)) fail_message(connection, GZ_BAD_MESSAGE, "the frame is empty");
    } else if (connection->session == NULL) {
        gz_hello_receive(connection, bytes, size);
    } else {
        struct gz_net_scene *scene = connection->scene;
        const struct gz_now now = gz_clock_now();
        scene->touched |=
            gz_core_receive(gz_net_core(scene), connection->session, bytes, size, now);
        if (scene->touched && scene->input_s == 0) scene->input_s = now.mono_s;
        gz_connection_make_ready_later(connection); /* it is first sent the effects */
        pause_if_full(connection);
    }
}

/* Whether the coming message is within the limits; if not, queues an error. */
static bool within_limits(struct gz_connection *connection, const struct gz_frame_part *part)
{
    bool known = connection->session != NULL;
    size_t bytes_max = known ? GZ_MESSAGE_BYTES_MAX : GZ_HELLO_BYTES_MAX;
    connection->message_bytes += part->size;
    if (connection->message_bytes > bytes_max ||
        part->left > bytes_max - connection->message_bytes) {
        fail_message(connection, GZ_TOO_LARGE,
                     known ? "the frame is larger than limits.message_bytes"
                           : "the first frame is larger than a hello may be");
        return false;
    }
    if (part->left == 0) connection->fragments++;
    if (connection->fragments > (known ? GZ_FRAGMENTS_MAX : GZ_HELLO_FRAGMENTS_MAX)) {
        fail_message(connection, GZ_TOO_MANY, "the message is in too many fragments");
        return false;
    }
    return true;
}

static void drop_pieces(struct gz_connection *connection)
{
    if (connection->in.capacity > KEPT_BYTES_MAX) {
        gz_buffer_finish(&connection->in);
    } else {
        gz_buffer_clear(&connection->in);
    }
}

/* Of the two kinds of frames a connection has one. That of a channel is the kind of its first
 * frame, because the other member has shaken hands with the client. */
static bool has_right_kind(struct gz_connection *connection, const struct gz_frame_part *part)
{
    struct gz_error error;
    if (!part->is_first) return true;
    if (connection->wire->arrival->is_channel && connection->session == NULL)
        connection->is_json = connection->out.is_json = part->is_text;
    if (part->is_text == connection->is_json) return true;
    gz_fail(&error, GZ_BAD_MESSAGE,
            connection->is_json
                ? "binary frames are not supported by " GZ_SUBPROTOCOL_JSON
                  ": send JSON in text frames"
                : "text frames are not supported by " GZ_SUBPROTOCOL
                  ": send MessagePack in binary frames, or ask for " GZ_SUBPROTOCOL_JSON);
    gz_connection_end(connection, GZ_CLOSE_TEXT);
    gz_connection_refuse(connection, NULL, &error, true);
    return false;
}

static void take_piece(struct gz_connection *connection, const struct gz_frame_part *part)
{
    connection->net->counters.bytes_in += part->size;
    if (connection->end != 0) return;
    if (connection->relay != NULL) {
        gz_relay_take(connection, part);
        return;
    }
    if (!has_right_kind(connection, part)) return;
    if (part->is_first) {
        connection->message_bytes = connection->fragments = 0;
        gz_buffer_clear(&connection->in);
    }
    if (!within_limits(connection, part)) return;

    if (part->is_last && connection->in.size == 0) {
        take_message(connection, part->bytes, part->size);
    } else if (gz_buffer_append(&connection->in, part->bytes, part->size) != GZ_OK) {
        fail_message(connection, GZ_NO_MEMORY, "no memory for the message");
    } else if (part->is_last) {
        take_message(connection, connection->in.data, connection->in.size);
        drop_pieces(connection);
    }
}

/* The pass answers the ping; of several that wait for a full socket only the latest counts. */
static void take_ping(struct gz_connection *connection, const struct gz_frame_part *part)
{
    if (connection->end != 0 || !pay(connection)) return;
    if (connection->pong != NULL && gz_connection_is_free(connection)) gz_pong_write(connection);
    gz_bytes_release(connection->pong);
    connection->pong = gz_bytes_copy(GZ_FRAME_PONG_FIRST, part->bytes, part->size);
    if (connection->pong == NULL) return; /* without memory a ping is not answered */
    gz_connection_make_ready(connection);
}

/* Lets the session leave, so that its locks are free at once, however long the rest takes. */
static void take_close(struct gz_connection *connection, int code)
{
    gz_connection_leave(connection, gz_clock_now());
    connection->hung_up = true;
    if (connection->parted && gz_connection_is_free(connection))
        connection->wire->kind->kill(connection->wire);
    gz_connection_end(connection, code);
}

/* One from which nothing comes more often than a ping is due is pinged less and less often. */
static void note_sign_of_life(struct gz_connection *connection)
{
    const double now_s = gz_awake_now(&connection->net->awake), ping_s = connection->net->ping_s;
    const double most_s = ping_s * GZ_QUIET_SECONDS / GZ_PING_SECONDS;
    const bool is_quiet = now_s - connection->heard_s >= ping_s;
    const bool was_quiet = connection->quiet_s > ping_s;
    connection->heard_s = now_s;
    connection->quiet_s = is_quiet ? fmin(2 * connection->quiet_s, most_s) : ping_s;
    if (is_quiet || was_quiet) gz_alive_replan(connection);
}

static void take_part(struct gz_connection *connection, const struct gz_frame_part *part)
{
    switch (part->kind) {
    case GZ_FRAME_NONE: break;
    case GZ_FRAME_DATA: take_piece(connection, part); break;
    case GZ_FRAME_PING: take_ping(connection, part); break;
    case GZ_FRAME_PONG:
        if (connection->end == 0) pay(connection);
        break;
    case GZ_FRAME_CLOSE: take_close(connection, part->code); break;
    case GZ_FRAME_BROKEN: refuse_frame(connection, part); break;
    }
}

size_t gz_connection_take(struct gz_connection *connection, uint8_t *bytes, size_t size)
{
    const struct gz_wire *wire = connection->wire;
    size_t used = 0;
    note_sign_of_life(connection);
    if (connection->scene->is_lent)
        websocket_pause_reading(connection);
    else
        gz_connection_leave_group(connection);
    while (used < size && !wire->kind->is_paused(wire)) {
        struct gz_frame_part part;
        used += gz_frames_read(&connection->frames, bytes + used, size - used, &part);
        take_part(connection, &part);
    }
    if (connection->relay != NULL) gz_relay_pass(connection);
    return used;
}

/* ---- a connection's life ---- */

void gz_connection_begin(struct gz_connection *connection, struct gz_net *net, struct gz_wire *wire)
{
    double now_s = gz_awake_now(&net->awake);
    *connection = (struct gz_connection){
        .net = net, .wire = wire, .opened_s = now_s, .heard_s = now_s, .quiet_s = net->ping_s};
    connection->id = ++net->last_id;
    connection->rate = gz_rate_of(GZ_CONTROL_FRAMES_PER_S, gz_clock_mono_s());
    char peer[GZ_ADDRESS_TEXT_BYTES];
    gz_arrival_print(wire->arrival, peer);
    wire->arrival->wire = wire;
    gz_arrival_become(net, wire->arrival,
                      wire->arrival->is_channel ? GZ_PEER_RELAYED : GZ_PEER_NAMELESS);
    gz_log(net->log, GZ_INFO, connection->id, "connected from %s", peer);
    gz_buffer_init(&connection->in, GZ_MESSAGE_BYTES_MAX, 0);
    connection->is_json = wire->arrival->is_json;
    gz_outbox_init(&connection->out, OUT_BYTES_MAX, connection->is_json);
    gz_connection_link(connection, &net->lobby);
    gz_alive_replan(connection);
    net->counters.connections++;
}

void gz_connection_finish(struct gz_connection *connection)
{
    struct gz_net *net = connection->net;
    gz_connection_leave(connection, gz_clock_now());
    gz_hello_finish(connection);
    for (int i = 0; i < GZ_PLACE_COUNT; i++) gz_connection_leave_queue(connection, i);
    gz_connection_unlink(connection);
    gz_alive_forget(connection);
    gz_buffer_finish(&connection->in);
    gz_outbox_finish(&connection->out);
    gz_bytes_release(connection->pong);
    net->session_count--;
}

void gz_connection_go_on(struct gz_connection *connection)
{
    connection->taken_s = gz_awake_now(&connection->net->awake);
    if (connection->parted && connection->hung_up) connection->wire->kind->kill(connection->wire);
    if (connection->parted) return;
    gz_connection_make_ready_later(connection);
}
