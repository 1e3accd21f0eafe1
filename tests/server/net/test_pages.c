/* What a browser says of the page that asks, over a real socket: Host, Origin and Sec-Fetch-Site in
 * each form, and what the answers say to browsers. Runs once more by TLS. */
#include "net_fixture.h"

static struct net_fixture fixture;
/* The daemon's own origin, and the same by the other scheme. */
static char own[96], crossed[96];

#define EDITOR "Origin: https://editor.example\r\n"
#define EVIL "Origin: http://evil.example\r\n"

/* A request with no header but these. */
static int ask(const char *line, const char *headers, struct raw_response *response)
{
    char text[2048];
    int socket = raw_connect(fixture.daemon.port);
    snprintf(text, sizeof text, "%s HTTP/1.1\r\n%s\r\n", line, headers);
    assert_true(raw_send_text(socket, text));
    raw_read_response(socket, response);
    close(socket);
    return response->status;
}

TEST(test_pages_host_table)
{
    static const struct {
        const char *headers;
        int status;
    } rows[] = {
        {"Host: 127.0.0.1\r\n", 200},
        {"Host: 127.0.0.1:7432\r\n", 200},
        {"HOST: LocalHost:1\r\n", 200},
        {"Host:[::1]:7432\r\n", 200},
        {"Host: editor.example\r\n", 200},
        {"", 400},
        {"Host:\r\n", 400},
        {"Host: \r\n", 400},
        {"Host : 127.0.0.1\r\n", 400},
        {"Host\t: 127.0.0.1\r\n", 400},
        {"Host: 127.0.0.1\r\nHost : evil.example\r\n", 400},
        {"Host: 127.0.0.1\r\nHost: 127.0.0.1\r\n", 400},
        {"Host: 127.0.0.1\r\nHost: evil.example\r\n", 400},
        {"Host: evil.example\r\nHost: 127.0.0.1\r\n", 400},
        {"Host: 127.0.0.1\r\nHost:\r\n", 400},
        {"Host: 127.0.0.1, evil.example\r\n", 400},
        {"Host: 127.0.0.1:0\r\n", 400},
        {"Host: 127.0.0.1:65536\r\n", 400},
        {"Host: user@127.0.0.1\r\n", 400},
        {"Host: [fe80::1%25eth0]\r\n", 400},
        {"Host: http://127.0.0.1\r\n", 400},
        {"Host: localhost.\r\n", 403},
        {"Host: evil.example\r\n", 403},
        {"Host: evil.example:7432\r\n", 403},
        {"Host: 127.0.0.1.evil.example\r\n", 403},
        {"Host: 192.0.2.1\r\n", 403}, /* the daemon listens on loopback */
        {"X-Forwarded-Host: 127.0.0.1\r\nHost: evil.example\r\n", 403},
    };
    static const char *const lines[] = {"GET /scenes", "GET /", "GET /healthz"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++) {
            struct raw_response response;
            int status = ask(lines[k], rows[i].headers, &response);
            if (status != rows[i].status) fail_msg("%s, %s: %d", lines[k], rows[i].headers, status);
        }
    }
    net_fixture_assert_unharmed(&fixture);
}

/* What each kind of path says to each kind of page: 200 stands for any success. */
TEST(test_pages_site_table)
{
    static const struct {
        const char *headers;
        bool is_refused;
    } pages[] = {
        {"", false}, /* no browser */
        {"Sec-Fetch-Site: none\r\n", false},
        {"Sec-Fetch-Site: same-origin\r\n", false},
        {own, false},
        {EDITOR "Sec-Fetch-Site: cross-site\r\n", false},
        {EDITOR, false},
        {"Sec-Fetch-Site: cross-site\r\n", true},
        {"Sec-Fetch-Site: same-site\r\n", true},
        {"sec-fetch-site:cross-site\r\n", true},
        {"Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n", true},
        {"Sec-Fetch-Site:\r\n", true},
        {"Sec-Fetch-Site: a-value-of-later-browsers\r\n", true},
        {EVIL, true},
        {EVIL "Sec-Fetch-Site: same-origin\r\n", true},
        {"Origin: null\r\n", true},
        {"Origin:\r\n", true},
        {crossed, true},
        {"Origin: http://localhost\r\n", true},
        {EDITOR EVIL, true},
        {EDITOR EDITOR, true},
    };
    static const struct {
        const char *line;
        bool is_guarded;
    } places[] = {
        {"GET /scenes", true},
        {"HEAD /scenes", true},
        {"GET /scenes/witness/export", true},
        {"GET /scenes/witness/backup", true},
        {"GET /metrics", true},
        {"DELETE /scenes/absent", true},
        {"GET /scenes/witness/nothing", true},
        {"GET /", false},
        {"GET /healthz", false},
        {"GET /readyz", false},
    };
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
        for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
            struct raw_response response;
            char headers[512];
            snprintf(headers, sizeof headers, "Host: 127.0.0.1:%d\r\nConnection: close\r\n%s",
                     fixture.daemon.port, pages[i].headers);
            bool is_refused = ask(places[k].line, headers, &response) == 403;
            if (is_refused != (places[k].is_guarded && pages[i].is_refused))
                fail_msg("%s of %s: %d", places[k].line, pages[i].headers, response.status);
        }
    }
    net_fixture_assert_unharmed(&fixture);
}

TEST(test_pages_upgrade_table)
{
    static const struct {
        const char *headers;
        int status;
    } rows[] = {
        {"", 101},
        {"Sec-Fetch-Site: same-origin\r\n", 101},
        {own, 101},
        {crossed, 403},
        {EDITOR "Sec-Fetch-Site: cross-site\r\n", 101},
        {"Sec-Fetch-Site: cross-site\r\n", 403},
        {"Sec-Fetch-Site: same-site\r\n", 403},
        {EVIL "Sec-Fetch-Site: same-origin\r\n", 403},
        {EDITOR EVIL, 403},
        {"Host: evil.example\r\n", 400}, /* a second one */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char headers[512];
        int socket = raw_connect(fixture.daemon.port);
        snprintf(headers, sizeof headers, "Sec-WebSocket-Protocol: gizmod.v1\r\n%s",
                 rows[i].headers);
        int status = raw_handshake(socket, fixture.daemon.port, "/ws", headers);
        close(socket);
        if (status != rows[i].status) fail_msg("row %zu: %d", i, status);
    }
}

static bool says(const struct raw_response *response, const char *line)
{
    const char *at = strcasestr(response->head, line);
    return at != NULL && at[-1] == '\n' && at[strlen(line)] == '\r';
}

/* No page from elsewhere makes a picture or a script of an answer, whichever it is; and no page but
 * ours and those of allowed origins frames the editor. */
TEST(test_pages_answers_say_what_others_may_do)
{
    static const struct {
        const char *line;
        bool is_page;
    } rows[] = {{"GET /", true},
                {"GET /nothing", true},
                {"GET /healthz", false},
                {"GET /scenes", false},
                {"GET /metrics", false},
                {"GET /scenes/no/asset", false},
                {"DELETE /scenes/no", false},
                {"GET /scenes/witness/backup", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct raw_response response;
        ask(rows[i].line, "Host: 127.0.0.1\r\nConnection: close\r\n", &response);
        if (!says(&response, "cross-origin-resource-policy: same-origin") ||
            !says(&response, "x-content-type-options: nosniff") ||
            says(&response, "cross-origin-opener-policy: same-origin") != rows[i].is_page ||
            (strcasestr(response.head, "frame-ancestors 'self' https://editor.example\r\n") !=
             NULL) != rows[i].is_page)
            fail_msg("%s: %s", rows[i].line, response.head);
    }
}

static int start(void **state)
{
    *state = &fixture;
    net_fixture_start(&fixture, "--allow-origin=https://editor.example",
                      "--web=" GZ_SOURCE_DIR "/client/web/editor");
    bool tls = fixture.daemon.tls;
    snprintf(own, sizeof own, "Origin: %s://127.0.0.1:%d\r\n", tls ? "https" : "http",
             fixture.daemon.port);
    snprintf(crossed, sizeof crossed, "Origin: %s://127.0.0.1:%d\r\nX-Forwarded-Proto: https\r\n",
             tls ? "http" : "https", fixture.daemon.port);
    return 0;
}

int main(void)
{
    return test_run(start, net_fixture_end);
}
