/* tunnel.c - carries a socket's bytes through TLS. See tunnel.h. */
#include "support/tunnel.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/cmocka.h"

#define PIECE_BYTES (16 * 1024)

/* What goes one way and was not taken yet. */
struct piece {
    char bytes[PIECE_BYTES];
    size_t size, sent;
};

struct tunnel {
    SSL *tls;
    int near, far; /* the test's, and the server's */
    struct piece out, in;
    bool near_ended, far_ended;
};

/* ---- carrying ---- */

static bool is_empty(const struct piece *piece)
{
    return piece->sent == piece->size;
}

/* The result of an operation of OpenSSL: true for some bytes; else *is_end says if it is over. */
static bool moved(struct tunnel *tunnel, int count, bool *is_end)
{
    if (count > 0) return true;
    int reason = SSL_get_error(tunnel->tls, count);
    *is_end |= reason != SSL_ERROR_WANT_READ && reason != SSL_ERROR_WANT_WRITE;
    return false;
}

static void carry_out(struct tunnel *tunnel)
{
    struct piece *piece = &tunnel->out;
    if (is_empty(piece) && !tunnel->near_ended) {
        ssize_t count = recv(tunnel->near, piece->bytes, sizeof piece->bytes, MSG_DONTWAIT);
        if (count < 0 && errno == EAGAIN) return;
        tunnel->near_ended = count <= 0;
        piece->sent = 0;
        piece->size = count > 0 ? (size_t)count : 0;
    }
    if (is_empty(piece)) return;
    ERR_clear_error();
    int count =
        SSL_write(tunnel->tls, piece->bytes + piece->sent, (int)(piece->size - piece->sent));
    if (moved(tunnel, count, &tunnel->far_ended)) piece->sent += (size_t)count;
}

static void carry_in(struct tunnel *tunnel)
{
    struct piece *piece = &tunnel->in;
    if (is_empty(piece)) {
        ERR_clear_error();
        int count = SSL_read(tunnel->tls, piece->bytes, sizeof piece->bytes);
        piece->size = piece->sent = 0;
        if (moved(tunnel, count, &tunnel->far_ended)) piece->size = (size_t)count;
    }
    if (is_empty(piece)) return;
    ssize_t count = send(tunnel->near, piece->bytes + piece->sent, piece->size - piece->sent,
                         MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count > 0) piece->sent += (size_t)count;
    if (count < 0 && errno != EAGAIN) tunnel->near_ended = true;
}

static void wait_for_either(struct tunnel *tunnel)
{
    bool reads_far = is_empty(&tunnel->in), reads_near = is_empty(&tunnel->out);
    if (reads_far && SSL_pending(tunnel->tls) > 0) return;
    struct pollfd ready[2] = {
        {.fd = tunnel->near,
         .events = (short)((reads_near ? POLLIN : 0) | (reads_far ? 0 : POLLOUT))},
        {.fd = tunnel->far,
         .events = (short)((reads_far ? POLLIN : 0) | (reads_near ? 0 : POLLOUT))}};
    (void)poll(ready, 2, -1);
}

static void *carry(void *context)
{
    struct tunnel *tunnel = context;
    while (!tunnel->near_ended && !(tunnel->far_ended && is_empty(&tunnel->in))) {
        wait_for_either(tunnel);
        if (!tunnel->far_ended) carry_out(tunnel);
        carry_in(tunnel);
    }
    close(tunnel->near);
    if (!tunnel->far_ended) (void)SSL_shutdown(tunnel->tls);
    SSL_free(tunnel->tls);
    close(tunnel->far);
    free(tunnel);
    return NULL;
}

/* ---- opening ---- */

static int connect_to(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int on = 1, far = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_true(far >= 0);
    if (connect(far, (struct sockaddr *)&address, sizeof address) != 0)
        fail_msg("connect: %s", strerror(errno));
    assert_int_equal(setsockopt(far, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), 0);
    return far;
}

static SSL *new_connection(int far, const char *ca, int version_max)
{
    static const unsigned char protocols[] = "\x02h2\x08http/1.1";
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    assert_non_null(context);
    assert_int_equal(SSL_CTX_load_verify_file(context, ca), 1);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    /* OpenSSL would refuse TLS 1.1 here, but the daemon has to do it. */
    if (version_max != 0) SSL_CTX_set_security_level(context, 0);
    SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
    SSL_CTX_set_max_proto_version(context, version_max);
    SSL *tls = SSL_new(context);
    assert_non_null(tls);
    SSL_CTX_free(context);
    SSL_set_alpn_protos(tls, protocols, sizeof protocols - 1);
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls), "127.0.0.1");
    SSL_set_fd(tls, far);
    return tls;
}

static void describe(SSL *tls, struct tunnel_peer *peer)
{
    const unsigned char *protocol;
    unsigned size;
    X509 *certificate = SSL_get0_peer_certificate(tls);
    peer->version = SSL_version(tls);
    X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, peer->subject,
                              sizeof peer->subject);
    SSL_get0_alpn_selected(tls, &protocol, &size);
    snprintf(peer->protocol, sizeof peer->protocol, "%.*s", (int)size, (const char *)protocol);
    snprintf(peer->cipher, sizeof peer->cipher, "%s", SSL_get_cipher_name(tls));
}

static int start(SSL *tls, int far)
{
    int ends[2];
    pthread_t thread;
    struct tunnel *tunnel = calloc(1, sizeof *tunnel);
    assert_non_null(tunnel);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    assert_int_equal(fcntl(far, F_SETFL, O_NONBLOCK), 0);
    *tunnel = (struct tunnel){.tls = tls, .near = ends[1], .far = far};
    signal(SIGPIPE, SIG_IGN); /* OpenSSL writes without asking for silence */
    assert_int_equal(pthread_create(&thread, NULL, carry, tunnel), 0);
    pthread_detach(thread);
    return ends[0];
}

int tunnel_open(int port, const char *ca, int version_max, struct tunnel_peer *peer)
{
    int far = connect_to(port);
    SSL *tls = new_connection(far, ca, version_max);
    if (peer != NULL) *peer = (struct tunnel_peer){.version = 0};
    ERR_clear_error();
    if (SSL_connect(tls) == 1) {
        if (peer != NULL) describe(tls, peer);
        return start(tls, far);
    }
    const char *refusal = ERR_reason_error_string(ERR_peek_last_error());
    if (peer != NULL) peer->refusal = refusal != NULL ? refusal : "the connection ended";
    SSL_free(tls);
    close(far);
    return -1;
}
