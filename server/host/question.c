/* question.c - questions about a scene over HTTP: its nodes page by page, its history, its past,
 * the path of a node. They are asked in the words of the messages `at`, `history` and `path`, and
 * answered with the fields of their `ok`, from the scene's file, by a worker. */
#include <stdio.h>
#include <string.h>

#include "conn/clock.h"
#include "core/core.h"
#include "host/scenes.h"
#include "host/transfer_parts.h"
#include "server/maxima.h"

/* The name of the message is that of the path, which need not be said again. */
static void shorten(struct gz_error *error, enum gz_op op)
{
    const size_t size = strlen(gz_op_word(op));
    if (strncmp(error->message, gz_op_word(op), size) == 0 && error->message[size] == '.')
        memmove(error->message, error->message + size + 1, strlen(error->message + size + 1) + 1);
}

/* The present nodes are a page of those at what is saved. */
static void ask_for_present(struct gz_transfer *transfer, struct gz_message *message)
{
    const struct gz_core_summary now = gz_core_summary(gz_net_core(&transfer->scene->net));
    snprintf(transfer->etag, sizeof transfer->etag, "\"%llx-%llu\"", (unsigned long long)now.epoch,
             (unsigned long long)now.saved);
    message->at.seq = now.saved;
    message->has |= GZ_HAS_AT_AFTER;
}

static enum gz_status read_question(struct gz_transfer *transfer)
{
    struct gz_http_request *request = transfer->request;
    struct gz_core *core = gz_net_core(&transfer->scene->net);
    const enum gz_op op = gz_http_question(request->what);
    const struct gz_buffer *question = &request->question;
    struct gz_arena arena;
    struct gz_message message;
    size_t offset = 0;
    gz_arena_init(&arena, gz_decode_bytes_max(question->size));
    enum gz_status status = gz_decode(GZ_FROM_CLIENT, question->data, question->size, &offset,
                                      &arena, &message, &transfer->error);
    if (status == GZ_OK && request->what == GZ_HTTP_NODES) ask_for_present(transfer, &message);
    if (status == GZ_OK)
        status =
            gz_core_question(core, &message, gz_clock_now(), &transfer->query, &transfer->error);
    if (status != GZ_OK) shorten(&transfer->error, op);
    transfer->epoch = gz_core_summary(core).epoch;
    gz_arena_finish(&arena);
    return status;
}

/* The scene is opened, which brings its file up to date. */
enum gz_status gz_question_prepare(struct gz_transfer *transfer)
{
    enum gz_status status = gz_export_prepare(transfer);
    return status == GZ_OK && transfer->scene != NULL ? read_question(transfer) : status;
}

/* What is known by its tag need not be looked up. */
enum gz_status gz_question_run(struct gz_transfer *transfer)
{
    struct gz_answer answer;
    transfer->type = GZ_JSON_TYPE;
    if (transfer->etag[0] != '\0' && gz_http_knows(transfer->request, transfer->etag)) return GZ_OK;
    gz_store_query(transfer->path, &transfer->query, &answer);
    enum gz_status status = answer.status;
    transfer->error = answer.error;
    if (status == GZ_OK)
        status = gz_core_print_answer(&transfer->query, &answer, transfer->epoch, &transfer->out,
                                      &transfer->error);
    if (status == GZ_OK && gz_buffer_append(&transfer->out, "\n", 1) != GZ_OK)
        status = gz_fail(&transfer->error, GZ_NO_MEMORY, "no memory");
    gz_answer_finish(&answer);
    return status;
}
