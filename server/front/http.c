/* http.c - what becomes of a request: an upgrade, a path of the daemon, a file. */
#include <errno.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "front/caller.h"
#include "front/exchange.h"
#include "front/header.h"
#include "link/link.h"
#include "proto/arguments.h"
#include "proto/base/text.h"
#include "proto/json.h"
#include "server/maxima.h"

/* ---- paths, methods, rights ---- */

#define TEXT_TYPE "text/plain; charset=utf-8"
/* Room for a name or a value among the arguments of an address. */
#define ARGUMENT_BYTES 256

#define AS_TEXT(number) #number
#define NUMBER(number) AS_TEXT(number)

/* The kinds of paths. */
enum place {
    PLACE_HEALTH,
    PLACE_READY,
    PLACE_METRICS,
    PLACE_LIST,
    PLACE_SCENE,
    PLACE_PART,
    PLACE_POST,
    PLACE_EVENTS,
    PLACE_NOWHERE,
    PLACE_FILE
};

/* Whether the query has this word, with or without an empty value. */
static bool has_flag(const char *query, const char *word)
{
    const size_t length = strlen(word);
    bool has = false;
    for (const char *part = query; part != NULL && !has; part = strchr(part, '&')) {
        part += *part == '&';
        const size_t size = strcspn(part, "&");
        has = size >= length && memcmp(part, word, length) == 0 &&
              (size == length || (size == length + 1 && part[length] == '='));
    }
    return has;
}

/* The last user=NAME of the query, if there is one. */
static bool read_user(struct gz_exchange *exchange)
{
    static const char user[] = "user=";
    bool is_good = true;
    const char *part = exchange->caller->request->query;
    for (; part != NULL && is_good; part = strchr(part, '&')) {
        part += *part == '&';
        if (strncmp(part, user, sizeof user - 1) != 0) continue;
        const char *name = part + sizeof user - 1;
        is_good =
            gz_request_decode(name, strcspn(name, "&"), exchange->name, sizeof exchange->name) &&
            exchange->name[0] != '\0';
    }
    return is_good;
}

/* The last WORD=NUMBER of the query, if there is one; `least` is the least number. False if it is
 * no such number. */
static bool read_number(const char *query, const char *word, uint64_t least, int64_t *number)
{
    const size_t length = strlen(word);
    bool is_good = true;
    for (const char *part = query; part != NULL && is_good; part = strchr(part, '&')) {
        part += *part == '&';
        if (strncmp(part, word, length) != 0 || part[length] != '=') continue;
        const char *digits = part + length + 1;
        const size_t size = strspn(digits, "0123456789");
        const uint64_t value = size > 0 && size < 18 ? strtoull(digits, NULL, 10) : GZ_ID_LIMIT;
        is_good =
            value >= least && value < GZ_ID_LIMIT && (digits[size] == '\0' || digits[size] == '&');
        *number = (int64_t)value;
    }
    return is_good;
}

/* Reads what the query says that counts at this place. NULL, or what is wrong with it. */
static const char *read_arguments(struct gz_exchange *exchange, enum place place)
{
    const char *query = exchange->caller->request->query;
    struct gz_http_request *request = &exchange->request;
    int64_t below = 0;
    request->of = -1;
    request->replace = place == PLACE_SCENE && has_flag(query, "replace");
    request->ids = place == PLACE_PART && has_flag(query, "ids");
    if (request->what == GZ_HTTP_ASSET && !read_number(query, "of", 0, &request->of))
        return "of: must be the number of a glTF node, as in `asset` of a node";
    if (request->what == GZ_HTTP_ADD && !read_number(query, "parent", 1, &below))
        return "parent: must be the id of a node";
    request->below = (uint64_t)below;
    const bool names = place == PLACE_SCENE || place == PLACE_POST || place == PLACE_EVENTS;
    if (names && !read_user(exchange))
        return "user: must be at most " NUMBER(GZ_USER_BYTES_MAX) " bytes of UTF-8";
    return NULL;
}

/* Adds one argument, KEY=VALUE or KEY, to the message of a question. */
static enum gz_status add_argument(struct gz_buffer *question, enum gz_op op, const char *part,
                                   size_t size, struct gz_error *error)
{
    char key[ARGUMENT_BYTES], value[ARGUMENT_BYTES] = "";
    const char *mark = memchr(part, '=', size);
    const size_t key_size = mark != NULL ? (size_t)(mark - part) : size;
    if (!gz_request_decode(part, key_size, key, sizeof key) ||
        (mark != NULL && !gz_request_decode(mark + 1, size - key_size - 1, value, sizeof value)))
        return gz_fail(error, GZ_BAD_VALUE, "each argument must be at most %d bytes of UTF-8",
                       ARGUMENT_BYTES - 1);
    const enum gz_status status = gz_arguments_add(question, op, key, value);
    return status == GZ_OK ? GZ_OK : gz_fail(error, status, "no memory for the arguments");
}

/* Reads a question from the arguments of the address. */
static enum gz_status read_question(struct gz_exchange *exchange, struct gz_error *error)
{
    struct gz_http_request *request = &exchange->request;
    const enum gz_op op = gz_http_question(request->what);
    const char *part = exchange->caller->request->query;
    gz_buffer_init(&request->question, GZ_HTTP_HEADER_BYTES_MAX * 8, 0);
    enum gz_status status = gz_arguments_begin(&request->question, op);
    if (status == GZ_OK && request->what == GZ_HTTP_NODES) /* the host knows which seq it is */
        status = gz_arguments_add(&request->question, op, "seq", "0");
    if (status != GZ_OK) return gz_fail(error, status, "no memory for the arguments");
    for (; part != NULL && status == GZ_OK; part = strchr(part, '&')) {
        part += *part == '&';
        const size_t size = strcspn(part, "&");
        if (size > 0) status = add_argument(&request->question, op, part, size, error);
    }
    return status;
}

static void serve_part(struct gz_exchange *exchange)
{
    struct gz_error error;
    if (gz_http_question(exchange->request.what) != GZ_OP_COUNT &&
        read_question(exchange, &error) != GZ_OK)
        gz_exchange_refuse(exchange, 0, &error);
    else if (gz_exchange_become_job(exchange))
        gz_exchange_serve(exchange);
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

/* /healthz: alive is who answers; what is amiss is said. /readyz: 503 with the reason if clients
 * should go elsewhere. */
static void serve_health(struct gz_exchange *exchange, bool asks_ready)
{
    struct gz_net *net = exchange->net;
    struct gz_error error = {.status = GZ_OK};
    struct gz_buffer body;
    bool is_ready = net->host.ready(net->host.context, &error);
    if (net->draining) {
        gz_fail(&error, GZ_BAD_STATE, "the server is going away");
        is_ready = false;
    }
    if (asks_ready && !is_ready) {
        gz_exchange_refuse(exchange, 503, &error);
        return;
    }
    gz_buffer_init(&body, 2 * GZ_ERROR_BYTES_MAX, 0);
    if (gz_text_print(&body, "%s%s%s\n", asks_ready ? "ready" : "ok",
                      error.status != GZ_OK ? ", but " : "",
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
    gz_buffer_init(&body, GZ_MESSAGE_BYTES_MAX, 0);
    if (gz_metrics_print(net, &body) && net->host.measure(net->host.context, &body)) {
        answer_buffer(exchange, "text/plain; version=0.0.4; charset=utf-8", body);
    } else {
        gz_buffer_finish(&body);
        gz_exchange_refuse_with(exchange, 0, GZ_NO_MEMORY, "no memory for the metrics");
    }
}

static bool takes_gzip(const struct gz_request *request)
{
    bool present;
    char list[GZ_KNOWN_BYTES];
    return gz_request_list(request, "accept-encoding", list, sizeof list, &present) &&
           gz_gzip_is_accepted(list);
}

static void serve_file(struct gz_exchange *exchange, const char *path)
{
    struct gz_error error;
    struct gz_static_file file;
    struct gz_reply *reply = &exchange->reply;
    reply->page_policy = (const char *)exchange->net->page_policy.data;
    if (gz_static_open(exchange->net->web, path, takes_gzip(exchange->caller->request), &file,
                       &error) != GZ_OK) {
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

/* What a scene has below its own path. */
static const struct {
    const char *word;
    enum gz_http_what what;
    enum place place;
} parts[] = {
    {"asset", GZ_HTTP_ASSET, PLACE_PART},
    {"assets", GZ_HTTP_ASSETS, PLACE_PART},
    {"backup", GZ_HTTP_BACKUP, PLACE_PART},
    {"export", GZ_HTTP_EXPORT, PLACE_PART},
    {"export.glb", GZ_HTTP_EXPORT_GLB, PLACE_PART},
    {"export.gltf", GZ_HTTP_EXPORT_GLTF, PLACE_PART},
    {"nodes", GZ_HTTP_NODES, PLACE_PART},
    {"history", GZ_HTTP_HISTORY, PLACE_PART},
    {"at", GZ_HTTP_AT, PLACE_PART},
    {"path", GZ_HTTP_PATH, PLACE_PART},
    {"import", GZ_HTTP_ADD, PLACE_POST},
    {"edits", GZ_HTTP_EDITS, PLACE_POST},
    {"events", GZ_HTTP_EVENTS, PLACE_EVENTS},
};

const char *gz_http_part(enum gz_http_what what)
{
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i].what == what) return parts[i].word;
    return NULL;
}

static enum place find_part(struct gz_http_request *request, const char *part)
{
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (strcmp(part, parts[i].word) != 0) continue;
        request->what = parts[i].what;
        return parts[i].place;
    }
    return PLACE_NOWHERE;
}

static enum place find_place(struct gz_http_request *request, const char *path)
{
    static const char scenes[] = "/scenes/";
    if (strcmp(path, "/healthz") == 0) return PLACE_HEALTH;
    if (strcmp(path, "/readyz") == 0) return PLACE_READY;
    if (strcmp(path, "/metrics") == 0) return PLACE_METRICS;
    request->what = GZ_HTTP_LIST;
    if (strcmp(path, "/scenes") == 0 || strcmp(path, scenes) == 0) return PLACE_LIST;
    if (strncmp(path, scenes, sizeof scenes - 1) != 0) return PLACE_FILE;
    const char *name = path + sizeof scenes - 1;
    size_t size = strcspn(name, "/");
    if (size == 0 || size >= sizeof request->scene || name[0] == '.' || strchr(name, '%') != NULL)
        return PLACE_NOWHERE; /* no name, a folder, an encoded slash */
    memcpy(request->scene, name, size);
    return name[size] == '\0' ? PLACE_SCENE : find_part(request, name + size + 1);
}

/* The methods of a place, and the refusal of others. */
static const struct {
    const char *methods, *refusal;
} allowed[PLACE_FILE + 1] = {
    [PLACE_HEALTH] = {"GET, HEAD", "only GET is allowed at this path"},
    [PLACE_READY] = {"GET, HEAD", "only GET is allowed at this path"},
    [PLACE_METRICS] = {"GET, HEAD", "only GET is allowed at this path"},
    [PLACE_LIST] = {"GET, HEAD", "only GET is allowed at this path"},
    [PLACE_SCENE] = {"PUT, PATCH, DELETE", "only PUT, PATCH and DELETE are allowed at this path"},
    [PLACE_PART] = {"GET, HEAD", "only GET is allowed at this path"},
    [PLACE_POST] = {"POST", "only POST is allowed at this path"},
    [PLACE_EVENTS] = {"GET", "only GET is allowed at this path"},
    [PLACE_NOWHERE] = {"GET, HEAD", NULL},
    [PLACE_FILE] = {"GET, HEAD", "only GET is allowed at this path"},
};

static bool allows(struct gz_exchange *exchange, enum place place)
{
    const char *method = gz_method_word(exchange->method);
    if (place == PLACE_NOWHERE || strstr(allowed[place].methods, method) != NULL) return true;
    exchange->reply.allow = allowed[place].methods;
    gz_exchange_refuse_with(exchange, 405, GZ_UNKNOWN_OP, allowed[place].refusal);
    return false;
}

/* Whether it is a CORS preflight: a browser asks whether another site's page may send a request. */
static bool is_preflight(const struct gz_exchange *exchange)
{
    return exchange->method == METHOD_OPTIONS &&
           gz_request_value(exchange->caller->request, "origin", 0) != NULL;
}

static void answer_preflight(struct gz_exchange *exchange, enum place place)
{
    exchange->reply.is_preflight = true;
    exchange->reply.allow = allowed[place].methods;
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
    case GZ_HTTP_ASSETS:
    case GZ_HTTP_EXPORT:
    case GZ_HTTP_EXPORT_GLB:
    case GZ_HTTP_EXPORT_GLTF:
    case GZ_HTTP_EVENTS:
    case GZ_HTTP_NODES:
    case GZ_HTTP_HISTORY:
    case GZ_HTTP_AT:
    case GZ_HTTP_PATH: return GZ_ROLE_VIEWER;
    case GZ_HTTP_IMPORT:
    case GZ_HTTP_ADD:
    case GZ_HTTP_EDITS:
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

/* Metrics are for admins of all scenes, and for whoever has a role in the scene "/metrics", which
 * cannot be one: its token opens nothing else. */
static enum gz_status check_metrics(const struct gz_claims *claims, struct gz_error *error)
{
    bool is_admin = claims->has_role && claims->role == GZ_ROLE_ADMIN, may = false;
    for (size_t i = 0; claims->has_role && i < claims->scene_count; i++)
        may = may || strcmp(claims->scenes[i], "/metrics") == 0 ||
              (is_admin && strcmp(claims->scenes[i], "*") == 0);
    return may ? GZ_OK
               : gz_fail(error, GZ_FORBIDDEN,
                         "metrics are for admins of all scenes, and for tokens of /metrics");
}

/* Identifies the user; the host checks the scene's own access. */
static enum gz_status identify(struct gz_exchange *exchange, enum place place,
                               struct gz_error *error)
{
    struct gz_claims *claims = &exchange->request.claims;
    const char *fault = read_arguments(exchange, place);
    if (fault != NULL) return gz_fail(error, GZ_BAD_VALUE, "%s", fault);
    enum gz_status status = gz_identify_request(exchange->caller, exchange->name, claims, error);
    return status == GZ_OK && place == PLACE_METRICS ? check_metrics(claims, error) : status;
}

static void serve(struct gz_exchange *exchange, const char *path)
{
    struct gz_error error;
    enum place place = find_place(&exchange->request, path);
    bool asks_first = is_preflight(exchange);
    bool is_guarded =
        asks_first || (place != PLACE_HEALTH && place != PLACE_READY && place != PLACE_FILE);
    if (gz_admit_page(exchange->caller, is_guarded, &error) != GZ_OK) {
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
    case PLACE_HEALTH: serve_health(exchange, false); return;
    case PLACE_READY: serve_health(exchange, true); return;
    case PLACE_METRICS: serve_metrics(exchange); return;
    case PLACE_LIST:
    case PLACE_PART: serve_part(exchange); return;
    case PLACE_SCENE: begin_change(exchange); return;
    case PLACE_POST: gz_upload_begin(exchange); return;
    case PLACE_EVENTS: gz_events_begin(exchange); return;
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
    bool fits = gz_request_list(exchange->caller->request, "origin", origin,
                                sizeof exchange->reply.origin, &present);
    if (!fits || !present || !gz_origin_allowed(&exchange->net->rules, origin, NULL, false))
        *origin = '\0';
}

static void note_known(struct gz_exchange *exchange)
{
    bool present;
    char *known = exchange->request.known;
    if (!gz_request_list(exchange->caller->request, "if-none-match", known, GZ_KNOWN_BYTES,
                         &present))
        *known = '\0';
}

/* A body that nobody asked for, or whose end is not clear. Its connection is not used again. */
static const char *fault_of_body(const struct gz_exchange *exchange, int *code)
{
    const struct gz_request *request = exchange->caller->request;
    const bool takes_body = gz_method_has_body(exchange->method);
    *code = 411;
    if (gz_request_value(request, "transfer-encoding", 0) != NULL)
        return "Transfer-Encoding: is not supported: send a Content-Length";
    *code = 400;
    return request->length > 0 && !takes_body
               ? "Content-Length: only PUT, POST and PATCH may have a body"
               : NULL;
}

/* Begins to answer a request. */
static void begin_answer(struct gz_exchange *exchange)
{
    struct gz_error error;
    struct gz_caller *caller = exchange->caller;
    const struct gz_request *request = caller->request;
    int code;
    enum gz_status status = gz_arrival_read_client(caller, &error);
    exchange->from = gz_address_network(&caller->arrival->client);
    gz_arrival_print(caller->arrival, exchange->peer);
    note_origin(exchange);
    note_known(exchange);
    exchange->hang_up = gz_proxy_passed_on(caller) || request->is_1_0 ||
                        gz_request_lists(request, "connection", "close");
    const char *fault = fault_of_body(exchange, &code);
    if (status != GZ_OK || fault != NULL) exchange->hang_up = true;
    if (status != GZ_OK)
        gz_exchange_refuse(exchange, 0, &error);
    else if (fault != NULL)
        gz_exchange_refuse_with(exchange, code, GZ_BAD_MESSAGE, fault);
    else
        serve(exchange, request->path);
}

/* ---- upgrades and paths ---- */

/* What a caller asks and is answered: its requests become exchanges, or it becomes a
 * WebSocket. */

/* What RFC 6455 appends to a key. */
#define KEY_SUFFIX "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

/* ---- a WebSocket ---- */

static bool print_accept(const char *key, char text[32])
{
    char keyed[64];
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    lws_snprintf(keyed, sizeof keyed, "%s%s", key, KEY_SUFFIX);
    if (EVP_Digest(keyed, strlen(keyed), digest, &size, EVP_sha1(), NULL) != 1) return false;
    return EVP_EncodeBlock((uint8_t *)text, digest, (int)size) > 0;
}

static bool write_handshake(const struct gz_caller *caller)
{
    char accept[32], text[256];
    const struct gz_arrival *arrival = caller->arrival;
    const char *spoken = arrival->is_json ? GZ_SUBPROTOCOL_JSON : GZ_SUBPROTOCOL;
    if (!print_accept(gz_request_value(caller->request, "sec-websocket-key", 0), accept))
        return false;
    lws_snprintf(text, sizeof text,
                 "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                 "Connection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n"
                 "Sec-WebSocket-Protocol: %s\r\n\r\n",
                 accept, arrival->is_link ? GZ_TRUNK_PROTOCOL : spoken);
    return gz_stream_write(caller->stream, (const uint8_t *)text, strlen(text));
}

/* The caller itself is freed once it has counted its bytes. */
static void upgrade(struct gz_caller *caller)
{
    struct gz_net *net = caller->net;
    struct gz_arrival *arrival = caller->arrival;
    if (!write_handshake(caller)) {
        gz_caller_close(caller);
        return;
    }
    caller->is_upgraded = true;
    arrival->caller = NULL;
    arrival->stream = caller->stream;
    gz_stream_forget_user(arrival->stream);
    net->session_count += !arrival->is_link;
    gz_arrival_become(net, arrival, GZ_PEER_BUSY);
    gz_socket_begin(net, arrival);
}

/* ---- a request ---- */

/* Refuses it by an exchange of its own, after which the connection ends. */
static void refuse(struct gz_caller *caller, bool is_read, int code, const struct gz_error *error)
{
    caller->exchange = gz_exchange_create(caller, is_read);
    if (caller->exchange == NULL) {
        gz_caller_close(caller);
        return;
    }
    caller->exchange->hang_up = true;
    gz_caller_allow(caller, caller->net->silence_s);
    gz_exchange_refuse(caller->exchange, code, error);
}

static void begin_upgrade(struct gz_caller *caller)
{
    struct gz_error error;
    int code = 500;
    enum gz_status status = gz_arrival_read_client(caller, &error);
    if (status == GZ_RATE_LIMITED) code = 429;
    if (status == GZ_OK) status = gz_admit_upgrade(caller, &code, &error);
    if (status == GZ_OK) {
        upgrade(caller);
        return;
    }
    caller->net->counters.refusals++;
    refuse(caller, true, code, &error);
}

static void begin_exchange(struct gz_caller *caller)
{
    caller->body_left = caller->request->length;
    caller->exchange = gz_exchange_create(caller, true);
    if (caller->exchange == NULL) {
        gz_caller_close(caller);
        return;
    }
    gz_caller_allow(caller, caller->net->silence_s);
    begin_answer(caller->exchange);
}

static enum gz_status read_request(struct gz_caller *caller, bool is_whole, int *code,
                                   struct gz_error *error)
{
    *code = 431;
    if (!is_whole)
        return gz_fail(error, GZ_BAD_MESSAGE, "the request's header has more than %d bytes",
                       GZ_HTTP_HEADER_BYTES_MAX);
    return gz_request_read(caller->request, (char *)caller->head.data, caller->head.size, code,
                           error);
}

static void begin(struct gz_caller *caller, bool is_whole)
{
    struct gz_error error;
    int code;
    if (read_request(caller, is_whole, &code, &error) != GZ_OK)
        refuse(caller, false, code, &error);
    else if (gz_request_value(caller->request, "upgrade", 0) != NULL)
        begin_upgrade(caller);
    else
        begin_exchange(caller);
}

/* ---- an exchange ---- */

static void take(struct gz_caller *caller, const uint8_t *bytes, size_t size)
{
    gz_caller_allow(caller, caller->net->silence_s);
    if (gz_upload_take(caller->exchange, bytes, size) < 0)
        gz_caller_close(caller);
    else if (caller->body_left == 0)
        gz_upload_end(caller->exchange);
}

static void leave(struct gz_caller *caller)
{
    struct gz_exchange *exchange = caller->exchange;
    caller->exchange = NULL;
    if (exchange != NULL) gz_exchange_leave(exchange);
}

static void go_on(struct gz_caller *caller)
{
    if (gz_exchange_send(caller->exchange) < 0) {
        gz_caller_close(caller);
    } else if (caller->exchange->done) {
        const bool is_last = caller->exchange->hang_up;
        leave(caller);
        gz_caller_next(caller, is_last);
    }
}

const struct gz_talk gz_talk = {begin, take, go_on, leave};
