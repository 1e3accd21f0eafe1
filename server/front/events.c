/* events.c - GET /scenes/NAME/events: what happens in a scene, as server-sent events, told to a
 * client that only watches and follows no nodes (visitor.h). The frames for it wait in the scene's
 * feed while its socket is full, as those of any viewer do. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conn/progress.h"
#include "front/caller.h"
#include "front/exchange.h"
#include "front/header.h"
#include "front/visitor.h"
#include "proto/json.h"
#include "server/maxima.h"

/* Who watches if the request names nobody. */
#define USER_DEFAULT "http"

struct gz_events {
    struct gz_visitor visitor; /* first */
    struct gz_exchange *exchange;
    struct gz_events *next, **hook; /* in the net's list */
    struct gz_buffer text;          /* that the socket is not given yet */
    uint64_t epoch;
    double written_s, taken_s; /* by gz_awake_now */
    uint64_t taken_bytes;
    struct gz_error error; /* the first; status GZ_OK: none so far */
};

static struct gz_stream *stream_of(const struct gz_events *events)
{
    return events->exchange->caller->stream;
}

/* ---- to the socket ---- */

static bool is_there(const struct gz_events *events)
{
    return events->exchange->caller != NULL && !events->exchange->caller->is_closed;
}

/* Gives the socket what waits, if it takes it; the visitor's wire is free then. */
static void write_text(struct gz_events *events)
{
    struct gz_buffer *text = &events->text;
    if (!is_there(events) || !events->exchange->began || text->size == 0) return;
    if (!gz_stream_is_free(stream_of(events))) return;
    const bool is_written = gz_stream_write(stream_of(events), text->data, text->size);
    gz_buffer_finish(text);
    gz_buffer_init(text, GZ_SERVER_FRAME_BYTES_MAX, 0);
    events->written_s = events->taken_s = gz_awake_now(&events->exchange->net->awake);
    if (!is_written)
        gz_caller_close(events->exchange->caller);
    else
        gz_stream_ask(stream_of(events)); /* so that it is known when it is free */
}

void gz_events_go_on(struct gz_exchange *exchange)
{
    struct gz_events *events = exchange->events;
    write_text(events);
    if (is_there(events) && gz_stream_is_free(stream_of(events)))
        gz_connection_go_on(&events->visitor.connection);
}

/* Before the answer has begun only what decides about it is heard. */
static bool is_free(const struct gz_visitor *visitor)
{
    const struct gz_events *events = (const struct gz_events *)visitor;
    if (!is_there(events)) return true; /* what comes is dropped */
    if (!events->exchange->answered) return true;
    return events->exchange->began && events->text.size == 0 &&
           gz_stream_is_free(stream_of(events));
}

/* ---- what is told ---- */

/* An edit has an id, from which a client goes on that comes back. */
static bool print_event(struct gz_events *events, const struct gz_message *message,
                        const uint8_t *bytes, size_t size)
{
    struct gz_buffer *text = &events->text;
    bool ok = gz_text_print(text, "event: %s\n", gz_op_word(message->op));
    if (message->op == GZ_OP_EDIT)
        ok = ok &&
             gz_text_print(text, "id: %" PRIx64 "-%" PRIu64 "\n", events->epoch, message->edit.seq);
    return ok && gz_buffer_append(text, "data: ", 6) == GZ_OK &&
           gz_json_append_fields(text, bytes, size) == GZ_OK &&
           gz_buffer_append(text, "\n\n", 2) == GZ_OK;
}

static bool is_told(enum gz_op op)
{
    return op == GZ_OP_EDIT || op == GZ_OP_NOTES || op == GZ_OP_CHECKPOINT_NEWS ||
           op == GZ_OP_PRESENCE || op == GZ_OP_CROWD || op == GZ_OP_BYE;
}

static void begin_answer(struct gz_events *events, uint64_t epoch)
{
    struct gz_exchange *exchange = events->exchange;
    events->epoch = epoch;
    exchange->hang_up = exchange->reply.is_stream = true;
    exchange->caller->is_parted = true; /* what it still says is dropped, and its end is seen */
    gz_exchange_answer(
        exchange, &(struct gz_http_answer){.code = 200, .type = "text/event-stream", .file = -1});
}

static void hear(struct gz_visitor *visitor, const struct gz_message *message, const uint8_t *bytes,
                 size_t size)
{
    struct gz_events *events = (struct gz_events *)visitor;
    if (!is_there(events)) return;
    if (message->op == GZ_OP_WELCOME) {
        begin_answer(events, message->welcome.epoch);
    } else if (message->op == GZ_OP_ERROR && events->error.status == GZ_OK) {
        gz_fail(&events->error, message->error.code, "%.*s", (int)message->error.message.size,
                message->error.message.bytes);
    } else if (message->op == GZ_OP_BYE && events->error.status == GZ_OK) {
        gz_fail(&events->error, GZ_BAD_STATE, "%.*s", (int)message->bye.reason.size,
                message->bye.reason.bytes);
    }
    if (!events->exchange->answered || !is_told(message->op)) return;
    if (!print_event(events, message, bytes, size)) gz_caller_close(events->exchange->caller);
    write_text(events);
}

/* ---- the end ---- */

static void unlink_events(struct gz_events *events)
{
    *events->hook = events->next;
    if (events->next != NULL) events->next->hook = events->hook;
}

/* What is written ends the answer; without one it is refused. */
static void ended(struct gz_visitor *visitor)
{
    struct gz_events *events = (struct gz_events *)visitor;
    struct gz_exchange *exchange = events->exchange;
    struct gz_error error = events->error;
    const bool is_awaited = is_there(events);
    unlink_events(events);
    gz_buffer_finish(&events->text);
    free(events);
    exchange->events = NULL;
    exchange->with_host = false;
    if (exchange->caller == NULL) {
        gz_exchange_destroy(exchange);
    } else if (is_awaited && !exchange->answered) {
        if (error.status == GZ_OK) gz_fail(&error, GZ_BAD_STATE, "the server is going away");
        gz_exchange_refuse(exchange, error.status == GZ_BAD_STATE ? 503 : 0, &error);
    } else if (is_awaited) {
        gz_stream_ask(exchange->caller->stream);
    }
}

static const struct gz_visitor_user user = {.hear = hear, .ended = ended, .is_free = is_free};

void gz_events_leave(struct gz_exchange *exchange)
{
    gz_visitor_leave(&exchange->events->visitor);
}

/* ---- whether it is still there ---- */

/* A socket that takes nothing is closed after a while; a free one is written to now and then, so
 * that a client that is gone is noticed, and a proxy does not give up. */
static void tend(struct gz_events *events, double now_s)
{
    const struct gz_net *net = events->exchange->net;
    if (!is_there(events) || !events->exchange->began) return;
    if (gz_stream_is_free(stream_of(events))) {
        if (now_s - events->written_s < net->silence_s || events->text.size > 0) return;
        (void)!gz_buffer_append(&events->text, ":\n\n", 3);
        write_text(events);
        return;
    }
    const uint64_t bytes = gz_acknowledged_bytes(gz_stream_socket(stream_of(events)));
    if (bytes > events->taken_bytes) events->taken_s = now_s;
    events->taken_bytes = bytes;
    if (now_s - events->taken_s > net->silence_s) gz_caller_close(events->exchange->caller);
}

void gz_events_sweep(struct gz_net *net)
{
    const double now_s = gz_awake_now(&net->awake);
    struct gz_events *next;
    for (struct gz_events *events = net->events; events != NULL; events = next) {
        next = events->next;
        tend(events, now_s);
    }
}

/* ---- beginning ---- */

/* EPOCH-SEQ, as the id of an edit was. */
static void read_last(const struct gz_exchange *exchange, struct gz_message *hello)
{
    const char *last = gz_request_value(exchange->caller->request, "last-event-id", 0);
    uint64_t epoch, seq;
    if (last == NULL || sscanf(last, "%" SCNx64 "-%" SCNu64, &epoch, &seq) != 2) return;
    if (epoch >= GZ_ID_LIMIT || seq >= GZ_ID_LIMIT) return;
    hello->has |= GZ_HAS_HELLO_RESUME | GZ_HAS_HELLO_EDIT;
    hello->hello.resume_epoch = epoch;
    hello->hello.resume_edit = seq;
}

/* A hello, and an interest in no nodes. */
static enum gz_status say_hello(struct gz_events *events)
{
    const struct gz_exchange *exchange = events->exchange;
    const char *name = exchange->name[0] != '\0' ? exchange->name : USER_DEFAULT;
    struct gz_message hello = {
        .op = GZ_OP_HELLO,
        .has = GZ_HAS_HELLO_ROLE,
        .hello = {.v = GZ_PROTOCOL_VERSION,
                  .scene = {exchange->request.scene, strlen(exchange->request.scene)},
                  .user = {name, strlen(name)},
                  .role = GZ_ROLE_VIEWER}};
    const struct gz_message nothing = {.op = GZ_OP_INTEREST, .has = GZ_HAS_INTEREST_NODES};
    struct gz_buffer frame;
    gz_buffer_init(&frame, GZ_HELLO_BYTES_MAX, 0);
    read_last(exchange, &hello);
    if (gz_request_token(exchange->caller, &hello.hello.token)) hello.has |= GZ_HAS_HELLO_TOKEN;
    enum gz_status status = gz_encode(&frame, &hello);
    if (status == GZ_OK) status = gz_encode(&frame, &nothing);
    if (status == GZ_OK) status = gz_visitor_say(&events->visitor, frame.data, frame.size);
    gz_buffer_finish(&frame);
    return status;
}

void gz_events_begin(struct gz_exchange *exchange)
{
    struct gz_net *net = exchange->net;
    struct gz_error error;
    struct gz_events *events = calloc(1, sizeof *events);
    if (events == NULL) {
        gz_exchange_refuse_with(exchange, 0, GZ_NO_MEMORY, "no memory for the events");
        return;
    }
    events->exchange = exchange;
    if (gz_visitor_open(&events->visitor, net, exchange->caller->arrival,
                        exchange->caller->arrival->is_relayed, &user, &error) != GZ_OK) {
        free(events);
        gz_exchange_refuse(exchange, 0, &error);
        return;
    }
    events->written_s = events->taken_s = gz_awake_now(&net->awake);
    events->next = net->events;
    events->hook = &net->events;
    if (events->next != NULL) events->next->hook = &events->next;
    net->events = events;
    gz_buffer_init(&events->text, GZ_SERVER_FRAME_BYTES_MAX, 0);
    exchange->events = events;
    exchange->with_host = true;
    gz_caller_allow(exchange->caller, 0);
    if (say_hello(events) == GZ_OK) return;
    gz_fail(&events->error, GZ_NO_MEMORY, "no memory for the events");
    gz_visitor_leave(&events->visitor);
}
