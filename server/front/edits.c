/* edits.c - POST /scenes/NAME/edits: the edits of a body, a list of messages as a frame of JSON has
 * them, by a client that comes for them alone. Each is answered once it is on the disk; the answer
 * of the request has those of all. */
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "front/caller.h"
#include "front/exchange.h"
#include "front/visitor.h"
#include "proto/json.h"
#include "server/maxima.h"

/* Who edits if the request names nobody. */
#define USER_DEFAULT "http"

struct edits {
    struct gz_visitor visitor; /* first */
    struct gz_exchange *exchange;
    struct gz_buffer *answers; /* of each message, as JSON; empty: there is none yet */
    size_t count, left;
    struct gz_error error; /* the first; status GZ_OK: none so far */
    bool is_refused;       /* as a whole, by that error */
};

/* ---- what is told ---- */

static void note_error(struct edits *edits, enum gz_status status, struct gz_text words)
{
    if (edits->error.status == GZ_OK)
        (void)gz_fail(&edits->error, status, "%.*s", (int)words.size, words.bytes);
}

static void answer(struct edits *edits, size_t which, const uint8_t *bytes, size_t size)
{
    struct gz_buffer *out = &edits->answers[which];
    if (out->size > 0) return;
    gz_buffer_init(out, GZ_SERVER_FRAME_BYTES_MAX, 0);
    if (gz_json_append_fields(out, bytes, size) != GZ_OK) {
        note_error(edits, GZ_NO_MEMORY, (struct gz_text){"no memory for the answer", 24});
        edits->is_refused = true;
    }
    if (--edits->left == 0) gz_visitor_leave(&edits->visitor);
}

static bool is_ours(const struct edits *edits, const struct gz_message *message)
{
    return (message->has & GZ_HAS_RID) != 0 && message->rid > 0 && message->rid <= edits->count;
}

/* An error without a rid is about the hello, or about messages that were dropped: then it is the
 * answer of all that have none. */
static void hear_error(struct edits *edits, const struct gz_message *message, const uint8_t *bytes,
                       size_t size)
{
    note_error(edits, message->error.code, message->error.message);
    if (is_ours(edits, message)) {
        answer(edits, message->rid - 1, bytes, size);
    } else if (message->error.fatal) {
        edits->is_refused = true;
    } else {
        for (size_t i = 0; i < edits->count; i++) answer(edits, i, bytes, size);
    }
}

static void hear(struct gz_visitor *visitor, const struct gz_message *message, const uint8_t *bytes,
                 size_t size)
{
    struct edits *edits = (struct edits *)visitor;
    if (message->op == GZ_OP_ERROR) {
        hear_error(edits, message, bytes, size);
    } else if (message->op == GZ_OP_BYE) {
        note_error(edits, GZ_BAD_STATE, message->bye.reason);
        edits->is_refused = true;
    } else if (message->op == GZ_OP_OK && is_ours(edits, message)) {
        answer(edits, message->rid - 1, bytes, size);
    }
}

/* ---- the answer of the request ---- */

static enum gz_status print_answers(const struct edits *edits, struct gz_buffer *body)
{
    enum gz_status status = GZ_OK;
    gz_buffer_init(body, GZ_HTTP_ANSWER_BYTES_MAX, 0);
    for (size_t i = 0; i < edits->count && status == GZ_OK; i++) {
        const struct gz_buffer *one = &edits->answers[i];
        status = gz_buffer_append(body, i == 0 ? "[" : ",\n", i == 0 ? 1 : 2);
        if (status == GZ_OK) status = gz_buffer_append(body, one->data, one->size);
    }
    return status == GZ_OK ? gz_buffer_append(body, "]\n", 2) : status;
}

static void answer_request(struct edits *edits)
{
    struct gz_exchange *exchange = edits->exchange;
    struct gz_buffer body;
    if (edits->left > 0 && edits->error.status == GZ_OK)
        gz_fail(&edits->error, GZ_BAD_STATE, "the server is going away");
    if (edits->is_refused || edits->left > 0) {
        const bool is_over = edits->error.status == GZ_BAD_STATE;
        gz_exchange_refuse(exchange, is_over ? 503 : 0, &edits->error);
    } else if (print_answers(edits, &body) != GZ_OK) {
        gz_buffer_finish(&body);
        gz_exchange_refuse_with(exchange, 0, GZ_NO_MEMORY, "no memory for the answer");
    } else {
        gz_exchange_answer(exchange,
                           &(struct gz_http_answer){.code = gz_exchange_code(&edits->error),
                                                    .type = GZ_JSON_TYPE,
                                                    .body = body,
                                                    .file = -1});
    }
}

static void destroy(struct edits *edits)
{
    for (size_t i = 0; i < edits->count; i++) gz_buffer_finish(&edits->answers[i]);
    free(edits->answers);
    free(edits);
}

static void ended(struct gz_visitor *visitor)
{
    struct edits *edits = (struct edits *)visitor;
    struct gz_exchange *exchange = edits->exchange;
    if (gz_exchange_take_back(exchange))
        answer_request(edits);
    else
        gz_exchange_destroy(exchange);
    destroy(edits);
}

static const struct gz_visitor_user user = {.hear = hear, .ended = ended};

/* ---- what is said ---- */

static enum gz_status check_edit(const struct gz_message *message, size_t count,
                                 struct gz_error *error)
{
    if (!gz_op_edits(message->op))
        return gz_fail(error, GZ_BAD_VALUE, "op: %s is no edit", gz_op_word(message->op));
    if (count == GZ_HTTP_EDITS_MAX)
        return gz_fail(error, GZ_TOO_LARGE, "a request may have at most %d edits",
                       GZ_HTTP_EDITS_MAX);
    return GZ_OK;
}

static enum gz_status refuse_frame(enum gz_status status, struct gz_error *error)
{
    return gz_fail(error, status,
                   status == GZ_TOO_LARGE ? "an edit is larger than limits.message_bytes"
                                          : "no memory for the edits");
}

/* Says each edit of the body, numbered from 1 on, in a frame of its own; nothing is sent before all
 * were read. */
static enum gz_status say_edits(struct edits *edits, const struct gz_buffer *text,
                                struct gz_error *error)
{
    struct gz_arena arena;
    struct gz_buffer frame;
    enum gz_status status = GZ_OK;
    gz_arena_init(&arena, 0);
    gz_buffer_init(&frame, GZ_MESSAGE_BYTES_MAX, 0);
    for (size_t offset = 0; offset < text->size && status == GZ_OK; edits->count++) {
        struct gz_message message;
        gz_arena_reset(&arena, gz_decode_bytes_max(text->size));
        gz_buffer_clear(&frame);
        status = gz_decode_json(GZ_FROM_CLIENT, text->data, text->size, &offset, &arena, &message,
                                error);
        if (status == GZ_OK) status = check_edit(&message, edits->count, error);
        if (status != GZ_OK) break;
        message.rid = edits->count + 1;
        message.has |= GZ_HAS_RID;
        status = gz_encode(&frame, &message);
        if (status == GZ_OK) status = gz_visitor_say(&edits->visitor, frame.data, frame.size);
        if (status != GZ_OK) (void)refuse_frame(status, error);
    }
    gz_buffer_finish(&frame);
    gz_arena_finish(&arena);
    return status;
}

static enum gz_status say_hello(struct edits *edits, struct gz_error *error)
{
    const struct gz_exchange *exchange = edits->exchange;
    const char *name = exchange->name[0] != '\0' ? exchange->name : USER_DEFAULT;
    struct gz_message hello = {
        .op = GZ_OP_HELLO,
        .hello = {.v = GZ_PROTOCOL_VERSION,
                  .scene = {exchange->request.scene, strlen(exchange->request.scene)},
                  .user = {name, strlen(name)}}};
    struct gz_buffer frame;
    gz_buffer_init(&frame, GZ_HELLO_BYTES_MAX, 0);
    if (gz_request_token(exchange->caller, &hello.hello.token)) hello.has |= GZ_HAS_HELLO_TOKEN;
    const bool is_said = gz_encode(&frame, &hello) == GZ_OK &&
                         gz_visitor_say(&edits->visitor, frame.data, frame.size) == GZ_OK;
    gz_buffer_finish(&frame);
    return is_said ? GZ_OK : gz_fail(error, GZ_NO_MEMORY, "no memory for the edits");
}

/* ---- beginning ---- */

static enum gz_status begin(struct edits *edits, const struct gz_buffer *text,
                            struct gz_error *error)
{
    enum gz_status status = say_hello(edits, error);
    if (status == GZ_OK) status = say_edits(edits, text, error);
    if (status == GZ_OK) edits->answers = calloc(edits->count, sizeof *edits->answers);
    if (status == GZ_OK && edits->answers == NULL)
        status = gz_fail(error, GZ_NO_MEMORY, "no memory for the edits");
    if (status != GZ_OK) edits->count = 0;
    edits->left = edits->count;
    return status;
}

/* If the body is refused, nothing of it was sent, and the visitor is left at once. */
void gz_edits_begin(struct gz_exchange *exchange)
{
    struct gz_error error;
    struct edits *edits = calloc(1, sizeof *edits);
    if (edits == NULL) {
        gz_exchange_refuse_with(exchange, 0, GZ_NO_MEMORY, "no memory for the edits");
        return;
    }
    gz_exchange_log_change(exchange);
    edits->exchange = exchange;
    if (gz_visitor_open(&edits->visitor, exchange->net, exchange->caller->arrival, true, &user,
                        &error) != GZ_OK) {
        free(edits);
        gz_exchange_refuse(exchange, 0, &error);
        return;
    }
    gz_exchange_hand_over(exchange);
    if (begin(edits, &exchange->request.body->tail, &error) == GZ_OK) return;
    edits->error = error;
    edits->is_refused = true;
    gz_visitor_leave(&edits->visitor);
}
