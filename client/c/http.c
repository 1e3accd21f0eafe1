/* http.c - one HTTP request to the daemon, from its headers to the answer's last byte. */
#include <libwebsockets.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "gizmo_client.h"
#include "headers.h"
#include "http.h"
#include "proto/limits.h"
#include "refusal.h"
#include "trust.h"

#define SILENCE_SECONDS 60.0
#define SILENCE_SECONDS_OF_SEVERAL 10.0 /* of a question, if another server can be asked */
#define PIECE_BYTES (64u * 1024)        /* of a body, sent at once */
#define DESCRIPTORS_MAX 8

struct transfer {
    const struct gz_http *http;
    const struct gz_url *url;
    bool upgrades;                      /* asks for a WebSocket, like the refused request */
    char untrusted[GZ_ERROR_BYTES_MAX]; /* why the server is not trusted; empty if it is */
    struct lws *wsi;
    size_t sent;
    bool asked;      /* a connection stood, so the server may have the request */
    unsigned status; /* of HTTP, 0 before it is known */
    struct gz_buffer refusal;
    bool done;
    double active_s; /* the last time that bytes moved */
    enum gz_status result;
    struct gz_error error;
};

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

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
    enum gz_status status = gz_refusal(&error, transfer->status, &transfer->refusal, transfer->url,
                                       transfer->http->path);
    finish(transfer, status, error.message);
}

static void finish_complete(struct transfer *transfer)
{
    if (transfer->status >= 200 && transfer->status < 300)
        finish(transfer, GZ_OK, "");
    else
        finish_refused(transfer);
}

static bool add_header(struct lws *wsi, enum lws_token_indexes token, const char *value,
                       uint8_t **at, uint8_t *end)
{
    return lws_add_http_header_by_token(wsi, token, (const uint8_t *)value, (int)strlen(value), at,
                                        end) == 0;
}

/* Adds the headers of an upgrade, so that the daemon refuses this request for the same reason as
 * the WebSocket. */
static bool add_upgrade(struct lws *wsi, uint8_t **at, uint8_t *end)
{
    return add_header(wsi, WSI_TOKEN_CONNECTION, "Upgrade", at, end) &&
           add_header(wsi, WSI_TOKEN_UPGRADE, "websocket", at, end) &&
           add_header(wsi, WSI_TOKEN_VERSION, "13", at, end) &&
           add_header(wsi, WSI_TOKEN_KEY, "dGhlIHNhbXBsZSBub25jZQ==", at, end) &&
           add_header(wsi, WSI_TOKEN_PROTOCOL, GZ_SUBPROTOCOL, at, end);
}

static int handle_headers(struct transfer *transfer, struct lws *wsi, uint8_t **at, size_t size)
{
    const struct gz_http *http = transfer->http;
    uint8_t *end = *at + size;
    transfer->asked = true;
    char text[GZ_TOKEN_BYTES_MAX + 16];
    bool fits = gz_headers_add(wsi, http->headers, transfer->url, at, end) &&
                (!transfer->upgrades || add_upgrade(wsi, at, end));
    if (fits && http->token != NULL) {
        snprintf(text, sizeof text, "Bearer %s", http->token);
        fits = add_header(wsi, WSI_TOKEN_HTTP_AUTHORIZATION, text, at, end);
    }
    if (fits && http->type != NULL)
        fits = add_header(wsi, WSI_TOKEN_HTTP_CONTENT_TYPE, http->type, at, end);
    if (fits && http->body != NULL) {
        snprintf(text, sizeof text, "%zu", http->body_size);
        fits = add_header(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH, text, at, end);
        lws_client_http_body_pending(wsi, http->body_size > 0);
        lws_callback_on_writable(wsi);
    }
    if (!fits) finish(transfer, GZ_TOO_LARGE, "the request's headers do not fit");
    return fits ? 0 : -1;
}

static int handle_body_writable(struct transfer *transfer, struct lws *wsi)
{
    const struct gz_http *http = transfer->http;
    size_t left = http->body_size - transfer->sent;
    if (http->body == NULL || left == 0) return 0;
    size_t size = left < PIECE_BYTES ? left : PIECE_BYTES;
    uint8_t piece[LWS_PRE + PIECE_BYTES];
    memcpy(piece + LWS_PRE, (const uint8_t *)http->body + transfer->sent, size);
    bool last = size == left;
    if (lws_write(wsi, piece + LWS_PRE, size, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) <
        (int)size)
        return -1;
    transfer->sent += size;
    if (last)
        lws_client_http_body_pending(wsi, 0);
    else
        lws_callback_on_writable(wsi);
    return 0;
}

static void read_dropped(const struct gz_http *http, struct lws *wsi)
{
    static const char name[] = "gizmod-dropped:";
    if (http->dropped == NULL) return;
    int size =
        lws_hdr_custom_copy(wsi, http->dropped, (int)http->dropped_bytes, name, sizeof name - 1);
    if (size < 0) http->dropped[0] = '\0';
}

/* libwebsockets would wait for a body after 204. */
static int handle_status(struct transfer *transfer, unsigned status)
{
    transfer->status = status;
    if (status != 204) return 0;
    finish(transfer, GZ_OK, "");
    return -1;
}

static int handle_body_piece(struct transfer *transfer, const void *bytes, size_t size)
{
    if (transfer->status < 200 || transfer->status >= 300) {
        size_t room = GZ_REFUSAL_BYTES_MAX - transfer->refusal.size;
        return gz_buffer_append(&transfer->refusal, bytes, size < room ? size : room) == GZ_OK ? 0
                                                                                               : -1;
    }
    if (transfer->http->sink == NULL) return 0;
    enum gz_status status = transfer->http->sink(transfer->http->context, bytes, size);
    if (status != GZ_OK) finish(transfer, status, "the answer could not be kept");
    return status == GZ_OK ? 0 : -1;
}

static int handle_body_readable(struct lws *wsi)
{
    char piece[LWS_PRE + 4096];
    char *at = piece + LWS_PRE;
    int size = sizeof piece - LWS_PRE;
    return lws_http_client_read(wsi, &at, &size) < 0 ? -1 : 0;
}

static void handle_closed(struct transfer *transfer)
{
    if (transfer->status != 0 && (transfer->status < 200 || transfer->status >= 300))
        finish_refused(transfer);
    finish(transfer, GZ_UNREACHABLE, "the connection ended before the answer did");
    transfer->wsi = NULL;
}

static void handle_unreachable(struct transfer *transfer, const char *why)
{
    const char *untrusted = transfer->untrusted;
    finish(transfer, GZ_UNREACHABLE,
           *untrusted != '\0' ? untrusted : gz_trust_words(why, transfer->url));
    transfer->wsi = NULL;
}

static int handle_event(struct lws *wsi, enum lws_callback_reasons event, void *user, void *in,
                        size_t size)
{
    struct transfer *transfer = wsi != NULL ? lws_context_user(lws_get_context(wsi)) : NULL;
    if (transfer == NULL || transfer->wsi == NULL) return 0;
    transfer->active_s = now_s();
    switch (event) {
    case LWS_CALLBACK_OPENSSL_PERFORM_SERVER_CERT_VERIFICATION:
        return gz_trust_judge(user, size != 0, transfer->url, transfer->untrusted,
                              sizeof transfer->untrusted)
                   ? 0
                   : -1;
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR: handle_unreachable(transfer, in); return 0;
    case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER:
        return handle_headers(transfer, wsi, (uint8_t **)in, size);
    case LWS_CALLBACK_CLIENT_HTTP_WRITEABLE: return handle_body_writable(transfer, wsi);
    case LWS_CALLBACK_ESTABLISHED_CLIENT_HTTP:
        read_dropped(transfer->http, wsi);
        return handle_status(transfer, lws_http_client_http_response(wsi));
    case LWS_CALLBACK_RECEIVE_CLIENT_HTTP: return handle_body_readable(wsi);
    case LWS_CALLBACK_RECEIVE_CLIENT_HTTP_READ: return handle_body_piece(transfer, in, size);
    case LWS_CALLBACK_COMPLETED_CLIENT_HTTP: finish_complete(transfer); return -1;
    case LWS_CALLBACK_CLOSED_CLIENT_HTTP: handle_closed(transfer); return 0;
    default: return 0;
    }
}

static const struct lws_protocols protocols[] = {{.name = "http", .callback = handle_event}, {0}};

static void handle_timer(lws_sorted_usec_list_t *timer)
{
    (void)timer; /* only makes the service call return */
}

static void run(struct transfer *transfer, struct lws_context *context, double silence_s)
{
    lws_sorted_usec_list_t timer = {0};
    while (!transfer->done) {
        double left = transfer->active_s + silence_s - now_s();
        if (left <= 0) {
            finish(transfer, GZ_UNREACHABLE, "the server did not answer in time");
            break;
        }
        lws_sul_schedule(context, 0, &timer, handle_timer, (lws_usec_t)(left * 1e6) + 1);
        lws_service(context, 0);
        lws_sul_cancel(&timer);
    }
    transfer->wsi = NULL; /* callbacks while closing are ignored */
}

static struct lws_context *connect_http(struct transfer *transfer)
{
    const struct gz_url *url = transfer->url;
    lws_set_log_level(0, NULL);
    struct lws_context *context = lws_create_context(&(struct lws_context_creation_info){
        .port = CONTEXT_PORT_NO_LISTEN,
        .protocols = protocols,
        .user = transfer,
        .gid = -1,
        .uid = -1,
        .fd_limit_per_thread = DESCRIPTORS_MAX,
        .pt_serv_buf_size = GZ_TOKEN_BYTES_MAX + GZ_HEADERS_BYTES_MAX + 4096,
        .timeout_secs = UINT16_MAX, /* run() has its own timeout */
        .options = gz_trust_options(url, transfer->http->ca),
        .client_ssl_ca_filepath = gz_trust_file(transfer->http->ca),
    });
    if (context == NULL) return NULL;
    char path[2 * GZ_URL_BYTES_MAX];
    snprintf(path, sizeof path, "%s%s", url->base, transfer->http->path);
    struct lws *wsi = lws_client_connect_via_info(&(struct lws_client_connect_info){
        .context = context,
        .address = url->host,
        .port = url->port,
        .path = path,
        .host = url->authority,
        .method = transfer->http->method,
        .protocol = "http",
        .alpn = "http/1.1",
        .ssl_connection = gz_trust_flags(url) | LCCSCF_HTTP_NO_FOLLOW_REDIRECT,
        .pwsi = &transfer->wsi,
    });
    if (wsi == NULL) finish(transfer, GZ_UNREACHABLE, "no server answers at this address");
    return context;
}

/* `error` must not be NULL. */
static void perform(struct transfer *transfer, double silence_s, struct gz_error *error)
{
    const struct gz_http *http = transfer->http;
    gz_buffer_init(&transfer->refusal, GZ_REFUSAL_BYTES_MAX, 0);
    transfer->active_s = now_s();
    struct lws_context *context = connect_http(transfer);
    if (context == NULL) finish(transfer, GZ_INTERNAL, "libwebsockets could not be started");
    if (context != NULL) run(transfer, context, silence_s);
    if (context != NULL) lws_context_destroy(context);
    gz_buffer_finish(&transfer->refusal);
    if (transfer->status != 0)
        gz_fail(error, transfer->result, "%s", transfer->error.message);
    else
        gz_fail(error, transfer->result, "%s %s at %s: %s", http->method, http->path,
                transfer->url->shown, transfer->error.message);
}

static enum gz_status check(const struct gz_http *http, const struct gz_urls *urls,
                            struct gz_error *error)
{
    if (http->token != NULL && strlen(http->token) > GZ_TOKEN_BYTES_MAX)
        return gz_fail(error, GZ_TOO_LARGE, "token: longer than %d bytes", GZ_TOKEN_BYTES_MAX);
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
    unsigned status = transfer->status;
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

enum gz_status gz_http_why_refused(const struct gz_url *url, const char *ca, const char *headers,
                                   unsigned status, double timeout_s, struct gz_error *error)
{
    const struct gz_http http = {.method = "GET", .path = "/ws", .ca = ca, .headers = headers};
    struct transfer transfer = {.http = &http, .url = url, .upgrades = true};
    perform(&transfer, timeout_s, error);
    if (transfer.status == status) return transfer.result;
    return gz_refusal(error, status, &(struct gz_buffer){0}, url, http.path);
}
