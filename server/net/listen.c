/* The listening socket: binding it, and accepting connections while there is room. */
#include "net/internal.h"
#include "server/maxima.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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
        if (!gz_arrive_has_room(net)) {
            stop_accepting(net);
            return;
        }
        struct sockaddr_storage from;
        socklen_t size = sizeof from;
        int fd =
            accept4(net->socket, (struct sockaddr *)&from, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            gz_arrive(net, fd, &from);
            continue;
        }
        if (errno == EINTR || errno == ECONNABORTED) continue;
        bool has_none_left = errno == EMFILE || errno == ENFILE;
        if (has_none_left && gz_arrive_make_room(net)) return;
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
    if (net->accepting || net->draining || net->socket < 0 || !gz_arrive_has_room(net)) return;
    net->accepting = uv_poll_start(&net->listener, UV_READABLE, handle_listener) == 0;
}

void gz_listen_close(struct gz_net *net)
{
    if (net->socket < 0) return;
    stop_accepting(net);
    close(net->socket);
    net->socket = -1;
}
