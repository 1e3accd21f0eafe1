/* The link between two members of a cluster: what goes over it once for many clients, that a slow
 * one keeps nobody waiting, clients that come and go, and what ends it: a cut in the middle of a
 * frame, records that no member sends, more than a window. It also says who may have a link, and
 * whom it can name. */
#include <arpa/inet.h>
#include <libwebsockets.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "conn/frame.h"
#include "link/link.h"
#include "link/members.h"
#include "relay_fixture.h"

#define VIEWERS 20
#define NODES 1000
/* Nodes of a delta that is larger than the window, and of which both ends of a link remember all
 * pieces; and its bytes at least, which are the nodes' names. */
#define REMEMBERED_NODES 400
#define REMEMBERED_BYTES ((long)REMEMBERED_NODES * GZ_NAME_BYTES_MAX)

static_assert(REMEMBERED_BYTES > GZ_TRUNK_WINDOW_BYTES, "it does not fit into the window");
static_assert(2 * REMEMBERED_BYTES < GZ_TRUNK_SLOTS * GZ_TRUNK_PIECE_BYTES, "it is remembered");

static long measure(const struct test_daemon *member, const char *name)
{
    char row[128];
    snprintf(row, sizeof row, "\ngizmod_%s ", name);
    return count(member, row);
}

static void wait_for(const struct test_daemon *member, const char *name, long value)
{
    long now = -1;
    for (int i = 0; i < 6000 && (now = measure(member, name)) != value; i++) usleep(10000);
    if (now != value) fail_msg("%s is %ld and not %ld", name, now, value);
}

/* Until nothing is left to be said about who came. */
static void wait_until_quiet(void)
{
    long before = -1, now = measure(&authority, "trunk_pieces_total");
    for (int i = 0; i < 100 && now != before; i++) {
        before = now;
        usleep(300000);
        now = measure(&authority, "trunk_pieces_total");
    }
}

static void read_edit(int socket)
{
    struct raw_frame *frame = malloc(sizeof *frame);
    struct gz_message edit;
    struct gz_arena arena;
    assert_non_null(frame);
    gz_arena_init(&arena, 0);
    assert_true(raw_read_message(socket, GZ_OP_EDIT, frame, &arena, &edit));
    gz_arena_finish(&arena);
    free(frame);
}

/* A frame for all, larger than the window of a channel, takes its bytes on the link once. Viewers
 * are visited in slices: what is new between two of these makes another frame for those after it.
 */
TEST(test_trunk_carries_frames_for_all_once)
{
    int viewers[VIEWERS];
    const int editor = join(&authority, "once", "anna");
    for (int i = 0; i < VIEWERS; i++) viewers[i] = join(&front, "once", "ben");
    wait_until_quiet();
    assert_int_equal(measure(&front, "trunks"), 1);
    assert_int_equal(measure(&authority, "trunks"), 1);
    assert_int_equal(measure(&authority, "trunk_clients"), VIEWERS);
    const long bytes = measure(&authority, "trunk_sent_bytes_total");
    const long pieces = measure(&authority, "trunk_pieces_total");
    const long to_clients = measure(&front, "relayed_from_members_bytes_total");
    net_fixture_create_nodes(editor, REMEMBERED_NODES);
    for (int i = 0; i < VIEWERS; i++) read_edit(viewers[i]);
    const long sent = measure(&authority, "trunk_sent_bytes_total") - bytes;
    assert_true(measure(&authority, "trunk_pieces_total") - pieces >=
                VIEWERS * (REMEMBERED_BYTES / GZ_TRUNK_PIECE_BYTES));
    assert_true(measure(&front, "relayed_from_members_bytes_total") - to_clients >=
                VIEWERS * REMEMBERED_BYTES);
    if (sent < REMEMBERED_BYTES || sent >= VIEWERS / 4 * REMEMBERED_BYTES)
        fail_msg("%ld bytes for %d viewers, of %ld and more each", sent, VIEWERS, REMEMBERED_BYTES);
    for (int i = 0; i < VIEWERS; i++) {
        assert_true(raw_answers(viewers[i]));
        close(viewers[i]);
    }
    close(editor);
}

/* One that does not read, beside one that does, at the same member. */
TEST(test_trunk_goes_on_beside_a_slow_client)
{
    const int editor = join(&authority, "beside", "anna"), fast = join(&front, "beside", "ben"),
              slow = join(&front, "beside", "cleo");
    for (int i = 0; i < 10; i++) {
        net_fixture_create_nodes(editor, NODES);
        read_edit(fast);
        assert_true(raw_answers(fast));
    }
    assert_true(raw_answers(slow));
    close(slow);
    close(fast);
    close(editor);
}

static void hang_up(int socket, int how)
{
    if (how == 0) raw_send_frame(socket, RAW_FIN | RAW_CLOSE, true, "\x03\xe8", 2);
    if (how == 1) shutdown(socket, SHUT_WR);
    if (how == 2) raw_send_frame_header(socket, RAW_FIN | RAW_BINARY, 1000); /* amid a message */
    if (how == 3) raw_send(socket, "\xff\xff", 2);                           /* no frame */
    close(socket);
}

/* In all the ways in which a client can hang up. */
TEST(test_trunk_channels_come_and_go)
{
    int clients[20];
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 20; i++) clients[i] = join(&front, "channels", "ben");
        for (int i = 0; i < 20; i += 2) hang_up(clients[i], i / 2 % 5);
        const int late = join(&front, "channels", "late"); /* takes a number that is free again */
        for (int i = 1; i < 20; i += 2) {
            assert_true(raw_answers(clients[i]));
            hang_up(clients[i], i / 2 % 5);
        }
        assert_true(raw_answers(late));
        close(late);
    }
    wait_for(&authority, "trunk_clients", 0);
    wait_for(&front, "relayed_websockets", 0);
    assert_int_equal(net_fixture_measure(authority.port, "channels", "users"), 0);
    wait_for(&front, "trunks", 0); /* no client needs it any more */
    wait_for(&authority, "trunks", 0);
    const int again = join(&front, "channels", "ben");
    assert_true(raw_answers(again));
    close(again);
}

/* A client that says no more, and reads on, is told all of what it asked for. */
TEST(test_trunk_of_a_half_closed_client)
{
    int code;
    const int client = join(&front, "half", "ben");
    struct gz_create_node node = {.name = {"last", 4}, .trs = {.r = {0, 0, 0, 1}, .s = {1, 1, 1}}};
    assert_true(raw_send_message(
        client, &(struct gz_message){.op = GZ_OP_CREATE, .create = {.nodes = &node, .count = 1}}));
    assert_int_equal(shutdown(client, SHUT_WR), 0);
    (void)raw_is_ended_within(client, 60, &code);
    close(client);
    wait_for(&authority, "trunk_clients", 0);
    expect_export("half", "\"last\"");
}

/* What it says after the authority has closed its channel is read there, and nothing is said about
 * it any more: the others would be lost with the link. */
TEST(test_trunk_of_a_client_that_talks_on)
{
    static const uint8_t zeros[GZ_TRUNK_WINDOW_BYTES];
    const int witness = join(&front, "talks", "anna");
    for (int i = 0; i < 20; i++) {
        const int client = join(&front, "talks", "ben");
        assert_true(raw_send_frame(client, RAW_FIN | RAW_TEXT, true, "text", 4));
        for (int j = 0; j < 4; j++)
            (void)raw_send_frame(client, RAW_FIN | RAW_BINARY, true, zeros, sizeof zeros);
        close(client);
        assert_true(raw_answers(witness));
    }
    close(witness);
}

static void flood(int client)
{
    const struct gz_message ping = {.op = GZ_OP_PING, .has = GZ_HAS_RID, .rid = 7};
    for (int i = rand() % 200; i > 0 && raw_send_message(client, &ping); i--) continue;
}

/* As if it read slowly. */
static void read_some(int client)
{
    static char bytes[64 * 1024];
    (void)!recv(client, bytes, (size_t)(1 + rand()) % sizeof bytes, MSG_DONTWAIT);
}

static void edit_elsewhere(void)
{
    const int editor = join(&authority, "random", "anna");
    net_fixture_create_nodes(editor, (size_t)(1 + rand() % 150));
    close(editor);
}

/* Clients that do anything, in any state. -1: the client hung up. */
static int do_something(int client)
{
    static uint8_t junk[40000];
    switch (rand() % 10) {
    case 0: raw_send_frame(client, RAW_FIN | RAW_CLOSE, true, "\x03\xe8", 2); break;
    case 1: raw_send_frame(client, RAW_FIN | RAW_TEXT, true, "text", 4); break;
    case 2:
        raw_send_frame(client, RAW_FIN | RAW_BINARY, true, junk, (size_t)rand() % sizeof junk);
        break;
    case 3: flood(client); break;
    case 4:
    case 5:
    case 6: read_some(client); break;
    case 7:
        if (rand() % 20 == 0) edit_elsewhere();
        break;
    default: hang_up(client, rand() % 5); return -1;
    }
    return client;
}

static int enter(void)
{
    const struct timeval patience = {.tv_usec = 2000};
    const int client = raw_open(front.port);
    (void)raw_send_hello(client, rand() % 8 == 0 ? "no name of a scene" : "random", "ben");
    setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    return client;
}

TEST(test_trunk_with_random_clients)
{
    int clients[20];
    const int witness = join(&front, "random", "cleo");
    srand(1);
    for (int i = 0; i < 20; i++) clients[i] = -1;
    for (int step = 0; step < 4000; step++) {
        int *client = &clients[rand() % 20];
        *client = *client < 0 ? enter() : do_something(*client);
        if (step % 100 == 0) assert_true(raw_answers(witness));
    }
    for (int i = 0; i < 20; i++)
        if (clients[i] >= 0) close(clients[i]);
    wait_for(&authority, "trunk_clients", 1);
    wait_for(&front, "relayed_websockets", 1);
    assert_true(raw_answers(witness));
    close(witness);
}

/* Who is in the middle of a message cannot be told anything; all others are told to come back. */
TEST(test_trunk_that_is_cut_in_the_middle_of_a_frame)
{
    int code;
    if (front.tls) skip(); /* a tunnel of TLS holds more than the client's kernel */
    const int editor = join(&authority, "cut", "anna"), slow = join(&front, "cut", "ben"),
              idle = join(&front, "other", "cleo");
    for (int i = 0; i < 10; i++) net_fixture_create_nodes(editor, NODES);
    test_daemon_kill(&authority);
    assert_true(read_bye(idle) == 0);
    assert_true(raw_is_ended_within(slow, 60, &code));
    assert_int_equal(code, 0);
    close(slow);
    close(editor);
    wait_for(&front, "relayed_websockets", 0);
    start_member(&authority, NULL, SECRET, NULL);
    close(join(&front, "cut", "anna"));
}

/* A client whose kernel holds little for it. */
static int join_narrow(const struct test_daemon *member, const char *scene)
{
    const int small = 4096, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)member->port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small), 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(
        raw_handshake(fd, member->port, "/ws", "Sec-WebSocket-Protocol: gizmod.v1\r\n"), 101);
    assert_true(raw_send_hello(fd, scene, "ben"));
    assert_true(raw_answers(fd));
    return fd;
}

/* Who is in the middle of a message whose rest is here, when the link is lost, is told the rest,
 * and then to come back. The message is larger than the client's kernel takes, and smaller than the
 * window. */
TEST(test_trunk_that_is_cut_behind_a_slow_client)
{
    enum { BEHIND_NODES = 100 };
    if (front.tls) skip(); /* a tunnel of TLS holds more than the client's kernel */
    const int editor = join(&authority, "behind", "anna"), slow = join_narrow(&front, "behind");
    wait_until_quiet();
    net_fixture_create_nodes(editor, BEHIND_NODES);
    wait_until_quiet();
    test_daemon_kill(&authority);
    assert_true(read_bye(slow) == 0);
    close(editor);
    wait_for(&front, "relayed_websockets", 0);
    start_member(&authority, NULL, SECRET, NULL);
}

static void wait_until_logged(const struct test_daemon *member, const char *words)
{
    for (int i = 0; i < 600 && !is_logged(member, words); i++) usleep(100000);
    if (!is_logged(member, words)) fail_msg("not logged: %s", words);
}

/* ---- who may have one ---- */

static int ask_member_for_trunk(const struct test_daemon *member, const char *secret)
{
    char proof[GZ_PROOF_BYTES], headers[256];
    const int socket = raw_connect(member->port);
    gz_proof_print(
        &(struct gz_proof){(const uint8_t *)secret, strlen(secret), "", "", "GET", "/ws"},
        (double)time(NULL), proof);
    snprintf(headers, sizeof headers,
             "Sec-WebSocket-Protocol: " GZ_TRUNK_PROTOCOL "\r\n" GZ_PROOF_HEADER ": %s\r\n", proof);
    const int status = raw_handshake(socket, member->port, "/ws", headers);
    if (status == 101) return socket;
    close(socket);
    return -status;
}

static int ask_for_trunk(const char *secret)
{
    return ask_member_for_trunk(&authority, secret);
}

TEST(test_trunk_is_for_members)
{
    const int socket = raw_connect(authority.port);
    assert_int_equal(raw_handshake(socket, authority.port, "/ws",
                                   "Sec-WebSocket-Protocol: gizmod.v1, " GZ_TRUNK_PROTOCOL "\r\n"),
                     403);
    close(socket);
    assert_true(is_logged(&authority, "is for members of the cluster"));
    assert_int_equal(ask_for_trunk("another secret, as long"), -500);
    const int other = raw_connect(authority.port);
    assert_int_equal(
        raw_handshake(other, authority.port, "/ws", "Sec-WebSocket-Protocol: gizmod.trunk.0\r\n"),
        400);
    close(other);
}

/* libwebsockets chooses the subprotocol, and ends a name at more than commas. */
TEST(test_trunk_is_for_members_however_its_name_ends)
{
    static const char ends[] = "(),/:;<=>?@[\\]{}\"\f\v\x7f\x80";
    for (const char *end = ends; *end != '\0'; end++) {
        char headers[96];
        const int socket = raw_connect(authority.port);
        snprintf(headers, sizeof headers,
                 "Sec-WebSocket-Protocol: " GZ_TRUNK_PROTOCOL "%cx, gizmod.v1\r\n", *end);
        const int status = raw_handshake(socket, authority.port, "/ws", headers);
        if (status == 101) fail_msg("a name that ends with %#x is taken", (unsigned char)*end);
        close(socket);
    }
}

/* What no member sends ends its link, and the daemon goes on. */
TEST(test_trunk_with_wrong_records)
{
    static const struct {
        const char *name, *bytes;
        size_t size;
    } rows[] = {
        {"no kind", "\x09\0\1\0\0\0\0\0\1\0", 10},
        {"no channel", "\1\0\0\0\0\0\0\0", 8},
        {"an open for two channels", "\1\0\2\0\1\0\0\0\0\1\0\2\0", 13},
        {"data that is too large", "\2\0\1\0\0\0\0\x40\0\0", 10},
        {"a piece again", "\3\0\1\0\0\0\0\0\1\0", 10},
        {"an open twice",
         "\1\0\1\0\x0a\0\0\0\x09"
         "127.0.0.1\1\0\1\0\1\0\x0a\0\0\0\x09"
         "127.0.0.1\1\0",
         40},
        {"taken too much",
         "\1\0\1\0\x0a\0\0\0\x09"
         "127.0.0.1\1\0\4\0\1\0\4\0\0\0\1\0\0\0\1\0",
         34},
        {"data for two", "\2\0\2\0\1\0\0\0x\1\0\2\0", 13},
        {"a channel by a number for groups",
         "\1\0\1\0\x0a\0\0\0\x09"
         "127.0.0.1\1\x80",
         20},
        {"a group", "\6\0\1\0\2\0\0\0\0\x80\1\0", 12},
    };
    const int witness = join(&authority, "witness", "anna");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const int socket = ask_for_trunk(SECRET);
        assert_true(socket >= 0);
        assert_true(
            raw_send_frame(socket, RAW_FIN | RAW_BINARY, true, rows[i].bytes, rows[i].size));
        if (!raw_is_closed_within(socket, 60)) fail_msg("%s is taken", rows[i].name);
        close(socket);
        assert_true(raw_answers(witness));
    }
    /* A channel in which nothing is said has no session, and goes like others. */
    const int socket = ask_for_trunk(SECRET);
    assert_true(raw_send_frame(socket, RAW_FIN | RAW_BINARY, true,
                               "\1\0\1\0\x0a\0\0\0\x09"
                               "127.0.0.1\1\0",
                               20));
    wait_for(&authority, "trunk_clients", 1);
    close(socket);
    wait_for(&authority, "trunk_clients", 0);
    close(witness);
}

/* What comes right behind the answer to the handshake may be lost at the edge. */
TEST(test_trunk_authority_speaks_once_it_hears_the_edge)
{
    struct raw_frame *frame = calloc(1, sizeof *frame);
    assert_non_null(frame);
    const int socket = ask_member_for_trunk(&authority, SECRET);
    assert_true(socket >= 0);
    struct pollfd silence = {.fd = socket, .events = POLLIN};
    assert_int_equal(poll(&silence, 1, 300), 0);
    assert_true(raw_send_frame(socket, RAW_FIN | RAW_PONG, true, NULL, 0));
    assert_true(raw_read_frame(socket, frame, 60));
    assert_int_equal(frame->bytes[0], GZ_RECORD_STATE);
    close(socket);
    free(frame);
}

static void open_as(int socket, const char *client, const char *user)
{
    uint8_t record[8 + GZ_TRUNK_OPEN_BYTES_MAX + 2] = {GZ_RECORD_OPEN, 0, 1, 0};
    const size_t client_size = strlen(client), size = 1 + client_size + strlen(user);
    gz_record_set_number(record + 4, 4, (uint32_t)size);
    record[8] = (uint8_t)client_size;
    memcpy(record + 9, client, client_size);
    memcpy(record + 9 + client_size, user, strlen(user));
    gz_record_set_number(record + 8 + size, 2, 1);
    assert_true(raw_send_frame(socket, RAW_FIN | RAW_BINARY, true, record, 8 + size + 2));
}

/* What an edge says of a client is judged as what a proxy says is. */
TEST(test_trunk_client_is_who_a_proxy_could_name)
{
    static const struct {
        const char *client, *user, *words;
    } rows[] = {
        {"", "ben", "the edge does not say what address the client has"},
        {"nowhere", "ben", "the edge does not say what address the client has"},
        {"127.0.0.1", "\xff", "is not a name of at most"},
        {"127.0.0.1", "ben (guest)", "which is reserved for guests"},
        {"127.0.0.1", "b\xe2\x80\xaen", "contains an invisible character"},
    };
    struct test_daemon strict;
    struct raw_frame *frame = malloc(sizeof *frame);
    assert_non_null(frame);
    init_beside(&strict, "strict");
    unsetenv("GIZMOD_TEST_ELSEWHERE");
    test_daemon_start(&strict, "--trusted-proxy=::1", "--trust-header=x-user");
    const int socket = ask_member_for_trunk(&strict, SECRET);
    assert_true(socket >= 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        open_as(socket, rows[i].client, rows[i].user);
        do {
            assert_true(raw_read_frame(socket, frame, 60));
        } while (frame->bytes[0] == GZ_RECORD_STATE);
        if (memmem(frame->bytes, frame->size, rows[i].words, strlen(rows[i].words)) == NULL)
            fail_msg("no answer: %s", rows[i].words);
    }
    open_as(socket, "192.0.2.7", "ben");
    wait_until_logged(&strict, "connected from 192.0.2.7");
    close(socket);
    free(frame);
    test_daemon_end(&strict);
}

/* Clients of other members have a maximum of their own: at it, one more takes the place of one that
 * has no session, and else is told to come back; a client that is connected here is no matter. */
TEST(test_trunk_clients_have_a_maximum_of_their_own)
{
    enum { MAX = 3 };
    struct test_daemon small, edge;
    char url[128];
    int clients[MAX];
    init_beside(&small, "small");
    setenv("GIZMOD_TEST_RELAYED_MAX", "3", 1);
    start_member(&small, NULL, SECRET, NULL);
    unsetenv("GIZMOD_TEST_RELAYED_MAX");
    print_member_url(&small, url);
    init_beside(&edge, "of-small");
    start_member(&edge, url, SECRET, NULL);
    const int link = ask_member_for_trunk(&small, SECRET);
    const int nameless = raw_open(small.port);
    open_as(link, "192.0.2.7", ""); /* which says nothing */
    wait_for(&small, "trunk_clients", 1);
    for (int i = 0; i < MAX; i++) clients[i] = join(&edge, "full", "ben");
    wait_for(&small, "trunk_clients", MAX);
    const int local = join(&small, "full", "anna"), late = raw_open(edge.port);
    assert_true(raw_send_hello(late, "full", "late"));
    assert_true(read_bye(late) > 0);
    assert_true(is_logged(&edge, "too many clients of other members"));
    assert_int_equal(measure(&small, "connections_dropped_total"), 1);
    assert_true(raw_send_hello(nameless, "full", "cleo"));
    assert_true(raw_answers(nameless));
    close(clients[0]);
    wait_for(&small, "trunk_clients", MAX - 1);
    clients[0] = join(&edge, "full", "dora");
    for (int i = 0; i < MAX; i++) close(clients[i]);
    close(nameless);
    close(local);
    close(link);
    test_daemon_end(&edge);
    test_daemon_end(&small);
}

/* ---- a member that does not read ---- */

/* An OPEN that does not say who the client is, which a CLOSE in words answers. */
#define BAD_OPEN_BYTES 10
#define BAD_OPENS 1000
#define FLOOD_BYTES (64L * 1024 * 1024)

/* Part of a frame of BAD_OPENS, as long as the other side reads. False once it does not. */
static bool send_part(int socket, const uint8_t *bytes, size_t size, size_t *sent)
{
    struct pollfd wanted = {.fd = socket, .events = POLLOUT};
    if (poll(&wanted, 1, 2000) <= 0) return false;
    const ssize_t count = send(socket, bytes + *sent, size - *sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    *sent += count > 0 ? (size_t)count : 0;
    return true;
}

/* What such a client says is read no more, as its answers wait; it takes nothing of these. */
TEST(test_trunk_client_that_sends_and_never_reads_is_given_up)
{
    enum { PINGS = 1000, FLOOD_S = 300 };
    static uint8_t bytes[PINGS * 64];
    const struct gz_message ping = {.op = GZ_OP_PING, .has = GZ_HAS_RID, .rid = 7};
    struct gz_buffer one;
    struct test_daemon edge;
    size_t size = 0, sent = 0;
    if (front.tls) skip(); /* a tunnel of TLS holds more than the client's kernel */
    gz_buffer_init(&one, 58, 0);
    assert_int_equal(gz_encode(&one, &ping), GZ_OK);
    for (int i = 0; i < PINGS; i++) {
        const uint8_t header[6] = {0x82, (uint8_t)(0x80 | one.size)};
        memcpy(bytes + size, header, sizeof header);
        memcpy(bytes + size + sizeof header, one.data, one.size);
        size += sizeof header + one.size;
    }
    start_front(&edge, "impatient", SECRET, "--silence-seconds=6");
    const int editor = join(&authority, "floods", "anna"), client = join_narrow(&edge, "floods");
    for (int i = 0; i < 10; i++) net_fixture_create_nodes(editor, NODES);
    const double end_s = now_s() + FLOOD_S;
    while (measure(&edge, "relayed_websockets") > 0 && now_s() < end_s)
        for (int i = 0; i < 1000 && send_part(client, bytes, size, &sent); i++) sent %= size;
    assert_int_equal(measure(&edge, "relayed_websockets"), 0);
    gz_buffer_finish(&one);
    close(client);
    close(editor);
    test_daemon_end(&edge);
}

static size_t print_flood(uint8_t *bytes)
{
    static const uint8_t header[8] = {0x82, 0xFE, BAD_OPENS * BAD_OPEN_BYTES / 256,
                                      BAD_OPENS * BAD_OPEN_BYTES % 256};
    memcpy(bytes, header, sizeof header);
    for (int i = 0; i < BAD_OPENS; i++)
        memcpy(bytes + sizeof header + i * BAD_OPEN_BYTES, "\1\0\1\0\0\0\0\0\1\0", BAD_OPEN_BYTES);
    return sizeof header + BAD_OPENS * BAD_OPEN_BYTES;
}

/* A link whose answers nobody reads, until it is not read either; `left` of the last frame. */
static int flood_on(int socket, uint8_t bytes[8 + BAD_OPENS * BAD_OPEN_BYTES], size_t *left)
{
    const size_t size = print_flood(bytes);
    long count = 0;
    size_t sent = 0;
    assert_true(socket >= 0);
    for (; count < FLOOD_BYTES && send_part(socket, bytes, size, &sent); sent %= size)
        count += sent == size ? (long)size : 0;
    if (count >= FLOOD_BYTES) fail_msg("%ld bytes were read, and nobody reads the answers", count);
    memmove(bytes, bytes + sent, size - sent);
    *left = size - sent;
    return socket;
}

static int flood_trunk(uint8_t bytes[8 + BAD_OPENS * BAD_OPEN_BYTES], size_t *left)
{
    return flood_on(ask_for_trunk(SECRET), bytes, left);
}

static int send_left(int socket, uint8_t *bytes, size_t size)
{
    static uint8_t answers[64 * 1024];
    for (size_t sent = 0; sent < size;) {
        struct pollfd wanted = {.fd = socket, .events = POLLIN | POLLOUT};
        if (poll(&wanted, 1, 60000) <= 0) return -1;
        if ((wanted.revents & POLLIN) && recv(socket, answers, sizeof answers, 0) <= 0) return -1;
        if (!(wanted.revents & POLLOUT)) continue;
        const ssize_t count = send(socket, bytes + sent, size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        sent += count > 0 ? (size_t)count : 0;
    }
    return 0;
}

/* Neither is it read, and when it reads it is read on. */
TEST(test_trunk_is_not_read_while_many_answers_wait)
{
    static uint8_t bytes[8 + BAD_OPENS * BAD_OPEN_BYTES];
    size_t left;
    const int witness = join(&front, "witness", "anna"), socket = flood_trunk(bytes, &left);
    assert_true(raw_answers(witness));
    assert_int_equal(send_left(socket, bytes, left), 0);
    assert_true(raw_send_frame(socket, RAW_FIN | RAW_BINARY, true, "\x09\0\1\0\0\0\0\0\1\0", 10));
    assert_true(raw_is_closed_within(socket, 60));
    assert_true(is_logged(&authority, "it sent an invalid record"));
    close(socket);
    assert_true(raw_answers(witness));
    close(witness);
}

/* However alive it says that it is. */
TEST(test_trunk_that_takes_nothing_is_given_up)
{
    static uint8_t bytes[8 + BAD_OPENS * BAD_OPEN_BYTES];
    size_t left;
    const int socket = flood_trunk(bytes, &left);
    for (int i = 0; i < 600 && !is_logged(&authority, "it reads nothing of the data that waits");
         i++)
        usleep(100000);
    assert_true(is_logged(&authority, "it reads nothing of the data that waits"));
    close(socket);
}

/* A client of channel 2 that joins the scene. */
static void join_by_trunk(int socket, const char *scene)
{
    static const char open[] = "\1\0\1\0\x0a\0\0\0\x09"
                               "127.0.0.1\2";
    const struct gz_message hello = {
        .op = GZ_OP_HELLO,
        .hello = {.v = 1, .scene = {scene, strlen(scene)}, .user = {"ben", 3}, .create = true}};
    uint8_t data[8 + 6 + 125 + 2] = {GZ_RECORD_DATA, GZ_RECORD_LAST, 1, 0};
    struct gz_buffer bytes;
    gz_buffer_init(&bytes, 125, 0);
    assert_int_equal(gz_encode(&bytes, &hello), GZ_OK);
    gz_record_set_number(data + 4, 4, (uint32_t)(6 + bytes.size));
    data[8] = 0x82;
    data[9] = (uint8_t)(0x80 | bytes.size);
    memcpy(data + 14, bytes.data, bytes.size);
    data[14 + bytes.size] = 2;
    assert_true(raw_send_frame(socket, RAW_FIN | RAW_BINARY, true, open, sizeof open));
    assert_true(raw_send_frame(socket, RAW_FIN | RAW_BINARY, true, data, 16 + bytes.size));
    gz_buffer_finish(&bytes);
}

/* Reads until these words come. */
static bool comes(int socket, const char *words)
{
    static char bytes[64 * 1024];
    const double end_s = now_s() + 60;
    const size_t overlap = strlen(words) - 1;
    ssize_t count = 1;
    for (size_t kept = 0; now_s() < end_s && count > 0;) {
        count = recv(socket, bytes + kept, sizeof bytes - kept, 0);
        const size_t size = kept + (size_t)(count > 0 ? count : 0);
        if (memmem(bytes, size, words, strlen(words)) != NULL) return true;
        kept = size < overlap ? size : overlap;
        memmove(bytes, bytes + size - kept, kept);
    }
    return false;
}

/* It reads on before its clients are given up. */
TEST(test_trunk_client_is_told_why_it_ends_however_full_the_trunk_is)
{
    static uint8_t bytes[8 + BAD_OPENS * BAD_OPEN_BYTES];
    struct raw_response response;
    struct test_daemon patient;
    size_t left;
    init_beside(&patient, "patient");
    start_member(&patient, NULL, SECRET, "--silence-seconds=3600");
    const int socket = ask_member_for_trunk(&patient, SECRET);
    assert_true(socket >= 0);
    join_by_trunk(socket, "told");
    wait_until_logged(&patient, "ben joined told");
    (void)flood_on(socket, bytes, &left);
    assert_int_equal(request(patient.port, "DELETE", "/scenes/told", "", "", &response), 204);
    wait_until_logged(&patient, "ended: ");
    assert_true(comes(socket, "this scene was deleted"));
    close(socket);
    test_daemon_end(&patient);
}

/* ---- an authority that is none ---- */

/* The test as the authority of an edge, on the link of the edge's one client. */
struct forger {
    struct test_daemon edge;
    int client, socket;
    struct gz_frames frames;
    struct gz_buffer in;
    size_t given; /* and the edge did not tell that it was taken */
};

static int listen_here(char url[64])
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    snprintf(url, 64, "http://127.0.0.1:%d", ntohs(address.sin_port));
    return listener;
}

static void answer_handshake(int socket)
{
    static const char header[] = "Sec-WebSocket-Key: ",
                      id[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    char request[4096] = "", text[256], accept[64];
    unsigned char digest[20];
    for (size_t size = 0; strstr(request, "\r\n\r\n") == NULL; size++)
        assert_true(size < sizeof request - 1 && recv(socket, request + size, 1, 0) == 1);
    const char *key = strstr(request, header);
    assert_non_null(key);
    key += strlen(header);
    snprintf(text, sizeof text, "%.*s%s", (int)strcspn(key, "\r"), key, id);
    lws_SHA1((const unsigned char *)text, strlen(text), digest);
    lws_b64_encode_string((const char *)digest, sizeof digest, accept, sizeof accept);
    snprintf(text, sizeof text,
             "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
             "Sec-WebSocket-Accept: %s\r\nSec-WebSocket-Protocol: " GZ_TRUNK_PROTOCOL "\r\n\r\n",
             accept);
    assert_true(raw_send_text(socket, text));
}

static void take_records(struct forger *forger)
{
    struct gz_record record;
    size_t at = 0, used;
    while (gz_mux_read(forger->in.data + at, forger->in.size - at, &record, &used) ==
           GZ_BUNDLE_RECORD) {
        if (record.kind == GZ_RECORD_TOOK)
            forger->given -= gz_record_number(record.bytes, record.size);
        at += used;
    }
    memmove(forger->in.data, forger->in.data + at, forger->in.size - at);
    gz_buffer_truncate(&forger->in, forger->in.size - at);
}

/* Takes what the edge says; whether there is a record in it. */
static bool take_bytes(struct forger *forger)
{
    uint8_t bytes[4096];
    bool has_data = false;
    const ssize_t size = recv(forger->socket, bytes, sizeof bytes, 0);
    assert_true(size > 0);
    for (size_t at = 0; at < (size_t)size;) {
        struct gz_frame_part part;
        at += gz_frames_read(&forger->frames, bytes + at, (size_t)size - at, &part);
        if (part.kind != GZ_FRAME_DATA) continue;
        has_data = true;
        assert_int_equal(gz_buffer_append(&forger->in, part.bytes, part.size), GZ_OK);
    }
    if (forger->in.size > 0) take_records(forger);
    return has_data;
}

/* Whether the edge sends records within so many seconds. Gives signs of life meanwhile. */
static bool hear(struct forger *forger, int seconds)
{
    static const uint8_t pong[] = {RAW_FIN | RAW_PONG, 0};
    struct pollfd wanted = {.fd = forger->socket, .events = POLLIN};
    for (int i = 0; i < seconds; i++) {
        (void)send(forger->socket, pong, sizeof pong, MSG_NOSIGNAL);
        if (poll(&wanted, 1, 1000) > 0 && take_bytes(forger)) return true;
    }
    return false;
}

static void start_forger(struct forger *forger, const char *name)
{
    char url[64];
    const int listener = listen_here(url);
    *forger = (struct forger){.given = 0};
    gz_buffer_init(&forger->in, 1024 * 1024, 0);
    init_beside(&forger->edge, name);
    start_member(&forger->edge, url, SECRET, NULL);
    forger->client = raw_open(forger->edge.port);
    assert_true(raw_send_hello(forger->client, "forged", "ben"));
    forger->socket = accept(listener, NULL, NULL);
    close(listener);
    answer_handshake(forger->socket);
    assert_true(hear(forger, 60)); /* its client's channel, which is the first one: 0 */
}

static void stop_forger(struct forger *forger)
{
    close(forger->client);
    close(forger->socket);
    gz_buffer_finish(&forger->in);
    test_daemon_end(&forger->edge);
}

static void give(struct forger *forger)
{
    static uint8_t record[8 + GZ_TRUNK_PIECE_BYTES + 2] = {GZ_RECORD_DATA, 0, 1, 0};
    gz_record_set_number(record + 4, 4, GZ_TRUNK_PIECE_BYTES);
    forger->given += gz_piece_cost(GZ_TRUNK_PIECE_BYTES);
    assert_true(raw_send_frame(forger->socket, RAW_FIN | RAW_BINARY, false, record, sizeof record));
}

/* As far as the window goes, until the client, who does not read, takes nothing more. */
static void fill_client(struct forger *forger)
{
    do {
        while (forger->given + gz_piece_cost(GZ_TRUNK_PIECE_BYTES) <= GZ_TRUNK_WINDOW_BYTES)
            give(forger);
    } while (hear(forger, 3));
}

/* One record names one channel as often as it can, for a client who does not read. */
TEST(test_trunk_that_gives_more_than_the_window_ends)
{
    static uint8_t again[8 + 2 * UINT16_MAX] = {GZ_RECORD_AGAIN, 0, 0xFF, 0xFF};
    struct forger forger;
    start_forger(&forger, "flooded");
    fill_client(&forger);
    assert_true(raw_send_frame(forger.socket, RAW_FIN | RAW_BINARY, false, again, sizeof again));
    wait_until_logged(&forger.edge, "it sent more than the window of a channel");
    stop_forger(&forger);
}

/* A whole frame in one piece, or the beginning of a long one. */
static void give_frame(struct forger *forger, bool is_whole)
{
    static uint8_t record[8 + GZ_TRUNK_PIECE_BYTES + 2] = {GZ_RECORD_DATA, 0, 1, 0};
    static const uint8_t whole[4] = {0x82, 126, (GZ_TRUNK_PIECE_BYTES - 4) >> 8,
                                     (GZ_TRUNK_PIECE_BYTES - 4) & 0xFF},
                         part[10] = {0x82, 127, 0, 0, 0, 0, 0, 0x10};
    record[1] = is_whole ? GZ_RECORD_LAST : 0;
    gz_record_set_number(record + 4, 4, GZ_TRUNK_PIECE_BYTES);
    memset(record + 8, 0, sizeof record - 8);
    memcpy(record + 8, is_whole ? whole : part, is_whole ? sizeof whole : sizeof part);
    forger->given += gz_piece_cost(GZ_TRUNK_PIECE_BYTES);
    assert_true(raw_send_frame(forger->socket, RAW_FIN | RAW_BINARY, false, record, sizeof record));
}

/* An authority that gives its client up leaves the rest of a message unsaid. Who has not been told
 * its beginning yet is told the messages before it, and to come back. */
TEST(test_trunk_channel_that_ends_in_the_middle_of_a_frame)
{
    struct forger forger;
    int code;
    start_forger(&forger, "unfinished");
    do {
        while (forger.given + 2 * gz_piece_cost(GZ_TRUNK_PIECE_BYTES) <= GZ_TRUNK_WINDOW_BYTES)
            give_frame(&forger, true);
    } while (hear(&forger, 3));
    give_frame(&forger, false);
    assert_true(
        raw_send_frame(forger.socket, RAW_FIN | RAW_BINARY, false, "\5\0\1\0\2\0\0\0\0\0\0\0", 12));
    wait_until_logged(&forger.edge, "the member with its scene closed it");
    assert_true(raw_is_ended_within(forger.client, 60, &code));
    assert_int_equal(code, 1001);
    stop_forger(&forger);
}

/* A close that no client may be sent ends the link, and the client is told to come back. */
TEST(test_trunk_that_closes_a_client_as_nobody_may)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *words;
    } rows[] = {
        {"\5\0\1\0\2\0\0\0\xee\x03\0\0", 12, "it closed a channel by an invalid code"},
        {"\5\0\1\0\3\0\0\0\xe8\x03\xff\0\0", 13, "it closed a channel with a reason that is not"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct forger forger;
        start_forger(&forger, i == 0 ? "code" : "reason");
        assert_true(raw_send_frame(forger.socket, RAW_FIN | RAW_BINARY, false, rows[i].bytes,
                                   rows[i].size));
        wait_until_logged(&forger.edge, rows[i].words);
        assert_true(read_bye(forger.client) == 0);
        stop_forger(&forger);
    }
}

static void give_record(struct forger *forger, const char *record, size_t size)
{
    assert_true(raw_send_frame(forger->socket, RAW_FIN | RAW_BINARY, false, record, size));
}

/* A ping that comes in the middle of a message is answered as soon as the message is over. What the
 * client says next shows that the ping was read. */
TEST(test_trunk_client_that_pings_in_the_middle_of_a_frame)
{
    struct raw_frame *frame = malloc(sizeof *frame);
    struct forger forger;
    assert_non_null(frame);
    start_forger(&forger, "pinged");
    const long passed = measure(&forger.edge, "relayed_to_members_bytes_total");
    give_record(&forger, "\2\0\1\0\3\0\0\0\x82\2a\0\0", 13);
    wait_for(&forger.edge, "relayed_from_members_bytes_total", 3);
    assert_true(raw_send_frame(forger.client, RAW_FIN | RAW_PING, true, "here", 4));
    assert_true(raw_send_frame(forger.client, RAW_FIN | RAW_BINARY, true, "b", 1));
    wait_for(&forger.edge, "relayed_to_members_bytes_total", passed + 7);
    give_record(&forger, "\2\x80\1\0\1\0\0\0b\0\0", 11);
    assert_true(raw_read_frame(forger.client, frame, 60));
    assert_int_equal(frame->opcode, RAW_BINARY);
    assert_true(raw_read_frame(forger.client, frame, 60));
    assert_int_equal(frame->opcode, RAW_PONG);
    assert_memory_equal(frame->bytes, "here", 4);
    stop_forger(&forger);
    free(frame);
}

/* An authority that is slow, and not frozen. */
static bool say_alive(const struct forger *forger)
{
    return raw_send_frame(forger->socket, RAW_FIN | RAW_PONG, false, "", 0);
}

/* Clients who come and go while the authority answers nothing keep a channel each until it does,
 * and what waits in the channel. There are as many as an authority may have; who comes then is told
 * to come back. */
TEST(test_trunk_has_no_more_channels_than_clients)
{
    enum { BATCH = 167, CHANNELS_MAX = GZ_SESSIONS_MAX + GZ_CONNECTIONS_SPARE };
    struct forger forger;
    long channels = 1;
    start_forger(&forger, "churned");
    while (channels < CHANNELS_MAX) {
        int clients[BATCH];
        for (int i = 0; i < BATCH; i++) {
            clients[i] = raw_open(forger.edge.port);
            assert_true(raw_send_hello(clients[i], "forged", "ben"));
            assert_true(say_alive(&forger));
        }
        channels += BATCH;
        wait_for(&forger.edge, "relayed_websockets", channels);
        for (int i = 0; i < BATCH; i++) close(clients[i]);
        while (hear(&forger, 0)) continue;
    }
    assert_int_equal(channels, CHANNELS_MAX);
    const int client = raw_open(forger.edge.port);
    assert_true(raw_send_hello(client, "forged", "ben"));
    assert_true(read_bye(client) > 0);
    assert_int_equal(measure(&forger.edge, "relayed_websockets"), CHANNELS_MAX);
    stop_forger(&forger);
}

int main(void)
{
    return test_run(relay_fixture_start, relay_fixture_stop);
}
