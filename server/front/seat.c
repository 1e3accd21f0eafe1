/* seat.c - the wire of a request that is a client of a scene. See seat.h. */
#include "front/seat.h"

#include <string.h>

#include "front/state.h"
#include "server/maxima.h"

/* Of all that the client may say at once: a hello and the edits of a request. */
#define SAID_BYTES_MAX (4 * GZ_MESSAGE_BYTES_MAX)

static struct gz_seat *seat_of(struct gz_wire *wire)
{
    return (struct gz_seat *)wire;
}

/* Schedules a turn of the seat. */
static void stir(struct gz_seat *seat)
{
    struct gz_net *net = seat->connection.net;
    if (seat->is_stirred) return;
    seat->is_stirred = true;
    seat->next_stirred = net->stirred_seats;
    net->stirred_seats = seat;
}

/* ---- the wire ---- */

static bool hear_messages(struct gz_seat *seat, const uint8_t *bytes, size_t size)
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
        if (is_read && !seat->is_left)
            seat->user->hear(seat, &message, bytes + start, offset - start);
    }
    gz_arena_finish(&arena);
    return is_read;
}

static bool hear_part(struct gz_seat *seat, const struct gz_frame_part *part)
{
    if (part->kind == GZ_FRAME_BROKEN) return false;
    if (part->kind != GZ_FRAME_DATA) return true;
    if (gz_buffer_append(&seat->heard, part->bytes, part->size) != GZ_OK) return false;
    if (!part->is_last) return true;
    const bool is_read = hear_messages(seat, seat->heard.data, seat->heard.size);
    gz_buffer_clear(&seat->heard);
    return is_read;
}

/* A piece of what another member sends. */
static bool hear_piece(struct gz_seat *seat, const struct gz_bytes *piece)
{
    struct gz_bytes *copy = gz_bytes_copy(GZ_FRAME_RAW, piece->data, piece->size);
    bool is_read = copy != NULL;
    for (size_t used = 0; is_read && used < copy->size;) {
        struct gz_frame_part part;
        used += gz_frames_read(&seat->frames, copy->data + used, copy->size - used, &part);
        is_read = hear_part(seat, &part);
    }
    gz_bytes_release(copy);
    return is_read;
}

static bool hear_frame(struct gz_wire *wire, struct gz_bytes *frame)
{
    struct gz_seat *seat = seat_of(wire);
    if (gz_bytes_first(frame) == GZ_FRAME_RAW) return hear_piece(seat, frame);
    return !gz_bytes_are_messages(frame) || hear_messages(seat, frame->data, frame->size);
}

static void kill_seat(struct gz_wire *wire)
{
    seat_of(wire)->is_killed = true;
    stir(seat_of(wire));
}

/* The client hangs up, too. */
static bool hear_close(struct gz_wire *wire, int code, const char *words)
{
    (void)code, (void)words;
    kill_seat(wire);
    return true;
}

static bool is_free(const struct gz_wire *wire)
{
    const struct gz_seat *seat = (const struct gz_seat *)wire;
    const struct gz_session *session = seat->connection.session;
    if (seat->user->is_free != NULL) return seat->is_left || seat->user->is_free(seat);
    return session == NULL || gz_session_has_messages(session);
}

static void pause_reading(struct gz_wire *wire)
{
    seat_of(wire)->is_paused = true;
}

static void resume_reading(struct gz_wire *wire)
{
    seat_of(wire)->is_paused = false;
    stir(seat_of(wire));
}

static bool is_paused(const struct gz_wire *wire)
{
    return ((const struct gz_seat *)wire)->is_paused;
}

static void end_writing(struct gz_wire *wire)
{
    kill_seat(wire);
}

static const struct gz_wire_kind seat_kind = {.is_tended = true,
                                              .write = hear_frame,
                                              .write_close = hear_close,
                                              .is_free = is_free,
                                              .pause = pause_reading,
                                              .resume = resume_reading,
                                              .is_paused = is_paused,
                                              .end_writing = end_writing,
                                              .kill = kill_seat};

/* ---- beginning and end ---- */

enum gz_status gz_seat_open(struct gz_seat *seat, struct gz_net *net, const struct gz_arrival *of,
                            bool is_relayed, const struct gz_seat_user *user,
                            struct gz_error *error)
{
    if (net->session_count - net->channel_count >= GZ_SESSIONS_MAX &&
        !gz_arrive_make_room_for_session(net, GZ_PEER_NAMELESS))
        return gz_fail(error, GZ_TOO_MANY, "too many sessions");
    struct gz_arrival *arrival = gz_arrive_seated(net, of, is_relayed, error);
    if (arrival == NULL) return error->status;
    *seat = (struct gz_seat){.wire = {&seat_kind, arrival}, .user = user};
    seat->frames.is_of_server = true;
    gz_buffer_init(&seat->said, SAID_BYTES_MAX, 0);
    gz_buffer_init(&seat->heard, GZ_SERVER_FRAME_BYTES_MAX, 0);
    net->session_count++;
    gz_connection_begin(&seat->connection, net, &seat->wire);
    return GZ_OK;
}

enum gz_status gz_seat_say(struct gz_seat *seat, const uint8_t *messages, size_t size)
{
    static const uint8_t key[4] = {0}; /* no client chose the bytes that a mask would hide */
    struct gz_buffer *said = &seat->said;
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
    stir(seat);
    return GZ_OK;
}

void gz_seat_leave(struct gz_seat *seat)
{
    seat->is_left = true;
    stir(seat);
}

static void finish(struct gz_seat *seat)
{
    struct gz_net *net = seat->connection.net;
    gz_connection_finish(&seat->connection);
    gz_arrival_leave(net, seat->wire.arrival);
    gz_buffer_finish(&seat->said);
    gz_buffer_finish(&seat->heard);
    seat->user->ended(seat);
}

static void have_turn(struct gz_seat *seat)
{
    struct gz_buffer *said = &seat->said;
    if (seat->is_left && !seat->is_killed) gz_connection_break(&seat->connection);
    if (seat->is_killed) {
        finish(seat);
    } else if (!seat->is_paused && seat->taken < said->size) {
        seat->taken += gz_connection_take(&seat->connection, said->data + seat->taken,
                                          said->size - seat->taken);
    }
}

/* A seat may be stirred again in its turn. */
void gz_seats_have_turn(struct gz_net *net)
{
    struct gz_seat *next, *seat = net->stirred_seats;
    net->stirred_seats = NULL;
    for (; seat != NULL; seat = next) {
        next = seat->next_stirred;
        seat->is_stirred = seat->is_left || seat->is_killed; /* this is its last turn */
        have_turn(seat);
    }
}
