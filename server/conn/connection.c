/* connection.c - a WebSocket connection without its input: its scene's lists, queued messages,
 * writing, and leaving. */
#include "conn/connection.h"
#include "front/state.h"
#include "link/relaying.h"
#include "server/maxima.h"

#include <stdlib.h>
#include <string.h>

/* ---- lists ---- */

void gz_connection_unlink(struct gz_connection *connection)
{
    struct gz_net_scene *scene = connection->scene;
    gz_connection_leave_group(connection);
    if (scene->at == connection) scene->at = connection->next;
    if (connection->previous != NULL) {
        connection->previous->next = connection->next;
    } else {
        scene->connections = connection->next;
    }
    if (connection->next != NULL) connection->next->previous = connection->previous;
    connection->next = connection->previous = NULL;
    if (--scene->connection_count < scene->left) scene->left = scene->connection_count;
}

void gz_connection_link(struct gz_connection *connection, struct gz_net_scene *scene)
{
    connection->scene = scene;
    connection->next = scene->connections;
    if (connection->next != NULL) connection->next->previous = connection;
    scene->connections = connection;
    scene->connection_count++;
    if (scene->left > 0) scene->left++;
}

void gz_connection_move(struct gz_connection *connection, struct gz_net_scene *scene)
{
    const bool is_ready = connection->places[GZ_PLACE_SOON].queue != NULL;
    for (int i = 0; i < GZ_PLACE_COUNT; i++) gz_connection_leave_queue(connection, i);
    gz_connection_unlink(connection);
    gz_connection_link(connection, scene);
    if (is_ready) gz_connection_make_ready(connection);
}

/* ---- queues ---- */

void gz_connection_leave_queue(struct gz_connection *connection, enum gz_place place)
{
    const struct gz_net_place at = connection->places[place];
    if (at.queue == NULL) return;
    *(at.previous != NULL ? &at.previous->places[place].next : &at.queue->first) = at.next;
    *(at.next != NULL ? &at.next->places[place].previous : &at.queue->last) = at.previous;
    at.queue->count--;
    connection->places[place].queue = NULL;
}

static void enter_queue(struct gz_connection *connection, enum gz_place place,
                        struct gz_net_queue *queue)
{
    struct gz_connection *last = queue->last;
    if (connection->places[place].queue == queue) return;
    gz_connection_leave_group(connection);
    gz_connection_leave_queue(connection, place);
    connection->places[place] = (struct gz_net_place){.queue = queue, .previous = last};
    *(last != NULL ? &last->places[place].next : &queue->first) = connection;
    queue->last = connection;
    queue->count++;
}

void gz_connection_make_ready(struct gz_connection *connection)
{
    enter_queue(connection, GZ_PLACE_SOON, &connection->scene->ready);
}

void gz_connection_make_ready_later(struct gz_connection *connection)
{
    if (connection->places[GZ_PLACE_SOON].queue == NULL)
        enter_queue(connection, GZ_PLACE_SOON, &connection->scene->later);
}

void gz_connection_stand_in_line(struct gz_connection *connection)
{
    enter_queue(connection, GZ_PLACE_LINE, &connection->scene->line);
}

/* ---- answers of this room itself ---- */

static void say(struct gz_connection *connection, const struct gz_message *message)
{
    if (gz_outbox_append(&connection->out, message) != GZ_OK) {
        gz_log(connection->net->log, GZ_WARN, connection->id, "no memory to send %s",
               gz_op_word(message->op));
    }
    gz_connection_make_ready(connection);
}

static int close_code(enum gz_status status)
{
    switch (status) {
    case GZ_TOO_LARGE: return LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE;
    case GZ_INTERNAL:
    case GZ_NO_MEMORY:
    case GZ_STORAGE: return LWS_CLOSE_STATUS_UNEXPECTED_CONDITION;
    default: return LWS_CLOSE_STATUS_POLICY_VIOLATION;
    }
}

void gz_connection_refuse(struct gz_connection *connection, const struct gz_message *request,
                          const struct gz_error *error, bool fatal)
{
    struct gz_message message = {.op = GZ_OP_ERROR};
    if (request != NULL && (request->has & GZ_HAS_RID)) {
        message.has = GZ_HAS_RID;
        message.rid = request->rid;
    }
    message.error = (struct gz_error_message){
        .code = error->status, .message = {error->message, strlen(error->message)}, .fatal = fatal};
    connection->net->host.errors[error->status]++;
    gz_log(connection->net->log, GZ_INFO, connection->id, "refused: %s: %s",
           gz_status_word(error->status), error->message);
    say(connection, &message);
    if (fatal) gz_connection_end(connection, close_code(error->status));
}

static void say_bye(struct gz_connection *connection, struct gz_message *message,
                    const char *reason)
{
    message->op = GZ_OP_BYE;
    message->bye.reason = (struct gz_text){reason, strlen(reason)};
    gz_log(connection->net->log, GZ_INFO, connection->id, "dismissed: %s", reason);
    say(connection, message);
    gz_connection_end(connection, LWS_CLOSE_STATUS_GOINGAWAY);
}

void gz_connection_dismiss(struct gz_connection *connection, const char *reason)
{
    say_bye(connection, &(struct gz_message){.has = 0}, reason);
}

void gz_connection_send_away(struct gz_connection *connection, const char *reason, double retry_s)
{
    struct gz_message message = {.has = GZ_HAS_BYE_RETRY_S, .bye = {.retry_s = retry_s}};
    say_bye(connection, &message, reason);
}

void gz_connection_end(struct gz_connection *connection, int end)
{
    if (connection->end != 0) return;
    connection->end = end;
    connection->ended_s = gz_awake_now(&connection->net->awake);
    gz_alive_replan(connection);
    gz_connection_make_ready(connection);
}

/* ---- writing ---- */

bool gz_connection_is_choked(const struct gz_connection *connection)
{
    return !connection->wire->kind->is_free(connection->wire);
}

bool gz_connection_is_free(const struct gz_connection *connection)
{
    return !gz_connection_is_choked(connection) && !connection->is_amid;
}

void gz_connection_write(struct gz_connection *connection, struct gz_bytes *frame)
{
    struct gz_net_counters *counters = &connection->net->counters;
    struct gz_wire *wire = connection->wire;
    if (!wire->kind->write(wire, frame)) {
        gz_connection_break(connection);
        return;
    }
    if (gz_bytes_are_messages(frame)) {
        counters->frames_out++;
        counters->bytes_out += frame->size;
    }
    if (gz_connection_is_choked(connection)) gz_alive_replan(connection);
}

void gz_connection_write_close(struct gz_connection *connection)
{
    struct gz_wire *wire = connection->wire;
    if (!wire->kind->write_close(wire, connection->end, connection->end_words))
        gz_connection_break(connection);
}

void gz_pong_write(struct gz_connection *connection)
{
    struct gz_bytes *pong = connection->pong;
    connection->pong = NULL;
    gz_connection_write(connection, pong);
    gz_bytes_release(pong);
}

/* ---- leaving ---- */

void gz_connection_leave(struct gz_connection *connection, struct gz_now now)
{
    if (connection->relay != NULL) connection->leave_relay(connection);
    if (connection->session == NULL) return;
    struct gz_net_scene *scene = connection->scene;
    gz_session_set_owner(connection->session, NULL);
    if (scene->is_lent)
        gz_session_chain_gone(connection->session, &scene->gone);
    else
        gz_core_leave(gz_net_core(scene), connection->session, now);
    connection->session = NULL;
    scene->touched = true;
    gz_connection_move(connection, &connection->net->lobby);
}

/* Lets the session leave at once, so that no other session has to wait for its nodes. */
static void lose(struct gz_connection *connection)
{
    gz_connection_leave(connection, gz_clock_now());
    if (connection->end == 0) {
        connection->end = GZ_CLOSE_NONE;
        connection->ended_s = gz_awake_now(&connection->net->awake);
    }
    connection->parted = true;
}

void gz_connection_break(struct gz_connection *connection)
{
    lose(connection);
    connection->wire->kind->kill(connection->wire);
}
