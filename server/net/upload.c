/* upload.c - the body of an HTTP request: decides whether it may come, and takes its pieces. */
#include "net/exchange.h"

#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"

uint64_t gz_content_length(struct lws *wsi, bool *known)
{
    char text[24];
    *known = false;
    if (lws_hdr_copy(wsi, text, sizeof text, WSI_TOKEN_HTTP_CONTENT_LENGTH) <= 0) return 0;
    size_t digits = strspn(text, "0123456789");
    *known = digits > 0 && digits < 19 && text[digits] == '\0';
    return *known ? strtoull(text, NULL, 10) : 0;
}

void gz_upload_encourage(struct gz_exchange *exchange)
{
    static const char line[] = "HTTP/1.1 100 Continue\r\n\r\n";
    unsigned char bytes[LWS_PRE + sizeof line];
    if (!exchange->expects) return;
    exchange->expects = false;
    memcpy(bytes + LWS_PRE, line, sizeof line);
    (void)lws_write(exchange->wsi, bytes + LWS_PRE, sizeof line - 1, LWS_WRITE_HTTP_HEADERS);
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
        [METHOD_PATCH] = {GZ_HTTP_RENAME_BYTES_MAX, "the body is larger than 4096 bytes",
                          "the body is empty: {\"name\": \"NEW\"} is expected"},
    };
    bool known;
    uint64_t size = gz_content_length(exchange->wsi, &known);
    if (!known) {
        exchange->hang_up = true;
        gz_exchange_refuse_with(exchange, 411, GZ_BAD_MESSAGE,
                                "Content-Length: missing or not a number");
    } else if (size > bodies[exchange->method].bytes_max) {
        exchange->hang_up = true;
        gz_exchange_refuse_with(exchange, 0, GZ_TOO_LARGE, bodies[exchange->method].too_large);
    } else if (size == 0) {
        gz_exchange_refuse_with(exchange, 0, GZ_BAD_MESSAGE, bodies[exchange->method].empty);
    } else {
        return make_body(exchange, size);
    }
    return false;
}

/* Asks the host, and stops the socket until it has decided; only bytes that were read with the
 * header come before. If it decides at once the socket is left alone, because libwebsockets forgets
 * a socket that is stopped and started while it works on its bytes. */
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
    } else if (exchange->has_come) {
        gz_exchange_serve(exchange);
    } else {
        exchange->reading = true;
        gz_upload_encourage(exchange);
    }
}

void gz_upload_begin(struct gz_exchange *exchange)
{
    if (!may_send(exchange) || !gz_exchange_become_job(exchange)) return;
    exchange->expects = lws_hdr_total_length(exchange->wsi, WSI_TOKEN_HTTP_EXPECT) > 0;
    exchange->paced_s = gz_awake_now(&exchange->net->awake);
    ask_host(exchange, exchange->net->host.admit);
}

/* Takes a piece; if no byte comes at all, libwebsockets ends the connection. */
int gz_upload_take(struct gz_exchange *exchange, const void *bytes, size_t size)
{
    if (!exchange->reading && !exchange->deciding) return 0;
    bool is_fast = gz_exchange_pace(exchange, size);
    if (exchange->reading && !is_fast) {
        gz_log(exchange->net->log, GZ_INFO, 0,
               "closed the connection of %s: the body of %s %s arrives too slowly", exchange->peer,
               gz_method_word(exchange->method), exchange->path);
        return -1;
    }
    if (exchange->forward != NULL && exchange->reading) {
        gz_forward_take(exchange, bytes, size);
    } else if (gz_body_append(exchange->request.body, bytes, size) != GZ_OK) {
        if (exchange->deciding) return -1;
        gz_exchange_refuse_with(exchange, 0, GZ_NO_MEMORY, "no memory for the file");
    } else if (exchange->reading && gz_body_is_to_be_written(exchange->request.body)) {
        ask_host(exchange, exchange->net->host.spool);
    }
    return 0;
}

void gz_upload_end(struct gz_exchange *exchange)
{
    exchange->has_come = exchange->deciding;
    if (!exchange->reading) return;
    exchange->reading = false;
    if (exchange->forward == NULL) gz_exchange_serve(exchange);
}
