/* How many connections there may be: of one address, and of those that say nothing. */
#include <stdlib.h>

#include "net_fixture.h"
#include "server/maxima.h"

#define PER_ADDRESS 3
#define JOIN "Sec-WebSocket-Protocol: gizmod.v1\r\n"

static struct net_fixture fixture;

/* The status of a handshake that the proxy, which is this program, makes for a client. */
static int shake(int socket, const char *client)
{
    char headers[256];
    snprintf(headers, sizeof headers, JOIN "X-Forwarded-For: %s\r\n", client);
    return raw_handshake(socket, fixture.daemon.port, "/ws", headers);
}

static int try_once(const char *client)
{
    int socket = raw_connect(fixture.daemon.port);
    int status = shake(socket, client);
    close(socket);
    return status;
}

/* The ends of earlier connections come in their own time. */
static int try_until(const char *client, int status)
{
    int last = 0;
    for (int i = 0; i < 1200 && (last = try_once(client)) != status; i++) usleep(50000);
    return last;
}

TEST(test_address_has_so_many_connections_and_no_more)
{
    int sockets[PER_ADDRESS];
    struct raw_response response;
    for (size_t i = 0; i < PER_ADDRESS; i++) {
        sockets[i] = raw_connect(fixture.daemon.port);
        assert_int_equal(shake(sockets[i], "198.51.100.1"), 101);
    }
    assert_int_equal(try_once("198.51.100.1"), 429);
    assert_int_equal(try_once("::ffff:198.51.100.1"), 429);
    assert_int_equal(try_once("198.51.100.2"), 101);
    raw_request(fixture.daemon.port, "GET", "/healthz", "X-Forwarded-For: 198.51.100.1\r\n", "", 0,
                &response);
    assert_int_equal(response.status, 429);
    assert_non_null(strstr(response.body, "your address has too many connections"));
    assert_non_null(strcasestr(response.head, "\r\nretry-after: "));
    net_fixture_assert_unharmed(&fixture);
    close(sockets[0]);
    assert_int_equal(try_until("198.51.100.1", 101), 101);
    for (size_t i = 1; i < PER_ADDRESS; i++) close(sockets[i]);
}

/* What a customer has of IPv6 is one network. */
TEST(test_network_of_ipv6_counts_as_one_address)
{
    static const char *const clients[PER_ADDRESS] = {"2001:db8::1", "2001:db8::2:3",
                                                     "2001:db8:0:0:ffff::"};
    int sockets[PER_ADDRESS];
    for (size_t i = 0; i < PER_ADDRESS; i++) {
        sockets[i] = raw_connect(fixture.daemon.port);
        assert_int_equal(shake(sockets[i], clients[i]), 101);
    }
    assert_int_equal(try_once("2001:db8::4"), 429);
    assert_int_equal(try_once("2001:db8:0:1::1"), 101);
    for (size_t i = 0; i < PER_ADDRESS; i++) close(sockets[i]);
}

TEST(test_loopback_has_any_number)
{
    int sockets[4 * PER_ADDRESS];
    size_t count = sizeof sockets / sizeof sockets[0];
    for (size_t i = 0; i < count; i++) {
        sockets[i] = raw_connect(fixture.daemon.port);
        assert_int_equal(shake(sockets[i], "127.0.0.1"), 101);
    }
    for (size_t i = 0; i < count; i++) close(sockets[i]);
}

/* ---- silence ---- */

static long metric(const char *name)
{
    struct raw_response response;
    raw_request(fixture.daemon.port, "GET", "/metrics", "", "", 0, &response);
    const char *at = strstr(response.body, name);
    assert_non_null(at);
    return strtol(at + strlen(name), NULL, 10);
}

/* More than there is room for say nothing, half of them not even a whole request: the oldest go,
 * and whoever says something is served. */
TEST(test_silent_connections_make_room)
{
    size_t count = GZ_SESSIONS_MAX + 2 * GZ_CONNECTIONS_SPARE;
    int *sockets = malloc(count * sizeof *sockets);
    assert_non_null(sockets);
    raw_allow_descriptors();
    long dropped = metric("\ngizmod_connections_dropped_total ");
    for (size_t i = 0; i < count; i++) {
        sockets[i] = raw_connect_plain(fixture.daemon.port);
        if (i % 4 == 0) (void)raw_send_text(sockets[i], "GET /healthz HT");
    }
    int editor = net_fixture_join(&fixture, "room", "anna");
    assert_true(metric("\ngizmod_connections_dropped_total ") >= dropped + GZ_CONNECTIONS_SPARE);
    assert_true(metric("\ngizmod_connections ") <= GZ_SESSIONS_MAX + GZ_CONNECTIONS_SPARE);
    net_fixture_assert_unharmed(&fixture);
    for (size_t i = 0; i < count; i++) close(sockets[i]);
    close(editor);
    free(sockets);
}

static void send_handshake(int socket)
{
    char text[512];
    snprintf(text, sizeof text,
             "GET /ws HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\n"
             "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
             "Sec-WebSocket-Version: 13\r\n" JOIN "\r\n",
             fixture.daemon.port);
    assert_true(raw_send_text(socket, text));
}

/* So it is with WebSockets that say no hello: as many as there may be, all at once, because each is
 * ended after some seconds. */
TEST(test_websockets_without_hello_make_room)
{
    size_t count = GZ_SESSIONS_MAX;
    int *sockets = malloc(count * sizeof *sockets);
    assert_non_null(sockets);
    raw_allow_descriptors();
    net_fixture_renew_witness(&fixture);
    for (size_t i = 0; i < count; i++) {
        sockets[i] = raw_connect_plain(fixture.daemon.port);
        send_handshake(sockets[i]);
    }
    int editor = net_fixture_join(&fixture, "room", "anna");
    for (size_t i = 0; i < count; i++) close(sockets[i]);
    close(editor);
    free(sockets);
}

static int begin_request(void)
{
    int socket = raw_connect_plain(fixture.daemon.port);
    assert_true(raw_send_text(socket, "GET /healthz HT"));
    return socket;
}

/* Everybody there has said something: whoever comes is silent for a moment, and is not the one who
 * goes. */
TEST(test_newcomer_does_not_make_room_itself)
{
    enum { NEWCOMERS = 10, COUNT = GZ_SESSIONS_MAX + GZ_CONNECTIONS_SPARE + NEWCOMERS };
    int *sockets = malloc(COUNT * sizeof *sockets);
    struct raw_response response;
    assert_non_null(sockets);
    raw_allow_descriptors();
    for (size_t i = 0; i < COUNT - NEWCOMERS; i++) {
        sockets[i] = i < GZ_SESSIONS_MAX ? raw_connect_plain(fixture.daemon.port) : begin_request();
        if (i < GZ_SESSIONS_MAX) send_handshake(sockets[i]);
    }
    for (size_t i = COUNT - NEWCOMERS; i < COUNT; i++) {
        sockets[i] = begin_request();
        usleep(20000); /* it is not silent any more */
        int newcomer = raw_connect_plain(fixture.daemon.port);
        usleep(20000); /* it is, when it is accepted */
        (void)raw_send_text(newcomer, "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
        raw_read_response(newcomer, &response);
        assert_int_equal(response.status, 200);
        close(newcomer);
    }
    for (size_t i = 0; i < COUNT; i++) close(sockets[i]);
    free(sockets);
}

static int start(void **state)
{
    *state = &fixture;
    net_fixture_start(&fixture, "--trusted-proxy=127.0.0.1", "--connections-per-address=3");
    return 0;
}

int main(void)
{
    return test_run(start, net_fixture_end);
}
