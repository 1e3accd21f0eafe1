/* relay.c - a WebSocket whose scene another member of the cluster has. A second WebSocket leads to
 * that member, the authority. The client's hello goes there, and from then on all frames of
 * messages go both ways as they are, piece by piece: nothing is decoded, and no message has to be
 * in memory. Pings and pongs stay on their side.
 *
 * - Of what waits for a slow side there is one read of the other side (16 KiB), and what kernels
 *   hold: then the other side is not read.
 * - Who the client is, and where it comes from, the authority is told in the header: proof.h. It
 *   judges the client as it does its own; the page that the client comes from was judged here.
 * - The authority's close is passed on as it is. If its connection ends without one, or goes
 *   silent, the client is told `bye` with retry_s 0: another member may have the scene by then. If
 *   it cannot be reached, `bye` with retry_s GZ_RELAY_RETRY_S.
 * - The client's end is told to the authority by a close, behind all that the client said.
 * - What another member relays to this one is not relayed again: the client may come back. */
#include "net/internal.h"

#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "net/proof.h"
#include "server/maxima.h"

#define AWAY_WORDS "the member that has this scene cannot be reached: try again in a moment"
#define GONE_WORDS "the member that has this scene went away: come back, another one may have it"
#define LOOP_WORDS "the scene is on its way to another member: try again in a moment"
/* Bytes that one read brings, with the rest of a header that came before. */
#define PASSED_BYTES_MAX (16 * 1024 + 14)
/* Kept for the next bytes; the memory of rare large reads is given back. */
#define KEPT_BYTES_MAX 2048

enum phase {
    RESOLVING, /* the name of the member */
    CONNECTING,
    OPEN,
    PARTING, /* we said close, and wait for the other side's */
    OVER
};

struct gz_relay {
    struct gz_net *net;
    struct gz_connection *connection; /* NULL once one of the two is over */
    enum phase phase;
    double since_s; /* it is in this phase, by gz_awake_now */
    uv_getaddrinfo_t lookup;
    bool is_looking_up; /* libuv has `lookup` */
    char url[GZ_MEMBER_URL_BYTES_MAX + 1], host[GZ_MEMBER_URL_BYTES_MAX + 1],
        authority[GZ_MEMBER_URL_BYTES_MAX + 1], path[GZ_MEMBER_URL_BYTES_MAX + 5];
    int port;
    bool is_tls;
    char client[GZ_ADDRESS_TEXT_BYTES], user[GZ_USER_BYTES_MAX + 1];
    struct gz_buffer hello; /* until it is sent */
    struct lws *wsi;        /* NULL before there is one, and after its end */
    struct gz_reader *reader;
    struct gz_frames frames; /* of the authority */
    struct gz_buffer to_client, to_authority;
    double heard_s, told_s; /* something came from the authority; it was sent a pong */
    bool is_amid;           /* of a frame to the authority */
    uint8_t pong[GZ_CONTROL_BYTES_MAX], pong_size;
    bool owes_pong;
    char words[GZ_CONTROL_BYTES_MAX]; /* of the authority's close */
    uint64_t id;                      /* the connection's, for the log */
    struct gz_relay *next;
};

static void enter(struct gz_relay *relay, enum phase phase)
{
    relay->phase = phase;
    relay->since_s = relay->heard_s = relay->told_s = gz_awake_now(&relay->net->awake);
}

/* ---- its end ---- */

/* The authority's side is closed; nothing is said to the client. */
static void end(struct gz_relay *relay)
{
    if (relay->phase == OVER) return;
    enter(relay, OVER);
    if (relay->is_looking_up) uv_cancel((uv_req_t *)&relay->lookup);
    if (relay->connection != NULL) relay->connection->relay = NULL;
    relay->connection = NULL;
    gz_reader_stop(relay->reader);
    relay->reader = NULL;
    if (relay->wsi != NULL) {
        lws_set_opaque_user_data(relay->wsi, NULL);
        gz_arrival_kill(relay->net, relay->wsi);
        relay->wsi = NULL;
    }
    relay->net->relay_count--;
}

static void listen_again(struct gz_connection *connection)
{
    connection->is_waiting = connection->paused = false;
    connection->heard_s = gz_awake_now(&connection->net->awake); /* it was not listened to */
}

/* The authority's side failed. */
static void fail(struct gz_relay *relay, const char *why)
{
    struct gz_connection *connection = relay->connection;
    bool was_open = relay->phase == OPEN;
    if (connection != NULL)
        gz_log(relay->net->log, GZ_WARN, relay->id, "the relay to %s ends: %s", relay->url, why);
    end(relay);
    if (connection == NULL || connection->end != 0) return;
    listen_again(connection);
    gz_connection_send_away(connection, was_open ? GONE_WORDS : AWAY_WORDS,
                            was_open ? 0 : GZ_RELAY_RETRY_S);
}

/* The authority said close: so do we, in its words. */
static void take_close(struct gz_relay *relay, const struct gz_frame_part *part)
{
    struct gz_connection *connection = relay->connection;
    size_t size = part->size > 2 ? part->size - 2 : 0;
    if (size > 0) memcpy(relay->words, part->bytes + 2, size);
    end(relay);
    if (connection == NULL || connection->end != 0) return;
    listen_again(connection);
    if (size > 0) connection->end_words = relay->words;
    gz_connection_end(connection, part->code);
}

static void drop(struct gz_buffer *out)
{
    if (out->capacity > KEPT_BYTES_MAX)
        gz_buffer_finish(out);
    else
        gz_buffer_clear(out);
}

/* ---- to the authority ---- */

static bool is_free(const struct gz_relay *relay)
{
    return !lws_partial_buffered(relay->wsi);
}

static bool write_to_authority(struct gz_relay *relay, uint8_t *bytes, size_t size,
                               enum lws_write_protocol kind)
{
    if (lws_write(relay->wsi, bytes, size, kind) >= 0) return true;
    fail(relay, "it takes nothing any more");
    return false;
}

/* A control frame with a mask of zeros: what is in it was said by a server. */
static void write_control(struct gz_relay *relay, uint8_t opcode, const uint8_t *bytes, size_t size)
{
    uint8_t frame[6 + GZ_CONTROL_BYTES_MAX] = {(uint8_t)(0x80 | opcode), (uint8_t)(0x80 | size)};
    if (size > 0) memcpy(frame + 6, bytes, size);
    (void)write_to_authority(relay, frame, 6 + size, LWS_WRITE_RAW);
}

static void write_pong(struct gz_relay *relay)
{
    relay->owes_pong = false;
    relay->told_s = gz_awake_now(&relay->net->awake);
    write_control(relay, 0xA, relay->pong, relay->pong_size);
}

void gz_relay_take(struct gz_connection *connection, const struct gz_frame_part *part)
{
    struct gz_relay *relay = connection->relay;
    struct gz_buffer *out = &relay->to_authority;
    relay->is_amid = part->left > 0;
    if (gz_buffer_append(out, part->header, part->header_size) != GZ_OK ||
        gz_buffer_append(out, part->bytes, part->size) != GZ_OK)
        fail(relay, "no memory");
}

void gz_relay_pass(struct gz_connection *connection)
{
    struct gz_relay *relay = connection->relay;
    struct gz_buffer *out = &relay->to_authority;
    if (relay->phase != OPEN || out->size == 0) return;
    relay->net->counters.relayed_in += out->size;
    bool is_written = write_to_authority(relay, out->data, out->size, LWS_WRITE_RAW);
    drop(out);
    if (!is_written) return;
    if (relay->owes_pong && !relay->is_amid) write_pong(relay);
    if (is_free(relay) || connection->relay == NULL) return;
    connection->paused = true;
    connection->wire->kind->pause(connection->wire);
}

/* Its socket is free. */
static void handle_writable(struct gz_relay *relay)
{
    struct gz_connection *connection = relay->connection;
    if (connection == NULL || !connection->paused || !is_free(relay)) return;
    listen_again(connection);
    connection->wire->kind->resume(connection->wire);
}

void gz_relay_leave(struct gz_connection *connection)
{
    struct gz_relay *relay = connection->relay;
    const uint8_t normal[2] = {LWS_CLOSE_STATUS_NORMAL >> 8, LWS_CLOSE_STATUS_NORMAL & 0xFF};
    if (relay->phase != OPEN || relay->is_amid) {
        end(relay);
        return;
    }
    gz_relay_pass(connection);
    if (connection->relay == NULL) return;
    connection->relay = NULL;
    relay->connection = NULL;
    enter(relay, PARTING);
    gz_reader_resume(relay->reader);
    write_control(relay, 0x8, normal, sizeof normal);
}

/* ---- to the client ---- */

static void take_data(struct gz_relay *relay, const struct gz_frame_part *part)
{
    struct gz_connection *connection = relay->connection;
    struct gz_buffer *out = &relay->to_client;
    if (connection->end != 0 && !connection->is_amid) return; /* it is told nothing more */
    connection->is_amid = part->left > 0 || !part->is_last;
    if (gz_buffer_append(out, part->header, part->header_size) != GZ_OK ||
        gz_buffer_append(out, part->bytes, part->size) != GZ_OK)
        fail(relay, "no memory");
}

static void take_ping(struct gz_relay *relay, const struct gz_frame_part *part)
{
    memcpy(relay->pong, part->bytes, part->size);
    relay->pong_size = (uint8_t)part->size;
    relay->owes_pong = true;
    if (!relay->is_amid && is_free(relay)) write_pong(relay);
}

static void pass_to_client(struct gz_relay *relay)
{
    struct gz_connection *connection = relay->connection;
    struct gz_buffer *out = &relay->to_client;
    if (out->size == 0) return;
    relay->net->counters.relayed_out += out->size;
    gz_connection_write(connection, out, LWS_WRITE_RAW);
    drop(out);
    if (connection->relay == NULL) return;
    if (connection->end != 0 && !connection->is_amid) gz_connection_make_ready(connection);
    if (connection->choked) gz_reader_pause(relay->reader);
}

/* What came before a close goes before it. */
static void take_part(struct gz_relay *relay, const struct gz_frame_part *part)
{
    bool has_client = relay->connection != NULL;
    switch (part->kind) {
    case GZ_FRAME_NONE:
    case GZ_FRAME_PONG: break;
    case GZ_FRAME_DATA:
        if (has_client) take_data(relay, part);
        break;
    case GZ_FRAME_PING:
        if (has_client) take_ping(relay, part);
        break;
    case GZ_FRAME_CLOSE:
    case GZ_FRAME_BROKEN:
        if (has_client) pass_to_client(relay);
        if (part->kind == GZ_FRAME_CLOSE)
            take_close(relay, part);
        else
            fail(relay, part->what);
        break;
    }
}

static size_t take_bytes(void *context, uint8_t *bytes, size_t size)
{
    struct gz_relay *relay = context;
    size_t used = 0;
    relay->heard_s = gz_awake_now(&relay->net->awake);
    while (used < size && relay->phase != OVER) {
        struct gz_frame_part part;
        used += gz_frames_read(&relay->frames, bytes + used, size - used, &part);
        take_part(relay, &part);
    }
    if (relay->phase != OVER && relay->connection != NULL) pass_to_client(relay);
    return size;
}

static void end_bytes(void *context)
{
    fail(context, "its connection ended");
}

void gz_relay_go_on(struct gz_connection *connection)
{
    struct gz_relay *relay = connection->relay;
    if (relay->phase != OPEN || connection->choked || !gz_reader_is_paused(relay->reader)) return;
    relay->heard_s = gz_awake_now(&relay->net->awake);
    gz_reader_resume(relay->reader);
}

/* ---- the connection to the authority ---- */

/* What the kernel holds for a slow client, and for a slow authority. */
static void bound_kernel(struct lws *wsi)
{
    int received = GZ_RELAY_RECEIVE_BYTES, sent = GZ_SOCKET_SEND_BYTES;
    (void)setsockopt(lws_get_socket_fd(wsi), SOL_SOCKET, SO_RCVBUF, &received, sizeof received);
    (void)setsockopt(lws_get_socket_fd(wsi), SOL_SOCKET, SO_SNDBUF, &sent, sizeof sent);
}

static bool write_hello(struct gz_relay *relay)
{
    struct gz_buffer *hello = &relay->hello;
    bool is_written = write_to_authority(relay, hello->data, hello->size, LWS_WRITE_BINARY);
    gz_buffer_finish(hello);
    return is_written;
}

static void handle_established(struct gz_relay *relay)
{
    struct gz_connection *connection = relay->connection;
    bound_kernel(relay->wsi);
    relay->reader = gz_reader_start(relay->net->loop, relay->wsi,
                                    (struct gz_reader_user){relay, take_bytes, end_bytes});
    if (relay->reader == NULL) {
        fail(relay, "no memory or descriptor to read from it");
        return;
    }
    enter(relay, OPEN);
    relay->net->counters.relayed++;
    gz_log(relay->net->log, GZ_INFO, relay->id, "relayed to %s", relay->url);
    if (!write_hello(relay)) return;
    connection->frames.keeps_mask = true;
    listen_again(connection);
    connection->wire->kind->resume(connection->wire);
}

static bool add_header(struct lws *wsi, const char *name, const char *value, unsigned char **at,
                       unsigned char *room_end)
{
    return lws_add_http_header_by_name(wsi, (const unsigned char *)name,
                                       (const unsigned char *)value, (int)strlen(value), at,
                                       room_end) == 0;
}

/* Who the client is, and the proof that a member says it. */
static int add_headers(struct gz_relay *relay, struct lws *wsi, unsigned char **at, size_t size)
{
    char proof[GZ_PROOF_BYTES];
    unsigned char *room_end = *at + size;
    const struct gz_net *net = relay->net;
    gz_proof_print(
        &(struct gz_proof){net->secret, net->secret_size, relay->client, relay->user, "GET", "/ws"},
        gz_clock_now().unix_s, proof);
    bool fits =
        add_header(wsi, GZ_PROOF_HEADER_COLON, proof, at, room_end) &&
        add_header(wsi, "x-forwarded-for:", relay->client, at, room_end) &&
        (relay->user[0] == '\0' || add_header(wsi, net->trust_header, relay->user, at, room_end));
    return fits ? 0 : -1;
}

/* libwebsockets takes what is before the first colon for the name of the server: an IPv6 address is
 * compared here. */
static bool is_ipv6(const struct gz_relay *relay)
{
    return strchr(relay->host, ':') != NULL;
}

static int judge_certificate(const struct gz_relay *relay, X509_STORE_CTX *chain, bool is_good)
{
    if (!is_good || !is_ipv6(relay) || X509_STORE_CTX_get_error_depth(chain) > 0)
        return is_good ? 0 : -1;
    return X509_check_ip_asc(X509_STORE_CTX_get_current_cert(chain), relay->host, 0) == 1 ? 0 : -1;
}

static void handle_end(struct gz_relay *relay, const char *why)
{
    relay->wsi = NULL;
    fail(relay, why);
}

int gz_relay_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                      size_t size)
{
    if (reason == LWS_CALLBACK_OPENSSL_LOAD_EXTRA_CLIENT_VERIFY_CERTS)
        return SSL_CTX_set_min_proto_version(user, TLS1_2_VERSION) == 1 ? 0 : -1;
    struct gz_relay *relay = wsi != NULL ? lws_get_opaque_user_data(wsi) : NULL;
    if (relay == NULL) return 0;
    switch (reason) {
    case LWS_CALLBACK_OPENSSL_PERFORM_SERVER_CERT_VERIFICATION:
        return judge_certificate(relay, user, size != 0);
    case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER: return add_headers(relay, wsi, in, size);
    case LWS_CALLBACK_CLIENT_ESTABLISHED:
        if (relay->connection != NULL) handle_established(relay);
        return 0;
    case LWS_CALLBACK_CLIENT_WRITEABLE: handle_writable(relay); return 0;
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
        handle_end(relay, in != NULL ? in : "no answer");
        return 0;
    case LWS_CALLBACK_CLIENT_CLOSED:
    case LWS_CALLBACK_WSI_DESTROY: handle_end(relay, "its connection ended"); return 0;
    default: return 0;
    }
}

/* ---- reaching it ---- */

/* `address`: of the member, as text. */
static void connect_to(struct gz_relay *relay, const char *address)
{
    static const lws_retry_bo_t no_pings = {.secs_since_valid_ping = 0};
    const int tls = LCCSCF_USE_SSL | (is_ipv6(relay) ? LCCSCF_SKIP_SERVER_CERT_HOSTNAME_CHECK : 0);
    enter(relay, CONNECTING);
    struct lws *wsi = lws_client_connect_via_info(&(struct lws_client_connect_info){
        .context = relay->net->context,
        .vhost = relay->net->relay_vhost,
        .address = address,
        .port = relay->port,
        .path = relay->path,
        .host = relay->authority,
        .protocol = GZ_SUBPROTOCOL,
        .alpn = "http/1.1",
        .ssl_connection = (relay->is_tls ? tls : 0) | LCCSCF_HTTP_NO_FOLLOW_REDIRECT,
        .retry_and_idle_policy = &no_pings,
        .opaque_user_data = relay,
        .pwsi = &relay->wsi,
    });
    if (wsi == NULL) handle_end(relay, "nobody answers there");
}

static void handle_address(uv_getaddrinfo_t *lookup, int status, struct addrinfo *list)
{
    struct gz_relay *relay = lookup->data;
    char address[GZ_ADDRESS_TEXT_BYTES] = "";
    relay->is_looking_up = false;
    if (status == 0) (void)uv_ip_name(list->ai_addr, address, sizeof address);
    uv_freeaddrinfo(list);
    if (relay->phase != RESOLVING) return;
    if (*address == '\0')
        fail(relay, status != 0 ? uv_strerror(status) : "it has no address");
    else
        connect_to(relay, address);
}

/* Names are looked up on a worker. */
static void reach(struct gz_relay *relay)
{
    static const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG};
    struct gz_address address;
    if (gz_address_parse(relay->host, &address)) {
        connect_to(relay, relay->host);
        return;
    }
    relay->lookup.data = relay;
    int status =
        uv_getaddrinfo(relay->net->loop, &relay->lookup, handle_address, relay->host, NULL, &hints);
    relay->is_looking_up = status == 0;
    if (status != 0) fail(relay, uv_strerror(status));
}

/* http(s)://HOST:PORT/PATH, where the path is usually empty. */
static bool read_url(struct gz_relay *relay, const char *url)
{
    char text[GZ_MEMBER_URL_BYTES_MAX + 1];
    const char *scheme, *host, *path, *authority = strstr(url, "://");
    lws_snprintf(relay->url, sizeof relay->url, "%s", url);
    lws_snprintf(text, sizeof text, "%s", url);
    if (authority == NULL || lws_parse_uri(text, &scheme, &host, &relay->port, &path) != 0)
        return false;
    authority += strlen("://");
    size_t size = strlen(path);
    if (size > 0 && path[size - 1] == '/') size--;
    lws_snprintf(relay->host, sizeof relay->host, "%s", host);
    lws_snprintf(relay->authority, sizeof relay->authority, "%.*s", (int)strcspn(authority, "/"),
                 authority);
    lws_snprintf(relay->path, sizeof relay->path, "/%.*s%sws", (int)size, path,
                 size > 0 ? "/" : "");
    relay->is_tls = strcmp(scheme, "https") == 0;
    return relay->is_tls || strcmp(scheme, "http") == 0;
}

static struct gz_relay *create(struct gz_connection *connection)
{
    struct gz_relay *relay = calloc(1, sizeof *relay);
    if (relay == NULL) return NULL;
    struct gz_net *net = connection->net;
    const struct gz_arrival *arrival = connection->wire->arrival;
    relay->net = net;
    relay->connection = connection;
    relay->id = connection->id;
    relay->frames.is_of_server = true;
    gz_address_print(&arrival->client, relay->client);
    memcpy(relay->user, arrival->user, sizeof relay->user);
    gz_buffer_init(&relay->hello, GZ_HELLO_BYTES_MAX, LWS_PRE);
    gz_buffer_init(&relay->to_client, 2 * PASSED_BYTES_MAX, 0);
    gz_buffer_init(&relay->to_authority, 2 * PASSED_BYTES_MAX, 0);
    enter(relay, RESOLVING);
    relay->next = net->relays;
    net->relays = relay;
    net->relay_count++;
    connection->relay = relay;
    return relay;
}

void gz_relay_begin(struct gz_connection *connection, const char *url, const uint8_t *hello,
                    size_t size)
{
    struct gz_net *net = connection->net;
    bool is_loop = net->relay_vhost == NULL || connection->wire->arrival->is_relayed;
    struct gz_relay *relay = is_loop ? NULL : create(connection);
    if (relay == NULL) {
        connection->is_waiting = false;
        gz_connection_send_away(connection, is_loop ? LOOP_WORDS : AWAY_WORDS, GZ_RELAY_RETRY_S);
    } else if (gz_buffer_append(&relay->hello, hello, size) != GZ_OK) {
        fail(relay, "no memory");
    } else if (!read_url(relay, url)) {
        fail(relay, "that is no URL of a member");
    } else {
        reach(relay);
    }
}

/* ---- all of them ---- */

static void destroy(struct gz_relay *relay)
{
    gz_buffer_finish(&relay->hello);
    gz_buffer_finish(&relay->to_client);
    gz_buffer_finish(&relay->to_authority);
    free(relay);
}

/* While the client takes nothing, the authority is told that somebody is there. */
static void keep_up(struct gz_relay *relay, double now_s)
{
    if (gz_reader_is_paused(relay->reader)) {
        relay->heard_s = now_s; /* it is not listened to */
        if (now_s - relay->told_s >= relay->net->ping_s && !relay->is_amid && is_free(relay))
            write_pong(relay);
    } else if (now_s - relay->heard_s > relay->net->silence_s) {
        fail(relay, "it is silent");
    }
}

/* libwebsockets may speak of one that is over for a while. */
static bool is_forgotten(const struct gz_relay *relay, double now_s)
{
    return relay->phase == OVER && relay->wsi == NULL && !relay->is_looking_up &&
           now_s - relay->since_s > GZ_FAREWELL_SECONDS;
}

static void look_at(struct gz_relay *relay, double now_s)
{
    double phase_s = now_s - relay->since_s;
    bool is_connecting = relay->phase == RESOLVING || relay->phase == CONNECTING;
    if (is_connecting && phase_s > GZ_RELAY_CONNECT_SECONDS) fail(relay, "it does not answer");
    if (relay->phase == PARTING && phase_s > GZ_FAREWELL_SECONDS) end(relay);
    if (relay->phase == OPEN) keep_up(relay, now_s);
}

void gz_relays_sweep(struct gz_net *net, double now_s)
{
    struct gz_relay **link = &net->relays;
    while (*link != NULL) {
        struct gz_relay *relay = *link;
        look_at(relay, now_s);
        if (is_forgotten(relay, now_s)) {
            *link = relay->next;
            destroy(relay);
        } else {
            link = &relay->next;
        }
    }
}

void gz_relays_close(struct gz_net *net)
{
    for (struct gz_relay *relay = net->relays; relay != NULL; relay = relay->next) end(relay);
}

void gz_relays_finish(struct gz_net *net)
{
    while (net->relays != NULL) {
        struct gz_relay *relay = net->relays;
        net->relays = relay->next;
        destroy(relay);
    }
}

enum gz_status gz_relays_open(struct gz_net *net, struct gz_error *error)
{
    if (net->secret == NULL) return GZ_OK;
    net->relay_protocols[0] =
        (struct lws_protocols){.name = GZ_SUBPROTOCOL, .callback = gz_relay_callback};
    const struct lws_context_creation_info info = {.options = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT,
                                                   .vhost_name = "members",
                                                   .port = CONTEXT_PORT_NO_LISTEN,
                                                   .protocols = net->relay_protocols,
                                                   .client_ssl_ca_filepath =
                                                       X509_get_default_cert_file(),
                                                   .ka_time = GZ_PING_SECONDS,
                                                   .ka_probes = 3,
                                                   .ka_interval = GZ_PING_SECONDS};
    net->relay_vhost = lws_create_vhost(net->context, &info);
    return net->relay_vhost != NULL
               ? GZ_OK
               : gz_fail(error, GZ_NO_MEMORY, "connections to other members: out of memory");
}
