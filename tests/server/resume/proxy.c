/* proxy.c - a network that cuts and stalls connections at random. See proxy.h. */
#include "proxy.h"

#include <arpa/inet.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/chance.h"
#include "support/clock.h"
#include "support/cmocka.h"

#define PAIRS_MAX 64
#define PIECE_BYTES 16384
#define TICK_MS 2           /* how late a pause may end */
#define LONG_LIFE 8         /* one of so many */
#define HANDSHAKE_BYTES 512 /* who says goodbye has been answered as many */
#define PAUSE_MS_MAX 60
#define LIFE_MS_MAX 150 /* a fate comes after so long, too */

/* One connection, carried. */
struct pair {
    int client, server; /* -1 where there is none */
    enum proxy_fate fate;
    uint64_t left; /* bytes from the server until then */
    uint64_t carried;
    double ends_s;   /* the latest moment for it */
    double paused_s; /* until when nothing goes through; 0: it does */
};

struct proxy {
    pthread_t thread;
    pthread_mutex_t mutex; /* for what follows, up to the next empty line */
    bool foul, ends;
    uint64_t counts[PROXY_FATES];

    int listener, daemon_port;
    char url[64];
    uint64_t random, bits_min, bits_max;
    struct pair pairs[PAIRS_MAX];
};

static bool is_foul(struct proxy *proxy)
{
    pthread_mutex_lock(&proxy->mutex);
    bool foul = proxy->foul;
    pthread_mutex_unlock(&proxy->mutex);
    return foul;
}

/* ---- a connection ---- */

static void choose_fate(struct proxy *proxy, struct pair *pair)
{
    /* Most lives are short; some are long enough for whoever fell far behind. */
    uint64_t longer = chance_below(&proxy->random, LONG_LIFE) == 0 ? 3 : 0;
    uint64_t bits =
        proxy->bits_min + chance_below(&proxy->random, proxy->bits_max + longer - proxy->bits_min);
    pair->ends_s = now_s() + 1e-3 * (double)(chance_below(&proxy->random, LIFE_MS_MAX) << longer);
    pair->left = (UINT64_C(1) << bits) + chance_below(&proxy->random, UINT64_C(1) << bits);
    pair->fate = (enum proxy_fate)chance_below(&proxy->random, PROXY_FATES);
}

static void end_pair(struct pair *pair, bool reset)
{
    struct linger at_once = {.l_onoff = 1};
    const int ends[2] = {pair->client, pair->server};
    for (int i = 0; i < 2; i++) {
        if (reset) setsockopt(ends[i], SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        close(ends[i]);
    }
    pair->client = pair->server = -1;
}

static bool write_all(int socket, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t wrote = send(socket, bytes, size, MSG_NOSIGNAL);
        if (wrote <= 0) return false;
        bytes += wrote;
        size -= (size_t)wrote;
    }
    return true;
}

/* Carries what is there, at most `size`; how much, 0 at the end of the connection. */
static size_t carry(int from, int to, size_t size)
{
    char bytes[PIECE_BYTES];
    ssize_t got = recv(from, bytes, size < sizeof bytes ? size : sizeof bytes, 0);
    return got > 0 && write_all(to, bytes, (size_t)got) ? (size_t)got : 0;
}

static void meet_fate(struct proxy *proxy, struct pair *pair)
{
    /* FIN, close, masked with zeros: 1000, normal. Nobody here is in the middle of a frame of its
     * own. */
    static const char goodbye[] = {(char)0x88, (char)0x82, 0, 0, 0, 0, 0x03, (char)0xe8};
    enum proxy_fate fate = pair->fate;
    if (fate == PROXY_CLOSE && pair->carried < HANDSHAKE_BYTES) fate = PROXY_END;
    pthread_mutex_lock(&proxy->mutex);
    proxy->counts[fate]++;
    pthread_mutex_unlock(&proxy->mutex);
    choose_fate(proxy, pair);
    switch (fate) {
    case PROXY_END: end_pair(pair, false); break;
    case PROXY_RESET: end_pair(pair, true); break;
    case PROXY_STALL: pair->fate = PROXY_END, pair->left = 0; /* fall through */
    case PROXY_DELAY:
        pair->paused_s = now_s() + 1e-3 * (double)chance_below(&proxy->random, PAUSE_MS_MAX);
        break;
    default: (void)write_all(pair->server, goodbye, sizeof goodbye); break;
    }
}

static void serve(struct proxy *proxy, struct pair *pair, bool from_client, bool from_server,
                  bool foul)
{
    if (pair->paused_s > 0) {
        if (foul && now_s() < pair->paused_s) return;
        pair->paused_s = 0;
        if (foul && pair->left == 0) meet_fate(proxy, pair);
        return; /* what is to be read is said by the next poll */
    }
    if (from_client && carry(pair->client, pair->server, PIECE_BYTES) == 0) {
        end_pair(pair, false);
        return;
    }
    if (foul && now_s() > pair->ends_s) {
        meet_fate(proxy, pair);
        return;
    }
    if (!from_server) return;
    size_t got = carry(pair->server, pair->client, foul ? pair->left : PIECE_BYTES);
    if (got == 0) {
        end_pair(pair, false);
        return;
    }
    if (!foul) return;
    pair->left -= got;
    pair->carried += got;
    if (pair->left == 0) meet_fate(proxy, pair);
}

/* ---- all of them ---- */

static void accept_one(struct proxy *proxy)
{
    int client = accept4(proxy->listener, NULL, NULL, SOCK_CLOEXEC);
    int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)proxy->daemon_port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    size_t at = 0;
    while (at < PAIRS_MAX && proxy->pairs[at].client != -1) at++;
    if (client == -1 || at == PAIRS_MAX ||
        connect(server, (struct sockaddr *)&address, sizeof address) != 0) {
        if (client != -1) close(client);
        close(server);
        return;
    }
    const int one = 1;
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    proxy->pairs[at] = (struct pair){.client = client, .server = server};
    choose_fate(proxy, &proxy->pairs[at]);
}

static void turn(struct proxy *proxy)
{
    struct pollfd ready[1 + 2 * PAIRS_MAX] = {{.fd = proxy->listener, .events = POLLIN}};
    for (size_t i = 0; i < PAIRS_MAX; i++) {
        const struct pair *pair = &proxy->pairs[i];
        bool listens = pair->paused_s == 0; /* poll passes over descriptors below 0 */
        ready[1 + 2 * i] = (struct pollfd){.fd = listens ? pair->client : -1, .events = POLLIN};
        ready[2 + 2 * i] = (struct pollfd){.fd = listens ? pair->server : -1, .events = POLLIN};
    }
    if (poll(ready, sizeof ready / sizeof ready[0], TICK_MS) < 0) return;
    bool foul = is_foul(proxy);
    for (size_t i = 0; i < PAIRS_MAX; i++) {
        if (proxy->pairs[i].client == -1) continue;
        serve(proxy, &proxy->pairs[i], ready[1 + 2 * i].revents != 0, ready[2 + 2 * i].revents != 0,
              foul);
    }
    if (ready[0].revents != 0) accept_one(proxy);
}

static void *run(void *context)
{
    struct proxy *proxy = context;
    for (bool ends = false; !ends;) {
        turn(proxy);
        pthread_mutex_lock(&proxy->mutex);
        ends = proxy->ends;
        pthread_mutex_unlock(&proxy->mutex);
    }
    for (size_t i = 0; i < PAIRS_MAX; i++)
        if (proxy->pairs[i].client != -1) end_pair(&proxy->pairs[i], false);
    return NULL;
}

struct proxy *proxy_start(int daemon_port, uint64_t bits_min, uint64_t bits_max, uint64_t seed)
{
    struct proxy *proxy = calloc(1, sizeof *proxy);
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    assert_non_null(proxy);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    proxy->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(proxy->listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(proxy->listener, PAIRS_MAX), 0);
    assert_int_equal(getsockname(proxy->listener, (struct sockaddr *)&address, &size), 0);
    snprintf(proxy->url, sizeof proxy->url, "ws://127.0.0.1:%d/ws", ntohs(address.sin_port));
    proxy->daemon_port = daemon_port;
    proxy->bits_min = bits_min;
    proxy->bits_max = bits_max;
    proxy->random = seed;
    for (size_t i = 0; i < PAIRS_MAX; i++) proxy->pairs[i].client = proxy->pairs[i].server = -1;
    pthread_mutex_init(&proxy->mutex, NULL);
    assert_int_equal(pthread_create(&proxy->thread, NULL, run, proxy), 0);
    return proxy;
}

void proxy_finish(struct proxy *proxy)
{
    if (proxy == NULL) return;
    pthread_mutex_lock(&proxy->mutex);
    proxy->ends = true;
    pthread_mutex_unlock(&proxy->mutex);
    pthread_join(proxy->thread, NULL);
    pthread_mutex_destroy(&proxy->mutex);
    close(proxy->listener);
    free(proxy);
}

const char *proxy_url(const struct proxy *proxy)
{
    return proxy->url;
}

void proxy_set_foul(struct proxy *proxy, bool foul)
{
    pthread_mutex_lock(&proxy->mutex);
    proxy->foul = foul;
    pthread_mutex_unlock(&proxy->mutex);
}

uint64_t proxy_count(struct proxy *proxy, enum proxy_fate fate)
{
    pthread_mutex_lock(&proxy->mutex);
    uint64_t count = proxy->counts[fate];
    pthread_mutex_unlock(&proxy->mutex);
    return count;
}
