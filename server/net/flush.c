/* flush.c - what one connection is to be sent goes to its socket, if that is free. */
#include "net/internal.h"

#include <string.h>

#include "server/maxima.h"

/* A session that ended gets the rest of its messages; then it leaves. One whose place was taken
 * leaves at once. */
static void end_session_if_over(struct gz_connection *connection)
{
    bool is_replaced = gz_session_is_replaced(connection->session);
    if (gz_session_end_reason(connection->session) == NULL || (connection->choked && !is_replaced))
        return;
    enum lws_close_status status =
        is_replaced ? LWS_CLOSE_STATUS_NORMAL : LWS_CLOSE_STATUS_POLICY_VIOLATION;
    gz_connection_end(connection, connection->net->draining ? LWS_CLOSE_STATUS_GOINGAWAY : status);
}

static void write_frames(struct gz_connection *connection, struct gz_now now)
{
    if (connection->owes_pong && gz_connection_is_free(connection)) gz_pong_write(connection);
    if (connection->out.size > 0 && gz_connection_is_free(connection)) {
        gz_connection_write(connection, &connection->out, LWS_WRITE_BINARY);
        gz_buffer_clear(&connection->out);
    }
    if (connection->relay != NULL && !connection->choked) gz_relay_go_on(connection);
    if (connection->session == NULL) return;
    struct gz_core *core = gz_net_core(connection->scene);
    for (int i = 0; gz_connection_is_free(connection); i++) {
        if (i == GZ_FRAMES_AT_ONCE) {
            gz_connection_make_ready_later(connection); /* the others have their turn first */
            return;
        }
        const struct gz_buffer *frame = gz_core_next_frame(core, connection->session, now);
        if (frame == NULL) break;
        gz_connection_write(connection, frame, LWS_WRITE_BINARY);
        if (connection->parted) return;
    }
    if (connection->paused && !gz_session_is_full(connection->session)) {
        connection->paused = false;
        connection->heard_s = gz_awake_now(&connection->net->awake); /* it was not listened to */
        gz_reader_resume(connection->reader);
    }
    end_session_if_over(connection);
}

/* A close of our own: that of libwebsockets comes with an end of the connection. */
static void write_close(struct gz_connection *connection)
{
    uint8_t bytes[LWS_PRE + 2 + GZ_CONTROL_BYTES_MAX], *at = bytes + LWS_PRE;
    const char *words = connection->end_words != NULL ? connection->end_words : "";
    size_t size = strnlen(words, GZ_CONTROL_BYTES_MAX - 2) + 2;
    if (connection->end == GZ_CLOSE_NONE) size = 0;
    at[0] = 0x88;
    at[1] = (uint8_t)size;
    at[2] = (uint8_t)(connection->end >> 8);
    at[3] = (uint8_t)connection->end;
    if (size > 2) memcpy(at + 4, words, size - 2);
    struct gz_buffer frame = {.data = at, .size = 2 + size};
    gz_connection_write(connection, &frame, LWS_WRITE_RAW);
}

/* Nothing more is read, or a frame is coming that may be as long as its client likes. */
static bool cannot_hear_close(const struct gz_connection *connection)
{
    return connection->frames.is_over || connection->frames.in_payload;
}

/* The last words go out even if the socket is full: libwebsockets keeps frames behind what it holds
 * already. Then the client's close is waited for, unless it came before; if it cannot be heard, the
 * client is left without a server, and its end is waited for. */
static void part(struct gz_connection *connection, struct gz_now now)
{
    gz_connection_leave(connection, now);
    if (connection->is_amid) { /* nothing can be said in the middle of a message */
        gz_connection_lose(connection);
        gz_arrival_kill(connection->net, connection->wsi);
        return;
    }
    if (connection->out.size > 0)
        gz_connection_write(connection, &connection->out, LWS_WRITE_BINARY);
    gz_buffer_clear(&connection->out);
    if (!connection->parted) write_close(connection);
    if (connection->parted) return;
    connection->parted = true;
    if (connection->hung_up)
        gz_arrival_kill(connection->net, connection->wsi);
    else if (cannot_hear_close(connection) && gz_connection_is_free(connection))
        gz_reader_end_writing(connection->reader);
    /* A connection that waited, or sent too much, was not read: its close has to be. */
    gz_reader_resume(connection->reader);
}

void gz_connection_flush(struct gz_connection *connection, struct gz_now now)
{
    if (connection->parted) return;
    if (connection->end == 0) write_frames(connection, now);
    if (connection->end == 0 || connection->parted) return;
    /* The rest of a message that is being relayed comes first. */
    if (connection->is_amid && connection->relay != NULL)
        gz_relay_go_on(connection);
    else
        part(connection, now);
}
