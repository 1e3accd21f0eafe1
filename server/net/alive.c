/* Ends connections that are silent, or that take too long to end, and sends pings. */
#include "net/internal.h"

#include <math.h>

#include "server/maxima.h"

/* In which each connection is looked at once. */
#define SWEEPS 4

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
    uint8_t bytes[LWS_PRE];
    struct gz_buffer frame = {.data = bytes + LWS_PRE};
    connection->pinged_s = now_s;
    if (!gz_connection_is_free(connection)) return;
    gz_connection_write(connection, &frame, GZ_FRAME_PING_FIRST);
}

/* How long nothing may come from it before it is pinged. Others wait for a session that holds
 * nodes, and for a wire that is full. */
static double quiet_s(const struct gz_connection *connection)
{
    const bool is_urgent = connection->choked || connection->session == NULL ||
                           gz_session_holds_nodes(connection->session);
    return is_urgent ? connection->net->ping_s : connection->quiet_s;
}

/* A ping that is not answered is followed by another one. */
static double ping_due_s(const struct gz_connection *connection)
{
    const double heard_s = connection->heard_s, pinged_s = connection->pinged_s;
    return pinged_s > heard_s ? pinged_s + connection->net->ping_s : heard_s + quiet_s(connection);
}

/* A full socket that drains belongs to a slow reader, not a dead one. A socket that is not full
 * proves nothing, because the kernel of a peer takes bytes for a program that hangs. */
static bool is_silent(struct gz_connection *connection, double now_s)
{
    if (connection->choked && took_bytes(connection)) connection->taken_s = now_s;
    /* it may have sent bytes that are not read while it is paused */
    if (connection->paused && !connection->choked &&
        (connection->relay != NULL || gz_session_waits_for_core(connection->session)))
        connection->heard_s = now_s;
    const double silence_s = connection->net->silence_s - connection->net->ping_s;
    return now_s - fmax(connection->heard_s, connection->taken_s) > silence_s + quiet_s(connection);
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

/* Connections are neither read nor written while the core is lent. */
static void excuse(struct gz_net_scene *scene, double now_s)
{
    for (struct gz_connection *connection = scene->connections; connection != NULL;
         connection = connection->next)
        connection->heard_s = connection->ended_s = now_s;
}

/* A part of the connections at a time: each is looked at about once a second, and not all are
 * pinged at once. */
static void sweep_scene(struct gz_net_scene *scene, double now_s)
{
    if (scene->is_lent) {
        excuse(scene, now_s);
        return;
    }
    for (size_t i = scene->connection_count / SWEEPS + 1; i > 0; i--) {
        struct gz_connection *connection =
            scene->looked != NULL ? scene->looked : scene->connections;
        if (connection == NULL) return;
        scene->looked = connection->next; /* one that is lost moves to the lobby */
        look_at(connection, now_s);
    }
}

void gz_alive_sweep(struct gz_net *net)
{
    gz_awake_sweep(&net->awake);
    double now_s = gz_awake_now(&net->awake);
    sweep_scene(&net->lobby, now_s);
    for (struct gz_net_scene *scene = net->scenes; scene != NULL; scene = scene->next) {
        /* in a turn sessions fall asleep, and give memory back */
        if (!scene->is_lent) scene->touched |= gz_core_next_awake(scene->core, NULL) != NULL;
        sweep_scene(scene, now_s);
    }
    gz_trunks_sweep(net, now_s);
}
