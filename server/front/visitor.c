/* visitor.c - the wire of a request that is a client of a scene. See visitor.h. */
#include "front/visitor.h"

#include <string.h>

#include "front/state.h"
#include "server/maxima.h"

/* Of all that the client may say at once: a hello and the edits of a request. */
#define SAID_BYTES_MAX (4 * GZ_MESSAGE_BYTES_MAX)

static struct gz_visitor *visitor_of(struct gz_wire *wire)
{
    return (struct gz_visitor *)wire;
}

/* Schedules a turn of the visitor. */
static void stir(struct gz_visitor *visitor)
{
    struct gz_net *net = visitor->connection.net;
    if (visitor->is_stirred) return;
    visitor->is_stirred = true;
    visitor->next_stirred = net->stirred_visitors;
    net->stirred_visitors = visitor;
}

/* ---- the wire ---- */

static bool hear_messages(struct gz_visitor *visitor, const uint8_t *bytes, size_t size)
{
    struct gz_arena arena;
    bool is_read = true;
    gz_arena_init(&arena, gz_decode_bytes_max(size));
    for (size_t offset = 0; offset < size && is_read;) {
        const size_t start = offset;
        struct gz_message message;
        struct gz_error error;
        is_read =
            gz_decode(GZ_FROM_SERVER, bytes, size, &offset, &arena, &message, &error) == GZ_OK;
        if (is_read && !visitor->is_left)
            visitor->user->hear(visitor, &message, bytes + start, offset - start);
    }
    gz_arena_finish(&arena);
    return is_read;
}

static bool hear_part(struct gz_visitor *visitor, const struct gz_frame_part *part)
{
    if (part->kind == GZ_FRAME_BROKEN) return false;
    if (part->kind != GZ_FRAME_DATA) return true;
    if (gz_buffer_append(&visitor->heard, part->bytes, part->size) != GZ_OK) return false;
    if (!part->is_last) return true;
    const bool is_read = hear_messages(visitor, visitor->heard.data, visitor->heard.size);
    gz_buffer_clear(&visitor->heard);
    return is_read;
}

/* A piece of what another member sends. */
static bool hear_piece(struct gz_visitor *visitor, const struct gz_bytes *piece)
{
    struct gz_bytes *copy = gz_bytes_copy(GZ_FRAME_RAW, piece->data, piece->size);
    bool is_read = copy != NULL;
    for (size_t used = 0; is_read && used < copy->size;) {
        struct gz_frame_part part;
        used += gz_frames_read(&visitor->frames, copy->data + used, copy->size - used, &part);
        is_read = hear_part(visitor, &part);
    }
    gz_bytes_release(copy);
    return is_read;
}

static bool hear_frame(struct gz_wire *wire, struct gz_bytes *frame)
{
    struct gz_visitor *visitor = visitor_of(wire);
    if (gz_bytes_first(frame) == GZ_FRAME_RAW) return hear_piece(visitor, frame);
    return !gz_bytes_are_messages(frame) || hear_messages(visitor, frame->data, frame->size);
}

static void kill_visitor(struct gz_wire *wire)
{
    visitor_of(wire)->is_killed = true;
    stir(visitor_of(wire));
}

/* The client hangs up, too. */
static bool hear_close(struct gz_wire *wire, int code, const char *words)
{
    (void)code, (void)words;
    kill_visitor(wire);
    return true;
}

static bool is_free(const struct gz_wire *wire)
{
    const struct gz_visitor *visitor = (const struct gz_visitor *)wire;
    const struct gz_session *session = visitor->connection.session;
    if (visitor->user->is_free != NULL) return visitor->is_left || visitor->user->is_free(visitor);
    return session == NULL || gz_session_has_messages(session);
}

static void pause_reading(struct gz_wire *wire)
{
    visitor_of(wire)->is_paused = true;
}

static void resume_reading(struct gz_wire *wire)
{
    visitor_of(wire)->is_paused = false;
    stir(visitor_of(wire));
}

static bool is_paused(const struct gz_wire *wire)
{
    return ((const struct gz_visitor *)wire)->is_paused;
}

static void end_writing(struct gz_wire *wire)
{
    kill_visitor(wire);
}

static const struct gz_wire_kind visitor_kind = {.is_tended = true,
                                                 .write = hear_frame,
                                                 .write_close = hear_close,
                                                 .is_free = is_free,
                                                 .pause = pause_reading,
                                                 .resume = resume_reading,
                                                 .is_paused = is_paused,
                                                 .end_writing = end_writing,
                                                 .kill = kill_visitor};

/* ---- beginning and end ---- */

enum gz_status gz_visitor_open(struct gz_visitor *visitor, struct gz_net *net,
                               const struct gz_arrival *of, bool is_relayed,
                               const struct gz_visitor_user *user, struct gz_error *error)
{
    if (net->session_count - net->channel_count >= GZ_SESSIONS_MAX &&
        !gz_arrive_make_room_for_session(net, GZ_PEER_NAMELESS))
        return gz_fail(error, GZ_TOO_MANY, "too many sessions");
    struct gz_arrival *arrival = gz_arrive_visitor(net, of, is_relayed, error);
    if (arrival == NULL) return error->status;
    *visitor = (struct gz_visitor){.wire = {&visitor_kind, arrival}, .user = user};
    visitor->frames.is_of_server = true;
    gz_buffer_init(&visitor->said, SAID_BYTES_MAX, 0);
    gz_buffer_init(&visitor->heard, GZ_SERVER_FRAME_BYTES_MAX, 0);
    net->session_count++;
    gz_connection_begin(&visitor->connection, net, &visitor->wire);
    return GZ_OK;
}

enum gz_status gz_visitor_say(struct gz_visitor *visitor, const uint8_t *messages, size_t size)
{
    static const uint8_t key[4] = {0}; /* no client chose the bytes that a mask would hide */
    struct gz_buffer *said = &visitor->said;
    uint8_t header[2 * GZ_FRAME_HEADER_BYTES_MAX];
    uint8_t *end = header + sizeof header;
    uint8_t *begin = end - sizeof key;
    memcpy(begin, key, sizeof key);
    begin -= gz_frame_put_header(begin, size, GZ_FRAME_BINARY_FIRST);
    begin[1] |= 0x80;
    enum gz_status status = gz_buffer_reserve(said, (size_t)(end - begin) + size);
    if (status != GZ_OK) return status;
    (void)!gz_buffer_append(said, begin, (size_t)(end - begin));
    (void)!gz_buffer_append(said, messages, size);
    stir(visitor);
    return GZ_OK;
}

void gz_visitor_leave(struct gz_visitor *visitor)
{
    visitor->is_left = true;
    stir(visitor);
}

static void finish(struct gz_visitor *visitor)
{
    struct gz_net *net = visitor->connection.net;
    gz_connection_finish(&visitor->connection);
    gz_arrival_leave(net, visitor->wire.arrival);
    gz_buffer_finish(&visitor->said);
    gz_buffer_finish(&visitor->heard);
    visitor->user->ended(visitor);
}

static void have_turn(struct gz_visitor *visitor)
{
    struct gz_buffer *said = &visitor->said;
    if (visitor->is_left && !visitor->is_killed) gz_connection_break(&visitor->connection);
    if (visitor->is_killed) {
        finish(visitor);
    } else if (!visitor->is_paused && visitor->taken < said->size) {
        visitor->taken += gz_connection_take(&visitor->connection, said->data + visitor->taken,
                                             said->size - visitor->taken);
    }
}

/* A visitor may be stirred again in its turn. */
void gz_visitors_have_turn(struct gz_net *net)
{
    struct gz_visitor *next, *visitor = net->stirred_visitors;
    net->stirred_visitors = NULL;
    for (; visitor != NULL; visitor = next) {
        next = visitor->next_stirred;
        visitor->is_stirred = visitor->is_left || visitor->is_killed; /* this is its last turn */
        have_turn(visitor);
    }
}
