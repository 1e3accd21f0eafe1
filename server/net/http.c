/* HTTP: paths, methods, rights, and the callback of libwebsockets. */
#include "net/exchange.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net/negotiate.h"
#include "net/text.h"
#include "proto/base/text.h"
#include "server/maxima.h"

#define TEXT_TYPE "text/plain; charset=utf-8"

/* Reads `?replace` and `&user=NAME`, already decoded. */
static bool read_arguments(struct gz_exchange *exchange)
{
    char text[GZ_USER_BYTES_MAX + 8];
    struct gz_http_request *request = &exchange->request;
    if (lws_hdr_total_length(exchange->wsi, WSI_TOKEN_HTTP_URI_ARGS) == 0) return true;
    for (int i = 0;; i++) {
        int size =
            lws_hdr_copy_fragment(exchange->wsi, text, sizeof text, WSI_TOKEN_HTTP_URI_ARGS, i);
        if (size < 0) return i > 0;
        if (strcmp(text, "replace") == 0 || strcmp(text, "replace=") == 0) {
            request->replace = true;
        } else if (strncmp(text, "user=", 5) == 0) {
            const char *user = text + 5;
            if (*user == '\0' || strlen(user) > GZ_USER_BYTES_MAX ||
                !gz_text_valid(user, strlen(user)))
                return false;
            lws_snprintf(exchange->name, sizeof exchange->name, "%s", user);
        }
    }
}

static enum gz_method method_of(struct lws *wsi)
{
    static const enum lws_token_indexes tokens[METHOD_OTHER] = {
        [METHOD_GET] = WSI_TOKEN_GET_URI,       [METHOD_HEAD] = WSI_TOKEN_HEAD_URI,
        [METHOD_PUT] = WSI_TOKEN_PUT_URI,       [METHOD_PATCH] = WSI_TOKEN_PATCH_URI,
        [METHOD_DELETE] = WSI_TOKEN_DELETE_URI, [METHOD_OPTIONS] = WSI_TOKEN_OPTIONS_URI,
    };
    enum gz_method method = METHOD_GET;
    while (method < METHOD_OTHER && lws_hdr_total_length(wsi, tokens[method]) == 0) method++;
    return method;
}

/* Begins the change of a whole scene, by the method. */
static void begin_change(struct gz_exchange *exchange)
{
    if (exchange->method != METHOD_DELETE)
        gz_upload_begin(exchange);
    else if (gz_exchange_become_job(exchange))
        gz_exchange_serve(exchange);
}

static void answer_buffer(struct gz_exchange *exchange, const char *type, struct gz_buffer body)
{
    gz_exchange_answer(
        exchange, &(struct gz_http_answer){.code = 200, .type = type, .body = body, .file = -1});
}

static void serve_health(struct gz_exchange *exchange)
{
    struct gz_net *net = exchange->net;
    struct gz_error error = {.status = GZ_OK};
    struct gz_buffer body;
    gz_buffer_init(&body, 2 * GZ_ERROR_BYTES_MAX, LWS_PRE);
    if (net->draining) {
        gz_exchange_refuse_with(exchange, 503, GZ_BAD_STATE, "the server is going away");
    } else if (!net->host.healthy(net->host.context, &error)) {
        gz_exchange_refuse(exchange, 503, &error);
    } else if (gz_text_print(&body, "ok%s%s\n", error.status != GZ_OK ? ", but " : "",
                             error.status != GZ_OK ? error.message : "")) {
        answer_buffer(exchange, TEXT_TYPE, body);
    } else {
        gz_buffer_finish(&body);
        gz_exchange_refuse_with(exchange, 503, GZ_NO_MEMORY, "no memory for the answer");
    }
}

static void serve_metrics(struct gz_exchange *exchange)
{
    struct gz_net *net = exchange->net;
    struct gz_buffer body;
    gz_buffer_init(&body, GZ_MESSAGE_BYTES_MAX, LWS_PRE);
    if (gz_metrics_print(net, &body) && net->host.measure(net->host.context, &body)) {
        answer_buffer(exchange, "text/plain; version=0.0.4; charset=utf-8", body);
    } else {
        gz_buffer_finish(&body);
        gz_exchange_refuse_with(exchange, 0, GZ_NO_MEMORY, "no memory for the metrics");
    }
}

static bool takes_gzip(struct lws *wsi)
{
    bool present;
    char list[GZ_KNOWN_BYTES];
    return gz_header(wsi, WSI_TOKEN_HTTP_ACCEPT_ENCODING, list, sizeof list, &present) &&
           gz_gzip_is_accepted(list);
}

static void serve_file(struct gz_exchange *exchange, const char *path)
{
    struct gz_error error;
    struct gz_static_file file;
    struct gz_reply *reply = &exchange->reply;
    reply->page_policy = (const char *)exchange->net->page_policy.data;
    if (gz_static_open(exchange->net->web, path, takes_gzip(exchange->wsi), &file, &error) !=
        GZ_OK) {
        gz_exchange_refuse(exchange, 0, &error);
        return;
    }
    reply->is_immutable = file.is_immutable;
    reply->has_gzip = file.has_gzip;
    reply->is_gzip = file.is_gzip;
    struct gz_http_answer found = {.code = 200, .type = file.type, .file = file.file};
    memcpy(found.etag, file.etag, sizeof found.etag);
    gz_exchange_answer(exchange, &found);
}

/* The kinds of paths. */
enum place {
    PLACE_HEALTH,
    PLACE_METRICS,
    PLACE_LIST,
    PLACE_SCENE,
    PLACE_PART,
    PLACE_NOWHERE,
    PLACE_FILE
};

static enum place find_part(struct gz_http_request *request, const char *part)
{
    static const struct {
        const char *word;
        enum gz_http_what what;
    } parts[] = {
        {"asset", GZ_HTTP_ASSET},
        {"backup", GZ_HTTP_BACKUP},
        {"export", GZ_HTTP_EXPORT},
        {"export.glb", GZ_HTTP_EXPORT_GLB},
        {"export.gltf", GZ_HTTP_EXPORT_GLTF},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (strcmp(part, parts[i].word) != 0) continue;
        request->what = parts[i].what;
        return PLACE_PART;
    }
    return PLACE_NOWHERE;
}

static enum place find_place(struct gz_http_request *request, const char *path)
{
    static const char scenes[] = "/scenes/";
    if (strcmp(path, "/healthz") == 0) return PLACE_HEALTH;
    if (strcmp(path, "/metrics") == 0) return PLACE_METRICS;
    request->what = GZ_HTTP_LIST;
    if (strcmp(path, "/scenes") == 0 || strcmp(path, scenes) == 0) return PLACE_LIST;
    if (strncmp(path, scenes, sizeof scenes - 1) != 0) return PLACE_FILE;
    const char *name = path + sizeof scenes - 1;
    size_t size = strcspn(name, "/");
    if (size >= sizeof request->scene) return PLACE_NOWHERE;
    memcpy(request->scene, name, size);
    return name[size] == '\0' ? PLACE_SCENE : find_part(request, name + size + 1);
}

static const char *methods_of(enum place place)
{
    return place == PLACE_SCENE ? "PUT, PATCH, DELETE" : "GET, HEAD";
}

static bool allows(struct gz_exchange *exchange, enum place place)
{
    enum gz_method method = exchange->method;
    bool reads = method == METHOD_GET || method == METHOD_HEAD;
    bool changes = method == METHOD_PUT || method == METHOD_PATCH || method == METHOD_DELETE;
    if (place == PLACE_NOWHERE || (place == PLACE_SCENE ? changes : reads)) return true;
    exchange->reply.allow = methods_of(place);
    gz_exchange_refuse_with(exchange, 405, GZ_UNKNOWN_OP,
                            place == PLACE_SCENE
                                ? "only PUT, PATCH and DELETE are allowed at this path"
                                : "only GET is allowed at this path");
    return false;
}

/* Whether it is a CORS preflight: a browser asks whether another site's page may send a request. */
static bool is_preflight(const struct gz_exchange *exchange)
{
    return exchange->method == METHOD_OPTIONS &&
           lws_hdr_total_length(exchange->wsi, WSI_TOKEN_ORIGIN) > 0;
}

static void answer_preflight(struct gz_exchange *exchange, enum place place)
{
    exchange->reply.is_preflight = true;
    exchange->reply.allow = methods_of(place);
    gz_exchange_answer(exchange, &(struct gz_http_answer){.code = 204, .file = -1});
}

/* ---- rights ---- */

/* The lowest role that may do this in a scene. A list needs none, because it has only what the user
 * may see. */
static enum gz_role role_for(enum gz_http_what what)
{
    switch (what) {
    case GZ_HTTP_LIST:
    case GZ_HTTP_ASSET:
    case GZ_HTTP_EXPORT:
    case GZ_HTTP_EXPORT_GLB:
    case GZ_HTTP_EXPORT_GLTF: return GZ_ROLE_VIEWER;
    case GZ_HTTP_IMPORT:
    case GZ_HTTP_BACKUP: return GZ_ROLE_EDITOR;
    case GZ_HTTP_DELETE:
    case GZ_HTTP_RENAME: break;
    }
    return GZ_ROLE_ADMIN;
}

/* Notes what the request does. */
static void note_what(struct gz_exchange *exchange, enum place place)
{
    static const enum gz_http_what changes[METHOD_OTHER + 1] = {[METHOD_PUT] = GZ_HTTP_IMPORT,
                                                                [METHOD_PATCH] = GZ_HTTP_RENAME,
                                                                [METHOD_DELETE] = GZ_HTTP_DELETE};
    if (place == PLACE_SCENE) exchange->request.what = changes[exchange->method];
    exchange->request.role = role_for(exchange->request.what);
}

/* Metrics are for admins of all scenes. */
static enum gz_status check_metrics(const struct gz_claims *claims, struct gz_error *error)
{
    bool is_of_all = false;
    for (size_t i = 0; i < claims->scene_count; i++)
        is_of_all = is_of_all || strcmp(claims->scenes[i], "*") == 0;
    return claims->has_role && claims->role == GZ_ROLE_ADMIN && is_of_all
               ? GZ_OK
               : gz_fail(error, GZ_FORBIDDEN, "metrics are for admins of all scenes");
}

/* Identifies the user; the host checks the scene's own access. */
static enum gz_status identify(struct gz_exchange *exchange, enum place place,
                               struct gz_error *error)
{
    struct gz_claims *claims = &exchange->request.claims;
    if (place == PLACE_SCENE && !read_arguments(exchange))
        return gz_fail(error, GZ_BAD_VALUE, "user: must be at most %d bytes of UTF-8",
                       GZ_USER_BYTES_MAX);
    enum gz_status status =
        gz_identify_request(exchange->net, exchange->wsi, exchange->name, claims, error);
    return status == GZ_OK && place == PLACE_METRICS ? check_metrics(claims, error) : status;
}

static void serve(struct gz_exchange *exchange, const char *path)
{
    struct gz_error error;
    enum place place = find_place(&exchange->request, path);
    bool asks_first = is_preflight(exchange);
    bool is_guarded = asks_first || (place != PLACE_HEALTH && place != PLACE_FILE);
    if (gz_admit_page(exchange->net, exchange->wsi, is_guarded, &error) != GZ_OK) {
        gz_exchange_refuse(exchange, 0, &error);
        return;
    }
    if (asks_first) {
        answer_preflight(exchange, place);
        return;
    }
    note_what(exchange, place);
    if (is_guarded && identify(exchange, place, &error) != GZ_OK) {
        gz_exchange_refuse(exchange, 0, &error);
        return;
    }
    if (!allows(exchange, place)) return;
    switch (place) {
    case PLACE_HEALTH: serve_health(exchange); return;
    case PLACE_METRICS: serve_metrics(exchange); return;
    case PLACE_LIST:
    case PLACE_PART:
        if (gz_exchange_become_job(exchange)) gz_exchange_serve(exchange);
        return;
    case PLACE_SCENE: begin_change(exchange); return;
    case PLACE_NOWHERE:
        gz_exchange_refuse_with(exchange, 0, GZ_UNKNOWN_OP, "this path does not exist");
        return;
    case PLACE_FILE: serve_file(exchange, path); return;
    }
}

/* Lets an allowed page of another site read the answer. */
static void note_origin(struct gz_exchange *exchange)
{
    bool present;
    exchange->reply.varies_by_origin = exchange->net->rules.allowed_count > 0;
    char *origin = exchange->reply.origin;
    bool fits =
        gz_header(exchange->wsi, WSI_TOKEN_ORIGIN, origin, sizeof exchange->reply.origin, &present);
    if (!fits || !present || !gz_origin_allowed(&exchange->net->rules, origin, NULL, false))
        *origin = '\0';
}

static void note_known(struct gz_exchange *exchange)
{
    bool present;
    char *known = exchange->request.known;
    if (!gz_header(exchange->wsi, WSI_TOKEN_HTTP_IF_NONE_MATCH, known, GZ_KNOWN_BYTES, &present))
        *known = '\0';
}

static int begin(struct lws *wsi, struct gz_exchange **slot, const char *path, size_t size)
{
    struct gz_exchange *exchange = calloc(1, sizeof *exchange);
    bool known;
    if (exchange == NULL) return -1;
    *slot = exchange;
    exchange->net = gz_net_of(wsi);
    exchange->wsi = wsi;
    exchange->file = -1;
    exchange->method = method_of(wsi);
    exchange->net->counters.requests++;
    gz_arrival_become(exchange->net, gz_arrival_of(wsi), GZ_PEER_BUSY);
    struct gz_error error;
    enum gz_status status = gz_arrival_read_client(exchange->net, wsi, &error);
    exchange->from = gz_address_network(&gz_arrival_of(wsi)->client);
    gz_address_print(&gz_arrival_of(wsi)->client, exchange->peer);
    lws_snprintf(exchange->path, sizeof exchange->path, "%s", path);
    note_origin(exchange);
    note_known(exchange);
    exchange->hang_up = gz_proxy_passed_on(wsi);
    if (status == GZ_OK) status = gz_header_check(wsi, &error);
    if (status != GZ_OK) {
        exchange->hang_up = true;
        gz_exchange_refuse(exchange, 0, &error);
    } else if (gz_header_has_coding(wsi)) {
        exchange->hang_up = true;
        gz_exchange_refuse_with(exchange, 411, GZ_BAD_MESSAGE,
                                "Transfer-Encoding: is not supported: send a Content-Length");
    } else if (exchange->method != METHOD_PUT && exchange->method != METHOD_PATCH &&
               gz_content_length(wsi, &known) > 0) {
        exchange->hang_up = true;
        gz_exchange_refuse_with(exchange, 0, GZ_BAD_MESSAGE,
                                "Content-Length: only PUT and PATCH may have a body");
    } else if (strlen(path) != size) {
        gz_exchange_refuse_with(exchange, 0, GZ_BAD_VALUE, "the path contains a NUL");
    } else {
        serve(exchange, path);
    }
    return 0;
}

static void let_go(struct gz_exchange **slot)
{
    struct gz_exchange *exchange = *slot;
    *slot = NULL;
    exchange->wsi = NULL;
    if (exchange->forward != NULL || !exchange->with_host) gz_exchange_destroy(exchange);
}

/* Answers at once, without an exchange. */
static int confirm_upgrade(struct lws *wsi, const char *upgrade)
{
    struct gz_net *net = gz_net_of(wsi);
    struct gz_error error;
    int code;
    enum gz_status status = gz_arrival_read_client(net, wsi, &error);
    code = status == GZ_RATE_LIMITED ? 429 : 500;
    if (status == GZ_OK) status = gz_admit_upgrade(net, wsi, upgrade, &code, &error);
    if (status == GZ_OK) return 0;
    net->counters.refusals++;
    net->host.errors[error.status]++;
    char peer[GZ_ADDRESS_TEXT_BYTES];
    gz_address_print(&gz_arrival_of(wsi)->client, peer);
    char path[GZ_PATH_LOG_BYTES];
    if (lws_hdr_copy_fragment(wsi, path, sizeof path, WSI_TOKEN_GET_URI, 0) < 0) *path = '\0';
    gz_log(net->log, GZ_INFO, 0, "HTTP %d to %s: GET %s: %s: %s", code, peer, path,
           gz_status_word(error.status), error.message);
    struct gz_buffer body = gz_error_body(&error);
    struct gz_reply reply = {
        .code = code, .type = GZ_JSON_TYPE, .size = body.size, .is_last = true};
    bool sent = gz_reply_write_header(wsi, &reply) &&
                lws_write(wsi, body.data, body.size, LWS_WRITE_HTTP_FINAL) >= 0;
    gz_buffer_finish(&body);
    return sent ? 1 : -1;
}

int gz_http_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                     size_t size)
{
    struct gz_exchange **slot = user;
    struct gz_exchange *exchange = slot != NULL ? *slot : NULL;
    switch (reason) {
    case LWS_CALLBACK_OPENSSL_LOAD_EXTRA_SERVER_VERIFY_CERTS:
        return gz_tls_set_up(&gz_net_of(wsi)->tls, user) ? 0 : -1;
    case LWS_CALLBACK_OPENSSL_PERFORM_SERVER_CERT_VERIFICATION:
        return gz_route_callback(wsi, reason, user, in, size);
    case LWS_CALLBACK_WSI_CREATE: gz_arrival_begin(gz_net_of(wsi), wsi); return 0;
    case LWS_CALLBACK_WSI_DESTROY: gz_socket_begin(gz_net_of(wsi), gz_arrival_of(wsi)); return 0;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return confirm_upgrade(wsi, in);
    case LWS_CALLBACK_HTTP:
        return slot != NULL && exchange == NULL ? begin(wsi, slot, in, size) : -1;
    case LWS_CALLBACK_RAW_ADOPT:
    case LWS_CALLBACK_RAW_RX: return -1; /* CONNECT: there are no tunnels */
    default: break;
    }
    if (exchange == NULL) return 0;
    switch (reason) {
    case LWS_CALLBACK_HTTP_BODY: return gz_upload_take(exchange, in, size);
    case LWS_CALLBACK_HTTP_BODY_COMPLETION: gz_upload_end(exchange); return 0;
    case LWS_CALLBACK_HTTP_WRITEABLE: return gz_exchange_send(exchange);
    case LWS_CALLBACK_CLOSED_HTTP:
    case LWS_CALLBACK_HTTP_DROP_PROTOCOL: let_go(slot); return 0;
    default: return 0;
    }
}
