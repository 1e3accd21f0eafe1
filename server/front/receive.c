/* receive.c - the body of an HTTP request: decides whether it may come, and takes its pieces. */
#include "front/caller.h"
#include "front/exchange.h"

#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"

void gz_upload_encourage(struct gz_exchange *exchange)
{
    static const char line[] = "HTTP/1.1 100 Continue\r\n\r\n";
    if (!exchange->expects) return;
    exchange->expects = false;
    (void)gz_stream_write(exchange->caller->stream, (const uint8_t *)line, sizeof line - 1);
}

static bool make_body(struct gz_exchange *exchange, uint64_t size)
{
    exchange->request.body = gz_body_create((size_t)size);
    if (exchange->request.body == NULL)
        gz_exchange_refuse_with(exchange, 0, GZ_NO_MEMORY, "no memory for the file");
    return exchange->request.body != NULL;
}

/* Whether the body, a glTF file or the JSON of a rename, may come. */
static bool may_send(struct gz_exchange *exchange)
{
    static const struct {
        uint64_t bytes_max;
        const char *too_large, *empty;
    } bodies[] = {
        [METHOD_PUT] = {GZ_ASSET_BYTES_MAX, "the file is larger than 256 MiB",
                        "the body is empty: a .glb or .gltf is expected"},
        [METHOD_POST] = {GZ_MESSAGE_BYTES_MAX, "the body is larger than 1 MiB",
                         "the body is empty: a list of edits is expected"},
        [METHOD_PATCH] = {GZ_HTTP_RENAME_BYTES_MAX, "the body is larger than 4096 bytes",
                          "the body is empty: {\"name\": \"NEW\"} is expected"},
    };
    const uint64_t size = exchange->caller->request->length;
    /* A file that is added is as large as one that is put. */
    const enum gz_method kind =
        exchange->request.what == GZ_HTTP_ADD ? METHOD_PUT : exchange->method;
    if (!exchange->caller->request->has_length) {
        exchange->hang_up = true;
        gz_exchange_refuse_with(exchange, 411, GZ_BAD_MESSAGE, "Content-Length: missing");
    } else if (size > bodies[kind].bytes_max) {
        exchange->hang_up = true;
        gz_exchange_refuse_with(exchange, 0, GZ_TOO_LARGE, bodies[kind].too_large);
    } else if (size == 0) {
        gz_exchange_refuse_with(exchange, 0, GZ_BAD_MESSAGE, bodies[kind].empty);
    } else {
        return make_body(exchange, size);
    }
    return false;
}

/* Asks the host, and stops the socket until it has decided, unless it does so at once. */
static void ask_host(struct gz_exchange *exchange,
                     void (*ask)(void *context, struct gz_http_request *request))
{
    exchange->reading = false;
    exchange->deciding = exchange->with_host = true;
    exchange->held_s = gz_awake_now(&exchange->net->awake);
    ask(exchange->net->host.context, &exchange->request);
    if (exchange->deciding) gz_exchange_hand_over(exchange);
}

void gz_http_receive(struct gz_http_request *request)
{
    struct gz_exchange *exchange = (struct gz_exchange *)request;
    if (!gz_exchange_take_back(exchange)) {
        gz_exchange_destroy(exchange);
    } else {
        exchange->reading = true;
        gz_upload_encourage(exchange);
    }
}

void gz_upload_begin(struct gz_exchange *exchange)
{
    if (!may_send(exchange) || !gz_exchange_become_job(exchange)) return;
    exchange->expects = !exchange->caller->request->is_1_0 &&
                        gz_request_lists(exchange->caller->request, "expect", "100-continue");
    exchange->paced_s = gz_awake_now(&exchange->net->awake);
    ask_host(exchange, exchange->net->host.admit);
}

/* Takes a piece; if no byte comes at all, the caller's time is over. */
int gz_upload_take(struct gz_exchange *exchange, const void *bytes, size_t size)
{
    if (!exchange->reading) return 0;
    if (!gz_exchange_pace(exchange, size)) {
        gz_log(exchange->net->log, GZ_INFO, 0,
               "closed the connection of %s: the body of %s %s arrives too slowly", exchange->peer,
               gz_method_word(exchange->method), exchange->path);
        return -1;
    }
    if (exchange->forward != NULL) {
        gz_forward_take(exchange, bytes, size);
    } else if (gz_body_append(exchange->request.body, bytes, size) != GZ_OK) {
        gz_exchange_refuse_with(exchange, 0, GZ_NO_MEMORY, "no memory for the file");
    } else if (gz_body_is_to_be_written(exchange->request.body)) {
        ask_host(exchange, exchange->net->host.spool);
    }
    return 0;
}

void gz_upload_end(struct gz_exchange *exchange)
{
    if (!exchange->reading) return;
    exchange->reading = false;
    if (exchange->forward != NULL) return;
    if (exchange->request.what == GZ_HTTP_EDITS)
        gz_edits_begin(exchange);
    else
        gz_exchange_serve(exchange);
}
