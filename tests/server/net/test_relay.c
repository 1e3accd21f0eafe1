/* Clients of a member of a cluster for a scene that another member has: all of it as at that
 * member, and what becomes of them if that member goes, is silent, pauses in its answer, has
 * another secret, or would send a client on in a circle. Also slow sides, and files of 30 MB. */
#include "link/members.h"
#include "relay_fixture.h"
#include "server/maxima.h"
#include "support/json_ws.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

static const char tiny[] =
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":["
    "{\"name\":\"base\",\"children\":[1]},{\"name\":\"arm\",\"translation\":[1,2,3]}]}";

/* ---- WebSockets ---- */

static void ctl(const char *const *arguments, const char *said)
{
    struct test_output output;
    test_ctl(&output, &front, NULL, arguments);
    if (output.code != 0 || strstr(output.out, said) == NULL)
        fail_msg("gizmoctl %s: %d %s %s", arguments[0], output.code, output.out, output.err);
    test_output_finish(&output);
}

#define CTL(said, ...) ctl((const char *[]){__VA_ARGS__, NULL}, said)

/* Live messages and HTTP, as people use them. */
TEST(test_relay_carries_a_session)
{
    char file[128];
    snprintf(file, sizeof file, "%s/out.glb", authority.directory);
    CTL("", "import", GZ_SOURCE_DIR "/server/gltf/sample/robot-arm.glb", "arm");
    CTL("", "ls", "arm");
    CTL("", "set", "arm", "2", "--t", "3,4,5");
    CTL("", "drag", "arm", "--node", "2", "--handle", "tx", "--value", "2");
    CTL("", "history", "arm");
    CTL("", "undo", "arm");
    CTL("", "redo", "arm");
    CTL("", "note", "arm", "look");
    CTL("look", "notes", "arm");
    CTL("", "checkpoint", "arm", "first");
    CTL("first", "checkpoints", "arm");
    CTL("", "export", "arm", file);
    CTL("", "mv", "arm", "later-arm");
    CTL("look", "notes", "later-arm"); /* where it is is said later */
    CTL("", "rm", "later-arm");
}

/* An answer comes although nothing happens after it: also if it is there just when everybody is
 * told of the newcomer. */
TEST(test_relay_carries_answers_about_the_past)
{
    CTL("", "import", GZ_SOURCE_DIR "/server/gltf/sample/robot-arm.glb", "asked");
    for (int i = 0; i < 150; i++) CTL("import", "history", "asked");
}

/* A client that speaks JSON is relayed as one: its frames are text at the authority, too, and who
 * only watches shares them with others of its kind alone. */
TEST(test_relay_carries_json)
{
    struct json_client direct = json_join(authority.port, "json", "anna"),
                       relayed = json_join(front.port, "json", "ben");
    struct json_client watchers[4];
    int plain[4];
    for (size_t i = 0; i < 4; i++) {
        watchers[i] = json_join(front.port, "json", "cho");
        plain[i] = join(&front, "json", "dee");
    }
    for (json_int_t i = 1; i < 30; i++) {
        char text[128];
        struct json_client *editor = i % 2 == 0 ? &direct : &relayed;
        snprintf(text, sizeof text,
                 "[{\"op\":\"create\",\"rid\":%d,\"nodes\":[{\"name\":\"n%d\",\"t\":[0.1,0,0]}]}]",
                 (int)i, (int)i);
        json_decref(json_ask(editor, text, i));
    }
    for (size_t i = 0; i < 4; i++) {
        json_decref(json_hear(&watchers[i], "edit", "seq", 29));
        assert_true(raw_answers(plain[i]));
        json_leave(&watchers[i]);
        close(plain[i]);
    }
    json_say(&relayed, "[{\"op\":\"ping\"},");
    json_t *error = json_hear(&relayed, "error", NULL, 0);
    assert_string_equal(json_word(error, "code"), "bad_message");
    json_decref(error);
    raw_send_frame(relayed.socket, RAW_FIN | RAW_BINARY, true, "\x80", 1);
    error = json_hear(&relayed, "error", NULL, 0);
    assert_true(json_is_true(json_object_get(error, "fatal")));
    json_decref(error);
    json_leave(&relayed);
    json_leave(&direct);
}

/* A question goes there with its arguments, and its answer comes back with its tag. */
TEST(test_relay_carries_questions)
{
    struct raw_response response;
    struct json_client client = json_join(front.port, "questions", "anna");
    json_decref(json_ask(
        &client, "[{\"op\":\"create\",\"rid\":1,\"nodes\":[{\"name\":\"a\"},{\"name\":\"b\"}]}]",
        1));
    assert_int_equal(
        request(front.port, "GET", "/scenes/questions/nodes?after=1&limit=1", "", "", &response),
        200);
    assert_non_null(strstr(response.body, "\"nodes\":[{\"id\":2,"));
    assert_non_null(strcasestr(response.head, "\r\netag: "));
    assert_int_equal(
        request(front.port, "GET", "/scenes/questions/history?user=anna", "", "", &response), 200);
    assert_non_null(strstr(response.body, "\"kind\":\"create\""));
    assert_int_equal(request(front.port, "GET", "/scenes/questions/path", "", "", &response), 400);
    assert_int_equal(
        request(front.port, "POST", "/scenes/questions/edits?user=ben", "",
                "[{\"op\":\"set\",\"nodes\":[{\"id\":2,\"name\":\"c\"}]},{\"op\":\"undo\"}]",
                &response),
        200);
    assert_non_null(strstr(response.body, "\"edit\":"));
    json_leave(&client);
}

/* Events of a scene that another member has come over the link, as to any client. */
TEST(test_relay_carries_events)
{
    static const char head[] = "GET /scenes/events/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    struct raw_response response;
    char text[65536] = "";
    struct json_client editor = json_join(authority.port, "events", "anna");
    int socket = raw_connect(front.port);
    assert_true(raw_send_text(socket, head));
    raw_read_response(socket, &response);
    assert_int_equal(response.status, 200);
    json_decref(
        json_ask(&editor, "[{\"op\":\"create\",\"rid\":1,\"nodes\":[{\"name\":\"a\"}]}]", 1));
    for (size_t size = 0; strstr(text, "event: edit\nid: ") == NULL;) {
        const ssize_t count = recv(socket, text + size, sizeof text - 1 - size, 0);
        if (count <= 0) fail_msg("no edit in %s", text);
        size += (size_t)count;
    }
    close(socket);
    json_leave(&editor);
    assert_int_equal(request(front.port, "GET", "/scenes/nowhere/events", "", "", &response), 404);
}

/* What one client does at one member is seen by one at the other, in both directions. */
TEST(test_relay_and_direct_clients_see_each_other)
{
    struct raw_frame *frame = malloc(sizeof *frame);
    struct gz_message message;
    struct gz_arena arena;
    assert_non_null(frame);
    gz_arena_init(&arena, 0);
    int direct = join(&authority, "both", "anna"), relayed = join(&front, "both", "ben");
    for (int i = 0; i < 2; i++) {
        int editor = i == 0 ? direct : relayed, viewer = i == 0 ? relayed : direct;
        net_fixture_create_nodes(editor, 1000); /* a delta of some 300 kB */
        assert_true(raw_read_message(viewer, GZ_OP_EDIT, frame, &arena, &message));
        assert_true(raw_answers(viewer));
    }
    assert_int_equal(net_fixture_measure(authority.port, "both", "users"), 2);
    assert_true(count(&front, "\ngizmod_relayed_from_members_bytes_total ") > 300000);
    close(direct);
    close(relayed);
    gz_arena_finish(&arena);
    free(frame);
}

/* The frames of a client go on as they are: in pieces, and with pings in between. */
TEST(test_relay_passes_fragments)
{
    const struct gz_message ping = {.op = GZ_OP_PING, .has = GZ_HAS_RID, .rid = 5};
    int socket = join(&front, "fragments", "anna");
    struct gz_buffer bytes;
    gz_buffer_init(&bytes, GZ_MESSAGE_BYTES_MAX, 0);
    assert_int_equal(gz_encode(&bytes, &ping), GZ_OK);
    assert_true(raw_send_frame(socket, RAW_BINARY, true, bytes.data, 1));
    assert_true(raw_send_frame(socket, RAW_FIN | RAW_PING, true, "hi", 2));
    assert_true(raw_send_frame(socket, RAW_CONTINUATION, true, "", 0));
    assert_true(
        raw_send_frame(socket, RAW_FIN | RAW_CONTINUATION, true, bytes.data + 1, bytes.size - 1));
    struct raw_frame frame;
    struct gz_message message;
    struct gz_arena arena;
    gz_arena_init(&arena, 0);
    assert_true(raw_read_message(socket, GZ_OP_OK, &frame, &arena, &message));
    gz_arena_finish(&arena);
    gz_buffer_finish(&bytes);
    close(socket);
}

/* What the authority refuses it refuses through the relay, and its close code comes along. */
TEST(test_relay_passes_refusals_and_closes)
{
    bool fatal;
    int code;
    int socket = join(&front, "refused", "anna");
    assert_true(raw_send_frame(socket, RAW_FIN | RAW_TEXT, true, "hello", 5));
    assert_int_equal(raw_read_error(socket, &fatal), GZ_BAD_MESSAGE);
    assert_true(fatal);
    assert_true(raw_is_ended_within(socket, 60, &code));
    assert_int_equal(code, 1003);
    close(socket);
    socket = raw_open(front.port);
    assert_true(raw_send_hello(socket, "no name of a scene", "anna"));
    assert_int_equal(raw_read_error(socket, &fatal), GZ_BAD_VALUE);
    assert_true(fatal);
    close(socket);
}

/* What a client said before it hung up is done. */
TEST(test_relay_ends_with_its_client)
{
    int code, socket = join(&front, "short", "anna");
    struct gz_create_node node = {.name = {"last", 4}, .trs = {.r = {0, 0, 0, 1}, .s = {1, 1, 1}}};
    assert_true(raw_send_message(
        socket, &(struct gz_message){.op = GZ_OP_CREATE, .create = {.nodes = &node, .count = 1}}));
    assert_true(raw_send_frame(socket, RAW_FIN | RAW_CLOSE, true, "\x03\xe8", 2));
    assert_true(raw_is_ended_within(socket, 60, &code));
    assert_int_equal(code, 1000);
    close(socket);
    net_fixture_await_empty(authority.port, "short");
    expect_export("short", "\"last\"");
}

/* A client that reads nothing costs its member little, however much comes for it, and gets all of
 * it in the end. */
TEST(test_relay_waits_for_a_slow_client)
{
    struct raw_frame *frame = malloc(sizeof *frame);
    assert_non_null(frame);
    int editor = join(&authority, "slow", "anna"), slow = join(&front, "slow", "ben");
    long before = net_fixture_memory(front.port).own;
    for (int i = 0; i < 10; i++) {
        net_fixture_create_nodes(editor, 1000);
        usleep(30000); /* what it costs */
    }
    long grown = net_fixture_memory(front.port).own - before;
    if (grown > 256 * 1024) fail_msg("%ld bytes wait at the member", grown);
    assert_true(raw_answers(slow));
    close(slow);
    close(editor);
    free(frame);
}

/* A client that says much to an authority that reads nothing is not read either. */
TEST(test_relay_waits_for_a_stopped_authority)
{
    static const uint8_t zeros[1 << 20];
    int socket = join(&front, "stopped", "anna"), other = join(&front, "stopped", "ben");
    long before = net_fixture_memory(front.port).own;
    kill(authority.pid, SIGSTOP);
    const struct timeval patience = {.tv_sec = 1};
    setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    /* Much more than the kernels keep for the sockets. */
    bool is_taken = true;
    for (int i = 0; i < 40 && is_taken; i++)
        is_taken = raw_send_frame(socket, RAW_FIN | RAW_BINARY, true, zeros, sizeof zeros);
    assert_false(is_taken);
    long grown = net_fixture_memory(front.port).own - before;
    kill(authority.pid, SIGCONT);
    if (grown > 256 * 1024) fail_msg("%ld bytes wait at the member", grown);
    assert_true(raw_answers(other));
    close(socket);
    close(other);
}

/* ---- members that fail ---- */

TEST(test_relay_to_a_member_that_is_killed)
{
    struct raw_response response;
    int socket = join(&front, "killed", "anna");
    net_fixture_create_nodes(socket, 1);
    test_daemon_kill(&authority);
    assert_true(read_bye(socket) == 0);
    socket = raw_open(front.port);
    assert_true(raw_send_hello(socket, "killed", "anna"));
    assert_true(read_bye(socket) == 1);
    assert_int_equal(request(front.port, "GET", "/scenes/killed/export", "", "", &response), 503);
    assert_non_null(strstr(response.body, "cannot be reached"));
    assert_non_null(strcasestr(response.head, "\r\nretry-after: "));
    assert_int_equal(request(front.port, "PUT", "/scenes/new", "", tiny, &response), 503);
    start_member(&authority, NULL, SECRET, NULL);
    close(join(&front, "killed", "anna"));
    assert_int_equal(request(front.port, "GET", "/scenes/killed/export", "", "", &response), 200);
}

/* Each says so itself: in its own words, and once. */
TEST(test_relay_of_members_that_end)
{
    struct test_daemon member, other;
    char url[128];
    init_beside(&member, "ending");
    start_member(&member, NULL, SECRET, NULL);
    print_member_url(&member, url);
    init_beside(&other, "other");
    start_member(&other, url, SECRET, NULL);
    int socket = join(&other, "ending", "anna");
    test_daemon_ask_to_end(&member);
    assert_true(read_bye(socket) == 1);
    assert_int_equal(test_daemon_wait(&member), 0);
    test_daemon_end(&other);
    start_front(&other, "other", SECRET, NULL);
    socket = join(&other, "ending", "anna");
    test_daemon_ask_to_end(&other);
    assert_true(read_bye(socket) == 1);
    assert_int_equal(test_daemon_wait(&other), 0);
}

/* A port that listens, as a member's would. */
static int listen_as_member(char url[128])
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 8), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    snprintf(url, 128, "http://127.0.0.1:%d", ntohs(address.sin_port));
    return listener;
}

/* Nobody takes its connections. */
TEST(test_relay_to_a_member_that_does_not_answer)
{
    char url[128];
    struct test_daemon other;
    struct raw_response response;
    int mute = listen_as_member(url);
    init_beside(&other, "other");
    start_member(&other, url, SECRET, NULL);
    int client = raw_open(other.port);
    assert_true(raw_send_hello(client, "mute", "anna"));
    assert_true(read_bye(client) == 1);
    /* One that waits for an answer does not keep the member from its end. */
    int waiting = raw_connect(other.port);
    assert_true(
        raw_send_text(waiting, "GET /scenes/mute/export HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"));
    assert_int_equal(request(other.port, "GET", "/healthz", "", "", &response), 200);
    test_daemon_end(&other);
    close(waiting);
    close(mute);
}

/* Whoever waits for a member whose lease ends comes back at once: another one may have it. */
TEST(test_relay_to_a_member_whose_lease_ends)
{
    char url[128];
    struct test_daemon other;
    int mute = listen_as_member(url);
    init_beside(&other, "other");
    start_member(&other, url, SECRET, NULL);
    int client = raw_open(other.port);
    assert_true(raw_send_hello(client, "over", "anna"));
    assert_true(read_bye(client) == 0);
    close(client);
    test_daemon_end(&other);
    close(mute);
}

TEST(test_relay_with_another_secret)
{
    struct test_daemon other;
    struct raw_response response;
    start_front(&other, "stranger", "another secret", NULL);
    int client = raw_open(other.port);
    assert_true(raw_send_hello(client, "secret", "anna"));
    assert_true(read_bye(client) == 1);
    assert_int_equal(request(other.port, "GET", "/scenes/secret/export", "", "", &response), 500);
    assert_non_null(strstr(response.body, "another --secret"));
    assert_true(is_logged(&authority, "another --secret"));
    assert_false(is_logged(&authority, SECRET));
    assert_false(is_logged(&other, "another secret"));
    test_daemon_end(&other);
}

/* Members that send a client to each other do not go on with that. */
TEST(test_relay_does_not_go_round)
{
    struct test_daemon other;
    struct raw_response response;
    char url[128];
    print_member_url(&front, url);
    init_beside(&other, "other");
    start_member(&other, url, SECRET, NULL);
    int client = raw_open(other.port);
    assert_true(raw_send_hello(client, "loop", "anna"));
    assert_true(read_bye(client) == 1);
    assert_int_equal(request(other.port, "GET", "/scenes/loop/export", "", "", &response), 503);
    assert_int_equal(request(other.port, "PUT", "/scenes/loop", "", tiny, &response), 503);
    test_daemon_end(&other);
}

/* ---- who the client is ---- */

/* Nobody but a member says where a client comes from, and a member says it of its own clients. */
TEST(test_relay_tells_the_address_of_the_client)
{
    struct test_daemon other;
    struct raw_response response;
    start_front(&other, "other", SECRET, "--trusted-proxy=127.0.0.1");
    static const char header[] = "X-Forwarded-For: 192.0.2.7\r\n";
    assert_int_equal(request(other.port, "GET", "/scenes/address/asset", header, "", &response),
                     404);
    assert_true(is_logged(&authority, "HTTP 404 to 192.0.2.7: GET /scenes/address/asset"));
    int client = raw_connect(other.port);
    assert_int_equal(raw_handshake(client, other.port, "/ws",
                                   "Sec-WebSocket-Protocol: gizmod.v1\r\n"
                                   "X-Forwarded-For: 192.0.2.8\r\n"),
                     101);
    assert_true(raw_send_hello(client, "address", "anna"));
    assert_true(raw_answers(client));
    assert_true(is_logged(&authority, "connected from 192.0.2.8"));
    close(client);
    assert_int_equal(request(authority.port, "GET", "/scenes/forged/asset",
                             "X-Forwarded-For: 192.0.2.9\r\n"
                             "Gizmod-Member: 1790000000."
                             "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\r\n",
                             "", &response),
                     500);
    assert_false(is_logged(&authority, "192.0.2.9"));
    test_daemon_end(&other);
}

/* An edge refuses it itself, and so would the member that it asks. */
TEST(test_relay_refuses_an_encoded_line_end)
{
    static const char *const paths[] = {
        "/scenes/ended/asset%0aX-Forwarded-For:192.0.2.6",
        "/scenes/ended/asset?%0aGizmod-Member:x",
        "/scenes/ended%0d.anything?x",
        "/ws%0aX-Remote-User:zed",
        "/ws?%0aX-Remote-User:zed",
    };
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct raw_response response;
        int client = raw_connect(front.port);
        assert_int_equal(request(front.port, "GET", paths[i], "", "", &response), 400);
        assert_int_equal(request(authority.port, "DELETE", paths[i], "", "", &response), 400);
        assert_int_equal(
            raw_handshake(client, front.port, paths[i], "Sec-WebSocket-Protocol: gizmod.v1\r\n"),
            400);
        close(client);
    }
    assert_false(is_logged(&authority, "192.0.2.6"));
}

/* A proof that somebody saw on its way is good for the same request alone. */
TEST(test_relay_proof_is_for_one_method_and_path)
{
    static const struct {
        const char *method, *path;
        int status;
    } rows[] = {
        {"GET", "/scenes/proven/asset", 404},  {"GET", "/scenes/proven/asset?user=ben", 404},
        {"HEAD", "/scenes/proven/asset", 500}, {"GET", "/scenes/proven/backup", 500},
        {"DELETE", "/scenes/proven", 500},
    };
    const struct gz_proof said = {(const uint8_t *)SECRET, strlen(SECRET), "192.0.2.5", "", "GET",
                                  "/scenes/proven/asset"};
    char proof[GZ_PROOF_BYTES], headers[256];
    gz_proof_print(&said, (double)time(NULL), proof);
    snprintf(headers, sizeof headers, "X-Forwarded-For: 192.0.2.5\r\n%s: %s\r\n", GZ_PROOF_HEADER,
             proof);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct raw_response response;
        int status = request(authority.port, rows[i].method, rows[i].path, headers, "", &response);
        if (status != rows[i].status) fail_msg("row %zu: %d %s", i, status, response.body);
    }
    int client = raw_connect(authority.port);
    char more[512];
    snprintf(more, sizeof more, "Sec-WebSocket-Protocol: gizmod.v1\r\n%s", headers);
    assert_int_equal(raw_handshake(client, authority.port, "/ws", more), 500);
    close(client);
}

/* What gizmoctl says to a user with a token of this role. */
static void ask_as(const struct test_daemon *member, const char *role, const char *command,
                   const char *operand, int code, const char *said)
{
    char keys[128], file[128];
    struct test_output output;
    snprintf(keys, sizeof keys, "%s/keys", authority.directory);
    snprintf(file, sizeof file, "%s/%s.token", authority.directory, role);
    test_ctl(&output, NULL, NULL,
             (const char *[]){"token", "--keys", keys, "--user", role, "--name", role, "--role",
                              role, "--expires", "1h", NULL});
    assert_int_equal(output.code, 0);
    FILE *token = fopen(file, "w");
    assert_non_null(token);
    fputs(output.out, token);
    fclose(token);
    test_output_finish(&output);
    const char *import[] = {"import", operand, "keyed", "--token-file", file, NULL};
    const char *other[] = {command, "keyed", "--token-file", file, NULL};
    test_ctl(&output, member, NULL, strcmp(command, "import") == 0 ? import : other);
    if (output.code != code || strstr(code == 0 ? output.out : output.err, said) == NULL)
        fail_msg("%s as %s: %d %s %s", command, role, output.code, output.out, output.err);
    test_output_finish(&output);
}

/* Tokens go along, in the hello and in the header, and the member with the scene judges them. */
TEST(test_relay_passes_tokens)
{
    static const char glb[] = GZ_SOURCE_DIR "/server/gltf/sample/robot-arm.glb";
    char keys[128], option[160], url[128];
    struct test_output output;
    struct test_daemon member, other;
    snprintf(keys, sizeof keys, "%s/keys", authority.directory);
    snprintf(option, sizeof option, "--keys=%s", keys);
    test_ctl(&output, NULL, NULL, (const char *[]){"key", keys, NULL});
    assert_int_equal(output.code, 0);
    test_output_finish(&output);
    init_beside(&member, "keyed");
    start_member(&member, NULL, SECRET, option);
    print_member_url(&member, url);
    init_beside(&other, "other");
    start_member(&other, url, SECRET, option);
    ask_as(&other, "viewer", "import", glb, 4, "forbidden");
    ask_as(&other, "editor", "import", glb, 0, "16 nodes");
    ask_as(&other, "viewer", "ls", NULL, 0, "robot arm");
    ask_as(&other, "viewer", "undo", NULL, 4, "forbidden");
    ask_as(&other, "editor", "rm", NULL, 4, "forbidden");
    ask_as(&other, "admin", "rm", NULL, 0, "");
    test_daemon_end(&other);
    test_daemon_end(&member);
}

/* ---- HTTP ---- */

TEST(test_relay_http_table)
{
    /* As long as a member takes, which has no room then for what another one adds. */
    static char long_token[8100];
    snprintf(long_token, sizeof long_token, "Authorization: Bearer %08050d\r\n", 0);
    static const struct {
        const char *method, *path, *headers, *body;
        int status;
        const char *said;
    } rows[] = {
        {"PUT", "/scenes/table?user=anna%20b", "", tiny, 201, "\"scene\":\"table\""},
        {"PUT", "/scenes/table", "", tiny, 409, "\"code\":\"conflict\""},
        {"PUT", "/scenes/table?replace&user=ben", "", tiny, 200, "\"scene\":\"table\""},
        {"PUT", "/scenes/table?replace", "", "no glTF", 400, "\"code\":"},
        {"GET", "/scenes/table/asset", "", "", 200, tiny},
        {"GET", "/scenes/table/export", "", "", 200, "\"arm\""},
        {"GET", "/scenes/table/export.gltf", "", "", 200, "\"arm\""},
        {"GET", "/scenes/table/export?ids&user=ann", "", "", 200, "\"gizmod_id\":"},
        {"GET", "/scenes/table/export.glb", "", "", 200, "glTF"},
        {"GET", "/scenes/table/backup", "", "", 200, "SQLite format 3"},
        {"GET", "/scenes/nowhere/asset", "", "", 404, "\"code\":\"unknown_scene\""},
        {"GET", "/scenes/table/asset", long_token, "", 200, tiny},
        {"GET", "/scenes/Nowhere/asset", "", "", 400, "\"code\":\"bad_value\""},
        {"PATCH", "/scenes/table", "", "{\"name\": \"later-table\"}", 200, "later-table"},
        {"PATCH", "/scenes/later-table", "", "{}", 400, "\"code\":"},
        {"DELETE", "/scenes/later-table?user=anna", "", "", 204, ""},
        {"DELETE", "/scenes/later-table", "", "", 404, "\"code\":\"unknown_scene\""},
        {"PUT", "/scenes/moved", "", tiny, 503, "moving to another member"},
        {"GET", "/scenes/table/nothing", "", "", 404, "\"code\":\"unknown_op\""},
        {"GET", "/scenes/x/asset", "Origin: http://evil.example\r\n", "", 403,
         "\"code\":\"forbidden\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct raw_response response;
        int status = request(front.port, rows[i].method, rows[i].path, rows[i].headers,
                             rows[i].body, &response);
        if (status != rows[i].status || strstr(response.body, rows[i].said) == NULL)
            fail_msg("row %zu: %s %s: %d %s", i, rows[i].method, rows[i].path, status,
                     response.body);
    }
    assert_true(is_logged(&authority, "HTTP PUT table by anna b from 127.0.0.1"));
}

static void read_header(const char *head, const char *name, char *value, size_t size)
{
    const char *at = strcasestr(head, name);
    *value = '\0';
    if (at != NULL) snprintf(value, size, "%.*s", (int)strcspn(at, "\r"), at);
}

/* The header of the authority's answer, as far as it speaks of the body. */
TEST(test_relay_passes_the_header)
{
    static const char *const names[] = {"\r\ncontent-type:", "\r\ncontent-length:", "\r\netag:"};
    struct raw_response here, there;
    char tag[128], headers[256];
    assert_int_equal(request(front.port, "PUT", "/scenes/header", "", tiny, &here), 201);
    (void)request(front.port, "GET", "/scenes/header/asset", "", "", &here);
    (void)request(authority.port, "GET", "/scenes/header/asset", "", "", &there);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char a[256], b[256];
        read_header(here.head + 2, names[i] + 2, a, sizeof a);
        read_header(there.head + 2, names[i] + 2, b, sizeof b);
        assert_true(*a != '\0');
        assert_string_equal(a, b);
    }
    read_header(here.head, "etag:", tag, sizeof tag);
    snprintf(headers, sizeof headers, "If-None-Match:%s\r\n", tag + strlen("etag:"));
    static const char bytes_row[] = "\ngizmod_relayed_from_members_bytes_total ";
    long before = count(&front, bytes_row);
    assert_int_equal(request(front.port, "GET", "/scenes/header/asset", headers, "", &here), 304);
    assert_int_equal(here.body_size, 0);
    assert_int_equal(count(&front, bytes_row), before); /* the authority knew that it is known */
    int socket = raw_connect(front.port);
    assert_true(raw_send_text(socket, "HEAD /scenes/header/asset HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                                      "\r\nGET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"));
    char bytes[4096] = "";
    for (size_t got = 0; strstr(bytes, "\r\n\r\nok") == NULL;) {
        ssize_t more = recv(socket, bytes + got, sizeof bytes - 1 - got, 0);
        assert_true(more > 0);
        got += (size_t)more;
    }
    assert_null(strstr(bytes, "\"arm\""));
    close(socket);
}

#define LARGE_BYTES ((size_t)30 * 1024 * 1024)

/* A glTF whose bytes are mostly a name beside the scene, terminated. */
static char *make_large(void)
{
    char *file = malloc(LARGE_BYTES + 1);
    assert_non_null(file);
    size_t size = strlen(tiny) - 1; /* without the last brace */
    memcpy(file, tiny, size);
    size += (size_t)snprintf(file + size, 32, ",\"extras\":\"");
    while (size < LARGE_BYTES - 2) {
        file[size] = (char)('a' + size * 2654435761u % 26);
        size++;
    }
    memcpy(file + size, "\"}", 3);
    return file;
}

/* All bytes of an answer. */
static char *get_whole(int port, const char *path, size_t size)
{
    char line[256], head[2048] = "", *body = malloc(size + 1);
    assert_non_null(body);
    int socket = raw_connect(port);
    snprintf(line, sizeof line, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", path);
    assert_true(raw_send_text(socket, line));
    for (size_t got = 0; strstr(head, "\r\n\r\n") == NULL; got++)
        assert_int_equal(recv(socket, head + got, 1, 0), 1);
    size_t got = 0;
    for (ssize_t more; got < size; got += (size_t)more) {
        more = recv(socket, body + got, size - got, 0);
        if (more <= 0) fail_msg("%zu bytes of %s came", got, path);
    }
    body[got] = '\0';
    close(socket);
    return body;
}

/* Both ways, and neither stands in the member's memory. */
TEST(test_large_relay_bodies)
{
    struct raw_response response;
    char *file = make_large();
    long before = net_fixture_memory(front.port).own;
    assert_int_equal(request(front.port, "PUT", "/scenes/large", "", file, &response), 201);
    char *there = get_whole(authority.port, "/scenes/large/asset", LARGE_BYTES);
    assert_memory_equal(there, file, LARGE_BYTES);
    free(there);
    char *here = get_whole(front.port, "/scenes/large/asset", LARGE_BYTES);
    assert_memory_equal(here, file, LARGE_BYTES);
    free(here);
    /* While a client does not read its answer, the authority is not read. */
    int lazy = raw_connect(front.port);
    assert_true(raw_send_text(lazy, "GET /scenes/large/asset HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"));
    char first[8];
    assert_int_equal(recv(lazy, first, sizeof first, MSG_WAITALL), sizeof first);
    usleep(200000); /* what would come */
    long grown = net_fixture_memory(front.port).own - before;
    if (grown > 1024 * 1024) fail_msg("%ld bytes wait at the member", grown);
    close(lazy);
    /* One that is refused before it has come. */
    assert_int_equal(request(front.port, "PUT", "/scenes/large", "", file, &response), 409);
    free(file);
}

/* The member is the one who pauses, for longer than a client may. */
TEST(test_relay_of_an_answer_that_pauses)
{
    static const char first[] = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345";
    char url[128], head[2048] = "";
    struct test_daemon other;
    struct raw_response response;
    int listener = listen_as_member(url);
    init_beside(&other, "patient");
    start_member(&other, url, SECRET, "--silence-seconds=6");
    int client = raw_connect(other.port);
    assert_true(raw_send_text(client, "GET /scenes/x/asset HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"));
    int member = accept(listener, NULL, NULL);
    for (size_t got = 0; strstr(head, "\r\n\r\n") == NULL; got++)
        assert_int_equal(recv(member, head + got, 1, 0), 1);
    assert_true(raw_send_text(member, first));
    sleep(9);
    assert_true(raw_send_text(member, "67890"));
    raw_read_response(client, &response);
    assert_string_equal(response.body, "1234567890");
    close(member);
    close(client);
    close(listener);
    test_daemon_end(&other);
}

/* A client that goes in the middle of its file leaves nothing, at either member. */
TEST(test_relay_of_an_upload_broken_off)
{
    for (int i = 0; i < 2 * GZ_HTTP_UPLOADS_MAX; i++) {
        int socket = raw_connect(front.port);
        assert_true(raw_send_text(
            socket, "PUT /scenes/half HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n"
                    "Expect: 100-continue\r\n\r\n"));
        char line[26];
        assert_int_equal(recv(socket, line, 25, MSG_WAITALL), 25);
        assert_memory_equal(line, "HTTP/1.1 100 Continue\r\n\r\n", 25);
        assert_true(raw_send_text(socket, "{"));
        close(socket);
        /* Until both have heard of it. */
        for (int j = 0; j < 6000 && (count(&front, "\ngizmod_http_jobs ") > 0 ||
                                     count(&authority, "\ngizmod_http_jobs ") > 0);
             j++)
            usleep(2000);
    }
    struct raw_response response;
    assert_int_equal(request(front.port, "GET", "/scenes/half/asset", "", "", &response), 404);
    assert_int_equal(request(front.port, "PUT", "/scenes/half", "", tiny, &response), 201);
}

int main(void)
{
    return test_run(relay_fixture_start, relay_fixture_stop);
}
