/* tcp.c - TCP and TLS to a server. See tcp.h. */
#include "tcp.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "trust.h"

#define NO_ANSWER "no server answers at this address"
/* For an address of a host that has another one. */
#define ADDRESS_SECONDS 3.0

struct gz_tcp {
    const struct gz_url *url;
    const char *ca;
    struct addrinfo *addresses, *address; /* address: the one that is tried */
    double begun_s;                       /* when it was */
    int socket;
    bool is_connected; /* by TCP */
    SSL *tls;          /* NULL without */
    bool tls_wants_write;
    enum gz_tcp_state state;
    char why[GZ_ERROR_BYTES_MAX];
};

double gz_tcp_now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void end(struct gz_tcp *stream, const char *why)
{
    if (stream->state == GZ_TCP_OVER) return;
    stream->state = GZ_TCP_OVER;
    gz_print(stream->why, sizeof stream->why, "%s", why);
}

/* ---- TLS over a socket, which must not raise SIGPIPE in a program that knows nothing of it ----
 */

static int bio_write(BIO *bio, const char *bytes, int size)
{
    struct gz_tcp *stream = BIO_get_data(bio);
    ssize_t sent = send(stream->socket, bytes, (size_t)size, MSG_NOSIGNAL);
    BIO_clear_retry_flags(bio);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
    return (int)sent;
}

static int bio_read(BIO *bio, char *bytes, int size)
{
    struct gz_tcp *stream = BIO_get_data(bio);
    ssize_t got = recv(stream->socket, bytes, (size_t)size, 0);
    BIO_clear_retry_flags(bio);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
    return (int)got;
}

static long bio_ctrl(BIO *bio, int command, long number, void *pointer)
{
    (void)bio, (void)number, (void)pointer;
    return command == BIO_CTRL_FLUSH;
}

/* The methods live as long as the BIO that has them as its data. */
static BIO *new_bio(struct gz_tcp *stream, BIO_METHOD **method)
{
    *method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "gizmo-client");
    if (*method == NULL) return NULL;
    BIO_meth_set_write(*method, bio_write);
    BIO_meth_set_read(*method, bio_read);
    BIO_meth_set_ctrl(*method, bio_ctrl);
    BIO *bio = BIO_new(*method);
    if (bio == NULL) return NULL;
    BIO_set_data(bio, stream);
    BIO_set_init(bio, 1);
    return bio;
}

/* One method for a process would be a global that nobody frees. */
static void free_tls(struct gz_tcp *stream)
{
    if (stream->tls == NULL) return;
    BIO_METHOD *method = SSL_get_app_data(stream->tls);
    SSL_free(stream->tls);
    BIO_meth_free(method);
    stream->tls = NULL;
}

static bool begin_tls(struct gz_tcp *stream)
{
    static const unsigned char alpn[] = "\x08http/1.1";
    SSL_CTX *context = gz_trust_context(stream->ca);
    stream->tls = context != NULL ? SSL_new(context) : NULL;
    SSL_CTX_free(context);
    BIO_METHOD *method = NULL;
    BIO *bio = stream->tls != NULL ? new_bio(stream, &method) : NULL;
    if (bio == NULL) {
        BIO_meth_free(method);
        SSL_free(stream->tls);
        stream->tls = NULL;
        return false;
    }
    SSL_set_app_data(stream->tls, method);
    SSL_set_bio(stream->tls, bio, bio);
    (void)SSL_set_alpn_protos(stream->tls, alpn, sizeof alpn - 1);
    return gz_trust_only(stream->tls, stream->url);
}

static void end_untrusted(struct gz_tcp *stream)
{
    char why[GZ_ERROR_BYTES_MAX];
    gz_trust_words(stream->tls, stream->url, why, sizeof why);
    end(stream, why);
}

/* What a call of OpenSSL means that did not go through: 0 for later, or -1. */
static int later(struct gz_tcp *stream, int result, const char *why)
{
    int error = SSL_get_error(stream->tls, result);
    ERR_clear_error();
    stream->tls_wants_write = error == SSL_ERROR_WANT_WRITE;
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return 0;
    if (why != NULL)
        end(stream, why);
    else
        end_untrusted(stream);
    return -1;
}

/* ---- connecting ---- */

static void drop_socket(struct gz_tcp *stream)
{
    free_tls(stream);
    if (stream->socket >= 0) close(stream->socket);
    stream->socket = -1;
    stream->is_connected = false;
}

/* Begins with the present address, or with the first one behind it that takes a socket. */
static void begin(struct gz_tcp *stream)
{
    for (; stream->address != NULL; stream->address = stream->address->ai_next) {
        const struct addrinfo *address = stream->address;
        drop_socket(stream);
        stream->begun_s = gz_tcp_now_s();
        stream->socket =
            socket(address->ai_family, address->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (stream->socket < 0) continue;
        (void)setsockopt(stream->socket, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
        if (connect(stream->socket, address->ai_addr, address->ai_addrlen) == 0 ||
            errno == EINPROGRESS)
            return;
    }
    drop_socket(stream);
    end(stream, NO_ANSWER);
}

static void begin_next(struct gz_tcp *stream)
{
    stream->address = stream->address->ai_next;
    begin(stream);
}

struct gz_tcp *gz_tcp_open(const struct gz_url *url, const char *ca)
{
    struct gz_tcp *stream = calloc(1, sizeof *stream);
    if (stream == NULL) return NULL;
    *stream = (struct gz_tcp){.url = url, .ca = ca, .socket = -1};
    char port[16];
    snprintf(port, sizeof port, "%d", url->port);
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    int failed = getaddrinfo(url->host, port, &hints, &stream->addresses);
    if (failed != 0) {
        char why[GZ_ERROR_BYTES_MAX];
        gz_print(why, sizeof why, "the host %s is not known: %s", url->host, gai_strerror(failed));
        end(stream, why);
        return stream;
    }
    stream->address = stream->addresses;
    begin(stream);
    return stream;
}

void gz_tcp_close(struct gz_tcp *stream)
{
    if (stream == NULL) return;
    if (stream->tls != NULL && stream->state == GZ_TCP_STANDS) (void)SSL_shutdown(stream->tls);
    ERR_clear_error();
    drop_socket(stream);
    if (stream->addresses != NULL) freeaddrinfo(stream->addresses);
    free(stream);
}

/* Whether the socket is connected. Goes on to the next address if it cannot be. */
static bool connect_socket(struct gz_tcp *stream)
{
    if (stream->is_connected) return true;
    struct pollfd wanted = {.fd = stream->socket, .events = POLLOUT};
    int error = 0;
    if (poll(&wanted, 1, 0) > 0) {
        (void)getsockopt(stream->socket, SOL_SOCKET, SO_ERROR, &error, &(socklen_t){sizeof error});
        stream->is_connected = error == 0;
        if (error != 0) begin_next(stream);
    } else if (stream->address->ai_next != NULL &&
               gz_tcp_now_s() >= stream->begun_s + ADDRESS_SECONDS) {
        begin_next(stream);
    }
    if (!stream->is_connected) return false;
    if (stream->url->tls && !begin_tls(stream)) end(stream, "no memory for TLS");
    return stream->state == GZ_TCP_CONNECTING;
}

enum gz_tcp_state gz_tcp_go_on(struct gz_tcp *stream)
{
    if (stream->state != GZ_TCP_CONNECTING || !connect_socket(stream)) return stream->state;
    int done = stream->tls != NULL ? SSL_connect(stream->tls) : 1;
    if (done == 1)
        stream->state = GZ_TCP_STANDS;
    else
        (void)later(stream, done, NULL);
    return stream->state;
}

const char *gz_tcp_why(const struct gz_tcp *stream)
{
    return stream->why;
}

int gz_tcp_fd(const struct gz_tcp *stream)
{
    return stream->socket;
}

/* ---- bytes ---- */

static ssize_t over(struct gz_tcp *stream, const char *why)
{
    end(stream, why);
    return -1;
}

ssize_t gz_tcp_read(struct gz_tcp *stream, void *bytes, size_t size)
{
    static const char why[] = "the server closed the connection";
    if (stream->state != GZ_TCP_STANDS) return -1;
    if (size > INT_MAX) size = INT_MAX;
    if (stream->tls != NULL) {
        int got = SSL_read(stream->tls, bytes, (int)size);
        return got > 0 ? got : later(stream, got, why);
    }
    ssize_t got = recv(stream->socket, bytes, size, 0);
    if (got > 0) return got;
    return got < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : over(stream, why);
}

ssize_t gz_tcp_write(struct gz_tcp *stream, const void *bytes, size_t size)
{
    static const char why[] = "the connection broke while sending";
    if (stream->state != GZ_TCP_STANDS) return -1;
    if (size > INT_MAX) size = INT_MAX;
    if (stream->tls != NULL) {
        int sent = SSL_write(stream->tls, bytes, (int)size);
        return sent > 0 ? sent : later(stream, sent, why);
    }
    ssize_t sent = send(stream->socket, bytes, size, MSG_NOSIGNAL);
    if (sent >= 0) return sent;
    /* A server that has hung up may have said why: gz_tcp_read comes to the end. */
    const bool is_told = errno == EPIPE || errno == ECONNRESET;
    return is_told || errno == EAGAIN || errno == EINTR ? 0 : over(stream, why);
}

bool gz_tcp_holds(const struct gz_tcp *stream)
{
    return stream->tls != NULL && SSL_pending(stream->tls) > 0;
}

void gz_tcp_wait(const struct gz_tcp *stream, bool reads, bool writes, double deadline)
{
    if (stream->state == GZ_TCP_OVER || (reads && gz_tcp_holds(stream))) return;
    const bool connects = stream->state == GZ_TCP_CONNECTING;
    if (connects) reads = stream->is_connected;
    if (connects) writes = !stream->is_connected;
    if (connects && stream->address->ai_next != NULL)
        deadline = fmin(deadline, stream->begun_s + ADDRESS_SECONDS);
    writes |= stream->tls_wants_write;
    struct pollfd wanted = {.fd = stream->socket,
                            .events = (short)((reads ? POLLIN : 0) | (writes ? POLLOUT : 0))};
    double left_ms = ceil(1e3 * (deadline - gz_tcp_now_s()));
    (void)poll(&wanted, 1, left_ms <= 0 ? 0 : (int)fmin(left_ms, 1e9));
}
