/* turn.c - the end of the loop's turn: what is written, and to whom. */
#include <math.h>
#include <string.h>

#include "conn/connection.h"
#include "front/state.h"
#include "link/relaying.h"
#include "server/maxima.h"

/* ---- frames to one connection ---- */

/* Writes the waiting frames of one connection while its wire is free. */

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
        if (connection->behind_s != 0) {
            gz_histogram_add(&connection->net->counters.lags, now.mono_s - connection->behind_s);
            connection->behind_s = 0;
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
    gz_send_batch_go(connection->net->sends); /* so that it is known whether the wire is free */
    if (connection->hung_up && wire->kind->is_free(wire))
        wire->kind->kill(wire);
    else if (cannot_hear_close(connection) && gz_connection_is_free(connection))
        wire->kind->end_writing(wire);
    /* A paused connection has to be read again, for its close. */
    wire->kind->resume(wire);
}

void gz_connection_flush(struct gz_connection *connection, struct gz_now now)
{
    if (connection->is_group) {
        gz_subscribers_visit(connection, now);
        return;
    }
    if (connection->parted) return;
    if (connection->end == 0) write_frames(connection, now);
    if (connection->end == 0 || connection->parted) return;
    /* Relayed pieces that are due come first. */
    if (gz_relay_is_due(connection))
        gz_relay_go_on(connection);
    else
        part(connection, now);
}

/* ---- turn ---- */

/* The end of the loop's turn: runs the turns of cores, and writes to connections.
 *
 * - Messages for one session, such as answers, are written at once, and a commit that is due leaves
 *   at once.
 * - News for all viewers is sent in rounds: each connection of the scene is visited once, in
 * slices, between which the loop reads. The clients of a link that only watch are one connection
 *   (subscribers.c). A visit sends what is new by then. News in the middle of a round extends it
 *   until all were visited once more.
 * - Large frames, such as the pieces of a snapshot, are sent last, up to a number of bytes in a
 *   pass. The other connections that need one wait in a line.
 * - What all scenes do in slices, and the large frames of all of them, share one turn of the loop:
 *   one scene after the other has what the scenes before it have left of it, and the next turn
 *   begins behind the scene that used it up.
 * - On a full loop a scene rests after each slice (pacing.h). Others do not rest with it. */

/* The number of slices of a round, and the least and greatest duration of a slice in seconds: the
 * viewers of a slice share a frame, and all others wait for it. */
#define SLICES 3
#define SLICE_S_MIN 0.00025
#define SLICE_S_MAX 0.002
/* The cost of a visit that is assumed at first, and how much a slice changes that. */
#define VISIT_S 5e-6
#define VISIT_PART 0.125

/* ---- queues ---- */

static void flush_queue(struct gz_net_queue *queue, struct gz_now now)
{
    for (size_t i = queue->count; i > 0 && queue->first != NULL; i--) {
        struct gz_connection *connection = queue->first;
        gz_connection_leave_queue(connection, GZ_PLACE_SOON);
        gz_connection_flush(connection, now);
    }
}

/* Queues the connections of sessions with messages of their own. On a full loop those without an
 * answer wait: for the round, if there is one. */
static void gather(struct gz_net_scene *scene, bool is_full, bool has_round)
{
    struct gz_session *session = NULL;
    while ((session = gz_core_next_awake(gz_net_core(scene), session)) != NULL) {
        struct gz_connection *connection = gz_session_owner(session);
        if (connection == NULL) continue;
        const bool has_messages =
            gz_session_has_messages(session) && !gz_connection_is_choked(connection);
        gz_connection_leave_group(connection); /* a round visits nobody in a group by itself */
        if (has_messages && (gz_session_is_answered(session) || !is_full))
            gz_connection_make_ready(connection);
        else if (!has_round || connection->paused)
            gz_connection_make_ready_later(connection);
    }
}

/* ---- a round ---- */

/* Something is new: a viewer who can take it is not late, another one is from now on. */
static void note_lag(struct gz_connection *connection, struct gz_now now)
{
    if (connection->behind_s == 0 && !gz_connection_is_free(connection))
        connection->behind_s = now.mono_s;
    else if (connection->behind_s == 0)
        gz_histogram_add(&connection->net->counters.lags, 0);
}

static void begin_round(struct gz_net *net, struct gz_net_scene *scene, struct gz_now now)
{
    if (scene->visit_s == 0) scene->visit_s = VISIT_S;
    scene->left = scene->connection_count;
    gz_pacing_count_round(&net->rest, &scene->round, now.mono_s,
                          (double)scene->left * scene->visit_s);
}

static void go_round(struct gz_net *net, struct gz_net_scene *scene)
{
    const struct gz_now now = gz_clock_now();
    const double round_s = (double)scene->connection_count * scene->visit_s;
    const double slice_s = fmin(fmax(round_s / SLICES, SLICE_S_MIN), SLICE_S_MAX);
    double end_s = now.mono_s;
    size_t visits = 0;
    for (; scene->left > 0 && end_s - now.mono_s < slice_s; visits++, end_s = gz_clock_mono_s()) {
        struct gz_connection *connection = scene->at != NULL ? scene->at : scene->connections;
        scene->at = connection->next;
        scene->left--;
        gz_connection_leave_queue(connection, GZ_PLACE_SOON);
        const bool is_group = connection->is_group;
        if (!is_group) note_lag(connection, now);
        gz_connection_flush(connection, now);
        if (!is_group) gz_subscribers_join(connection, now);
    }
    if (visits > 0) gz_send_batch_go(net->sends);
    end_s = gz_clock_mono_s();
    if (visits > 0)
        scene->visit_s += VISIT_PART * ((end_s - now.mono_s) / (double)visits - scene->visit_s);
    if (scene->left == 0 && scene->round_input_s != 0) {
        gz_histogram_add(&net->counters.deltas, end_s - scene->round_input_s);
        scene->round_input_s = 0;
    }
}

/* ---- the line ---- */

/* Sends large frames to the first connections of the line, up to the bytes of a turn. A connection
 * that needs more of them goes to its end. */
static void serve_line(struct gz_net *net, struct gz_net_scene *scene)
{
    const struct gz_now now = gz_clock_now();
    struct gz_core *core = gz_net_core(scene);
    gz_core_let_tell(core, true);
    for (size_t i = scene->line.count; i > 0 && gz_core_may_tell(core); i--) {
        struct gz_connection *connection = scene->line.first;
        if (connection == NULL) break;
        gz_connection_leave_queue(connection, GZ_PLACE_LINE);
        gz_connection_flush(connection, now);
    }
    gz_send_batch_go(net->sends);
    const double end_s = gz_clock_mono_s();
    gz_pacing_count(&net->rest, end_s, end_s - now.mono_s);
}

/* ---- a scene ---- */

static bool is_full(const struct gz_net *net)
{
    return gz_pacing_after(&net->rest, 1) > 0;
}

static void take_turn(struct gz_net *net, struct gz_net_scene *scene, struct gz_now now)
{
    scene->touched = false;
    const bool is_news = gz_core_turn(gz_net_core(scene), now);
    if (is_news) begin_round(net, scene, now);
    if (is_news && scene->round_input_s == 0) scene->round_input_s = scene->input_s;
    scene->input_s = 0;
    gather(scene, is_full(net), is_news);
}

static bool rests(const struct gz_net_scene *scene, struct gz_now now)
{
    return now.mono_s < scene->pass_from_s;
}

/* Whether a connection waits for a pass that the core does not ask for. */
static bool has_waiting(const struct gz_net_scene *scene)
{
    return scene->later.first != NULL || scene->left > 0 || scene->line.first != NULL;
}

static void pass(struct gz_net *net, struct gz_net_scene *scene, bool has_turn, struct gz_now now)
{
    const bool is_resting = rests(scene, now);
    if (has_turn) take_turn(net, scene, now);
    const bool has_line = scene->line.first != NULL;
    if (has_line) gz_core_let_tell(gz_net_core(scene), false); /* no large frames before the line */
    flush_queue(&scene->ready, now);
    if (!is_resting) flush_queue(&scene->later, now);
    gz_send_batch_go(net->sends);
    const double served_s = gz_clock_mono_s();
    gz_pacing_count(&net->rest, served_s, served_s - now.mono_s);
    if (is_resting) return;
    go_round(net, scene);
    if (has_line) serve_line(net, scene);
    const double end_s = gz_clock_mono_s();
    scene->pass_from_s = end_s + gz_pacing_after(&net->rest, end_s - now.mono_s);
}

/* Serves a scene with the part of the turn that those before it left; returns what it leaves. */
static double serve(struct gz_net *net, struct gz_net_scene *scene, double left, struct gz_now now)
{
    if (scene->is_lent) return left;
    struct gz_core *core = gz_net_core(scene);
    if (scene->touched) gather(scene, true, true); /* only answers; the rest waits for the turn */
    const bool is_urgent = scene->ready.first != NULL || gz_core_urgent_s(core) <= now.mono_s;
    if (rests(scene, now) && !is_urgent) return left;
    const bool has_turn = scene->touched || gz_core_deadline(core) <= now.mono_s;
    if (has_turn) gz_core_grant(core, left);
    if (has_turn || is_urgent || has_waiting(scene)) pass(net, scene, has_turn, now);
    if (has_turn) left = gz_core_left(core);
    if (gz_core_has_bulk(core)) net->host.lend(net->host.context, scene);
    return left;
}

/* Puts the scenes into the order in which the next turn serves them: first those behind this one.
 */
static void begin_behind(struct gz_net *net, struct gz_net_scene *scene)
{
    struct gz_net_scene *last = scene;
    while (last->next != NULL) last = last->next;
    last->next = net->scenes;
    net->scenes = scene->next;
    scene->next = NULL;
}

static void serve_scenes(struct gz_net *net)
{
    struct gz_net_scene *last = NULL;
    double left = 1;
    for (struct gz_net_scene *scene = net->scenes; scene != NULL; scene = scene->next) {
        left = serve(net, scene, left, gz_clock_now());
        if (left <= 0 && last == NULL) last = scene;
    }
    if (last != NULL) begin_behind(net, last);
}

static void serve_lobby(struct gz_net *net, struct gz_now now)
{
    flush_queue(&net->lobby.ready, now);
    flush_queue(&net->lobby.later, now);
}

/* ---- the loop ---- */

/* The monotonic time of the scene's next pass; INFINITY if it waits for input. */
static double next_pass_s(const struct gz_net_scene *scene)
{
    if (scene->is_lent) return INFINITY;
    if (scene->ready.first != NULL) return -INFINITY;
    if (scene->core == NULL) return scene->later.first != NULL ? -INFINITY : INFINITY;
    const struct gz_core *core = gz_net_core(scene);
    const bool has_work = scene->touched || has_waiting(scene);
    const double work_s = has_work ? -INFINITY : gz_core_deadline(core);
    return fmin(fmax(scene->pass_from_s, work_s), gz_core_urgent_s(core));
}

/* Has the loop come back at once, after it has read what came. */
static void come_back(uv_idle_t *again)
{
    (void)again;
}

void gz_net_plan_turn(struct gz_net *net)
{
    const bool has_work =
        net->stirred != NULL || net->stirred_visitors != NULL || gz_member_links_have_work(net);
    double next_s = has_work ? -INFINITY : next_pass_s(&net->lobby);
    for (const struct gz_net_scene *scene = net->scenes; scene != NULL; scene = scene->next)
        next_s = fmin(next_s, next_pass_s(scene));
    if (next_s <= gz_clock_mono_s()) {
        uv_idle_start(&net->again, come_back);
    } else {
        uv_idle_stop(&net->again);
        gz_timer_set(&net->next_pass, next_s);
    }
}

void gz_net_end_turn(struct gz_net *net)
{
    gz_channels_have_turn(net);
    gz_visitors_have_turn(net);
    serve_lobby(net, gz_clock_now());
    serve_scenes(net);
    gz_member_links_end_turn(net);
    gz_send_batch_go(net->sends);
}
