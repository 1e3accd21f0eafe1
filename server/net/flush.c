/* flush.c - writes the waiting frames of one connection while its wire is free. */
#include "net/internal.h"

#include <string.h>

#include "server/maxima.h"

/* A session that ended is sent the rest of its messages, for which the wire may have to be free
 * again, and then leaves. One that was replaced leaves at once. */
static void end_session_if_over(struct gz_connection *connection)
{
    bool is_replaced = gz_session_is_replaced(connection->session);
    if (gz_session_end_reason(connection->session) == NULL) return;
    if (!gz_connection_is_free(connection) && !is_replaced) {
        gz_alive_replan(connection); /* it may wait for a moment only */
        return;
    }
    enum lws_close_status status =
        is_replaced ? LWS_CLOSE_STATUS_NORMAL : LWS_CLOSE_STATUS_POLICY_VIOLATION;
    gz_connection_end(connection, connection->net->draining ? LWS_CLOSE_STATUS_GOINGAWAY : status);
}

static void write_out(struct gz_connection *connection)
{
    struct gz_bytes *frame = gz_outbox_next(&connection->out);
    if (frame != NULL) gz_connection_write(connection, frame);
    gz_bytes_release(frame);
}

static void write_frames(struct gz_connection *connection, struct gz_now now)
{
    if (connection->pong != NULL && gz_connection_is_free(connection)) gz_pong_write(connection);
    if (gz_connection_is_free(connection)) write_out(connection);
    if (connection->relay != NULL && !gz_connection_is_choked(connection))
        gz_relay_go_on(connection);
    if (connection->session == NULL) return;
    struct gz_core *core = gz_net_core(connection->scene);
    for (int i = 0; gz_connection_is_free(connection); i++) {
        if (i == GZ_FRAMES_AT_ONCE) {
            gz_connection_make_ready_later(connection); /* after the turn of the others */
            return;
        }
        struct gz_bytes *frame = gz_core_next_frame(core, connection->session, now);
        if (frame == NULL) {
            if (gz_session_frame_waits(connection->session))
                gz_connection_stand_in_line(connection);
            break;
        }
        gz_connection_write(connection, frame);
        gz_bytes_release(frame);
        if (connection->parted) return;
    }
    if (connection->paused && !gz_session_is_full(connection->session)) {
        connection->paused = false;
        connection->heard_s = gz_awake_now(&connection->net->awake); /* it was not read meanwhile */
        connection->wire->kind->resume(connection->wire);
    }
    end_session_if_over(connection);
}

/* Whether the client's close cannot be read: reading has ended, or a frame of any length is
 * coming. */
static bool cannot_hear_close(const struct gz_connection *connection)
{
    return connection->frames.is_over || connection->frames.in_payload;
}

/* Sends the last frames even if the wire is full, which keeps them behind its other bytes. Then
 * waits for the client's close, unless it came before; if it cannot be read, ends writing and waits
 * for the client's end. */
static void part(struct gz_connection *connection, struct gz_now now)
{
    struct gz_wire *wire = connection->wire;
    gz_connection_leave(connection, now);
    if (connection->is_amid) { /* no frame can be sent in the middle of a message */
        gz_connection_break(connection);
        return;
    }
    write_out(connection);
    if (!connection->parted) gz_connection_write_close(connection);
    if (connection->parted) return;
    connection->parted = true;
    gz_sends_go(connection->net->sends); /* so that it is known whether the wire is free */
    if (connection->hung_up && wire->kind->is_free(wire))
        wire->kind->kill(wire);
    else if (cannot_hear_close(connection) && gz_connection_is_free(connection))
        wire->kind->end_writing(wire);
    /* A paused connection has to be read again, for its close. */
    wire->kind->resume(wire);
}

void gz_connection_flush(struct gz_connection *connection, struct gz_now now)
{
    if (connection->parted) return;
    if (connection->end == 0) write_frames(connection, now);
    if (connection->end == 0 || connection->parted) return;
    /* Relayed pieces that are due come first. */
    if (gz_relay_is_due(connection))
        gz_relay_go_on(connection);
    else
        part(connection, now);
}
