/* exchange.c - one HTTP request: its lifetime, its place among large ones, its answer. See
 * exchange.h. */
#include "front/exchange.h"
#include "front/caller.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "front/body.h"
#include "front/header.h"
#include "server/maxima.h"

#define TOO_MANY "too many large requests at once; try again in a moment"

const char *gz_method_word(enum gz_method method)
{
    static const char *const words[METHOD_OTHER + 1] = {
        [METHOD_GET] = "GET",         [METHOD_HEAD] = "HEAD",     [METHOD_PUT] = "PUT",
        [METHOD_POST] = "POST",       [METHOD_PATCH] = "PATCH",   [METHOD_DELETE] = "DELETE",
        [METHOD_OPTIONS] = "OPTIONS", [METHOD_OTHER] = "another",
    };
    return words[method];
}

bool gz_method_has_body(enum gz_method method)
{
    return method == METHOD_PUT || method == METHOD_POST || method == METHOD_PATCH;
}

/* ---- beginning and end ---- */

static enum gz_method method_of(const struct gz_request *request)
{
    enum gz_method method = METHOD_GET;
    while (method < METHOD_OTHER && strcmp(request->method, gz_method_word(method)) != 0) method++;
    return method;
}

struct gz_exchange *gz_exchange_create(struct gz_caller *caller, bool is_read)
{
    struct gz_exchange *exchange = calloc(1, sizeof *exchange);
    if (exchange == NULL) return NULL;
    exchange->net = caller->net;
    exchange->caller = caller;
    exchange->file = -1;
    exchange->method = is_read ? method_of(caller->request) : METHOD_OTHER;
    lws_snprintf(exchange->path, sizeof exchange->path, "%s",
                 is_read ? caller->request->path : "request");
    exchange->net->counters.requests++;
    gz_arrival_become(exchange->net, caller->arrival, GZ_PEER_BUSY);
    exchange->from = gz_address_network(&caller->arrival->client);
    gz_arrival_print(caller->arrival, exchange->peer);
    return exchange;
}

static void drop_body(struct gz_exchange *exchange)
{
    const struct gz_net_host *host = &exchange->net->host;
    struct gz_http_request *request = &exchange->request;
    if (request->transfer != NULL) host->abandon(host->context, request->transfer);
    if (request->body != NULL) host->discard(host->context, request->body);
    request->transfer = NULL;
    request->body = NULL;
}

/* A worker closes a file, which may be the last of its blocks, and frees much memory. */
static void drop_answer(struct gz_exchange *exchange)
{
    const struct gz_net_host *host = &exchange->net->host;
    bool is_small = exchange->file < 0 && exchange->body.capacity <= GZ_BODY_MEMORY_BYTES;
    struct gz_body *body = is_small ? NULL : gz_body_create(0);
    if (body != NULL) {
        body->file = exchange->file;
        body->tail = exchange->body;
        host->discard(host->context, body);
    } else {
        if (exchange->file >= 0) close(exchange->file);
        gz_buffer_finish(&exchange->body);
    }
    exchange->file = -1;
    exchange->body = (struct gz_buffer){0};
}

static void leave_jobs(struct gz_exchange *exchange)
{
    struct gz_exchange **hook = &exchange->net->jobs;
    while (*hook != exchange) hook = &(*hook)->next_job;
    *hook = exchange->next_job;
    exchange->net->job_count--;
}

void gz_exchange_destroy(struct gz_exchange *exchange)
{
    gz_forward_end(exchange);
    if (exchange->is_job) leave_jobs(exchange);
    drop_answer(exchange);
    drop_body(exchange);
    gz_buffer_finish(&exchange->request.question);
    free(exchange);
}

void gz_exchange_leave(struct gz_exchange *exchange)
{
    exchange->caller = NULL;
    if (exchange->events != NULL) gz_events_leave(exchange);
    if (exchange->forward != NULL || !exchange->with_host) gz_exchange_destroy(exchange);
}

/* ---- answers ---- */

bool gz_http_knows(const struct gz_http_request *request, const char *etag)
{
    return gz_etag_is_listed(request->known, etag);
}

bool gz_http_is_awaited(const struct gz_http_request *request)
{
    const struct gz_exchange *exchange = (const struct gz_exchange *)request;
    if (exchange->caller == NULL) return false;
    struct pollfd look = {.fd = gz_stream_socket(exchange->caller->stream), .events = POLLRDHUP};
    return poll(&look, 1, 0) == 0;
}

static uint64_t file_size(int file)
{
    off_t end = lseek(file, 0, SEEK_END);
    return end > 0 ? (uint64_t)end : 0;
}

static bool has_body(const struct gz_exchange *exchange)
{
    return exchange->method != METHOD_HEAD && gz_reply_has_body(&exchange->reply);
}

void gz_exchange_answer(struct gz_exchange *exchange, const struct gz_http_answer *with)
{
    struct gz_reply *reply = &exchange->reply;
    bool is_known = with->etag[0] != '\0' && gz_http_knows(&exchange->request, with->etag);
    exchange->answered = true;
    exchange->body = with->body;
    exchange->file = with->file;
    exchange->paced_s = gz_awake_now(&exchange->net->awake);
    exchange->paced_bytes = 0;
    reply->code = is_known ? 304 : with->code;
    reply->is_last = exchange->hang_up;
    reply->type = with->type;
    reply->size = with->file >= 0 ? file_size(with->file) : with->body.size;
    memcpy(reply->etag, with->etag, sizeof reply->etag);
    memcpy(reply->dropped, with->dropped, sizeof reply->dropped);
    gz_stream_ask(exchange->caller->stream);
}

int gz_exchange_code(const struct gz_error *error)
{
    switch (error->status) {
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
    case GZ_STORAGE: return error->no_room ? 507 : 500;
    default: return 500;
    }
}

/* {code, message} with the protocol's words; empty without memory. */
static struct gz_buffer error_body(const struct gz_error *error)
{
    struct gz_buffer body;
    gz_buffer_init(&body, 8 * sizeof error->message, 0);
    bool ok =
        gz_text_print(&body, "{\"code\":\"%s\",\"message\":", gz_status_word(error->status)) &&
        gz_text_json(&body, error->message) && gz_text_print(&body, "}\n");
    if (!ok) gz_buffer_clear(&body);
    return body;
}

void gz_exchange_refuse(struct gz_exchange *exchange, int code, const struct gz_error *error)
{
    if (code == 0) code = gz_exchange_code(error);
    exchange->reading = false;
    exchange->net->host.errors[error->status]++;
    const char *user = exchange->request.claims.user;
    exchange->reply.wants_token = code == 401 && exchange->net->keyring != NULL;
    /* A wrong token costs the connection, so that guessing is slow. */
    exchange->hang_up = exchange->hang_up || code == 401;
    gz_log(exchange->net->log, code >= 500 ? GZ_WARN : GZ_INFO, 0,
           "HTTP %d to %s: %s %s: %s: %s%s%s", code, exchange->peer,
           gz_method_word(exchange->method), exchange->path, gz_status_word(error->status),
           error->message, user[0] != '\0' ? "; the user is " : "", user);
    gz_exchange_answer(
        exchange, &(struct gz_http_answer){
                      .code = code, .type = GZ_JSON_TYPE, .body = error_body(error), .file = -1});
}

void gz_exchange_refuse_with(struct gz_exchange *exchange, int code, enum gz_status status,
                             const char *message)
{
    struct gz_error error;
    gz_fail(&error, status, "%s", message);
    gz_exchange_refuse(exchange, code, &error);
}

bool gz_exchange_take_back(struct gz_exchange *exchange)
{
    exchange->with_host = false;
    exchange->deciding = false;
    exchange->paced_s += gz_awake_now(&exchange->net->awake) - exchange->held_s;
    if (exchange->caller == NULL) return false;
    if (!exchange->stopped) return true;
    exchange->stopped = false;
    gz_stream_resume(exchange->caller->stream);
    gz_caller_allow(exchange->caller, exchange->net->silence_s);
    return true;
}

/* The bytes in memory of all answers that are not sent yet. */
static size_t count_memory(const struct gz_net *net)
{
    size_t bytes = 0;
    for (const struct gz_exchange *job = net->jobs; job != NULL; job = job->next_job)
        bytes += job->body.size;
    return bytes;
}

static bool fits_in_memory(const struct gz_net *net, const struct gz_http_answer *with)
{
    return with->body.size <= GZ_HTTP_ANSWER_MEMORY_BYTES ||
           with->body.size + count_memory(net) <= GZ_HTTP_ANSWERS_MEMORY_BYTES;
}

void gz_http_answer(struct gz_http_request *request, const struct gz_http_answer *with)
{
    struct gz_exchange *exchange = (struct gz_exchange *)request;
    drop_body(exchange);
    bool is_awaited = gz_exchange_take_back(exchange);
    if (is_awaited && fits_in_memory(exchange->net, with)) {
        gz_exchange_answer(exchange, with);
        return;
    }
    exchange->body = with->body;
    exchange->file = with->file;
    if (is_awaited) {
        drop_answer(exchange);
        gz_exchange_refuse_with(exchange, 0, GZ_TOO_MANY, TOO_MANY);
    } else {
        gz_exchange_destroy(exchange);
    }
}

void gz_http_refuse(struct gz_http_request *request, int code, const struct gz_error *error)
{
    struct gz_exchange *exchange = (struct gz_exchange *)request;
    drop_body(exchange);
    if (gz_exchange_take_back(exchange)) {
        gz_exchange_refuse(exchange, code, error);
    } else {
        gz_exchange_destroy(exchange);
    }
}

/* ---- the pace ---- */

bool gz_exchange_pace(struct gz_exchange *exchange, size_t bytes)
{
    double seconds = gz_awake_now(&exchange->net->awake) - exchange->paced_s;
    exchange->paced_bytes += bytes;
    return gz_pace_suffices(exchange->paced_bytes, seconds);
}

/* ---- sending ---- */

static bool write_chunk(struct gz_exchange *exchange)
{
    if (exchange->forward != NULL) return gz_forward_send(exchange);
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
    return gz_stream_write(exchange->caller->stream, from, size);
}

/* Whether the client has taken the whole answer so far, and more is to come. */
static bool is_ahead(const struct gz_exchange *exchange)
{
    return exchange->sent < exchange->reply.size && gz_forward_is_awaited(exchange) &&
           gz_stream_is_free(exchange->caller->stream);
}

/* Stops the client's clock: the pause is not its fault. */
static void wait_for_piece(struct gz_exchange *exchange)
{
    if (exchange->waits) return;
    exchange->waits = true;
    exchange->held_s = gz_awake_now(&exchange->net->awake);
    gz_caller_allow(exchange->caller, 0);
}

void gz_exchange_go_on(struct gz_exchange *exchange)
{
    if (!exchange->waits) return;
    exchange->waits = false;
    exchange->paced_s += gz_awake_now(&exchange->net->awake) - exchange->held_s;
    gz_caller_allow(exchange->caller, exchange->net->silence_s);
}

static bool has_chunk(const struct gz_exchange *exchange)
{
    return exchange->sent < exchange->reply.size && !gz_forward_is_awaited(exchange);
}

static int send_events(struct gz_exchange *exchange)
{
    struct gz_stream *stream = exchange->caller->stream;
    if (!exchange->began && !gz_reply_write_header(stream, exchange->net->server, &exchange->reply))
        return -1;
    exchange->began = true;
    gz_events_go_on(exchange);
    return 0;
}

/* Sends one chunk each time the socket is writable, so that live traffic has its turn in
 * between. */
int gz_exchange_send(struct gz_exchange *exchange)
{
    struct gz_stream *stream = exchange->caller->stream;
    if (!exchange->answered || exchange->done) return 0;
    if (exchange->events != NULL) return send_events(exchange);
    if (!exchange->began) {
        exchange->began = true;
        if (!gz_reply_write_header(stream, exchange->net->server, &exchange->reply)) return -1;
        if (!has_body(exchange)) exchange->sent = exchange->reply.size;
    } else if (has_chunk(exchange)) {
        uint64_t before = exchange->sent;
        if (!write_chunk(exchange)) return -1;
        if (!gz_exchange_pace(exchange, (size_t)(exchange->sent - before))) {
            gz_log(exchange->net->log, GZ_INFO, 0,
                   "closed the connection of %s: it reads the answer to %s %s too slowly",
                   exchange->peer, gz_method_word(exchange->method), exchange->path);
            return -1;
        }
    }
    if (is_ahead(exchange))
        wait_for_piece(exchange);
    else
        gz_caller_allow(exchange->caller, exchange->net->silence_s);
    /* The answer is not over while the stream has a part of the last chunk. */
    exchange->done = exchange->sent == exchange->reply.size && gz_stream_is_free(stream);
    if (has_chunk(exchange)) gz_stream_ask(stream);
    return 0;
}

/* ---- the host's turn ---- */

void gz_exchange_log_change(const struct gz_exchange *exchange)
{
    const struct gz_http_request *request = &exchange->request;
    const char *user = request->claims.user;
    bool changes = exchange->method != METHOD_GET && exchange->method != METHOD_HEAD;
    if (!changes) return;
    gz_log(exchange->net->log, GZ_INFO, 0, "HTTP %s %s by %s from %s",
           gz_method_word(exchange->method), request->scene,
           user[0] != '\0' ? user : "an unnamed user", exchange->peer);
}

void gz_exchange_hand_over(struct gz_exchange *exchange)
{
    exchange->with_host = exchange->stopped = true;
    exchange->held_s = gz_awake_now(&exchange->net->awake);
    gz_caller_allow(exchange->caller, 0);
    gz_stream_pause(exchange->caller->stream);
}

void gz_exchange_serve(struct gz_exchange *exchange)
{
    struct gz_net *net = exchange->net;
    gz_exchange_log_change(exchange);
    gz_exchange_hand_over(exchange);
    net->host.serve(net->host.context, &exchange->request);
}

/* ---- a place among the large requests ---- */

static bool is_upload(const struct gz_exchange *exchange)
{
    return gz_method_has_body(exchange->method);
}

/* Users of an open server choose their names, so these do not count. */
static bool is_same_user(const struct gz_exchange *a, const struct gz_exchange *b)
{
    bool is_known = a->net->keyring != NULL || a->net->trust_header[0] != '\0';
    const char *user = a->request.claims.user;
    return is_known && user[0] != '\0' && strcmp(user, b->request.claims.user) == 0;
}

static bool is_same_address(const struct gz_exchange *a, const struct gz_exchange *b)
{
    return !gz_address_is_loopback(&a->from) && gz_address_equal(&a->from, &b->from);
}

/* Short requests have places of their own, so that they do not wait for large ones. */
static bool is_short(const struct gz_exchange *exchange)
{
    const enum gz_http_what what = exchange->request.what;
    return what == GZ_HTTP_LIST || what == GZ_HTTP_DELETE || what == GZ_HTTP_EDITS ||
           gz_http_question(what) != GZ_OP_COUNT;
}

/* Requests that have a place: all, and uploads. */
struct taken {
    size_t all, uploads;
};

static void add(struct taken *taken, const struct gz_exchange *job)
{
    taken->all++;
    taken->uploads += is_upload(job);
}

static const char *refusal_of(const struct gz_exchange *exchange, int *code)
{
    struct taken all = {0}, address = {0}, user = {0};
    for (const struct gz_exchange *job = exchange->net->jobs; job != NULL; job = job->next_job) {
        if (is_short(job) != is_short(exchange)) continue;
        add(&all, job);
        if (is_same_address(exchange, job)) add(&address, job);
        if (is_same_user(exchange, job)) add(&user, job);
    }
    bool uploads = is_upload(exchange);
    *code = 429;
    if (address.all >= GZ_HTTP_JOBS_PER_ADDRESS ||
        (uploads && address.uploads >= GZ_HTTP_UPLOADS_PER_ADDRESS))
        return "too many large requests from your address at once; try again in a moment";
    if (user.all >= GZ_HTTP_JOBS_PER_USER || (uploads && user.uploads >= GZ_HTTP_UPLOADS_PER_USER))
        return "too many large requests from you at once; try again in a moment";
    *code = 503;
    return all.all >= GZ_HTTP_JOBS_MAX || (uploads && all.uploads >= GZ_HTTP_UPLOADS_MAX) ? TOO_MANY
                                                                                          : NULL;
}

bool gz_exchange_become_job(struct gz_exchange *exchange)
{
    struct gz_net *net = exchange->net;
    int code;
    const char *refusal = refusal_of(exchange, &code);
    if (refusal != NULL) {
        gz_exchange_refuse_with(exchange, code, code == 429 ? GZ_RATE_LIMITED : GZ_TOO_MANY,
                                refusal);
        return false;
    }
    net->job_count++;
    exchange->is_job = true;
    exchange->next_job = net->jobs;
    net->jobs = exchange;
    return true;
}
