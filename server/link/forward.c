/* forward.c - HTTP for a scene that another member of the cluster has: the request goes to that
 * member, its answer comes back. Bodies pass in pieces, both ways: at most GZ_RELAY_BODY_BYTES of a
 * request and GZ_HTTP_CHUNK_BYTES of an answer wait for a slow side; then the other side is not
 * read.
 *
 * The member's status, type, length, entity tag and dropped skins are passed on; the rest of the
 * header is made here as for any answer. The member is told about the client as in relay.c. libcurl
 * sends it (http_client.h), because libwebsockets does not read an answer that comes before
 * the whole body was sent. A build without a cluster has forward_none.c instead. */
#include "front/caller.h"
#include "front/exchange.h"

#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>

#include "link/http_client.h"
#include "link/members.h"
#include "server/maxima.h"

#define AWAY_WORDS "the member that has this scene cannot be reached; try again in a moment"
#define NO_MEMORY_WORDS "no memory to ask the member that has this scene"
#define MOVED_WORDS "the scene is moving to another member; try again in a moment"
#define TOKEN_LINE_BYTES (sizeof "Bearer " + GZ_TOKEN_BYTES_MAX)
#define PATH_BYTES (GZ_SCENE_NAME_BYTES_MAX + 32)
#define URL_BYTES                                                                                  \
    (GZ_MEMBER_URL_BYTES_MAX + PATH_BYTES + 3 * GZ_USER_BYTES_MAX + 64 + GZ_HTTP_HEADER_BYTES_MAX)

struct gz_forward {
    struct gz_net *net;
    struct gz_exchange *exchange;
    CURL *easy;
    struct curl_slist *headers;
    char why[CURL_ERROR_SIZE];
    char type[GZ_ETAG_BYTES];
    struct gz_buffer up, down; /* of the request's body, and of the answer's */
    size_t up_sent;
    bool wants_more;             /* of the request's body */
    bool up_paused, down_paused; /* libcurl waits for this side */
    bool is_broken;              /* the rest of the answer will not come */
};

/* ---- refusals ---- */

/* Discards the rest of the body. */
static void stop_body(struct gz_exchange *exchange)
{
    exchange->reading = false;
    if (exchange->with_host) (void)gz_exchange_take_back(exchange);
}

/* Ends the forwarding, and refuses the request. */
static void refuse_now(struct gz_exchange *exchange, int code, enum gz_status status,
                       const char *words)
{
    gz_forward_end(exchange);
    stop_body(exchange);
    gz_exchange_refuse_with(exchange, code, status, words);
}

/* ---- the request's body ---- */

static size_t give_body(char *room, size_t item, size_t count, void *context)
{
    struct gz_forward *forward = context;
    struct gz_buffer *up = &forward->up;
    size_t left = up->size - forward->up_sent, size = item * count;
    if (left == 0) {
        forward->wants_more = forward->up_paused = true;
        return CURL_READFUNC_PAUSE;
    }
    if (size > left) size = left;
    memcpy(room, up->data + forward->up_sent, size);
    forward->up_sent += size;
    forward->net->counters.relayed_in += size;
    return size;
}

/* Without memory the exchange is refused, and the forward is freed. */
static void give_more(struct gz_forward *forward, const void *bytes, size_t size)
{
    if (forward->up_sent == forward->up.size) {
        gz_buffer_clear(&forward->up);
        forward->up_sent = 0;
    }
    if (gz_buffer_append(&forward->up, bytes, size) != GZ_OK) {
        refuse_now(forward->exchange, 0, GZ_NO_MEMORY, "no memory for the file");
        return;
    }
    if (!forward->up_paused) return;
    forward->up_paused = false;
    (void)curl_easy_pause(forward->easy, CURLPAUSE_CONT);
}

void gz_forward_take(struct gz_exchange *exchange, const void *bytes, size_t size)
{
    gz_exchange_hand_over(exchange); /* until this is sent */
    give_more(exchange->forward, bytes, size);
}

/* The member takes the body: first sends the kept bytes that came with the header. */
static void begin_body(struct gz_forward *forward)
{
    struct gz_exchange *exchange = forward->exchange;
    struct gz_body *body = exchange->request.body;
    exchange->request.body = NULL;
    exchange->deciding = false;
    exchange->reading = true;
    gz_upload_encourage(exchange);
    if (body->tail.size > 0)
        give_more(forward, body->tail.data, body->tail.size);
    else
        (void)gz_exchange_take_back(exchange);
    gz_body_destroy(body);
}

static void ask_for_more(struct gz_forward *forward)
{
    struct gz_exchange *exchange = forward->exchange;
    forward->wants_more = false;
    if (exchange->deciding) {
        begin_body(forward);
    } else if (exchange->reading && exchange->stopped) {
        (void)gz_exchange_take_back(exchange);
    }
}

/* ---- the answer ---- */

static void copy_header(CURL *easy, const char *name, char *text, size_t size)
{
    struct curl_header *header = NULL;
    *text = '\0';
    if (curl_easy_header(easy, name, 0, CURLH_HEADER, -1, &header) == CURLHE_OK &&
        strlen(header->value) < size)
        memcpy(text, header->value, strlen(header->value) + 1);
}

static void begin_answer(struct gz_forward *forward)
{
    struct gz_exchange *exchange = forward->exchange;
    struct gz_http_answer answer = {.type = forward->type, .file = -1};
    long code = 0;
    curl_off_t size = 0;
    (void)curl_easy_getinfo(forward->easy, CURLINFO_RESPONSE_CODE, &code);
    (void)curl_easy_getinfo(forward->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &size);
    copy_header(forward->easy, "content-type", forward->type, sizeof forward->type);
    copy_header(forward->easy, "etag", answer.etag, sizeof answer.etag);
    copy_header(forward->easy, "gizmod-dropped", answer.dropped, sizeof answer.dropped);
    stop_body(exchange);
    answer.code = (int)code;
    exchange->hang_up = exchange->hang_up || code == 401; /* as gz_exchange_refuse */
    exchange->reply.wants_token = code == 401 && exchange->net->keyring != NULL;
    gz_exchange_answer(exchange, &answer);
    exchange->reply.size = size > 0 ? (uint64_t)size : 0;
}

static size_t take_answer(char *bytes, size_t item, size_t count, void *context)
{
    struct gz_forward *forward = context;
    size_t size = item * count;
    if (!forward->exchange->answered) begin_answer(forward);
    gz_exchange_go_on(forward->exchange);
    if (forward->down.size > 0 && forward->down.size + size > GZ_HTTP_CHUNK_BYTES) {
        forward->down_paused = true;
        return CURL_WRITEFUNC_PAUSE;
    }
    if (gz_buffer_append(&forward->down, bytes, size) != GZ_OK) return CURL_WRITEFUNC_ERROR;
    forward->net->counters.relayed_out += size;
    gz_stream_ask(forward->exchange->caller->stream);
    return size;
}

bool gz_forward_is_awaited(const struct gz_exchange *exchange)
{
    const struct gz_forward *forward = exchange->forward;
    return forward != NULL && forward->down.size == 0 && !forward->is_broken;
}

bool gz_forward_send(struct gz_exchange *exchange)
{
    struct gz_forward *forward = exchange->forward;
    struct gz_buffer *down = &forward->down;
    if (down->size == 0 || down->size > exchange->reply.size - exchange->sent) return false;
    exchange->sent += down->size;
    bool is_sent = gz_stream_write(exchange->caller->stream, down->data, down->size);
    gz_buffer_clear(down);
    if (is_sent && forward->down_paused) {
        forward->down_paused = false;
        (void)curl_easy_pause(forward->easy, CURLPAUSE_CONT);
    }
    return is_sent;
}

/* ---- the end ---- */

static void handle_done(void *context, void *transfer, CURLcode result)
{
    struct gz_net *net = context;
    struct gz_forward *forward = transfer;
    struct gz_exchange *exchange = forward->exchange;
    gz_http_client_end(net->courier, forward->easy);
    if (result != CURLE_OK)
        gz_log(net->log, GZ_WARN, 0, "%s %s, which another member has: %s: %s",
               gz_method_word(exchange->method), exchange->path, curl_easy_strerror(result),
               forward->why);
    if (exchange->answered) {
        uint64_t left = exchange->reply.size - exchange->sent;
        forward->is_broken = result != CURLE_OK || left > forward->down.size;
        gz_exchange_go_on(exchange);
        gz_stream_ask(exchange->caller->stream);
    } else if (result == CURLE_OK) {
        begin_answer(forward);
    } else {
        refuse_now(exchange, 503, GZ_BAD_STATE, AWAY_WORDS);
    }
}

static void handle_went_on(void *context)
{
    const struct gz_net *net = context;
    struct gz_exchange *next;
    for (struct gz_exchange *job = net->jobs; job != NULL; job = next) {
        next = job->next_job;
        if (job->forward != NULL && job->forward->wants_more) ask_for_more(job->forward);
    }
}

void gz_forward_end(struct gz_exchange *exchange)
{
    struct gz_forward *forward = exchange->forward;
    if (forward == NULL) return;
    exchange->forward = NULL;
    gz_http_client_end(forward->net->courier, forward->easy);
    curl_easy_cleanup(forward->easy);
    curl_slist_free_all(forward->headers);
    gz_buffer_finish(&forward->up);
    gz_buffer_finish(&forward->down);
    free(forward);
}

/* ---- the beginning ---- */

/* The path as the member receives it. */
static void print_path(const struct gz_http_request *request, char path[PATH_BYTES])
{
    const char *part = gz_http_part(request->what);
    lws_snprintf(path, PATH_BYTES, "/scenes/%s%s%s", request->scene, part != NULL ? "/" : "",
                 part != NULL ? part : "");
}

static bool print_url(const struct gz_forward *forward, const char *member, char url[URL_BYTES])
{
    char path[PATH_BYTES], number[32] = "";
    const struct gz_exchange *exchange = forward->exchange;
    const struct gz_http_request *request = &exchange->request;
    size_t size = strlen(member);
    if (size > 0 && member[size - 1] == '/') size--;
    char *user = curl_easy_escape(forward->easy, exchange->name, 0);
    bool has_user = exchange->name[0] != '\0';
    const char *query = exchange->caller->request->query;
    const bool asks = gz_http_question(request->what) != GZ_OP_COUNT && query != NULL;
    if (user == NULL) return false;
    print_path(request, path);
    if (request->below > 0)
        lws_snprintf(number, sizeof number, "parent=%" PRIu64 "&", request->below);
    if (request->of >= 0) lws_snprintf(number, sizeof number, "of=%" PRId64 "&", request->of);
    lws_snprintf(url, URL_BYTES, "%.*s%s?%s%s%s%s%s%s", (int)size, member, path,
                 request->replace ? "replace&" : "", request->ids ? "ids&" : "", number,
                 has_user ? "user=" : "", has_user ? user : "", asks ? query : "");
    curl_free(user);
    return true;
}

static bool add_header(struct gz_forward *forward, const char *name, const char *value)
{
    char line[GZ_HTTP_HEADER_BYTES_MAX];
    if ((size_t)lws_snprintf(line, sizeof line, "%s: %s", name, value) >= sizeof line - 1)
        return false;
    struct curl_slist *longer = curl_slist_append(forward->headers, line);
    if (longer != NULL) forward->headers = longer;
    return longer != NULL;
}

/* Adds the header with the user that a proxy names. */
static bool add_user(struct gz_forward *forward, const char *user)
{
    return *user == '\0' || add_header(forward, forward->net->trust_header, user);
}

static bool add_identity(struct gz_forward *forward)
{
    const struct gz_net *net = forward->net;
    const struct gz_exchange *exchange = forward->exchange;
    const struct gz_arrival *arrival = exchange->caller->arrival;
    char client[GZ_ADDRESS_TEXT_BYTES], proof[GZ_PROOF_BYTES], path[PATH_BYTES];
    gz_address_print(&arrival->client, client);
    print_path(&exchange->request, path);
    gz_proof_print(&(struct gz_proof){net->secret, net->secret_size, client, arrival->user,
                                      gz_method_word(exchange->method), path},
                   gz_clock_now().unix_s, proof);
    return add_header(forward, GZ_PROOF_HEADER, proof) &&
           add_header(forward, "X-Forwarded-For", client) && add_user(forward, arrival->user);
}

/* An Authorization that is longer than any token is not passed on: the member might refuse so long
 * a header. */
static bool add_token(struct gz_forward *forward)
{
    const char *token = gz_request_value(forward->exchange->caller->request, "authorization", 0);
    return token == NULL || strlen(token) >= TOKEN_LINE_BYTES ||
           add_header(forward, "Authorization", token);
}

static bool add_headers(struct gz_forward *forward)
{
    const struct gz_exchange *exchange = forward->exchange;
    return add_token(forward) &&
           (exchange->request.known[0] == '\0' ||
            add_header(forward, "If-None-Match", exchange->request.known)) &&
           (exchange->request.body == NULL || add_header(forward, "Expect", "100-continue")) &&
           add_identity(forward);
}

/* Sets how long the kernel waits for a member that is gone. */
static int set_patience(void *context, curl_socket_t socket, curlsocktype type)
{
    const struct gz_net *net = context;
    int milliseconds = (int)(net->silence_s * 1000);
    (void)type;
    (void)setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
    return CURL_SOCKOPT_OK;
}

static void set_connection(CURL *easy, struct gz_net *net)
{
    const char *authorities = getenv(X509_get_default_cert_file_env());
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    if (authorities != NULL) curl_easy_setopt(easy, CURLOPT_CAINFO, authorities);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
    curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, (long)GZ_RELAY_CONNECT_SECONDS);
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, (long)GZ_RELAY_SILENCE_SECONDS);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT, (long)GZ_HTTP_BODY_SECONDS_MAX);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, (long)GZ_PING_SECONDS);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, (long)GZ_PING_SECONDS);
    curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, set_patience);
    curl_easy_setopt(easy, CURLOPT_SOCKOPTDATA, net);
}

static void set_request(struct gz_forward *forward)
{
    CURL *easy = forward->easy;
    const struct gz_exchange *exchange = forward->exchange;
    const struct gz_body *body = exchange->request.body;
    curl_easy_setopt(easy, CURLOPT_PRIVATE, forward);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, forward->why);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, forward->headers);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_answer);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, forward);
    if (exchange->method == METHOD_HEAD) curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
    if (body != NULL) {
        curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)body->size);
        curl_easy_setopt(easy, CURLOPT_READFUNCTION, give_body);
        curl_easy_setopt(easy, CURLOPT_READDATA, forward);
        curl_easy_setopt(easy, CURLOPT_EXPECT_100_TIMEOUT_MS, GZ_HTTP_SECONDS * 1000L);
    }
    if (exchange->method != METHOD_HEAD)
        curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, gz_method_word(exchange->method));
}

static struct gz_forward *create(struct gz_exchange *exchange)
{
    struct gz_forward *forward = calloc(1, sizeof *forward);
    CURL *easy = forward != NULL ? curl_easy_init() : NULL;
    if (easy == NULL) {
        free(forward);
        return NULL;
    }
    forward->net = exchange->net;
    forward->exchange = exchange;
    forward->easy = easy;
    gz_buffer_init(&forward->up, GZ_RELAY_BODY_BYTES, 0);
    gz_buffer_init(&forward->down, GZ_HTTP_CHUNK_BYTES, 0);
    exchange->forward = forward;
    return forward;
}

/* False without memory. */
static bool begin(struct gz_exchange *exchange, const char *member)
{
    char url[URL_BYTES];
    struct gz_forward *forward = create(exchange);
    if (forward == NULL || !add_headers(forward) || !print_url(forward, member, url)) return false;
    set_connection(forward->easy, exchange->net);
    set_request(forward);
    exchange->net->counters.relayed_requests++;
    gz_log(exchange->net->log, GZ_INFO, 0, "%s %s of %s is forwarded to %s",
           gz_method_word(exchange->method), exchange->path, exchange->peer, member);
    return curl_easy_setopt(forward->easy, CURLOPT_URL, url) == CURLE_OK &&
           gz_http_client_begin(exchange->net->courier, forward->easy);
}

void gz_http_relay(struct gz_http_request *request, const char *url)
{
    struct gz_exchange *exchange = (struct gz_exchange *)request;
    bool has_come_whole = request->body != NULL && !exchange->deciding;
    if (exchange->caller == NULL) {
        struct gz_error error;
        gz_fail(&error, GZ_BAD_STATE, AWAY_WORDS);
        gz_http_refuse(request, 503, &error);
    } else if (exchange->net->courier == NULL || exchange->caller->arrival->is_relayed ||
               has_come_whole) {
        refuse_now(exchange, 503, GZ_BAD_STATE, MOVED_WORDS);
    } else if (gz_net_member_find(&exchange->net->members, url) == NULL) {
        refuse_now(exchange, 503, GZ_BAD_STATE, AWAY_WORDS);
    } else if (!begin(exchange, url)) {
        refuse_now(exchange, 0, GZ_NO_MEMORY, NO_MEMORY_WORDS);
    }
}

/* ---- all forwards ---- */

enum gz_status gz_forwards_open(struct gz_net *net, struct gz_error *error)
{
    if (net->secret == NULL) return GZ_OK;
    enum gz_status status = gz_curl_load(error);
    if (status != GZ_OK) return status;
    net->courier = gz_http_client_create(
        net->loop, (struct gz_http_client_user){net->log, net, handle_done, handle_went_on});
    return net->courier != NULL ? GZ_OK
                                : gz_fail(error, GZ_NO_MEMORY, "libcurl does not start: no memory");
}

void gz_forwards_close(struct gz_net *net)
{
    if (net->courier != NULL) gz_http_client_close(net->courier);
}

void gz_forwards_finish(struct gz_net *net)
{
    gz_http_client_destroy(net->courier);
}
