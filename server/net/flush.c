/* The end of a turn: turns of the cores, and their frames to the sockets that are free. */
#include "net/internal.h"

#include <math.h>
#include <string.h>

#include "server/maxima.h"

/* Under load a scene's pass is followed by a pause of this many times its length: all messages of
 * that time leave in one write per viewer instead of many. That keeps a third of the time for
 * sending at most, whatever comes to that scene. The others do not pause with it. */
#define PAUSE_FACTOR 2

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
    if (connection->session == NULL) return;
    struct gz_core *core = gz_net_core(connection->scene);
    for (int i = 0; gz_connection_is_free(connection); i++) {
        if (i == GZ_FRAMES_AT_ONCE) {
            gz_connection_make_ready(connection); /* the rest in the next pass */
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

static void flush_connection(struct gz_connection *connection, struct gz_now now)
{
    connection->ready = false;
    if (connection->parted) return;
    if (connection->end == 0) write_frames(connection, now);
    if (connection->end != 0 && !connection->parted) part(connection, now);
}

static void flush_scene(struct gz_net_scene *scene, bool everybody, struct gz_now now)
{
    struct gz_connection *next;
    scene->woken = false;
    for (struct gz_connection *connection = scene->connections; connection != NULL;
         connection = next) {
        next = connection->next;
        if (everybody || connection->ready) flush_connection(connection, now);
    }
}

/* The first pass of a scene after this time, and the time after it. */
static double pause_after(double begin_s, double end_s)
{
    return end_s + PAUSE_FACTOR * (end_s - begin_s);
}

static void serve(const struct gz_net *net, struct gz_net_scene *scene, struct gz_now now)
{
    if (scene->is_lent || now.mono_s < scene->pass_from_s) return;
    bool due = scene->touched || gz_core_deadline(gz_net_core(scene)) <= now.mono_s;
    if (!due && !scene->woken) return;
    if (due) {
        scene->touched = false;
        gz_core_turn(gz_net_core(scene), now);
    }
    flush_scene(scene, due, now);
    scene->pass_from_s = pause_after(now.mono_s, gz_clock_now().mono_s);
    if (gz_core_has_bulk(gz_net_core(scene))) net->host.lend(net->host.context, scene);
}

/* When the scene's next pass has something to do, monotonic; INFINITY for when something comes. */
static double next_pass_s(const struct gz_net_scene *scene)
{
    if (scene->is_lent) return INFINITY;
    bool has_work = scene->touched || scene->woken;
    double next_s =
        scene->core != NULL && !has_work ? gz_core_deadline(gz_net_core(scene)) : INFINITY;
    return fmax(scene->pass_from_s, has_work ? -INFINITY : next_s);
}

static void handle_pause_over(uv_timer_t *pause)
{
    (void)pause; /* the loop has woken up: the pass comes before it sleeps again */
}

static void sleep_until_next_pass(struct gz_net *net)
{
    double next_s = next_pass_s(&net->lobby), now_s = gz_clock_now().mono_s;
    for (const struct gz_net_scene *scene = net->scenes; scene != NULL; scene = scene->next)
        next_s = fmin(next_s, next_pass_s(scene));
    if (isinf(next_s) && next_s > 0) {
        uv_timer_stop(&net->pause);
    } else {
        uv_timer_start(&net->pause, handle_pause_over, gz_timer_ms(next_s - now_s), 0);
    }
}

void gz_flush(struct gz_net *net)
{
    struct gz_now now = gz_clock_now();
    if (net->lobby.woken && now.mono_s >= net->lobby.pass_from_s) {
        flush_scene(&net->lobby, false, now);
        net->lobby.pass_from_s = pause_after(now.mono_s, gz_clock_now().mono_s);
    }
    for (struct gz_net_scene *scene = net->scenes; scene != NULL; scene = scene->next)
        serve(net, scene, gz_clock_now());
    sleep_until_next_pass(net);
}
