/* HTTP: a request from its header to the last byte of its answer. */
#include "net/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net/negotiate.h"
#include "net/text.h"
#include "server/maxima.h"

#define JSON_TYPE "application/json"
#define TEXT_TYPE "text/plain; charset=utf-8"

enum method {
    METHOD_GET,
    METHOD_HEAD,
    METHOD_PUT,
    METHOD_PATCH,
    METHOD_DELETE,
    METHOD_OPTIONS,
    METHOD_OTHER
};

/* One request and its answer. It belongs to its connection, or, once the host has it, to the host
 * until that has answered. */
struct exchange {
    struct gz_http_request request; /* first: the host gives it back */
    struct gz_net *net;
    struct lws *wsi; /* NULL once the client has gone */
    enum method method;
    bool is_job;      /* counted in job_count */
    bool deciding;    /* the host looks whether its body may come */
    bool has_come;    /* all of it did meanwhile: it is short */
    bool expects;     /* the client waits to be told that its body may come */
    bool reading;     /* its body is coming */
    double reading_s; /* since when, monotonic */
    bool with_host;
    bool stopped;               /* its socket is not read */
    bool answered, began, done; /* there is an answer; its header was sent; all was sent */
    bool hang_up;               /* the connection cannot be used again */
    char peer[GZ_ADDRESS_TEXT_BYTES];
    char name[GZ_USER_BYTES_MAX + 1]; /* that the client gives itself; valid UTF-8 */
    struct gz_reply reply;
    struct gz_buffer body;
    int file;
    uint64_t sent;
};

/* ---- answers ---- */

static void destroy(struct exchange *exchange)
{
    if (exchange->is_job) exchange->net->job_count--;
    if (exchange->file >= 0) close(exchange->file);
    gz_buffer_finish(&exchange->request.body);
    gz_buffer_finish(&exchange->body);
    free(exchange);
}

bool gz_http_knows(const struct gz_http_request *request, const char *etag)
{
    return gz_etag_is_listed(request->known, etag);
}

static uint64_t file_size(int file)
{
    off_t end = lseek(file, 0, SEEK_END);
    return end > 0 ? (uint64_t)end : 0;
}

static bool has_body(const struct exchange *exchange)
{
    return exchange->method != METHOD_HEAD && gz_reply_has_body(&exchange->reply);
}

static void answer(struct exchange *exchange, const struct gz_http_answer *with)
{
    struct gz_reply *reply = &exchange->reply;
    bool is_known = with->etag[0] != '\0' && gz_http_knows(&exchange->request, with->etag);
    exchange->answered = true;
    exchange->body = with->body;
    exchange->file = with->file;
    reply->code = is_known ? 304 : with->code;
    reply->type = with->type;
    reply->size = with->file >= 0 ? file_size(with->file) : with->body.size;
    memcpy(reply->etag, with->etag, sizeof reply->etag);
    memcpy(reply->dropped, with->dropped, sizeof reply->dropped);
    lws_callback_on_writable(exchange->wsi);
}

static int http_code(enum gz_status status)
{
    switch (status) {
    case GZ_OK: return 200;
    case GZ_BAD_MESSAGE:
    case GZ_BAD_VALUE: return 400;
    case GZ_UNAUTHORISED: return 401;
    case GZ_FORBIDDEN: return 403;
    case GZ_UNKNOWN_OP:
    case GZ_UNKNOWN_NODE:
    case GZ_UNKNOWN_HANDLE:
    case GZ_UNKNOWN_SCENE: return 404;
    case GZ_CONFLICT:
    case GZ_LOCKED:
    case GZ_BAD_STATE: return 409;
    case GZ_TOO_LARGE: return 413;
    case GZ_RATE_LIMITED: return 429;
    case GZ_TOO_MANY: return 503;
    default: return 500;
    }
}

/* {code, message} with the protocol's words. Without memory nothing is sent. */
static struct gz_buffer error_body(const struct gz_error *error)
{
    struct gz_buffer body;
    gz_buffer_init(&body, 8 * sizeof error->message, LWS_PRE);
    bool ok =
        gz_text_print(&body, "{\"code\":\"%s\",\"message\":", gz_status_word(error->status)) &&
        gz_text_json(&body, error->message) && gz_text_print(&body, "}\n");
    if (!ok) gz_buffer_clear(&body);
    return body;
}

static void refuse(struct exchange *exchange, int code, const struct gz_error *error)
{
    if (code == 0) code = http_code(error->status);
    exchange->reading = false;
    exchange->net->host.errors[error->status]++;
    const char *user = exchange->request.claims.user;
    exchange->reply.wants_token = code == 401 && exchange->net->keyring != NULL;
    /* A try at a token costs a connection. */
    exchange->hang_up = exchange->hang_up || code == 401;
    exchange->reply.is_last = exchange->hang_up;
    gz_log(exchange->net->log, code >= 500 ? GZ_WARN : GZ_INFO, 0, "HTTP %d to %s: %s: %s%s%s",
           code, exchange->peer, gz_status_word(error->status), error->message,
           user[0] != '\0' ? "; the user is " : "", user);
    answer(exchange, &(struct gz_http_answer){
                         .code = code, .type = JSON_TYPE, .body = error_body(error), .file = -1});
}

static void refuse_with(struct exchange *exchange, int code, enum gz_status status,
                        const char *message)
{
    struct gz_error error;
    gz_fail(&error, status, "%s", message);
    refuse(exchange, code, &error);
}

/* The host is done with it; whether there is still somebody to be answered. */
static bool take_back(struct exchange *exchange)
{
    exchange->with_host = false;
    exchange->deciding = false;
    if (exchange->wsi == NULL) return false;
    if (!exchange->stopped) return true;
    exchange->stopped = false;
    lws_rx_flow_control(exchange->wsi, 1);
    lws_set_timeout(exchange->wsi, PENDING_TIMEOUT_HTTP_CONTENT, (int)exchange->net->silence_s);
    return true;
}

void gz_http_answer(struct gz_http_request *request, const struct gz_http_answer *with)
{
    struct exchange *exchange = (struct exchange *)request;
    gz_buffer_finish(&request->body);
    if (take_back(exchange)) {
        answer(exchange, with);
        return;
    }
    exchange->body = with->body;
    exchange->file = with->file;
    destroy(exchange);
}

void gz_http_refuse(struct gz_http_request *request, int code, const struct gz_error *error)
{
    struct exchange *exchange = (struct exchange *)request;
    gz_buffer_finish(&request->body);
    if (take_back(exchange)) {
        refuse(exchange, code, error);
    } else {
        destroy(exchange);
    }
}

/* ---- sending ---- */

static bool write_chunk(struct exchange *exchange)
{
    uint8_t bytes[GZ_HTTP_CHUNK_BYTES], *from = bytes;
    uint64_t left = exchange->reply.size - exchange->sent;
    size_t size = left < sizeof bytes ? (size_t)left : sizeof bytes;
    if (exchange->file >= 0) {
        ssize_t count = pread(exchange->file, bytes, size, (off_t)exchange->sent);
        if (count <= 0) return false;
        size = (size_t)count;
    } else {
        from = exchange->body.data + exchange->sent;
    }
    exchange->sent += size;
    bool last = exchange->sent == exchange->reply.size;
    return lws_write(exchange->wsi, from, size, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) >= 0;
}

/* A chunk for each time that the socket is writable: the live traffic has its turn between them. */
static int send_more(struct exchange *exchange)
{
    struct lws *wsi = exchange->wsi;
    if (!exchange->answered || exchange->done) return 0;
    if (!exchange->began) {
        exchange->began = true;
        if (!gz_reply_write_header(wsi, &exchange->reply)) return -1;
        if (!has_body(exchange)) exchange->sent = exchange->reply.size;
    } else if (!write_chunk(exchange)) {
        return -1;
    }
    lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, (int)exchange->net->silence_s);
    if (exchange->sent < exchange->reply.size) {
        lws_callback_on_writable(wsi);
        return 0;
    }
    exchange->done = true;
    gz_arrival_become(wsi, GZ_PEER_IDLE);
    if (exchange->hang_up || lws_http_transaction_completed(wsi)) return -1;
    lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0); /* until the next request the sweep has it */
    return 0;
}

/* ---- requests ---- */

static enum method method_of(struct lws *wsi)
{
    static const enum lws_token_indexes tokens[METHOD_OTHER] = {
        [METHOD_GET] = WSI_TOKEN_GET_URI,       [METHOD_HEAD] = WSI_TOKEN_HEAD_URI,
        [METHOD_PUT] = WSI_TOKEN_PUT_URI,       [METHOD_PATCH] = WSI_TOKEN_PATCH_URI,
        [METHOD_DELETE] = WSI_TOKEN_DELETE_URI, [METHOD_OPTIONS] = WSI_TOKEN_OPTIONS_URI,
    };
    enum method method = METHOD_GET;
    while (method < METHOD_OTHER && lws_hdr_total_length(wsi, tokens[method]) == 0) method++;
    return method;
}

static const char *const method_words[METHOD_OTHER] = {
    [METHOD_PUT] = "PUT", [METHOD_PATCH] = "PATCH", [METHOD_DELETE] = "DELETE"};

/* Who asks for which change; a refusal follows on a line of its own. */
static void log_change(const struct exchange *exchange)
{
    const struct gz_http_request *request = &exchange->request;
    const char *user = request->claims.user;
    if (method_words[exchange->method] == NULL) return;
    gz_log(exchange->net->log, GZ_INFO, 0, "HTTP %s %s asked for by %s from %s",
           method_words[exchange->method], request->scene, user[0] != '\0' ? user : "nobody named",
           exchange->peer);
}

static void hand_over(struct exchange *exchange)
{
    exchange->with_host = exchange->stopped = true;
    lws_set_timeout(exchange->wsi, NO_PENDING_TIMEOUT, 0);
    lws_rx_flow_control(exchange->wsi, 0);
}

/* Bytes that come before the answer belong to the next request. */
static void give_to_host(struct exchange *exchange)
{
    struct gz_net *net = exchange->net;
    log_change(exchange);
    hand_over(exchange);
    net->host.serve(net->host.context, &exchange->request);
}

static bool become_job(struct exchange *exchange)
{
    if (exchange->net->job_count >= GZ_HTTP_JOBS_MAX) {
        refuse_with(exchange, 0, GZ_TOO_MANY,
                    "too many large requests at once: try again in a moment");
        return false;
    }
    exchange->net->job_count++;
    exchange->is_job = true;
    return true;
}

/* `?replace` and `&user=NAME`, already decoded. */
static bool read_arguments(struct exchange *exchange)
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

static uint64_t content_length(struct lws *wsi, bool *known)
{
    char text[24];
    *known = false;
    if (lws_hdr_copy(wsi, text, sizeof text, WSI_TOKEN_HTTP_CONTENT_LENGTH) <= 0) return 0;
    size_t digits = strspn(text, "0123456789");
    *known = digits > 0 && digits < 19 && text[digits] == '\0';
    return *known ? strtoull(text, NULL, 10) : 0;
}

/* A client that asks first (Expect: 100-continue) is asked to go on, instead of waiting. */
static void encourage(struct lws *wsi)
{
    static const char line[] = "HTTP/1.1 100 Continue\r\n\r\n";
    unsigned char bytes[LWS_PRE + sizeof line];
    memcpy(bytes + LWS_PRE, line, sizeof line);
    (void)lws_write(wsi, bytes + LWS_PRE, sizeof line - 1, LWS_WRITE_HTTP_HEADERS);
}

/* Whether the body may come: a glTF, or the JSON of a rename. */
static bool may_send(struct exchange *exchange)
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
    uint64_t size = content_length(exchange->wsi, &known);
    if (!known) {
        exchange->hang_up = true;
        refuse_with(exchange, 411, GZ_BAD_MESSAGE, "Content-Length: is missing or not a number");
    } else if (size > bodies[exchange->method].bytes_max) {
        exchange->hang_up = true;
        refuse_with(exchange, 0, GZ_TOO_LARGE, bodies[exchange->method].too_large);
    } else if (size == 0) {
        refuse_with(exchange, 0, GZ_BAD_MESSAGE, bodies[exchange->method].empty);
    } else {
        return true;
    }
    return false;
}

/* Nothing but what libwebsockets had read with the header comes before the host has decided. Where
 * it decides at once, the socket is left alone: libwebsockets would not look at one again that is
 * stopped and started while it works on what it has read. */
static void ask_host(struct exchange *exchange)
{
    struct gz_net *net = exchange->net;
    exchange->deciding = true;
    exchange->expects = lws_hdr_total_length(exchange->wsi, WSI_TOKEN_HTTP_EXPECT) > 0;
    exchange->with_host = true;
    net->host.admit(net->host.context, &exchange->request);
    if (exchange->deciding) hand_over(exchange);
}

void gz_http_receive(struct gz_http_request *request)
{
    struct exchange *exchange = (struct exchange *)request;
    if (!take_back(exchange)) {
        destroy(exchange);
    } else if (exchange->has_come) {
        give_to_host(exchange);
    } else {
        exchange->reading = true;
        exchange->reading_s = gz_clock_now().mono_s;
        if (exchange->expects) encourage(exchange->wsi);
    }
}

/* What is done to a scene as a whole, by the method. */
static void begin_change(struct exchange *exchange)
{
    if (exchange->method == METHOD_DELETE) {
        if (become_job(exchange)) give_to_host(exchange);
    } else if (may_send(exchange) && become_job(exchange)) {
        ask_host(exchange);
    }
}

static void answer_buffer(struct exchange *exchange, const char *type, struct gz_buffer body)
{
    answer(exchange, &(struct gz_http_answer){.code = 200, .type = type, .body = body, .file = -1});
}

static void serve_health(struct exchange *exchange)
{
    struct gz_net *net = exchange->net;
    struct gz_error error;
    struct gz_buffer body;
    gz_buffer_init(&body, 64, LWS_PRE);
    if (net->draining) {
        refuse_with(exchange, 503, GZ_BAD_STATE, "the server is going away");
    } else if (!net->host.healthy(net->host.context, &error)) {
        refuse(exchange, 503, &error);
    } else if (gz_text_print(&body, "ok\n")) {
        answer_buffer(exchange, TEXT_TYPE, body);
    } else {
        gz_buffer_finish(&body);
        refuse_with(exchange, 503, GZ_NO_MEMORY, "no memory for the answer");
    }
}

static void serve_metrics(struct exchange *exchange)
{
    struct gz_net *net = exchange->net;
    struct gz_buffer body;
    gz_buffer_init(&body, GZ_MESSAGE_BYTES_MAX, LWS_PRE);
    if (gz_metrics_print(net, &body) && net->host.measure(net->host.context, &body)) {
        answer_buffer(exchange, "text/plain; version=0.0.4; charset=utf-8", body);
    } else {
        gz_buffer_finish(&body);
        refuse_with(exchange, 0, GZ_NO_MEMORY, "no memory for the metrics");
    }
}

static bool takes_gzip(struct lws *wsi)
{
    bool present;
    char list[GZ_KNOWN_BYTES];
    return gz_header(wsi, WSI_TOKEN_HTTP_ACCEPT_ENCODING, list, sizeof list, &present) &&
           gz_gzip_is_accepted(list);
}

static void serve_file(struct exchange *exchange, const char *path)
{
    struct gz_error error;
    struct gz_static_file file;
    struct gz_reply *reply = &exchange->reply;
    reply->page_policy = (const char *)exchange->net->page_policy.data;
    if (gz_static_open(exchange->net->web, path, takes_gzip(exchange->wsi), &file, &error) !=
        GZ_OK) {
        refuse(exchange, 0, &error);
        return;
    }
    reply->is_immutable = file.is_immutable;
    reply->has_gzip = file.has_gzip;
    reply->is_gzip = file.is_gzip;
    struct gz_http_answer found = {.code = 200, .type = file.type, .file = file.file};
    memcpy(found.etag, file.etag, sizeof found.etag);
    answer(exchange, &found);
}

/* What is at a path: what it is, and by which method. */
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

static bool allows(struct exchange *exchange, enum place place)
{
    enum method method = exchange->method;
    bool reads = method == METHOD_GET || method == METHOD_HEAD;
    bool changes = method == METHOD_PUT || method == METHOD_PATCH || method == METHOD_DELETE;
    if (place == PLACE_NOWHERE || (place == PLACE_SCENE ? changes : reads)) return true;
    exchange->reply.allow = methods_of(place);
    refuse_with(exchange, 405, GZ_UNKNOWN_OP,
                place == PLACE_SCENE ? "only PUT, PATCH and DELETE are done there"
                                     : "only GET is done there");
    return false;
}

/* A browser asks on behalf of a page from elsewhere, before it does what could change something. */
static bool is_preflight(const struct exchange *exchange)
{
    return exchange->method == METHOD_OPTIONS &&
           lws_hdr_total_length(exchange->wsi, WSI_TOKEN_ORIGIN) > 0;
}

static void answer_preflight(struct exchange *exchange, enum place place)
{
    exchange->reply.is_preflight = true;
    exchange->reply.allow = methods_of(place);
    answer(exchange, &(struct gz_http_answer){.code = 204, .file = -1});
}

/* ---- rights ---- */

/* The least role in a scene that may do this. For a list any identity will do: it has what that may
 * see. */
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

/* What is done is known by now. */
static void note_what(struct exchange *exchange, enum place place)
{
    static const enum gz_http_what changes[METHOD_OTHER + 1] = {[METHOD_PUT] = GZ_HTTP_IMPORT,
                                                                [METHOD_PATCH] = GZ_HTTP_RENAME,
                                                                [METHOD_DELETE] = GZ_HTTP_DELETE};
    if (place == PLACE_SCENE) exchange->request.what = changes[exchange->method];
    exchange->request.role = role_for(exchange->request.what);
}

/* Numbers of the daemon as a whole are for admins of all scenes. */
static enum gz_status check_metrics(const struct gz_claims *claims, struct gz_error *error)
{
    bool is_of_all = false;
    for (size_t i = 0; i < claims->scene_count; i++)
        is_of_all = is_of_all || strcmp(claims->scenes[i], "*") == 0;
    return claims->has_role && claims->role == GZ_ROLE_ADMIN && is_of_all
               ? GZ_OK
               : gz_fail(error, GZ_FORBIDDEN, "metrics are for admins of all scenes");
}

/* Whether it is known who asks; the rest of what a scene takes the host looks after. */
static enum gz_status identify(struct exchange *exchange, enum place place, struct gz_error *error)
{
    struct gz_claims *claims = &exchange->request.claims;
    if (place == PLACE_SCENE && !read_arguments(exchange))
        return gz_fail(error, GZ_BAD_VALUE, "user: not a name of at most %d bytes of UTF-8",
                       GZ_USER_BYTES_MAX);
    enum gz_status status =
        gz_identify_request(exchange->net, exchange->wsi, exchange->name, claims, error);
    return status == GZ_OK && place == PLACE_METRICS ? check_metrics(claims, error) : status;
}

static void serve(struct exchange *exchange, const char *path)
{
    struct gz_error error;
    enum place place = find_place(&exchange->request, path);
    bool asks_first = is_preflight(exchange);
    bool is_guarded = asks_first || (place != PLACE_HEALTH && place != PLACE_FILE);
    if (gz_admit_page(exchange->net, exchange->wsi, is_guarded, &error) != GZ_OK) {
        refuse(exchange, 0, &error);
        return;
    }
    if (asks_first) {
        answer_preflight(exchange, place);
        return;
    }
    note_what(exchange, place);
    if (is_guarded && identify(exchange, place, &error) != GZ_OK) {
        refuse(exchange, 0, &error);
        return;
    }
    if (!allows(exchange, place)) return;
    switch (place) {
    case PLACE_HEALTH: serve_health(exchange); return;
    case PLACE_METRICS: serve_metrics(exchange); return;
    case PLACE_LIST:
    case PLACE_PART:
        if (become_job(exchange)) give_to_host(exchange);
        return;
    case PLACE_SCENE: begin_change(exchange); return;
    case PLACE_NOWHERE:
        refuse_with(exchange, 0, GZ_UNKNOWN_OP, "there is nothing at this path");
        return;
    case PLACE_FILE: serve_file(exchange, path); return;
    }
}

/* A page from elsewhere that is allowed may read what we answer. */
static void note_origin(struct exchange *exchange)
{
    bool present;
    exchange->reply.varies_by_origin = exchange->net->rules.allowed_count > 0;
    char *origin = exchange->reply.origin;
    bool fits =
        gz_header(exchange->wsi, WSI_TOKEN_ORIGIN, origin, sizeof exchange->reply.origin, &present);
    if (!fits || !present || !gz_origin_allowed(&exchange->net->rules, origin, NULL, false))
        *origin = '\0';
}

static void note_known(struct exchange *exchange)
{
    bool present;
    char *known = exchange->request.known;
    if (!gz_header(exchange->wsi, WSI_TOKEN_HTTP_IF_NONE_MATCH, known, GZ_KNOWN_BYTES, &present))
        *known = '\0';
}

static int begin(struct lws *wsi, struct exchange **slot, const char *path, size_t size)
{
    struct exchange *exchange = calloc(1, sizeof *exchange);
    bool known;
    if (exchange == NULL) return -1;
    *slot = exchange;
    exchange->net = gz_net_of(wsi);
    exchange->wsi = wsi;
    exchange->file = -1;
    exchange->method = method_of(wsi);
    exchange->net->counters.requests++;
    gz_arrival_become(wsi, GZ_PEER_BUSY);
    struct gz_error error;
    enum gz_status status = gz_arrival_read_client(exchange->net, wsi, &error);
    gz_address_print(&gz_arrival_of(wsi)->client, exchange->peer);
    gz_buffer_init(&exchange->request.body, GZ_ASSET_BYTES_MAX, 0);
    note_origin(exchange);
    note_known(exchange);
    if (status != GZ_OK) {
        exchange->hang_up = true;
        refuse(exchange, 0, &error);
    } else if (lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_TRANSFER_ENCODING) > 0) {
        exchange->hang_up = true;
        refuse_with(exchange, 411, GZ_BAD_MESSAGE,
                    "Transfer-Encoding: is not taken here, send a Content-Length");
    } else if (exchange->method != METHOD_PUT && exchange->method != METHOD_PATCH &&
               content_length(wsi, &known) > 0) {
        exchange->hang_up = true;
        refuse_with(exchange, 0, GZ_BAD_MESSAGE,
                    "Content-Length: only PUT and PATCH have a body here");
    } else if (strlen(path) != size) {
        refuse_with(exchange, 0, GZ_BAD_VALUE, "the path has a NUL in it");
    } else {
        serve(exchange, path);
    }
    return 0;
}

static bool is_trickling(const struct exchange *exchange)
{
    double allowed_s =
        GZ_HTTP_BODY_SECONDS + (double)exchange->request.body.size / GZ_HTTP_BODY_BYTES_PER_S;
    return gz_clock_now().mono_s - exchange->reading_s > allowed_s;
}

/* If no byte comes at all, libwebsockets ends the connection. */
static int take_body(struct exchange *exchange, const void *bytes, size_t size)
{
    if (!exchange->reading && !exchange->deciding) return 0;
    if (exchange->reading && is_trickling(exchange)) {
        gz_log(exchange->net->log, GZ_INFO, 0, "hung up on a body that comes too slowly");
        return -1;
    }
    if (gz_buffer_append(&exchange->request.body, bytes, size) != GZ_OK) {
        if (exchange->deciding) return -1;
        gz_buffer_finish(&exchange->request.body);
        refuse_with(exchange, 0, GZ_NO_MEMORY, "no memory for the file");
    }
    return 0;
}

static void take_end_of_body(struct exchange *exchange)
{
    exchange->has_come = exchange->deciding;
    if (!exchange->reading) return;
    exchange->reading = false;
    give_to_host(exchange);
}

static void let_go(struct exchange **slot)
{
    struct exchange *exchange = *slot;
    *slot = NULL;
    exchange->wsi = NULL;
    if (!exchange->with_host) destroy(exchange);
}

/* An answer at once, if there is no exchange yet. */
static int confirm_upgrade(struct lws *wsi, const char *upgrade)
{
    struct gz_net *net = gz_net_of(wsi);
    struct gz_error error;
    int code;
    enum gz_status status = gz_arrival_read_client(net, wsi, &error);
    code = 429;
    if (status == GZ_OK) status = gz_admit_upgrade(net, wsi, upgrade, &code, &error);
    if (status == GZ_OK) return 0;
    net->counters.refusals++;
    net->host.errors[error.status]++;
    char peer[GZ_ADDRESS_TEXT_BYTES];
    gz_address_print(&gz_arrival_of(wsi)->client, peer);
    gz_log(net->log, GZ_INFO, 0, "HTTP %d to %s: %s: %s", code, peer, gz_status_word(error.status),
           error.message);
    struct gz_buffer body = error_body(&error);
    struct gz_reply reply = {.code = code, .type = JSON_TYPE, .size = body.size, .is_last = true};
    bool sent = gz_reply_write_header(wsi, &reply) &&
                lws_write(wsi, body.data, body.size, LWS_WRITE_HTTP_FINAL) >= 0;
    gz_buffer_finish(&body);
    return sent ? 1 : -1;
}

int gz_http_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                     size_t size)
{
    struct exchange **slot = user;
    struct exchange *exchange = slot != NULL ? *slot : NULL;
    switch (reason) {
    case LWS_CALLBACK_OPENSSL_LOAD_EXTRA_SERVER_VERIFY_CERTS:
        return gz_tls_set_up(&gz_net_of(wsi)->tls, user) ? 0 : -1;
    case LWS_CALLBACK_WSI_CREATE: gz_arrival_begin(gz_net_of(wsi), wsi); return 0;
    case LWS_CALLBACK_WSI_DESTROY: gz_arrival_end(gz_net_of(wsi), wsi); return 0;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return confirm_upgrade(wsi, in);
    case LWS_CALLBACK_HTTP:
        return slot != NULL && exchange == NULL ? begin(wsi, slot, in, size) : -1;
    case LWS_CALLBACK_RAW_ADOPT:
    case LWS_CALLBACK_RAW_RX: return -1; /* CONNECT: nothing is tunnelled here */
    default: break;
    }
    if (exchange == NULL) return 0;
    switch (reason) {
    case LWS_CALLBACK_HTTP_BODY: return take_body(exchange, in, size);
    case LWS_CALLBACK_HTTP_BODY_COMPLETION: take_end_of_body(exchange); return 0;
    case LWS_CALLBACK_HTTP_WRITEABLE: return send_more(exchange);
    case LWS_CALLBACK_CLOSED_HTTP:
    case LWS_CALLBACK_HTTP_DROP_PROTOCOL: let_go(slot); return 0;
    default: return 0;
    }
}
