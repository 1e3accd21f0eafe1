/* link_client.c - the edge's end of a link to another member of the cluster. It is opened for the
 * first client that is relayed there, and closed some seconds after the last one. relay.c handles
 * the clients, one for each channel. */
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>

#include "link/members.h"
#include "link/relay.h"
#include "proto/base/text.h"
#include "server/maxima.h"

static struct gz_link_client *route_of(const struct gz_member_link *link)
{
    return (struct gz_link_client *)link;
}

static void enter_phase(struct gz_link_client *route, enum gz_link_client_phase phase)
{
    route->phase = phase;
    route->since_s = gz_awake_now(&route->link.net->awake);
}

/* ---- pieces ---- */

/* Puts the piece into its slot. NULL without memory. */
static struct gz_bytes *keep_piece(struct gz_link_client *route, const struct gz_record *record)
{
    struct gz_bytes *piece = gz_bytes_copy(GZ_FRAME_RAW, record->bytes, record->size);
    if (piece == NULL) return NULL;
    piece->is_last = record->is_last;
    gz_bytes_release(route->latest[record->slot]);
    return route->latest[record->slot] = piece;
}

/* ---- records ---- */

static struct gz_relay *relay_of(const struct gz_link_client *route, size_t channel)
{
    return channel < route->capacity ? route->relays[channel] : NULL;
}

static void leave_group(struct gz_relay *relay)
{
    if (relay->connection != NULL) relay->connection->only_watches = false;
    if (relay->group_link == NULL) return;
    *relay->group_link = relay->next_in_group;
    if (relay->next_in_group != NULL) relay->next_in_group->group_link = relay->group_link;
    relay->group_link = NULL;
    relay->next_in_group = NULL;
}

/* The first of the group, and where that is; NULL if there can be no such group. */
static struct gz_relay **group_of(struct gz_link_client *route, size_t number)
{
    const bool is_group = number >= GZ_TRUNK_GROUP && number < GZ_TRUNK_GROUP + GZ_TRUNK_GROUPS_MAX;
    return is_group ? &route->groups[number - GZ_TRUNK_GROUP] : NULL;
}

static const char *enter_group(struct gz_link_client *route, struct gz_relay *relay, size_t number)
{
    struct gz_relay **first = group_of(route, number);
    leave_group(relay);
    if (number == 0) return NULL;
    if (first == NULL) return "it named a group that there cannot be";
    relay->next_in_group = *first;
    if (*first != NULL) (*first)->group_link = &relay->next_in_group;
    relay->group_link = first;
    *first = relay;
    if (relay->connection != NULL) relay->connection->only_watches = true;
    return NULL;
}

static const char *give_to_group(struct gz_relay *first, struct gz_bytes *piece)
{
    for (struct gz_relay *relay = first, *next; relay != NULL; relay = next) {
        next = relay->next_in_group;
        if (!gz_relay_give(relay, piece)) return "it sent more than the window of a channel";
    }
    return first != NULL ? NULL : "it sent something to a group that nobody is in";
}

/* `number`: of a channel, or a group. */
static const char *give_to(struct gz_link_client *route, size_t number, struct gz_bytes *piece)
{
    struct gz_relay **group = group_of(route, number), *relay = relay_of(route, number);
    if (group != NULL) return give_to_group(*group, piece);
    if (relay == NULL) return "it sent something in a channel that there is not";
    return gz_relay_give(relay, piece) ? NULL : "it sent more than the window of a channel";
}

static const char *give_piece(struct gz_link_client *route, const struct gz_record *record)
{
    const bool is_new = record->kind == GZ_RECORD_DATA;
    struct gz_bytes *piece = is_new ? keep_piece(route, record) : route->latest[record->slot];
    if (piece == NULL) return is_new ? "no memory" : "it named a piece that it never sent";
    const char *fault = NULL;
    for (size_t i = 0; i < record->count && fault == NULL; i++)
        fault = give_to(route, gz_record_channel(record, i), piece);
    return fault;
}

/* The client is sent the code and the words, so they have to be such as RFC 6455 allows. */
static const char *close_relay(struct gz_relay *relay, const struct gz_record *record)
{
    const int code = (int)gz_record_number(record->bytes, 2);
    const uint8_t *words = record->bytes + 2;
    const size_t size = record->size - 2;
    const bool has_code = code > GZ_CHANNEL_REFUSED && code != GZ_CLOSE_NONE;
    if (has_code && !gz_frame_close_is_valid(code)) return "it closed a channel by an invalid code";
    if (has_code && !gz_text_valid((const char *)words, size))
        return "it closed a channel with a reason that is not UTF-8";
    gz_relay_end(relay, code, words, size);
    return NULL;
}

/* A channel exists until the authority has closed it. */
static const char *take(struct gz_member_link *link, const struct gz_record *record)
{
    struct gz_link_client *route = route_of(link);
    struct gz_relay *relay = relay_of(route, gz_record_channel(record, 0));
    const bool is_piece = record->kind == GZ_RECORD_DATA || record->kind == GZ_RECORD_AGAIN;
    if (is_piece) return give_piece(route, record);
    if (record->kind == GZ_RECORD_STATE) {
        route->silence_s = 1e-3 * gz_record_number(record->bytes, 4);
        return NULL;
    }
    if (relay == NULL) return "it sent something in a channel that there is not";
    switch (record->kind) {
    case GZ_RECORD_GROUP: return enter_group(route, relay, gz_record_number(record->bytes, 2));
    case GZ_RECORD_TOOK:
        return gz_relay_take_back(relay, gz_record_number(record->bytes, 4))
                   ? NULL
                   : "it took more than it was sent";
    case GZ_RECORD_CLOSE: return close_relay(relay, record);
    case GZ_RECORD_DATA:
    case GZ_RECORD_AGAIN:
    case GZ_RECORD_OPEN:
    case GZ_RECORD_STATE:
    case GZ_RECORD_KINDS: break;
    }
    return "it sent a record that only an edge may send";
}

/* ---- channels ---- */

/* Whether the link has too many channels: a client that is gone keeps its channel until the
 * authority answers. GZ_TRUNK_OUT_BYTES_MAX is enough for so many. */
static bool is_crowded(const struct gz_link_client *route)
{
    return route->count >= GZ_SESSIONS_MAX + GZ_CONNECTIONS_SPARE;
}

static bool find_channel(struct gz_link_client *route)
{
    for (size_t i = 0; i < route->capacity; i++, route->next_channel++) {
        if (route->next_channel >= route->capacity) route->next_channel = 0;
        if (route->relays[route->next_channel] == NULL) return true;
    }
    const size_t had = route->capacity;
    if (had >= GZ_TRUNK_GROUP ||
        !gz_grow(&route->relays, &route->capacity, had + 1, sizeof *route->relays))
        return false;
    for (size_t i = had; i < route->capacity; i++) route->relays[i] = NULL;
    route->next_channel = had;
    return true;
}

void gz_link_client_leave(struct gz_relay *relay)
{
    struct gz_link_client *route = relay->route;
    if (route == NULL) return;
    leave_group(relay);
    route->relays[relay->channel] = NULL;
    route->count--;
    route->used_s = gz_awake_now(&route->link.net->awake);
    relay->route = NULL;
    relay->net->relay_count--;
}

static void open_all(struct gz_link_client *route)
{
    for (size_t i = 0; i < route->capacity; i++)
        if (route->relays[i] != NULL) gz_relay_open(route->relays[i]);
}

/* ---- the end ---- */

static void say(const struct gz_link_client *route, const char *why)
{
    struct gz_net *net = route->link.net;
    gz_net_member_say(&net->members, net->log, route->url, why, gz_awake_now(&net->awake));
}

/* Whether the link goes on without clients: it is to a member. */
static bool is_kept(const struct gz_link_client *route)
{
    struct gz_net_members *members = &route->link.net->members;
    return members->silence_s >= 0 && gz_net_member_find(members, route->url) != NULL;
}

/* Whether another member may have its scenes. */
static bool is_over(const struct gz_link_client *route)
{
    const struct gz_net_member *member = gz_net_member_find(&route->link.net->members, route->url);
    return member != NULL && member->is_over;
}

/* libwebsockets checks a timeout only when the socket is served, so that is requested. */
static void hang_up(struct gz_link_client *route)
{
    lws_set_opaque_user_data(route->wsi, NULL);
    lws_set_timeout(route->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
    lws_cancel_service(route->link.net->context);
    if (route->taken != NULL) gz_stream_close(route->taken);
    route->wsi = NULL;
}

static void end(struct gz_member_link *link, const char *why)
{
    struct gz_link_client *route = route_of(link);
    const bool was_open = route->phase == GZ_ROUTE_OPEN;
    if (was_open)
        gz_log(link->net->log, route->count > 0 ? GZ_WARN : GZ_INFO, 0, "the link to %s ends: %s",
               route->url, why);
    else
        say(route, route->why[0] != '\0' ? route->why : why);
    route->since_s = gz_awake_now(&link->net->awake);
    if (route->is_looking_up) uv_cancel((uv_req_t *)&route->lookup);
    if (route->wsi != NULL) hang_up(route);
    for (size_t i = 0; i < route->capacity; i++)
        if (route->relays[i] != NULL) gz_relay_lose(route->relays[i], was_open || is_over(route));
    for (size_t i = 0; i < GZ_TRUNK_SLOTS; i++) gz_bytes_release(route->latest[i]);
}

static void look_at(struct gz_member_link *link, double now_s)
{
    struct gz_link_client *route = route_of(link);
    const bool is_open = route->phase == GZ_ROUTE_OPEN;
    if (!is_open && now_s - route->since_s > GZ_RELAY_CONNECT_SECONDS)
        gz_member_link_fail(link, "it does not answer");
    const bool is_idle = route->count == 0 && now_s - route->used_s > GZ_TRUNK_IDLE_SECONDS;
    if (is_open && is_idle && !is_kept(route)) gz_member_link_fail(link, "it is no longer used");
    for (size_t i = 0; i < route->capacity; i++)
        if (route->relays[i] != NULL) gz_relay_look_at(route->relays[i], now_s);
}

/* libwebsockets may still call back about an ended link for a while. */
static bool is_forgotten(const struct gz_member_link *link, double now_s)
{
    const struct gz_link_client *route = route_of(link);
    return !route->is_looking_up && now_s - route->since_s > GZ_FAREWELL_SECONDS;
}

static void destroy(struct gz_member_link *link)
{
    struct gz_link_client *route = route_of(link);
    free(route->relays);
    free(route);
}

/* No `go_on`: clients are read as far as their windows allow, however full the link is. */
static const struct gz_member_link_end edge = {
    .take = take, .end = end, .look_at = look_at, .is_forgotten = is_forgotten, .destroy = destroy};

/* ---- the connection ---- */

static bool add_proof(const struct gz_link_client *route, struct lws *wsi, unsigned char **at,
                      size_t size)
{
    char proof[GZ_PROOF_BYTES];
    const struct gz_net *net = route->link.net;
    gz_proof_print(&(struct gz_proof){net->secret, net->secret_size, "", "", "GET", "/ws"},
                   gz_clock_now().unix_s, proof);
    return lws_add_http_header_by_name(wsi, (const unsigned char *)GZ_PROOF_HEADER_COLON,
                                       (const unsigned char *)proof, (int)strlen(proof), at,
                                       *at + size) == 0;
}

/* libwebsockets cuts the server's name at the first colon, so an IPv6 address is compared here. */
static bool is_ipv6(const struct gz_link_client *route)
{
    return strchr(route->host, ':') != NULL;
}

static int judge_certificate(struct gz_link_client *route, X509_STORE_CTX *chain, bool is_good)
{
    int fault = is_good ? X509_V_OK : X509_STORE_CTX_get_error(chain);
    if (is_good && is_ipv6(route) && X509_STORE_CTX_get_error_depth(chain) == 0 &&
        X509_check_ip_asc(X509_STORE_CTX_get_current_cert(chain), route->host, 0) != 1)
        fault = X509_V_ERR_IP_ADDRESS_MISMATCH;
    if (is_good && fault == X509_V_OK) return 0;
    gz_print(route->why, sizeof route->why, "its certificate is not trusted: %s",
             X509_verify_cert_error_string(fault));
    return -1;
}

/* What a member's answer to the handshake means; NULL for what is no answer of one. */
static const char *words_of(unsigned code)
{
    switch (code) {
    case 400: return "it speaks another version of the link";
    case 403: return "it is in no cluster, or does not answer to this name";
    case 500:
        return "it does not accept the proof of this member: the --secret or --trust-header of "
               "one of them differs, or the clock";
    case 503: return "it is going away, or has no room";
    default: return NULL;
    }
}

/* libwebsockets' own text does not last. */
static void handle_error(struct gz_link_client *route, struct lws *wsi, const char *why)
{
    const char *words = words_of(lws_http_client_http_response(wsi));
    if (route->why[0] == '\0')
        gz_print(route->why, sizeof route->why, "%s", words != NULL ? words : why);
    route->wsi = NULL;
    gz_member_link_fail(&route->link, "it cannot be reached");
}

static void handle_established(struct gz_link_client *route)
{
    gz_member_link_begin(&route->link, route->taken, true);
    route->taken = NULL;
    enter_phase(route, GZ_ROUTE_OPEN);
    route->used_s = route->since_s;
    gz_log(route->link.net->log, GZ_INFO, 0, "there is a link to %s", route->url);
    open_all(route);
}

/* libwebsockets destroys its side of the connection. */
static void handle_destroyed(struct gz_link_client *route)
{
    route->wsi = NULL;
    if (route->taken != NULL)
        handle_established(route);
    else
        gz_member_link_fail(&route->link, "its connection ended");
}

int gz_link_client_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                            size_t size)
{
    if (reason == LWS_CALLBACK_OPENSSL_LOAD_EXTRA_CLIENT_VERIFY_CERTS)
        return SSL_CTX_set_min_proto_version(user, TLS1_2_VERSION) == 1 ? 0 : -1;
    struct gz_link_client *route = wsi != NULL ? lws_get_opaque_user_data(wsi) : NULL;
    if (route == NULL) return 0;
    struct gz_net *net = route->link.net;
    switch (reason) {
    case LWS_CALLBACK_OPENSSL_PERFORM_SERVER_CERT_VERIFICATION:
        return judge_certificate(route, user, size != 0);
    case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER:
        return add_proof(route, wsi, in, size) ? 0 : -1;
    case LWS_CALLBACK_CLIENT_ESTABLISHED:
        route->taken = gz_stream_take(net->loop, wsi, net->silent_sockets);
        return -1;
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
        if (route->taken == NULL) handle_error(route, wsi, in != NULL ? in : "no answer");
        return 0;
    case LWS_CALLBACK_WSI_DESTROY: handle_destroyed(route); return 0;
    default: return 0;
    }
}

/* ---- reaching the member ---- */

/* Connects to the member's address. */
static void connect_to(struct gz_link_client *route, const char *address)
{
    static const lws_retry_bo_t no_pings = {.secs_since_valid_ping = 0};
    const int tls = LCCSCF_USE_SSL | (is_ipv6(route) ? LCCSCF_SKIP_SERVER_CERT_HOSTNAME_CHECK : 0);
    struct gz_net *net = route->link.net;
    enter_phase(route, GZ_ROUTE_CONNECTING);
    struct lws *wsi = lws_client_connect_via_info(&(struct lws_client_connect_info){
        .context = net->context,
        .vhost = net->relay_vhost,
        .address = address,
        .port = route->port,
        .path = route->path,
        .host = route->authority,
        .protocol = GZ_TRUNK_PROTOCOL,
        .alpn = "http/1.1",
        .ssl_connection = (route->is_tls ? tls : 0) | LCCSCF_HTTP_NO_FOLLOW_REDIRECT,
        .retry_and_idle_policy = &no_pings,
        .opaque_user_data = route,
        .pwsi = &route->wsi,
    });
    if (wsi == NULL) gz_member_link_fail(&route->link, "no member answers at this address");
}

static void handle_address(uv_getaddrinfo_t *lookup, int status, struct addrinfo *list)
{
    struct gz_link_client *route = lookup->data;
    char address[GZ_ADDRESS_TEXT_BYTES] = "";
    route->is_looking_up = false;
    if (status == 0) (void)uv_ip_name(list->ai_addr, address, sizeof address);
    uv_freeaddrinfo(list);
    if (!gz_member_link_is_good(&route->link)) return;
    if (*address == '\0')
        gz_member_link_fail(&route->link, status != 0 ? uv_strerror(status) : "it has no address");
    else
        connect_to(route, address);
}

/* Looks up the member's name on a worker. */
static void reach(struct gz_link_client *route)
{
    static const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG};
    struct gz_address address;
    enter_phase(route, GZ_ROUTE_RESOLVING);
    if (gz_address_parse(route->host, &address)) {
        connect_to(route, route->host);
        return;
    }
    route->lookup.data = route;
    int status = uv_getaddrinfo(route->link.net->loop, &route->lookup, handle_address, route->host,
                                NULL, &hints);
    route->is_looking_up = status == 0;
    if (status != 0) gz_member_link_fail(&route->link, uv_strerror(status));
}

/* Parses http(s)://HOST:PORT/PATH; the path is usually empty. */
static bool read_url(struct gz_link_client *route, const char *url)
{
    char text[GZ_MEMBER_URL_BYTES_MAX + 1];
    const char *scheme, *host, *path, *authority = strstr(url, "://");
    lws_snprintf(route->url, sizeof route->url, "%s", url);
    lws_snprintf(text, sizeof text, "%s", url);
    if (authority == NULL || lws_parse_uri(text, &scheme, &host, &route->port, &path) != 0)
        return false;
    authority += strlen("://");
    size_t size = strlen(path);
    if (size > 0 && path[size - 1] == '/') size--;
    lws_snprintf(route->host, sizeof route->host, "%s", host);
    lws_snprintf(route->authority, sizeof route->authority, "%.*s", (int)strcspn(authority, "/"),
                 authority);
    lws_snprintf(route->path, sizeof route->path, "/%.*s%sws", (int)size, path,
                 size > 0 ? "/" : "");
    route->is_tls = strcmp(scheme, "https") == 0;
    return route->is_tls || strcmp(scheme, "http") == 0;
}

static struct gz_link_client *find(const struct gz_net *net, const char *url)
{
    for (struct gz_member_link *link = net->links; link != NULL; link = link->next) {
        if (link->end == &edge && gz_member_link_is_good(link) &&
            strcmp(route_of(link)->url, url) == 0)
            return route_of(link);
    }
    return NULL;
}

/* Only members are sent a proof: whoever has one could use it at another member. */
static struct gz_link_client *make(struct gz_net *net, const char *url, const char **why)
{
    *why = "its address is not that of a member";
    if (gz_net_member_find(&net->members, url) == NULL) return NULL;
    struct gz_link_client *route = calloc(1, sizeof *route);
    *why = "no memory";
    if (route == NULL) return NULL;
    route->silence_s = -1;
    if (!read_url(route, url)) {
        *why = "the URL of the member is invalid";
        free(route);
        return NULL;
    }
    gz_member_link_init(&route->link, net, &edge);
    reach(route);
    return route;
}

bool gz_link_client_enter(struct gz_relay *relay, const char *url, const char **why)
{
    struct gz_net *net = relay->net;
    struct gz_link_client *route = find(net, url);
    if (route == NULL) route = make(net, url, why);
    if (route == NULL) return false;
    if (is_crowded(route)) {
        *why = "too many clients wait for it";
        return false;
    }
    if (!find_channel(route)) {
        *why = "no memory for a channel";
        return false;
    }
    relay->route = route;
    relay->channel = (uint16_t)route->next_channel++;
    route->relays[relay->channel] = relay;
    route->count++;
    net->relay_count++;
    if (route->phase == GZ_ROUTE_OPEN) gz_relay_open(relay);
    return true;
}

void gz_link_client_keep(struct gz_net *net, const char *url)
{
    const char *why = "";
    if (find(net, url) == NULL && make(net, url, &why) == NULL)
        gz_net_member_say(&net->members, net->log, url, why, gz_awake_now(&net->awake));
}

void gz_link_client_drop(const struct gz_net *net, const char *url, const char *why)
{
    struct gz_link_client *route = find(net, url);
    if (route != NULL && route->count > 0) gz_member_link_fail(&route->link, why);
}

bool gz_link_client_is_heard(const struct gz_net *net, const char *url, double *silence_s)
{
    const struct gz_link_client *route = find(net, url);
    if (route == NULL || route->phase != GZ_ROUTE_OPEN) return false;
    *silence_s = route->silence_s;
    return route->silence_s >= 0 &&
           gz_awake_now(&net->awake) - route->link.heard_s <= GZ_CLUSTER_SILENCE_SECONDS;
}

enum gz_status gz_link_clients_open(struct gz_net *net, struct gz_error *error)
{
    if (net->secret == NULL) return GZ_OK;
    net->relay_protocols[0] =
        (struct lws_protocols){.name = GZ_TRUNK_PROTOCOL, .callback = gz_link_client_callback};
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
               : gz_fail(error, GZ_NO_MEMORY, "connections to other members: no memory");
}
