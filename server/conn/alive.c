/* alive.c - ends connections that are silent, or that take too long to end, and sends pings.
 *
 * Each connection is planned for the time of its next look, in a timer wheel: a quiet viewer is
 * looked at when its ping is due and costs nothing meanwhile. Whatever changes the time of the
 * next look calls gz_alive_replan. */
#include "conn/connection.h"
#include "front/state.h"
#include "link/relaying.h"

#include <math.h>

#include "server/maxima.h"

/* Seconds from one slot of the wheel to the next one. */
#define SLOT_S 0.25
/* Seconds from one look to the next at a connection that is more than quiet. */
#define LOOK_S 1.0
/* A sweep looks at one of so many connections at most, so that not all are pinged at once. */
#define SWEEPS 4

/* ---- the wheel ---- */

void gz_alive_forget(struct gz_connection *connection)
{
    struct gz_alive_place *look = &connection->look;
    if (look->hook == NULL) return;
    *look->hook = look->next;
    if (look->next != NULL) look->next->look.hook = look->hook;
    look->hook = NULL;
}

/* A time that is too far away for the wheel is planned as its last slot. */
static uint64_t slot_of(const struct gz_alive_wheel *wheel, double at_s)
{
    const double first = (double)wheel->at + 1, last = (double)wheel->at + GZ_ALIVE_SLOTS - 1;
    return (uint64_t)fmin(fmax(ceil(at_s / SLOT_S), first), last);
}

/* INFINITY for never. */
static void plan(struct gz_connection *connection, double at_s)
{
    struct gz_alive_wheel *wheel = &connection->net->wheel;
    struct gz_alive_place *look = &connection->look;
    gz_alive_forget(connection);
    if (isinf(at_s)) return;
    look->slot = slot_of(wheel, at_s);
    look->hook = &wheel->slots[look->slot % GZ_ALIVE_SLOTS];
    look->next = *look->hook;
    if (look->next != NULL) look->next->look.hook = &look->next;
    *look->hook = connection;
}

/* ---- a look ---- */

/* Whether the peer has taken any of the bytes that wait for it since the last look. */
static bool took_bytes(struct gz_connection *connection)
{
    uint64_t bytes = connection->wire->kind->taken_bytes(connection->wire);
    if (bytes <= connection->acknowledged_bytes) return false;
    connection->acknowledged_bytes = bytes;
    return true;
}

static void ping(struct gz_connection *connection, double now_s)
{
    connection->pinged_s = now_s;
    if (!gz_connection_is_free(connection)) return;
    struct gz_bytes *frame = gz_bytes_copy(GZ_FRAME_PING_FIRST, NULL, 0);
    if (frame != NULL) gz_connection_write(connection, frame);
    gz_bytes_release(frame);
}

/* Whether others may wait for nodes that it holds. */
static bool may_hold_nodes(const struct gz_connection *connection)
{
    return connection->session != NULL ? gz_session_holds_nodes(connection->session)
                                       : !connection->only_watches;
}

/* How long nothing may come from it before it is pinged. */
static double quiet_s(const struct gz_connection *connection)
{
    const bool is_urgent = gz_connection_is_choked(connection) || may_hold_nodes(connection);
    return is_urgent ? connection->net->ping_s : connection->quiet_s;
}

/* A ping that is not answered is followed by another one. */
static double ping_due_s(const struct gz_connection *connection)
{
    const double heard_s = connection->heard_s, pinged_s = connection->pinged_s;
    return pinged_s > heard_s ? pinged_s + connection->net->ping_s : heard_s + quiet_s(connection);
}

/* When its silence is too long. */
static double silent_at_s(const struct gz_connection *connection)
{
    const double silence_s = connection->net->silence_s - connection->net->ping_s;
    return fmax(connection->heard_s, connection->taken_s) + silence_s + quiet_s(connection);
}

/* A full socket that drains belongs to a slow reader, not a dead one. A socket that is not full
 * proves nothing, because the kernel of a peer takes bytes for a program that hangs. */
static bool is_silent(struct gz_connection *connection, double now_s)
{
    if (gz_connection_is_choked(connection) && took_bytes(connection)) connection->taken_s = now_s;
    /* it may have sent bytes that are not read while it is paused */
    if (connection->paused && !gz_connection_is_choked(connection) &&
        (connection->relay != NULL || gz_session_waits_for_core(connection->session)))
        connection->heard_s = now_s;
    return now_s > silent_at_s(connection);
}

/* A session that is over waits a moment for its last frames to be taken. */
static bool is_overdue(struct gz_connection *connection, double now_s)
{
    if (connection->session == NULL || gz_session_end_reason(connection->session) == NULL)
        return false;
    if (connection->over_s == 0) connection->over_s = now_s;
    return now_s - connection->over_s > GZ_FAREWELL_SECONDS;
}

static void tend(struct gz_connection *connection, double now_s)
{
    if (is_silent(connection, now_s))
        gz_connection_dismiss(connection, "you sent nothing and took nothing");
    else if (now_s >= ping_due_s(connection))
        ping(connection, now_s);
}

static void look_at(struct gz_connection *connection, double now_s)
{
    if (connection->end != 0) {
        if (now_s - connection->ended_s > GZ_FAREWELL_SECONDS)
            connection->wire->kind->kill(connection->wire);
    } else if (connection->is_waiting) {
        return; /* it is not read */
    } else if (connection->session == NULL && connection->relay == NULL &&
               now_s - connection->opened_s > GZ_HELLO_SECONDS_MAX) {
        struct gz_error error;
        gz_fail(&error, GZ_BAD_STATE, "no hello came within %d seconds", GZ_HELLO_SECONDS_MAX);
        gz_connection_refuse(connection, NULL, &error, true);
    } else if (is_overdue(connection, now_s)) {
        gz_connection_end(connection, LWS_CLOSE_STATUS_POLICY_VIOLATION);
    } else if (!connection->wire->kind->is_tended) {
        tend(connection, now_s);
    }
}

/* Whether a look finds nothing to do before its ping is due. */
static bool is_calm(const struct gz_connection *connection)
{
    if (connection->scene->is_lent) return false; /* the session is a worker's */
    if (connection->end != 0 || connection->is_waiting || gz_connection_is_choked(connection) ||
        connection->paused)
        return false;
    return connection->session != NULL ? gz_session_end_reason(connection->session) == NULL
                                       : connection->relay != NULL;
}

static double next_look_s(const struct gz_connection *connection, double now_s)
{
    if (!is_calm(connection)) return now_s + LOOK_S;
    if (connection->wire->kind->is_tended) return INFINITY;
    return fmin(ping_due_s(connection), silent_at_s(connection));
}

/* One that is not calm must not put its look off again and again. */
void gz_alive_replan(struct gz_connection *connection)
{
    const struct gz_alive_wheel *wheel = &connection->net->wheel;
    const struct gz_alive_place *look = &connection->look;
    const double at_s = next_look_s(connection, gz_awake_now(&connection->net->awake));
    if (is_calm(connection) || look->hook == NULL || look->slot > slot_of(wheel, at_s))
        plan(connection, at_s);
}

/* A connection is neither read nor written while the core of its scene is lent. */
static void look_and_plan(struct gz_connection *connection, double now_s)
{
    if (connection->scene->is_lent)
        connection->heard_s = connection->ended_s = now_s;
    else
        look_at(connection, now_s);
    plan(connection, next_look_s(connection, now_s));
}

static void look_at_connections(struct gz_net *net, double now_s)
{
    struct gz_alive_wheel *wheel = &net->wheel;
    for (size_t left = net->session_count / SWEEPS + 1; left > 0; left--) {
        while (wheel->slots[wheel->at % GZ_ALIVE_SLOTS] == NULL) {
            if ((double)(wheel->at + 1) * SLOT_S > now_s) return;
            wheel->at++;
        }
        look_and_plan(wheel->slots[wheel->at % GZ_ALIVE_SLOTS], now_s);
    }
}

void gz_alive_sweep(struct gz_net *net)
{
    gz_awake_sweep(&net->awake, gz_clock_mono_s());
    double now_s = gz_awake_now(&net->awake);
    look_at_connections(net, now_s);
    /* in a turn sessions fall asleep, and give memory back */
    for (struct gz_net_scene *scene = net->scenes; scene != NULL; scene = scene->next)
        if (!scene->is_lent) scene->touched |= gz_core_next_awake(scene->core, NULL) != NULL;
    gz_member_links_sweep(net, now_s);
}
