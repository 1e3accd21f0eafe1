/* http.c - one HTTP request to the daemon, from its headers to the answer's last byte. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gizmo_client.h"
#include "headers.h"
#include "proto/limits.h"
#include "refusal.h"
#include "response.h"
#include "tcp.h"
#include "trust.h"

#define SILENCE_SECONDS 60.0
#define SILENCE_SECONDS_OF_SEVERAL 10.0 /* of a question, if another server can be asked */
#define READ_BYTES (16u * 1024)

struct transfer {
    const struct gz_http *http;
    const struct gz_url *url;
    struct gz_tcp *stream;
    struct gz_buffer request; /* without its body */
    size_t sent;              /* of both */
    bool asked;               /* a connection stood, so the server may have the request */
    struct gz_response answer;
    struct gz_buffer refusal;
    bool done;
    double active_s; /* the last time that bytes moved */
    enum gz_status result;
    struct gz_error error;
};

static void finish(struct transfer *transfer, enum gz_status status, const char *message)
{
    if (transfer->done) return;
    transfer->done = true;
    transfer->result = status;
    if (status != GZ_OK) gz_fail(&transfer->error, status, "%s", message);
}

static void finish_refused(struct transfer *transfer)
{
    struct gz_error error;
    enum gz_status status = gz_refusal(&error, transfer->answer.status, &transfer->refusal,
                                       transfer->url, transfer->http->path);
    finish(transfer, status, error.message);
}

static bool is_refused(const struct transfer *transfer)
{
    const unsigned status = transfer->answer.status;
    return status != 0 && (status < 200 || status >= 300);
}

static enum gz_status write_request(struct transfer *transfer)
{
    const struct gz_http *http = transfer->http;
    struct gz_buffer *out = &transfer->request;
    char text[GZ_TOKEN_BYTES_MAX + 16];
    enum gz_status status = gz_headers_begin(out, http->method, transfer->url->base, http->path,
                                             transfer->url, http->headers);
    if (http->token != NULL && status == GZ_OK) {
        snprintf(text, sizeof text, "Bearer %s", http->token);
        status = gz_headers_add(out, "Authorization", text);
    }
    if (http->type != NULL && status == GZ_OK)
        status = gz_headers_add(out, "Content-Type", http->type);
    if (http->body != NULL && status == GZ_OK) {
        snprintf(text, sizeof text, "%zu", http->body_size);
        status = gz_headers_add(out, "Content-Length", text);
    }
    return status == GZ_OK ? gz_buffer_append(out, "\r\n", 2) : status;
}

static size_t request_size(const struct transfer *transfer)
{
    return transfer->request.size + (transfer->http->body != NULL ? transfer->http->body_size : 0);
}

static void send_rest(struct transfer *transfer)
{
    const struct gz_buffer *request = &transfer->request;
    for (ssize_t sent = 1; sent > 0 && transfer->sent < request_size(transfer);) {
        const bool is_body = transfer->sent >= request->size;
        const size_t at = transfer->sent - (is_body ? request->size : 0);
        const uint8_t *part = is_body ? transfer->http->body : request->data;
        sent = gz_tcp_write(transfer->stream, part + at,
                            (is_body ? transfer->http->body_size : request->size) - at);
        if (sent <= 0) return; /* reading comes to the end, too */
        transfer->sent += (size_t)sent;
        transfer->active_s = gz_tcp_now_s();
    }
}

static void take_piece(struct transfer *transfer, const void *bytes, size_t size)
{
    const struct gz_http *http = transfer->http;
    if (is_refused(transfer)) {
        const size_t room = GZ_REFUSAL_BYTES_MAX - transfer->refusal.size;
        if (gz_buffer_append(&transfer->refusal, bytes, size < room ? size : room) != GZ_OK)
            finish(transfer, GZ_NO_MEMORY, "no memory for the answer");
        return;
    }
    if (http->sink == NULL || size == 0) return;
    enum gz_status status = http->sink(http->context, bytes, size);
    if (status != GZ_OK) finish(transfer, status, "the answer could not be kept");
}

static void read_dropped(const struct transfer *transfer)
{
    const struct gz_http *http = transfer->http;
    if (http->dropped == NULL) return;
    if (!gz_response_header(&transfer->answer, "Gizmod-Dropped", http->dropped,
                            http->dropped_bytes))
        http->dropped[0] = '\0';
}

/* If the answer is whole, or will not be. */
static void finish_answered(struct transfer *transfer)
{
    if (transfer->answer.part == GZ_RESPONSE_BROKEN)
        finish(transfer, GZ_UNREACHABLE, "the server's answer is not HTTP");
    if (transfer->answer.part != GZ_RESPONSE_WHOLE) return;
    if (is_refused(transfer)) finish_refused(transfer);
    finish(transfer, GZ_OK, "");
}

static void take(struct transfer *transfer, const uint8_t *bytes, size_t size)
{
    const uint8_t *piece;
    size_t piece_size;
    while (size > 0 && !transfer->done) {
        const bool is_new = transfer->answer.status == 0;
        const size_t taken = gz_response_take(&transfer->answer, bytes, size, &piece, &piece_size);
        if (is_new && transfer->answer.status != 0) read_dropped(transfer);
        take_piece(transfer, piece, piece_size);
        finish_answered(transfer);
        bytes += taken;
        size -= taken;
    }
}

static void receive(struct transfer *transfer)
{
    uint8_t bytes[READ_BYTES];
    ssize_t got = 1;
    while (got > 0 && !transfer->done) {
        got = gz_tcp_read(transfer->stream, bytes, sizeof bytes);
        if (got > 0) transfer->active_s = gz_tcp_now_s();
        if (got > 0) take(transfer, bytes, (size_t)got);
    }
    if (got >= 0) return;
    gz_response_end(&transfer->answer);
    finish_answered(transfer);
    if (is_refused(transfer)) finish_refused(transfer);
    finish(transfer, GZ_UNREACHABLE, "the connection ended before the answer did");
}

/* One pass; waits until something can be done, or the server has been silent for too long. */
static void go_on(struct transfer *transfer, double silence_s)
{
    const double deadline = transfer->active_s + silence_s;
    if (gz_tcp_now_s() >= deadline) {
        finish(transfer, GZ_UNREACHABLE, "the server did not answer in time");
        return;
    }
    gz_tcp_wait(transfer->stream, true, transfer->sent < request_size(transfer), deadline);
    switch (gz_tcp_go_on(transfer->stream)) {
    case GZ_TCP_CONNECTING: return;
    case GZ_TCP_OVER: finish(transfer, GZ_UNREACHABLE, gz_tcp_why(transfer->stream)); return;
    case GZ_TCP_STANDS: break;
    }
    transfer->asked = true;
    send_rest(transfer);
    receive(transfer);
}

/* `error` must not be NULL. */
static void perform(struct transfer *transfer, double silence_s, struct gz_error *error)
{
    const struct gz_http *http = transfer->http;
    gz_buffer_init(&transfer->refusal, GZ_REFUSAL_BYTES_MAX, 0);
    gz_buffer_init(&transfer->request, GZ_REQUEST_BYTES_MAX, 0);
    gz_response_init(&transfer->answer);
    transfer->active_s = gz_tcp_now_s();
    if (write_request(transfer) != GZ_OK)
        finish(transfer, GZ_TOO_LARGE, "the request's headers do not fit");
    if (!transfer->done) transfer->stream = gz_tcp_open(transfer->url, http->ca);
    if (!transfer->done && transfer->stream == NULL)
        finish(transfer, GZ_NO_MEMORY, "no memory for a connection");
    while (!transfer->done) go_on(transfer, silence_s);
    gz_tcp_close(transfer->stream);
    gz_response_finish(&transfer->answer);
    gz_buffer_finish(&transfer->request);
    gz_buffer_finish(&transfer->refusal);
    if (transfer->answer.status != 0)
        gz_fail(error, transfer->result, "%s", transfer->error.message);
    else
        gz_fail(error, transfer->result, "%s %s at %s: %s", http->method, http->path,
                transfer->url->shown, transfer->error.message);
}

static bool is_clean(const char *text, const char *stop)
{
    for (const char *c = text; c != NULL && *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f || strchr(stop, *c) != NULL) return false;
    return true;
}

static enum gz_status check(const struct gz_http *http, const struct gz_urls *urls,
                            struct gz_error *error)
{
    if (http->token != NULL && strlen(http->token) > GZ_TOKEN_BYTES_MAX)
        return gz_fail(error, GZ_TOO_LARGE, "token: longer than %d bytes", GZ_TOKEN_BYTES_MAX);
    if (!is_clean(http->token, "") || !is_clean(http->type, "") || !is_clean(http->path, " "))
        return gz_fail(error, GZ_BAD_VALUE,
                       "a token, a type or a path has a byte that a request cannot have");
    enum gz_status status = gz_headers_check(http->headers, urls, http->token != NULL, error);
    return status == GZ_OK ? gz_trust_check(http->ca, error) : status;
}

static bool is_question(const struct gz_http *http)
{
    return strcmp(http->method, "GET") == 0;
}

/* Whether the next server may be asked: a change that this one may have made is not sent again. */
static bool may_go_on(const struct transfer *transfer)
{
    unsigned status = transfer->answer.status;
    if (transfer->result == GZ_OK) return false;
    if (status == 0) return !transfer->asked || is_question(transfer->http);
    return status == 503 || (is_question(transfer->http) && (status == 502 || status == 504));
}

/* At each address in turn, until a server has answered. */
static enum gz_status perform_each(const struct gz_http *http, struct gz_urls *urls,
                                   struct gz_error *error)
{
    for (size_t left = urls->count;; left--) {
        struct transfer transfer = {.http = http, .url = gz_urls_here(urls)};
        double silence_s = http->timeout_s > 0 ? http->timeout_s : SILENCE_SECONDS;
        if (left > 1 && is_question(http)) silence_s = fmin(silence_s, SILENCE_SECONDS_OF_SEVERAL);
        perform(&transfer, silence_s, error);
        if (left == 1 || !may_go_on(&transfer)) return transfer.result;
        gz_urls_next(urls);
    }
}

enum gz_status gz_http_perform(const struct gz_http *http, struct gz_error *error)
{
    struct gz_urls urls = {0};
    const char *url = http->url != NULL ? http->url : GZ_CLIENT_URL_DEFAULT;
    enum gz_status status = gz_urls_parse(&urls, url, error);
    if (status == GZ_OK) status = check(http, &urls, error);
    if (status == GZ_OK) status = perform_each(http, &urls, error);
    gz_urls_free(&urls);
    return status;
}
