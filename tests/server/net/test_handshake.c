/* The handshake: who becomes a WebSocket, and what the others are told. */
#include "net_fixture.h"

#define OURS "Sec-WebSocket-Protocol: gizmod.v1\r\n"

static struct net_fixture fixture;

static int shake(const char *path, const char *headers)
{
    int socket = raw_connect(fixture.daemon.port);
    int status = raw_handshake(socket, fixture.daemon.port, path, headers);
    close(socket);
    return status;
}

TEST(test_handshake_table)
{
    static const struct {
        const char *path, *headers;
        int status;
    } rows[] = {
        {"/ws", OURS, 101},
        {"/any/path/ws", OURS, 101},
        {"/ws?x=1", OURS, 101},
        {"/ws", "Sec-WebSocket-Protocol: other, gizmod.v1\r\n", 101},
        {"/ws", "Sec-WebSocket-Protocol: other\r\nSec-WebSocket-Protocol: gizmod.v1\r\n", 101},
        {"/ws", OURS "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n",
         101},
        {"/ws", "", 400},
        {"/ws", "Sec-WebSocket-Protocol: \r\n", 400},
        {"/ws", "Sec-WebSocket-Protocol: gizmod.v2\r\n", 400},
        {"/ws", "Sec-WebSocket-Protocol: gizmod.v11\r\n", 400},
        {"/ws", "Sec-WebSocket-Protocol: GIZMOD.V1\r\n", 400},
        {"/ws", "Sec-WebSocket-Protocol: (http)\r\n", 400},
        {"/ws", "Sec-WebSocket-Protocol: gizmod.v1;x\r\n", 400},
        {"/ws", "Sec-WebSocket-Protocol: gizmod.trunk.1;x, gizmod.v1\r\n", 400},
        {"/ws",
         "Sec-WebSocket-Protocol: gizmod.v1, "
         "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
         "aaaaaaaaaaaaaaaaaaaa"
         "aaaaaaaaaaaaaa\r\n",
         400},
        {"/", OURS, 404},
        {"/wss", OURS, 404},
        {"/ws/", OURS, 404},
        {"/scenes", OURS, 404},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int status = shake(rows[i].path, rows[i].headers);
        if (status != rows[i].status)
            fail_msg("row %zu: %s %s: %d", i, rows[i].path, rows[i].headers, status);
        net_fixture_assert_unharmed(&fixture);
    }
}

TEST(test_handshake_of_a_page_from_elsewhere_is_refused)
{
    static const char *const origins[] = {
        "http://evil.example",
        "https://evil.example",
        "http://127.0.0.1",
        "http://127.0.0.1:1",
        "http://localhost",
        "http://[::1]",
        "null",
        "",
        "*",
        "http://",
        "http://127.0.0.1.evil.example",
        "http://evil.example/http://127.0.0.1",
        "http://127.0.0.1:%d.evil.example",
        "http://127.0.0.1:%d@evil.example",
        "http://evil.example#127.0.0.1:%d",
        "http://127.0.0.1:%d/",
        "http://127.0.0.1:%d http://evil.example",
        "http://evil.example\r\nOrigin: http://127.0.0.1:%d",
        "ws://127.0.0.1:%d",
        "file://127.0.0.1:%d",
        "127.0.0.1:%d",
        "http://127.0.0.1:%d,http://evil.example",
        "http://editor.example",
        "https://editor.example:444",
    };
    for (size_t i = 0; i < sizeof origins / sizeof origins[0]; i++) {
        char headers[512], origin[256];
        const char *mark = strstr(origins[i], "%d");
        int before = mark != NULL ? (int)(mark - origins[i]) : (int)strlen(origins[i]);
        char port[8] = "";
        if (mark != NULL) snprintf(port, sizeof port, "%d", fixture.daemon.port);
        snprintf(origin, sizeof origin, "%.*s%s%s", before, origins[i], port,
                 mark != NULL ? mark + 2 : "");
        snprintf(headers, sizeof headers, OURS "Origin: %s\r\n", origin);
        int status = shake("/ws", headers);
        if (status != 403) fail_msg("Origin %s: %d", origin, status);
    }
    net_fixture_assert_unharmed(&fixture);
}

TEST(test_handshake_of_our_own_page_is_taken)
{
    char headers[256];
    snprintf(headers, sizeof headers, OURS "Origin: http://127.0.0.1:%d\r\n", fixture.daemon.port);
    assert_int_equal(shake("/ws", headers), 101);
    assert_int_equal(shake("/ws", OURS "Origin: https://editor.example\r\n"), 101);
}

/* By DNS a foreign page can be of the host that it speaks to; that host is not us. */
TEST(test_handshake_by_a_foreign_name_is_refused)
{
    int socket = raw_connect(fixture.daemon.port);
    assert_true(raw_send_text(
        socket, "GET /ws HTTP/1.1\r\nHost: evil.example\r\nOrigin: http://evil.example\r\n"
                "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" OURS "\r\n"));
    struct raw_response response;
    raw_read_response(socket, &response);
    assert_int_equal(response.status, 403);
    assert_non_null(strstr(response.body, "\"code\":\"forbidden\""));
    close(socket);
}

TEST(test_handshake_without_its_parts_is_refused)
{
    static const char *const requests[] = {
        "GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" OURS
        "\r\n",
        "GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" OURS
        "Sec-WebSocket-Version: 8\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        "GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: h2c\r\nConnection: Upgrade, "
        "HTTP2-Settings\r\n"
        "HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n\r\n",
        "PUT /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" OURS
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    };
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        struct raw_response response;
        int socket = raw_connect(fixture.daemon.port);
        assert_true(raw_send_text(socket, requests[i]));
        raw_read_response(socket, &response);
        if (response.status != 400 && response.status != 404)
            fail_msg("request %zu: %d", i, response.status);
        close(socket);
    }
    net_fixture_assert_unharmed(&fixture);
}

/* What is no HTTP that we know is hung up on, at once or when it has taken too long. */
TEST(test_handshake_of_noise_is_hung_up_on)
{
    static const char *const noises[] = {
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "CONNECT evil.example:80 HTTP/1.1\r\nHost: evil.example\r\n\r\nhello",
        "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        "GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: foo\r\nConnection: Upgrade\r\n\r\n",
        "GET",
        "",
    };
    for (size_t i = 0; i < sizeof noises / sizeof noises[0]; i++) {
        int socket = raw_connect(fixture.daemon.port);
        assert_true(raw_send_text(socket, noises[i]));
        if (!raw_is_closed_within(socket, 60)) fail_msg("noise %zu is still open", i);
        close(socket);
        net_fixture_assert_unharmed(&fixture);
    }
}

static int start(void **state)
{
    *state = &fixture;
    net_fixture_start(&fixture, "--allow-origin=https://editor.example", NULL);
    return 0;
}

int main(void)
{
    return test_run(start, net_fixture_end);
}
