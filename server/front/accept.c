/* accept.c - connections, from the listening socket to their end. */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "conn/connection.h"
#include "front/caller.h"
#include "front/state.h"
#include "link/relaying.h"
#include "server/maxima.h"

/* ---- arrive ---- */

/* The state of each connection from its beginning to its end: whose it is, and whether
 * it is active. Inactive ones make room for others, and are ended here. */

/* Silent sockets handled at once. */
#define BATCH 64

/* ---- room ---- */

static bool is_full(const struct gz_net *net)
{
    return net->open_count >= GZ_SESSIONS_MAX + GZ_CONNECTIONS_SPARE;
}

static struct gz_arrival *oldest(const struct gz_net *net, enum gz_peer_kind kind)
{
    return (struct gz_arrival *)gz_peers_oldest(&net->peers, kind);
}

/* Whether there is room for one more connection, or an inactive one could make room. */
static bool has_room(const struct gz_net *net)
{
    return !is_full(net) || oldest(net, GZ_PEER_SILENT) != NULL ||
           oldest(net, GZ_PEER_IDLE) != NULL;
}

static void forget(struct gz_net *net, struct gz_arrival *arrival)
{
    gz_peer_leave(&net->peers, &arrival->peer);
    free(arrival);
}

/* No longer counts the connection, although the loop ends it in a later turn. */
static void drop(struct gz_net *net, struct gz_arrival *arrival)
{
    arrival->is_dropped = true;
    if (!arrival->is_channel) net->open_count--;
    gz_peer_become(&net->peers, &arrival->peer, GZ_PEER_BUSY);
}

static bool hang_up(struct gz_net *net, struct gz_arrival *arrival)
{
    if (arrival == NULL) return false;
    drop(net, arrival);
    if (arrival->caller != NULL) {
        gz_caller_close(arrival->caller);
    } else {
        close(arrival->socket);
        forget(net, arrival);
    }
    return true;
}

/* Closes the connection that was inactive for the longest time. False if none is. */
static bool make_room(struct gz_net *net)
{
    bool is_made =
        hang_up(net, oldest(net, GZ_PEER_SILENT)) || hang_up(net, oldest(net, GZ_PEER_IDLE));
    net->counters.dropped += is_made;
    return is_made;
}

bool gz_arrive_make_room_for_session(struct gz_net *net, enum gz_peer_kind kind)
{
    struct gz_arrival *arrival = oldest(net, kind);
    if (arrival == NULL) return false;
    drop(net, arrival);
    arrival->wire->kind->kill(arrival->wire);
    net->counters.dropped++;
    return true;
}

void gz_arrive_sweep(struct gz_net *net)
{
    static const enum gz_peer_kind kinds[] = {GZ_PEER_SILENT, GZ_PEER_IDLE};
    double until_s = gz_awake_now(&net->awake) - GZ_HTTP_SECONDS;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct gz_arrival *arrival;
        while ((arrival = oldest(net, kinds[i])) != NULL && arrival->since_s < until_s)
            hang_up(net, arrival);
    }
}

/* ---- a connection ---- */

/* Without TLS only what a trusted proxy passes on is safe from others on the network. */
static bool may_connect(const struct gz_net *net, const struct gz_address *from, bool is_proxy)
{
    char text[GZ_ADDRESS_TEXT_BYTES];
    if (!net->proxies_only || is_proxy || gz_address_is_loopback(from)) return true;
    gz_address_print(from, text);
    gz_log(net->log, GZ_INFO, 0, "refused a connection from %s, which is not a --trusted-proxy",
           text);
    return false;
}

/* Counts the connection for its address; one of a proxy counts for the client that the proxy
 * names. */
static bool count(struct gz_net *net, struct gz_arrival *arrival)
{
    char text[GZ_ADDRESS_TEXT_BYTES];
    if (arrival->is_proxied || gz_peer_count(&net->peers, &arrival->peer, &arrival->client))
        return true;
    gz_address_print(&arrival->client, text);
    gz_log(net->log, GZ_INFO, 0,
           "refused a connection from %s, which has the most connections that "
           "--connections-per-address allows",
           text);
    return false;
}

static struct gz_arrival *make(struct gz_net *net, const struct sockaddr_storage *from)
{
    struct gz_address address = gz_address_of(from);
    bool is_proxy = gz_address_is_in(&net->proxies, &address);
    struct gz_arrival *arrival =
        may_connect(net, &address, is_proxy) ? calloc(1, sizeof *arrival) : NULL;
    if (arrival == NULL) return NULL;
    arrival->end = arrival->client = address;
    arrival->is_proxied = is_proxy;
    arrival->since_s = gz_awake_now(&net->awake);
    gz_peer_enter(&net->peers, &arrival->peer);
    if (count(net, arrival)) return arrival;
    forget(net, arrival);
    return NULL;
}

static void hand_over(struct gz_net *net, struct gz_arrival *arrival)
{
    epoll_ctl(net->silent_sockets, EPOLL_CTL_DEL, arrival->socket, NULL);
    gz_arrival_become(net, arrival, GZ_PEER_IDLE);
    if (gz_caller_begin(net, arrival)) return;
    close(arrival->socket);
    gz_arrival_leave(net, arrival);
}

static void handle_first_bytes(uv_poll_t *poll, int status, int events)
{
    struct gz_net *net = poll->data;
    struct epoll_event ready[BATCH];
    (void)status;
    (void)events;
    int count = epoll_wait(net->silent_sockets, ready, BATCH, 0);
    for (int i = 0; i < count; i++) hand_over(net, ready[i].data.ptr);
}

/* Makes room, but not by ending this one, which is silent itself. */
static void make_room_beside(struct gz_net *net, struct gz_arrival *arrival)
{
    gz_peer_become(&net->peers, &arrival->peer, GZ_PEER_BUSY);
    (void)make_room(net);
    gz_peer_become(&net->peers, &arrival->peer, GZ_PEER_SILENT);
}

/* Takes a socket over, or closes it. It becomes a caller with its first byte. */
static void take_socket(struct gz_net *net, int socket, const struct sockaddr_storage *from)
{
    struct gz_arrival *arrival = make(net, from);
    struct epoll_event wanted = {.events = EPOLLIN, .data.ptr = arrival};
    if (arrival == NULL || epoll_ctl(net->silent_sockets, EPOLL_CTL_ADD, socket, &wanted) != 0) {
        if (arrival != NULL) forget(net, arrival);
        net->counters.refusals++;
        close(socket);
        return;
    }
    arrival->socket = socket;
    net->open_count++;
    if (net->open_count > GZ_SESSIONS_MAX + GZ_CONNECTIONS_SPARE) make_room_beside(net, arrival);
}

enum gz_status gz_arrive_open(struct gz_net *net, struct gz_error *error)
{
    net->silent_sockets = epoll_create1(EPOLL_CLOEXEC);
    return net->silent_sockets >= 0
               ? GZ_OK
               : gz_fail(error, GZ_INTERNAL, "cannot create an epoll for connections: %s",
                         strerror(errno));
}

void gz_arrive_start(struct gz_net *net)
{
    uv_poll_init(net->loop, &net->first_bytes, net->silent_sockets);
    net->first_bytes.data = net;
    uv_poll_start(&net->first_bytes, UV_READABLE, handle_first_bytes);
}

void gz_arrive_stop(struct gz_net *net)
{
    while (hang_up(net, oldest(net, GZ_PEER_SILENT))) continue;
    uv_close((uv_handle_t *)&net->first_bytes, NULL);
}

/* ---- a client of another member ---- */

static enum gz_status admit_relayed(struct gz_net *net, struct gz_arrival *arrival,
                                    struct gz_error *error)
{
    if (gz_proxy_user_check(net, arrival->user, error) != GZ_OK) return GZ_BAD_VALUE;
    if (net->draining) return gz_fail(error, GZ_BAD_STATE, "the server is going away");
    if (net->channel_count >= net->channels_max &&
        !gz_arrive_make_room_for_session(net, GZ_PEER_RELAYED))
        return gz_fail(error, GZ_TOO_MANY, "too many clients of other members");
    if (!gz_peer_count(&net->peers, &arrival->peer, &arrival->client))
        return gz_fail(error, GZ_RATE_LIMITED, "too many connections from its address");
    return gz_identify_proxied(net, arrival->user, error);
}

/* What an edge says of a client that no proxy has named. */
static bool is_nobody(const char *client)
{
    char text[GZ_ADDRESS_TEXT_BYTES];
    gz_address_print(&gz_address_nobody, text);
    return strcmp(client, text) == 0;
}

struct gz_arrival *gz_arrive_relayed(struct gz_net *net, const char *client, const char *user,
                                     struct gz_error *error)
{
    struct gz_arrival *arrival = calloc(1, sizeof *arrival);
    if (arrival == NULL) {
        (void)gz_fail(error, GZ_NO_MEMORY, "no memory");
        return NULL;
    }
    if (!gz_address_parse(client, &arrival->client) && !is_nobody(client)) {
        (void)gz_fail(error, GZ_BAD_VALUE, "the edge does not say what address the client has");
        free(arrival);
        return NULL;
    }
    if (net->trust_header[0] != '\0') lws_snprintf(arrival->user, sizeof arrival->user, "%s", user);
    arrival->is_relayed = arrival->is_channel = true;
    gz_peer_enter(&net->peers, &arrival->peer);
    gz_peer_become(&net->peers, &arrival->peer, GZ_PEER_BUSY);
    if (admit_relayed(net, arrival, error) != GZ_OK) {
        forget(net, arrival);
        return NULL;
    }
    return arrival;
}

struct gz_arrival *gz_arrive_visitor(struct gz_net *net, const struct gz_arrival *of,
                                     bool is_relayed, struct gz_error *error)
{
    struct gz_arrival *arrival = calloc(1, sizeof *arrival);
    if (arrival == NULL) {
        (void)gz_fail(error, GZ_NO_MEMORY, "no memory");
        return NULL;
    }
    *arrival = (struct gz_arrival){.end = of->end, .client = of->client, .is_relayed = is_relayed};
    memcpy(arrival->user, of->user, sizeof arrival->user);
    net->open_count++;
    gz_peer_enter(&net->peers, &arrival->peer);
    gz_peer_become(&net->peers, &arrival->peer, GZ_PEER_BUSY);
    if (gz_peer_count(&net->peers, &arrival->peer, &arrival->client)) return arrival;
    (void)gz_fail(error, GZ_RATE_LIMITED, "too many connections from your address");
    gz_arrival_leave(net, arrival);
    return NULL;
}

void gz_arrival_leave(struct gz_net *net, struct gz_arrival *arrival)
{
    if (!arrival->is_dropped && !arrival->is_channel) net->open_count--;
    forget(net, arrival);
}

void gz_arrival_print(const struct gz_arrival *arrival, char text[GZ_ADDRESS_TEXT_BYTES])
{
    gz_address_print(arrival->client.bits != 0 ? &arrival->client : &arrival->end, text);
}

/* ---- the kind of peer ---- */

void gz_arrival_become(struct gz_net *net, struct gz_arrival *arrival, enum gz_peer_kind kind)
{
    arrival->since_s = gz_awake_now(&net->awake);
    if (!arrival->is_dropped) gz_peer_become(&net->peers, &arrival->peer, kind);
    if (kind == GZ_PEER_IDLE && (arrival->is_proxied || arrival->is_relayed))
        gz_peer_uncount(&net->peers, &arrival->peer);
}

enum gz_status gz_arrival_read_client(struct gz_caller *caller, struct gz_error *error)
{
    struct gz_arrival *arrival = caller->arrival;
    enum gz_status status = gz_proxy_member(caller, &arrival->is_relayed, &arrival->client, error);
    if (status != GZ_OK || (!arrival->is_proxied && !arrival->is_relayed)) return status;
    if (!arrival->is_relayed) arrival->client = gz_proxy_client(caller);
    if (gz_peer_count(&caller->net->peers, &arrival->peer, &arrival->client)) return GZ_OK;
    return gz_fail(error, GZ_RATE_LIMITED,
                   arrival->client.bits != 0
                       ? "your address has too many connections: close some of them"
                       : "too many connections of clients whose address the proxy does not say");
}

/* ---- listen ---- */

/* The listening socket: binding it, and accepting connections while there is room. */

/* Connections accepted at once, before other work. */
#define ACCEPT_BATCH 64

/* Accepted sockets inherit these options. The kernel's timeout is longer than ours; a WebSocket has
 * none (stream.c). */
static bool set_options(int fd, int family, double silence_s)
{
    int on = 1, send_bytes = GZ_SOCKET_SEND_BYTES, waiting_bytes = GZ_SOCKET_WAITING_BYTES;
    int silence_ms = (int)((silence_s + 2 * GZ_FAREWELL_SECONDS) * 1000);
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0) return false;
    if (family == AF_INET6 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) != 0)
        return false;
    return setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &send_bytes, sizeof send_bytes) == 0 &&
           setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &waiting_bytes, sizeof waiting_bytes) ==
               0 &&
           setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0 &&
           setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &silence_ms, sizeof silence_ms) == 0;
}

static int listen_on(const struct addrinfo *info, double silence_s)
{
    int fd = socket(info->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    if (set_options(fd, info->ai_family, silence_s) &&
        bind(fd, info->ai_addr, info->ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0) {
        return fd;
    }
    int reason = errno;
    close(fd);
    errno = reason;
    return -1;
}

/* IPv4 before IPv6, so that "localhost" is 127.0.0.1. */
static int listen_on_any(const struct addrinfo *list, double silence_s)
{
    static const int families[] = {AF_INET, AF_INET6};
    int fd = -1;
    for (size_t i = 0; i < sizeof families / sizeof families[0] && fd < 0; i++) {
        for (const struct addrinfo *info = list; info != NULL && fd < 0; info = info->ai_next) {
            if (info->ai_family == families[i]) fd = listen_on(info, silence_s);
        }
    }
    return fd;
}

static bool print_address(const struct sockaddr_storage *address, char *text, size_t size)
{
    char host[64], port[16];
    if (getnameinfo((const struct sockaddr *)address, sizeof *address, host, sizeof host, port,
                    sizeof port, NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
        return false;
    }
    lws_snprintf(text, size, address->ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
    return true;
}

/* Replaces "every address", which a browser cannot open, by loopback. */
static void make_local(struct sockaddr_storage *address)
{
    struct sockaddr_in *v4 = (struct sockaddr_in *)address;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)address;
    if (address->ss_family == AF_INET && v4->sin_addr.s_addr == htonl(INADDR_ANY)) {
        v4->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    } else if (address->ss_family == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&v6->sin6_addr)) {
        v6->sin6_addr = in6addr_loopback;
    }
}

static bool name_address(struct gz_net *net)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    if (getsockname(net->socket, (struct sockaddr *)&address, &size) != 0) return false;
    if (!print_address(&address, net->address, sizeof net->address)) return false;
    make_local(&address);
    return print_address(&address, net->local_address, sizeof net->local_address);
}

enum gz_status gz_listen_open(struct gz_net *net, const char *address, uint16_t port,
                              struct gz_error *error)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV},
                    *list = NULL;
    char service[8];
    lws_snprintf(service, sizeof service, "%u", (unsigned)port);
    int failure = getaddrinfo(address, service, &hints, &list);
    if (failure != 0) {
        return gz_fail(error, GZ_INTERNAL, "cannot listen on %s port %u: %s", address,
                       (unsigned)port, gai_strerror(failure));
    }
    net->socket = listen_on_any(list, net->silence_s);
    int reason = errno;
    freeaddrinfo(list);
    if (net->socket < 0 || !name_address(net)) {
        return gz_fail(error, GZ_INTERNAL, "cannot listen on %s port %u: %s", address,
                       (unsigned)port, strerror(reason));
    }
    return GZ_OK;
}

static void stop_accepting(struct gz_net *net)
{
    uv_poll_stop(&net->listener);
    net->accepting = false;
}

static void handle_listener(uv_poll_t *listener, int status, int events)
{
    struct gz_net *net = listener->data;
    (void)status;
    (void)events;
    for (int i = 0; i < ACCEPT_BATCH; i++) {
        if (!has_room(net)) {
            stop_accepting(net);
            return;
        }
        struct sockaddr_storage from;
        socklen_t size = sizeof from;
        int fd =
            accept4(net->socket, (struct sockaddr *)&from, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            take_socket(net, fd, &from);
            continue;
        }
        if (errno == EINTR || errno == ECONNABORTED) continue;
        bool has_none_left = errno == EMFILE || errno == ENFILE;
        if (has_none_left && make_room(net)) return;
        if (errno != EAGAIN) {
            gz_log(net->log, GZ_WARN, 0, "cannot accept a connection: %s", strerror(errno));
            stop_accepting(
                net); /* until the next sweep, because a lack of descriptors or memory lasts */
        }
        return;
    }
}

void gz_listen_resume(struct gz_net *net)
{
    if (net->accepting || net->draining || net->socket < 0 || !has_room(net)) return;
    net->accepting = uv_poll_start(&net->listener, UV_READABLE, handle_listener) == 0;
}

void gz_listen_close(struct gz_net *net)
{
    if (net->socket < 0) return;
    stop_accepting(net);
    close(net->socket);
    net->socket = -1;
}
