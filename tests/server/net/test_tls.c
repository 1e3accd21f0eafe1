/* TLS: what is agreed on, which files are refused and in which words, and that a certificate is
 * replaced while people work. The rest of what a connection does is tested over TLS by the other
 * programs here, with GIZMOD_TEST_TLS. */
#include "net_fixture.h"
#include "support/certificates.h"
#include "support/crowd.h"
#include "support/tunnel.h"

#include <openssl/ssl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>

#define VIEWERS 200
#define ROTATIONS 6
#define ASSET_BYTES (50 * 1024 * 1024)
/* Much more than the daemon gives a handshake: the end is what counts, not when it comes. */
#define HANDSHAKE_SECONDS_MAX 60
#define PATIENCE_S 60.0

static struct net_fixture fixture;
static const char *folder; /* of the authority and of the pair */

static const char *own_path(const char *name, char path[128])
{
    snprintf(path, 128, "%s/%s", folder, name);
    return path;
}

/* ---- handshakes ---- */

static void shake_hands(int version_max, struct tunnel_peer *peer)
{
    char ca[128];
    int socket = tunnel_open(fixture.daemon.port, own_path("ca.pem", ca), version_max, peer);
    if (socket >= 0) close(socket);
}

TEST(test_handshakes_are_of_tls_1_2_and_1_3)
{
    struct tunnel_peer peer;
    shake_hands(0, &peer);
    assert_int_equal(peer.version, TLS1_3_VERSION);
    assert_string_equal(peer.protocol, "http/1.1");
    shake_hands(TLS1_2_VERSION, &peer);
    assert_int_equal(peer.version, TLS1_2_VERSION);
    assert_non_null(strstr(peer.cipher, "ECDHE"));
    assert_string_equal(peer.protocol, "http/1.1");
    for (int version = TLS1_VERSION; version <= TLS1_1_VERSION; version++) {
        shake_hands(version, &peer);
        assert_int_equal(peer.version, 0);
        assert_non_null(strstr(peer.refusal, "protocol version"));
    }
    net_fixture_assert_unharmed(&fixture);
}

/* A request or an upgrade without TLS is refused in words, whatever it asks for. */
TEST(test_request_without_tls_is_refused_in_words)
{
    static const char *const requests[] = {
        "GET /scenes HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "DELETE /scenes/witness HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "PUT /scenes/new HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Protocol: gizmod.v1\r\n\r\n",
    };
    struct raw_response response;
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        int socket = raw_connect_plain(fixture.daemon.port);
        assert_true(raw_send_text(socket, requests[i]));
        raw_read_response(socket, &response);
        if (response.status != 403 ||
            strstr(response.body, "this port speaks TLS: use https:// or wss://") == NULL)
            fail_msg("request %zu: %s%s", i, response.head, response.body);
        close(socket);
    }
    net_fixture_assert_unharmed(&fixture);
}

/* Nothing, garbage, and the beginning of a handshake that does not go on. */
TEST(test_answers_by_tls_ask_for_tls)
{
    static const char *const paths[] = {"/", "/scenes", "/healthz", "/nothing"};
    struct raw_response response;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        raw_request(fixture.daemon.port, "GET", paths[i], "", "", 0, &response);
        if (strcasestr(response.head, "\r\nstrict-transport-security: max-age=31536000\r\n") ==
            NULL)
            fail_msg("%s: %s", paths[i], response.head);
    }
    /* What is not encrypted could be anybody's. */
    int socket = raw_connect_plain(fixture.daemon.port);
    assert_true(raw_send_text(socket, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    raw_read_response(socket, &response);
    assert_int_equal(response.status, 403);
    assert_null(strcasestr(response.head, "strict-transport-security"));
    close(socket);
}

TEST(test_handshake_that_hangs_is_ended)
{
    static const char *const beginnings[] = {"", "\x16\x03\x01\x02", "\x16\x03\x01\x40\x40\x01",
                                             "\x80\x80\x80\x80"};
    enum { COUNT = sizeof beginnings / sizeof beginnings[0] };
    int sockets[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        sockets[i] = raw_connect_plain(fixture.daemon.port);
        assert_true(raw_send_text(sockets[i], beginnings[i]));
    }
    net_fixture_assert_unharmed(&fixture);
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(raw_is_closed_within(sockets[i], HANDSHAKE_SECONDS_MAX));
        close(sockets[i]);
    }
    net_fixture_assert_unharmed(&fixture);
}

/* ---- files ---- */

static void write_file(const char *name, const char *text)
{
    char path[128];
    FILE *file = fopen(own_path(name, path), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void copy_file(const char *from, const char *to)
{
    char path[128], bytes[16384];
    FILE *file = fopen(own_path(from, path), "r");
    assert_non_null(file);
    bytes[fread(bytes, 1, sizeof bytes - 1, file)] = '\0';
    fclose(file);
    write_file(to, bytes);
}

/* What is made of a pair that was right. */

static void lose_certificate(void)
{
    char path[128];
    unlink(own_path("server.pem", path));
}

static void lose_key(void)
{
    char path[128];
    unlink(own_path("server.key", path));
}

static void make_certificate_a_folder(void)
{
    char path[128];
    lose_certificate();
    mkdir(own_path("server.pem", path), 0700);
}

static void spoil_certificate(void)
{
    write_file("server.pem", "this is no certificate\n");
}

static void damage_certificate(void)
{
    write_file("server.pem", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n");
}

static void spoil_key(void)
{
    write_file("server.key", "this is no key\n");
}

static void exchange_files(void)
{
    copy_file("server.key", "server.pem");
}

static void take_other_key(void)
{
    test_certificate_make(folder, "other", &(struct test_certificate){0});
    copy_file("other.key", "server.key");
}

static void take_key_of_other_kind(void)
{
    test_certificate_make(folder, "other", &(struct test_certificate){.rsa = true});
    copy_file("other.key", "server.key");
}

static void begin_with_authority(void)
{
    copy_file("ca.pem", "server.pem");
}

static void encrypt_key(void)
{
    test_certificate_make(folder, "server", &(struct test_certificate){.passphrase = "secret"});
}

static void remove_pair(void)
{
    char path[128];
    own_path("server.pem", path);
    if (rmdir(path) != 0) unlink(path);
}

static const struct {
    void (*spoil)(void);
    const char *words;
} spoiled[] = {
    {lose_certificate, "--cert: %s/server.pem cannot be read: No such file"},
    {lose_key, "--key: %s/server.key cannot be read: No such file"},
    {make_certificate_a_folder, "--cert: %s/server.pem cannot be read: it is not a regular file"},
    {spoil_certificate, "--cert: %s/server.pem holds no certificate in PEM"},
    {damage_certificate, "--cert: %s/server.pem holds a certificate that cannot be used: "},
    {exchange_files, "--cert: %s/server.pem holds no certificate in PEM"},
    {spoil_key, "--key: %s/server.key holds no private key in PEM"},
    {take_other_key, "--key: %s/server.key does not match the first certificate in "},
    {take_key_of_other_kind, "--key: %s/server.key does not match the first certificate in "},
    {begin_with_authority, "--key: %s/server.key does not match the first certificate in "},
    {encrypt_key, "--key: %s/server.key is encrypted"},
};
#define SPOILED (sizeof spoiled / sizeof spoiled[0])

static void make_pair(const char *subject)
{
    remove_pair();
    test_certificate_make(folder, "server", &(struct test_certificate){.subject = subject});
}

static size_t count_in(const char *path, const char *words)
{
    char line[2048];
    size_t count = 0;
    FILE *log = fopen(path, "r");
    assert_non_null(log);
    while (fgets(line, sizeof line, log) != NULL) count += strstr(line, words) != NULL;
    fclose(log);
    return count;
}

static size_t count_in_log(const char *words)
{
    return count_in(fixture.daemon.log, words);
}

static void await_in_log(const char *words, size_t count)
{
    double end_s = now_s() + PATIENCE_S;
    while (count_in_log(words) < count) {
        if (now_s() > end_s) test_daemon_fail(&fixture.daemon, "did not say %s", words);
        usleep(10000);
    }
}

static int take_own_trust(void **state)
{
    char ca[128];
    (void)state;
    folder = fixture.daemon.directory;
    setenv("GIZMOD_CA", own_path("ca.pem", ca), 1);
    setenv("SSL_CERT_FILE", ca, 1);
    return 0;
}

TEST_BETWEEN(test_wrong_files_are_refused_at_the_start, NULL, take_own_trust)
{
    struct test_daemon daemon;
    char words[256];
    test_daemon_init(&daemon);
    daemon.tls = true;
    folder = daemon.directory;
    for (size_t i = 0; i < SPOILED; i++) {
        make_pair("gizmod");
        spoiled[i].spoil();
        assert_false(test_daemon_try_start(&daemon, NULL, NULL));
        assert_int_equal(test_daemon_wait(&daemon), 1);
        snprintf(words, sizeof words, spoiled[i].words, folder);
        if (count_in(daemon.log, words) != 1) test_daemon_fail(&daemon, "did not say %s", words);
        assert_int_equal(unlink(daemon.log), 0);
    }
    test_daemon_finish(&daemon);
}

/* Connections stay as they are, and new ones are shown the certificate that was right. */
TEST(test_wrong_files_change_nothing_later)
{
    struct tunnel_peer peer;
    char words[256];
    size_t count = count_in_log("the earlier certificate and key stay in force");
    for (size_t i = 0; i < SPOILED; i++) {
        make_pair("never shown");
        spoiled[i].spoil();
        assert_int_equal(kill(fixture.daemon.pid, SIGHUP), 0);
        await_in_log("the earlier certificate and key stay in force", ++count);
        snprintf(words, sizeof words, spoiled[i].words, folder);
        if (count_in_log(words) == 0) test_daemon_fail(&fixture.daemon, "did not say %s", words);
        shake_hands(0, &peer);
        assert_string_equal(peer.subject, "gizmod");
        net_fixture_assert_unharmed(&fixture);
    }
    make_pair("gizmod");
}

static void reload(const struct test_certificate *wish)
{
    size_t count = count_in_log("certificate and key: read again");
    test_certificate_make(folder, "server", wish);
    assert_int_equal(kill(fixture.daemon.pid, SIGHUP), 0);
    await_in_log("certificate and key: read again", count + 1);
}

TEST(test_certificate_out_of_date_is_a_warning)
{
    reload(&(struct test_certificate){.from_days = -9, .days = 8});
    assert_int_equal(count_in_log("server.pem expired on "), 1);
    reload(&(struct test_certificate){.from_days = 2});
    assert_int_equal(count_in_log("server.pem is not valid before "), 1);
    reload(&(struct test_certificate){0});
    net_fixture_assert_unharmed(&fixture);
}

TEST(test_key_that_others_may_read_is_a_warning)
{
    static const struct {
        mode_t mode;
        bool warns;
    } rows[] = {{0600, false}, {0640, false}, {0644, true}, {0602, true}, {0620, true}};
    char path[256];
    snprintf(path, sizeof path, "%s/server.key", folder);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t warnings = count_in_log("other users can read or change");
        size_t count = count_in_log("certificate and key: read again");
        assert_int_equal(chmod(path, rows[i].mode), 0);
        assert_int_equal(kill(fixture.daemon.pid, SIGHUP), 0);
        await_in_log("certificate and key: read again", count + 1);
        assert_int_equal(count_in_log("other users can read or change"), warnings + rows[i].warns);
    }
    assert_int_equal(chmod(path, 0600), 0);
}

/* ---- a certificate that is replaced while people work ---- */

struct work {
    struct crowd crowd;
    struct crowd_member *editor;
    uint64_t edits;
};

static void make_node(struct work *work)
{
    struct gz_create_node node = {.name = {"node", 4}, .trs = {.r = {0, 0, 0, 1}, .s = {1, 1, 1}}};
    struct gz_message create = {
        .op = GZ_OP_CREATE, .has = GZ_HAS_RID, .rid = ++work->edits, .create = {&node, 1}};
    crowd_send(work->editor, &create);
}

/* Every edit was answered, and everybody has come as far as the last of them. A delta that does not
 * begin where a viewer stands fails in crowd.c. */
static bool is_level(void *context)
{
    const struct work *work = context;
    if (work->editor->oks < work->edits) return false;
    for (const struct crowd_member *member = work->crowd.members; member != NULL;
         member = member->next) {
        if (member->state != CROWD_JOINED || member->seq != work->editor->seq) return false;
    }
    return true;
}

TEST(test_certificate_is_replaced_under_viewers)
{
    static const struct test_certificate kinds[2] = {{.subject = "even"},
                                                     {.subject = "odd", .rsa = true}};
    struct work work = {.edits = 0};
    struct tunnel_peer peer;
    crowd_init(&work.crowd, fixture.daemon.port);
    work.editor = crowd_enter(&work.crowd, "rotated", GZ_ROLE_EDITOR, 0);
    assert_int_equal(crowd_gather(&work.crowd, PATIENCE_S), 1);
    /* A handshake waits for its turn here: not so many at once that one of them waits for its hello
     * longer than the daemon does. */
    for (size_t i = 1; i <= VIEWERS; i++) {
        (void)crowd_enter(&work.crowd, "rotated", GZ_ROLE_VIEWER, 0);
        if (i % 10 == 0) assert_int_equal(crowd_gather(&work.crowd, PATIENCE_S), i + 1);
    }
    for (int i = 0; i < ROTATIONS; i++) {
        for (int k = 0; k < 10; k++) make_node(&work);
        reload(&kinds[i % 2]);
        shake_hands(i % 3 == 0 ? TLS1_2_VERSION : 0, &peer);
        assert_string_equal(peer.subject, kinds[i % 2].subject);
        crowd_run(&work.crowd, 0.05);
    }
    assert_true(crowd_until(&work.crowd, is_level, &work, PATIENCE_S));
    assert_true(work.editor->seq >= work.edits);
    assert_int_equal(crowd_count(&work.crowd, CROWD_JOINED), VIEWERS + 1);
    crowd_finish(&work.crowd);
    net_fixture_assert_unharmed(&fixture);
    reload(&(struct test_certificate){0});
}

/* ---- much at once ---- */

/* A glTF file of one node, with a buffer that nothing uses. */
static uint8_t *make_asset(void)
{
    char json[256];
    uint8_t *bytes = malloc(ASSET_BYTES);
    assert_non_null(bytes);
    for (size_t i = 0; i < ASSET_BYTES; i++) bytes[i] = (uint8_t)(i * 2654435761u >> 13);
    uint32_t head[5] = {0x46546C67, 2, ASSET_BYTES, 128, 0x4E4F534A};
    uint32_t chunk[2] = {ASSET_BYTES - 156, 0x004E4942};
    memset(json, ' ', sizeof json);
    int size = snprintf(json, sizeof json,
                        "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{}],\"buffers\":["
                        "{\"byteLength\":%u}]}",
                        chunk[0]);
    json[size] = ' ';
    memcpy(bytes, head, 20);
    memcpy(bytes + 20, json, 128);
    memcpy(bytes + 148, chunk, 8);
    return bytes;
}

/* The status of an answer; its body, if it has one, is to be this asset. */
static int get_asset(const char *headers, const uint8_t *expected)
{
    char head[512];
    size_t got = 0, room = ASSET_BYTES + 4096;
    uint8_t *all = malloc(room);
    int socket = raw_connect(fixture.daemon.port);
    assert_non_null(all);
    snprintf(head, sizeof head,
             "GET /scenes/large/asset HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n%s\r\n",
             headers);
    assert_true(raw_send_text(socket, head));
    for (ssize_t count; (count = read(socket, all + got, room - got)) > 0;) got += (size_t)count;
    const uint8_t *body = memmem(all, got, "\r\n\r\n", 4);
    assert_non_null(body);
    body += 4;
    if (expected != NULL) {
        assert_int_equal(all + got - body, ASSET_BYTES);
        assert_memory_equal(body, expected, ASSET_BYTES);
    }
    int status = atoi((const char *)all + sizeof "HTTP/1.1");
    free(all);
    close(socket);
    return status;
}

TEST(test_large_file_goes_both_ways)
{
    char headers[256];
    struct raw_response response;
    uint8_t *asset = make_asset();
    snprintf(headers, sizeof headers, "Content-Length: %d\r\nExpect: 100-continue\r\n",
             ASSET_BYTES);
    raw_request(fixture.daemon.port, "PUT", "/scenes/large", headers, asset, ASSET_BYTES,
                &response);
    if (response.status != 201) fail_msg("%s%s", response.head, response.body);
    assert_int_equal(get_asset("", asset), 200);
    raw_request(fixture.daemon.port, "GET", "/scenes/large/asset", "If-None-Match: \"x\"\r\n", "",
                0, &response);
    assert_int_equal(response.status, 200);
    const char *tag = strcasestr(response.head, "\r\netag: ");
    assert_non_null(tag);
    snprintf(headers, sizeof headers, "If-None-Match: %.*s\r\n", (int)strcspn(tag + 8, "\r"),
             tag + 8);
    assert_int_equal(get_asset(headers, NULL), 304);
    free(asset);
    net_fixture_assert_unharmed(&fixture);
}

/* ---- other programs ---- */

static void run(const char *what, const char *format, ...)
{
    char command[1024], said[4096] = "";
    va_list list;
    va_start(list, format);
    vsnprintf(command, sizeof command, format, list);
    va_end(list);
    FILE *program = popen(command, "r");
    assert_non_null(program);
    said[fread(said, 1, sizeof said - 1, program)] = '\0';
    if (pclose(program) != 0 || strstr(said, what) == NULL) fail_msg("%s: %s", command, said);
}

TEST(test_curl_and_python_agree)
{
    char ca[128];
    int port = fixture.daemon.port;
    own_path("ca.pem", ca);
    if (system("command -v curl >/dev/null") == 0) {
        run("witness", "curl -sS --cacert %s https://localhost:%d/scenes 2>&1", ca, port);
        run("witness", "curl -sS --tls-max 1.2 --cacert %s https://127.0.0.1:%d/scenes 2>&1", ca,
            port);
        run("certificate",
            "SSL_CERT_FILE=/dev/null curl -sS https://localhost:%d/healthz 2>&1 ||:", port);
    } else {
        print_message("curl is not installed\n");
    }
    if (system("python3 -c 'import ssl' 2>/dev/null") == 0)
        run("witness",
            "python3 -c 'import ssl, urllib.request as u; print(u.urlopen("
            "\"https://localhost:%d/scenes\", context=ssl.create_default_context(cafile=\"%s\"))"
            ".read())' 2>&1",
            port, ca);
    else
        print_message("python3 is not installed\n");
}

/* ---- gizmoctl ---- */

/* What gizmoctl says of the running daemon, by HTTP and by WebSocket. */
static void expect_of_gizmoctl(const char *ca, int code, const char *words)
{
    const char *const commands[][5] = {{"ls", ca != NULL ? "--ca" : NULL, ca},
                                       {"who", WITNESS_SCENE, ca != NULL ? "--ca" : NULL, ca}};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        struct test_output output;
        test_ctl(&output, &fixture.daemon, NULL, commands[i]);
        const char *said = words != NULL ? output.err : output.out;
        bool is_right =
            output.code == code && strstr(said, words != NULL ? words : "witness") != NULL;
        if (!is_right) fail_msg("%s: %d %s%s", commands[i][0], output.code, output.out, output.err);
        test_output_finish(&output);
    }
}

/* The system's authorities do not know the test's. */
TEST_BETWEEN(test_gizmoctl_trusts_whom_it_is_told_to, NULL, take_own_trust)
{
    char ca[128], other[128], key[128], missing[128];
    unsetenv("SSL_CERT_FILE");
    expect_of_gizmoctl(NULL, 0, NULL); /* GIZMOD_CA is there */
    unsetenv("GIZMOD_CA");
    test_certificate_make(folder, "other", &(struct test_certificate){.is_own = true});
    expect_of_gizmoctl(NULL, 3, "is by an authority that is not known here");
    expect_of_gizmoctl(own_path("other.pem", other), 3,
                       "is by an authority that is not known here");
    expect_of_gizmoctl(own_path("ca.pem", ca), 0, NULL);
    setenv("SSL_CERT_FILE", ca, 1);
    expect_of_gizmoctl(NULL, 0, NULL);
    expect_of_gizmoctl(other, 3, "is by an authority that is not known here");
    expect_of_gizmoctl(own_path("missing", missing), 7, "missing cannot be read: No such file");
    expect_of_gizmoctl(own_path("ca.key", key), 7, "ca.key holds no certificate in PEM");
}

TEST_BETWEEN(test_gizmoctl_says_what_is_wrong_with_a_server, NULL, take_own_trust)
{
    char ca[128];
    own_path("ca.pem", ca);
    reload(&(struct test_certificate){.from_days = -9, .days = 8});
    expect_of_gizmoctl(ca, 3, "the certificate of the server has expired");
    reload(&(struct test_certificate){.from_days = 2});
    expect_of_gizmoctl(ca, 3, "the certificate of the server is not valid yet");
    reload(&(struct test_certificate){.names = "DNS:other.example,IP:127.0.0.2"});
    expect_of_gizmoctl(ca, 3, "the certificate of the server is for another name than 127.0.0.1");
    reload(&(struct test_certificate){.is_own = true});
    expect_of_gizmoctl(ca, 3, "is by an authority that is not known here");
    reload(&(struct test_certificate){0});
    expect_of_gizmoctl(ca, 0, NULL);
}

TEST_BETWEEN(test_gizmoctl_needs_tls_on_both_sides, NULL, take_own_trust)
{
    char ca[128], url[128];
    struct test_daemon plain;
    own_path("ca.pem", ca);
    snprintf(url, sizeof url, "%s", fixture.daemon.url);
    snprintf(fixture.daemon.url, sizeof url, "ws%s", url + 3);
    expect_of_gizmoctl(NULL, 4, "this port speaks TLS: use https:// or wss://");
    unsetenv("GIZMOD_TEST_TLS");
    test_daemon_init(&plain);
    test_daemon_start(&plain, NULL, NULL);
    snprintf(fixture.daemon.url, sizeof url, "wss://127.0.0.1:%d/ws", plain.port);
    expect_of_gizmoctl(ca, 3, "no TLS could be agreed on");
    test_daemon_end(&plain);
    test_daemon_finish(&plain);
    snprintf(fixture.daemon.url, sizeof url, "%s", url);
    expect_of_gizmoctl(ca, 0, NULL);
}

/* An IPv6 address is compared by code of its own. */
TEST_BETWEEN(test_gizmoctl_compares_ipv6_addresses, NULL, take_own_trust)
{
    struct net_fixture other = fixture;
    char ca[128];
    own_path("ca.pem", ca);
    test_daemon_init(&fixture.daemon);
    fixture.daemon.tls = true;
    fixture.daemon.host = "[::1]";
    test_certificate_make(fixture.daemon.directory, "server", &(struct test_certificate){0});
    folder = fixture.daemon.directory;
    test_daemon_start(&fixture.daemon, "--open", WITNESS_SCENE);
    own_path("ca.pem", ca);
    struct test_output output;
    test_ctl(&output, &fixture.daemon, NULL, (const char *const[]){"ls", "--ca", ca, NULL});
    assert_int_equal(output.code, 0);
    test_output_finish(&output);
    reload(&(struct test_certificate){.names = "DNS:localhost,IP:::2"});
    expect_of_gizmoctl(ca, 3, "the certificate of the server is for another name than ::1");
    test_daemon_end(&fixture.daemon);
    test_daemon_finish(&fixture.daemon);
    fixture = other;
}

/* ---- the end of the daemon ---- */

/* Sends all but the last byte of a ClientHello, which is left in *rest. */
static SSL *begin_to_shake_hands(int socket, char *rest)
{
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    SSL *ssl = SSL_new(context);
    char *hello;
    assert_non_null(ssl);
    SSL_CTX_free(context);
    SSL_set_bio(ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    assert_int_equal(SSL_connect(ssl), -1);
    const long size = BIO_get_mem_data(SSL_get_wbio(ssl), &hello);
    assert_true(size > 1);
    assert_true(raw_send(socket, hello, (size_t)size - 1));
    *rest = hello[size - 1];
    return ssl;
}

/* Asks for a WebSocket; whether the answer begins with these words. */
static bool shake_hands_and_hear(SSL *ssl, int socket, char rest, const char *words)
{
    static const char upgrade[] =
        "GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Protocol: gizmod.v1\r\n\r\n";
    char heard[8192];
    int size = 0, count = 1;
    assert_true(raw_send(socket, &rest, 1));
    assert_int_equal(SSL_set_fd(ssl, socket), 1);
    assert_int_equal(SSL_connect(ssl), 1);
    assert_int_equal(SSL_write(ssl, upgrade, sizeof upgrade - 1), sizeof upgrade - 1);
    for (; count > 0 && size<(int)sizeof heard; size += count> 0 ? count : 0)
        count = SSL_read(ssl, heard + size, (int)sizeof heard - size);
    return (size_t)size >= strlen(words) && memcmp(heard, words, strlen(words)) == 0;
}

/* Its handshake is finished, and its upgrade refused in words. Who joined before does not answer
 * the close, so that the daemon stays for a moment. */
TEST(test_end_is_told_to_one_whose_handshake_was_going_on)
{
    struct raw_frame frame;
    struct gz_message bye;
    struct gz_arena arena;
    char rest;
    gz_arena_init(&arena, 0);
    int socket = raw_connect_plain(fixture.daemon.port);
    SSL *ssl = begin_to_shake_hands(socket, &rest);
    net_fixture_assert_unharmed(&fixture);
    test_daemon_ask_to_end(&fixture.daemon);
    assert_true(raw_read_message(fixture.witness, GZ_OP_BYE, &frame, &arena, &bye));
    assert_true(shake_hands_and_hear(ssl, socket, rest, "HTTP/1.1 503 "));
    SSL_free(ssl);
    close(socket);
    close(fixture.witness);
    assert_int_equal(test_daemon_wait(&fixture.daemon), 0);
    gz_arena_finish(&arena);
    test_daemon_start(&fixture.daemon, "--silence-seconds", "3600");
    fixture.witness = net_fixture_join(&fixture, WITNESS_SCENE, "witness");
}

static int start(void **state)
{
    *state = &fixture;
    test_daemon_init(&fixture.daemon);
    test_daemon_use_tls(&fixture.daemon);
    take_own_trust(state);
    test_daemon_start(&fixture.daemon, "--silence-seconds", "3600");
    fixture.witness = net_fixture_join(&fixture, WITNESS_SCENE, "witness");
    return 0;
}

int main(void)
{
    return test_run(start, net_fixture_end);
}
