/* gizmoctl as a person uses it: what it prints, what it exits with, one line where something is
 * wrong. */
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/limits.h"
#include "stage.h"

#define ARGUMENTS_MAX 16

/* One call of it: exit code, and what its output and errors have in them. NULL: nothing at all. */
struct call {
    const char *arguments[ARGUMENTS_MAX];
    int code;
    const char *out, *err;
};

static size_t count_lines(const char *text)
{
    size_t lines = 0;
    for (; *text != '\0'; text++) lines += *text == '\n';
    return lines;
}

static void check_has(const struct call *call, const char *stream, const char *text,
                      const char *part)
{
    const char *second = call->arguments[1] != NULL ? call->arguments[1] : "";
    if (part == NULL && text[0] != '\0')
        fail_msg("gizmoctl %s %s: %s should be empty and says: %s", call->arguments[0], second,
                 stream, text);
    if (part != NULL && strstr(text, part) == NULL)
        fail_msg("gizmoctl %s %s: %s does not have \"%s\" but: %s", call->arguments[0], second,
                 stream, part, text);
}

static void check_call(const struct test_daemon *daemon, const char *input, const struct call *call)
{
    struct test_output output;
    test_ctl(&output, daemon, input, call->arguments);
    check_has(call, "stdout", output.out, call->out);
    check_has(call, "stderr", output.err, call->err);
    assert_int_equal(output.code, call->code);
    if (call->code != 0) assert_int_equal(count_lines(output.err), 1);
    test_output_finish(&output);
}

/* ---- without a daemon ---- */

TEST(test_wrong_command_lines_exit_2_with_a_line_that_names_it)
{
    static const struct call calls[] = {
        {{NULL}, 2, NULL, "a command is missing"},
        {{"fly"}, 2, NULL, "unknown command fly"},
        {{"--fly"}, 2, NULL, "unknown option --fly"},
        {{"ls", "--fly"}, 2, NULL, "unknown option --fly"},
        {{"ls", "--jso"}, 2, NULL, "unknown option --jso"},
        {{"ls", "-l"}, 2, NULL, "unknown option -l"},
        {{"set", "--t", "-1,-2", "engine", "--s", "-1,1,1", "1"},
         2,
         NULL,
         "--t: \"-1,-2\" is not X,Y,Z"},
        {{"set", "--t=-1,-2", "engine", "1"}, 2, NULL, "--t: \"-1,-2\" is not X,Y,Z"},
        {{"ls", "--", "--json"}, 2, NULL, "\"--json\" is not a scene name"},
        {{"drag", "engine", "--steps", "1000001"},
         2,
         NULL,
         "--steps: \"1000001\" is not a whole number from 0 to 1000000"},
        {{"ls", "engine", "--json=yes"}, 2, NULL, "--json takes no value"},
        {{"ls", "engine", "--server"}, 2, NULL, "--server needs a value"},
        {{"ls", "engine", "--user", "a", "--user", "b"}, 2, NULL, "--user may be given only once"},
        {{"ls", "Engine"}, 2, NULL, "\"Engine\" is not a scene name"},
        {{"ls", "_engine"}, 2, NULL, "\"_engine\" is not a scene name"},
        {{"ls", "engine", "more"}, 2, NULL, "unexpected operand \"more\""},
        {{"import", "a.glb"}, 2, NULL, "SCENE is missing"},
        {{"import"}, 2, NULL, "FILE is missing"},
        {{"export", "engine"}, 2, NULL, "FILE is missing"},
        {{"export", "engine", "a.obj"}, 2, NULL, "\"a.obj\" must end in .glb or .gltf"},
        {{"export", "engine", "glb"}, 2, NULL, "must end in"},
        {{"rm"}, 2, NULL, "SCENE is missing"},
        {{"mv", "engine"}, 2, NULL, "NEW-SCENE is missing"},
        {{"mv", "engine", "Motor"}, 2, NULL, "\"Motor\" is not a scene name"},
        {{"backup", "engine"}, 2, NULL, "FILE.db is missing"},
        {{"check"}, 2, NULL, "FILE.db is missing"},
        {{"watch", "engine", "--count", "-1"}, 2, NULL, "--count: \"-1\""},
        {{"watch", "engine", "--for", "soon"}, 2, NULL, "--for: \"soon\" is not a number"},
        {{"drag", "engine", "--handle", "tx", "--from", "1,2", "--to", "3,4"},
         2,
         NULL,
         "--node is missing"},
        {{"drag", "engine", "--node", "1", "--handle", "tw"},
         2,
         NULL,
         "--handle: \"tw\" is not one of tx"},
        {{"drag", "engine", "--node", "1", "--handle", "tx", "--from", "1;2"},
         2,
         NULL,
         "--from: \"1;2\" is not X,Y"},
        {{"drag", "engine", "--handle", "tx", "--value", "1"}, 2, NULL, "--node is missing"},
        {{"drag", "engine", "--node", "1", "--handle", "tx", "--to", "3,4"},
         2,
         NULL,
         "--from is missing"},
        {{"drag", "engine", "--node", "1", "--handle", "tx", "--value", "1 m"},
         2,
         NULL,
         "--value: \"1 m\" is not V[,V]"},
        {{"drag", "engine", "--node", "1", "--handle", "tx", "--value", "1,2,3"},
         2,
         NULL,
         "--value: \"1,2,3\""},
        {{"drag", "engine", "--node", "1", "--handle", "tx", "--value", "1,"},
         2,
         NULL,
         "--value: \"1,\""},
        {{"drag", "engine", "--node", "1", "--handle", "tx", "--value", "nan"},
         2,
         NULL,
         "--value: \"nan\""},
        {{"drag", "engine", "--node", "1", "--handle", "tx", "--value", "1", "--to", "3,4"},
         2,
         NULL,
         "--value and --to"},
        {{"drag", "engine", "--node", "1", "--handle", "tx", "--value", "1", "--hz", "5"},
         2,
         NULL,
         "--value and --hz"},
        {{"drag", "engine", "--node", "1", "--handle", "tx", "--from", "1,2", "--to", "3,inf"},
         2,
         NULL,
         "--to: \"3,inf\""},
        {{"drag", "engine", "--node", "1", "--handle", "tx", "--from", "1,2", "--to", "3,4",
          "--look", "0,0,1"},
         2,
         NULL,
         "EYE and TARGET"},
        {{"drag", "engine", "--node", "1", "--handle", "tx", "--from", "1,2", "--to", "3,4",
          "--look", "0,0,1", "0,0,1"},
         2,
         NULL,
         "same point"},
        {{"drag", "engine", "--node", "1", "--handle", "tx", "--from", "1,2", "--to", "3,4",
          "--viewport", "12"},
         2,
         NULL,
         "--viewport: \"12\""},
        {{"drag", "engine", "--node", "1", "--handle", "tx", "--from", "1,2", "--to", "3,4",
          "--fovy", "180"},
         2,
         NULL,
         "--fovy: 180"},
        {{"drag", "engine", "--node", "1", "--handle", "tx", "--from", "1,2", "--to", "3,4", "--hz",
          "-5"},
         2,
         NULL,
         "--hz: -5"},
        {{"set", "engine"}, 2, NULL, "NODE is missing"},
        {{"set", "engine", "1"}, 2, NULL, "nothing to set"},
        {{"set", "engine", "1", "--t", "1,2"}, 2, NULL, "--t: \"1,2\" is not X,Y,Z"},
        {{"set", "engine", "1", "--t", "1,2,nan"}, 2, NULL, "--t: \"1,2,nan\""},
        {{"set", "engine", "1", "--r", "0,0,0,1", "--euler", "1,2,3"}, 2, NULL, "--r and --euler"},
        {{"set", "engine", "1", "--euler", "1,2,3", "--order", "XXY"}, 2, NULL, "--order: \"XXY\""},
        {{"set", "engine", "1", "--s", "1,1,1", "--order", "XYZ"}, 2, NULL, "--order"},
        {{"history", "engine", "--since", "lunch"}, 2, NULL, "--since: \"lunch\" is not a time"},
        {{"history", "engine", "--limit", "1001"},
         2,
         NULL,
         "--limit: \"1001\" is not a whole number from 1 to 1000"},
        {{"at", "engine"}, 2, NULL, "give one of --seq N|NAME and --time T"},
        {{"at", "engine", "--seq", "1", "--time", "2"},
         2,
         NULL,
         "give one of --seq N|NAME and --time T"},
        {{"restore", "engine"}, 2, NULL, "--seq N|NAME is missing"},
        {{"restore", "engine", "--seq", "9007199254740992"},
         2,
         NULL,
         "--seq: \"9007199254740992\" is neither"},
        {{"revert", "engine"}, 2, NULL, "EDIT is missing"},
        {{"revert", "engine", "last"}, 2, NULL, "EDIT: \"last\" is not the number of an edit"},
        {{"checkpoint", "engine"}, 2, NULL, "NAME is missing"},
        {{"access", "engine", "--gone"}, 2, NULL, "USERS is missing"},
        {{"access", "engine", "ann"}, 2, NULL, "USERS: needs --role ROLE or --gone"},
        {{"access", "engine", "ann", "--role", "viewer", "--gone"},
         2,
         NULL,
         "--role and --gone: give only one of them"},
        {{"checkpoint", "engine", "a", "--seq", "1", "--gone"},
         2,
         NULL,
         "--seq and --gone: give only one of them"},
        {{"solve", "engine"}, 2, NULL, "unexpected operand"},
        {{"watch", "engine", "--box", "1,2,3"},
         2,
         NULL,
         "--box: \"1,2,3\" is not X0,Y0,Z0,X1,Y1,Z1"},
        {{"watch", "engine", "--box", "0,0,0,1,1,1", "--subtree", "2"},
         2,
         NULL,
         "--subtree and --box"},
        {{"watch", "engine", "--subtree"}, 2, NULL, "--subtree needs a value"},
        {{"who"}, 2, NULL, "SCENE is missing"},
        {{"notes", "engine", "more"}, 2, NULL, "unexpected operand \"more\""},
        {{"note", "engine"}, 2, NULL, "TEXT is missing"},
        {{"note", "engine", "a", "--at", "1,2"}, 2, NULL, "--at: \"1,2\" is not X,Y,Z"},
        {{"note", "engine", "a", "--reply", "first"},
         2,
         NULL,
         "--reply: \"first\" is not a whole number"},
        {{"note", "engine", "--done", "1", "--gone", "1"},
         2,
         NULL,
         "--done, --open and --gone: give only one of them"},
        {{"note", "engine", "--done", "1", "--reply", "2"},
         2,
         NULL,
         "it cannot be used with --done"},
        {{"note", "engine", "a", "--done", "1"}, 2, NULL, "--done takes no TEXT"},
        {{"note", "engine", "--gone", "1", "--node", "1"},
         2,
         NULL,
         "--gone takes no TEXT, --node or --at"},
        {{"note", "engine", "--edit", "1"}, 2, NULL, "--edit: nothing to change"},
        {{"ls", "--token", "secret"}, 2, NULL, "unknown option --token "},
        {{"ls", "--token-file", "/nowhere"}, 2, NULL, "--token-file: /nowhere: No such file"},
        {{"ls", "--token-file", "/dev/null"}, 2, NULL, "/dev/null: the first line is empty"},
        {{"ls", "--token-file", "/dev/zero"}, 2, NULL, "/dev/zero: the first line is empty"},
        {{"token", "--user", "a", "--expires", "1h"}, 2, NULL, "--keys is missing"},
        {{"token", "--keys", "k", "--expires", "1h"}, 2, NULL, "--user is missing"},
        {{"token", "--keys", "k", "--user", "a"}, 2, NULL, "--expires is missing"},
        {{"token", "--keys", "k", "--guest", "--expires", "8"},
         2,
         NULL,
         "--expires: \"8\" is not a length of time (30s, 10m, 8h, 7d)"},
        {{"token", "--keys", "k", "--guest", "--expires", "1h", "--role", "admin"},
         2,
         NULL,
         "--role: must be viewer or editor for a guest"},
        {{"token", "--keys", "k", "--user", "a", "--expires", "0s"},
         2,
         NULL,
         "--expires: must be above 0"},
        {{"token", "--keys", "k", "--user", "", "--expires", "1h"},
         2,
         NULL,
         "--user: must have 1 to 64 bytes"},
        {{"token", "--keys", "k", "--user", "a", "--expires", "1h", "--role", "root"},
         2,
         NULL,
         "--role: \"root\" is not one of viewer editor admin"},
        {{"token", "--keys", "k", "--user", "a", "--expires", "1h", "--scene", ""},
         2,
         NULL,
         "--scene: must have 1 to 64 bytes"},
        {{"key"}, 2, NULL, "FILE is missing"},
        {{"key", "--public", "--algorithm", "ES256", "k"},
         2,
         NULL,
         "--algorithm and --public: give only one"},
    };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) check_call(NULL, NULL, &calls[i]);
}

TEST(test_failures_at_run_time_exit_1_with_a_line)
{
    static const struct call calls[] = {
        {{"ls", "--server", "ws://127.0.0.1:1/ws"}, 1, NULL, "ws://127.0.0.1:1/ws"},
        {{"ls", "engine", "--server", "ws://127.0.0.1:1/ws"},
         1,
         NULL,
         "cannot connect to ws://127.0.0.1:1/ws"},
        {{"ls", "engine", "--server", "http://127.0.0.1/ws"}, 1, NULL, "does not begin with ws://"},
        {{"ls", "engine", "--server", "ws://127.0.0.1:99999/ws"}, 1, NULL, "port"},
        {{"ls", "engine", "--server", "ws://127.0.0.1:1/elsewhere"},
         1,
         NULL,
         "does not end in /ws"},
        {{"import", "/nowhere/a.glb", "engine"}, 1, NULL, "No such file"},
        {{"check", "/nowhere/a.db"}, 1, NULL, "a.db: No such file or directory (unknown_scene)"},
        {{"check", "/etc/passwd"}, 1, NULL, "file is not a database"},
        {{"check", "/etc/passwd", "--against", "/nowhere/a.db"}, 1, NULL, "not a database"},
        {{"backup", "engine", "/nowhere/a.db"}, 1, NULL, "/nowhere/a.db.part"},
        {{"key", "/nowhere/k"}, 1, NULL, "/nowhere/k.part: No such file"},
        {{"key", "--public", "/nowhere/k"}, 1, NULL, "/nowhere/k: No such file"},
        {{"key", "--algorithm", "none", "/nowhere/k"}, 1, NULL, "\"none\" is not one of HS256"},
        {{"key", "/etc/passwd"}, 1, NULL, "/etc/passwd: is not JSON: line 1"},
        {{"token", "--keys", "/etc/passwd", "--user", "a", "--expires", "1h"},
         1,
         NULL,
         "/etc/passwd: is not JSON: line 1"},
    };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) check_call(NULL, NULL, &calls[i]);
}

TEST(test_help_of_each_command_names_its_options)
{
    static const struct call calls[] = {
        {{"--help"}, 0, "restore SCENE", NULL},
        {{"import", "--help"}, 0, "FILE SCENE", NULL},
        {{"export", "--help"}, 0, "SCENE FILE", NULL},
        {{"rm", "--help"}, 0, "This is final: gizmoctl backup SCENE FILE.db keeps a copy", NULL},
        {{"mv", "--help"}, 0, "SCENE NEW-SCENE", NULL},
        {{"watch", "--help"}, 0, "--json", NULL},
        {{"ls", "--help"}, 0, "[SCENE]", NULL},
        {{"drag", "--help"}, 0, "--look EYE TARGET", NULL},
        {{"set", "--help"}, 0, "in degrees", NULL},
        {{"history", "--help"}, 0, "--since T", NULL},
        {{"at", "--help"}, 0, "--time T", NULL},
        {{"restore", "--help"}, 0, "--seq N", NULL},
        {{"backup", "--help"}, 0, "FILE.db", NULL},
        {{"solve", "--help"}, 0, "--server URL", NULL},
        {{"who", "--help"}, 0, "role, colour, tool", NULL},
        {{"watch", "--help"}, 0, "--box X0,Y0,Z0,X1,Y1,Z1", NULL},
        {{"check", "--help"}, 0, "--against FILE.db", NULL},
        {{"note", "--help"}, 0, "SCENE [TEXT]", NULL},
        {{"notes", "--help"}, 0, "--all", NULL},
        {{"undo", "--help"}, 0, "--force", NULL},
        {{"token", "--help"}, 0, "--expires TIME", NULL},
        {{"key", "--help"}, 0, "--public", NULL},
        {{"bench", "--help"}, 0, "--viewers N", NULL},
        {{"drag", "--help"}, 0, "degrees about rx ry rz rv", NULL},
    };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) check_call(NULL, NULL, &calls[i]);
}

/* ---- solve ---- */

/* An eye at (0, 0, 10) with 90 degrees from bottom to top over 1000 x 1000 pixels: a pixel is 0.02
 * m at the object. */
#define CASE                                                                                       \
    "\"tool\":\"translate_axis\",\"handle\":\"x\",\"space\":\"world\",\"viewport\":[1000,1000],"   \
    "\"view\":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,-10,1],\"proj\":[1,0,0,0,0,1,0,0,0,0,-1,-1,0,0,-0.2,0]" \
    ","                                                                                            \
    "\"object\":{\"position\":[0,0,0],\"rotation\":[0,0,0,1],\"scale\":[1,2,1]},\"gizmo\":{"       \
    "\"px\":100},"                                                                                 \
    "\"start\":[550,500],"

static const char *const solve_input =
    "{\"id\":7," CASE "\"path\":[[550,500],[600,520],[550,500]]}\n"
    "{\"id\":8," CASE "\"path\":[[550]]}\n"
    "not json\n"
    "{\"id\":\"nine\"," CASE "\"path\":[]}\n";

static void check_solve(const struct test_daemon *daemon)
{
    struct test_output output;
    const char *const here[] = {"solve", NULL}, *const there[] = {"solve", "--server",
                                                                  daemon != NULL ? daemon->url : "",
                                                                  NULL};
    test_ctl(&output, NULL, solve_input, daemon != NULL ? there : here);
    assert_string_equal(output.out, "{\"id\":7,\"grab\":\"ok\",\"r\":[[0,0,0,0,0,0,1,1,2,1],[1,0,0,"
                                    "0,0,0,1,1,2,1],[0,0,0,0,0,0,1,1,2,1]]}\n"
                                    "{\"id\":\"nine\",\"grab\":\"ok\",\"r\":[]}\n");
    assert_non_null(strstr(output.err, "line 2: path[0]: must be two finite numbers"));
    assert_non_null(strstr(output.err, "line 3: "));
    assert_int_equal(count_lines(output.err), 2);
    assert_int_equal(output.code, 1);
    test_output_finish(&output);
}

/* ---- keys and tokens ---- */

struct keys_folder {
    char path[64], file[80], token[80];
};

static int keys_setup(void **state)
{
    struct keys_folder *folder = calloc(1, sizeof *folder);
    strcpy(folder->path, "/tmp/gizmod-ctl-XXXXXX");
    if (folder == NULL || mkdtemp(folder->path) == NULL) return -1;
    snprintf(folder->file, sizeof folder->file, "%s/keys", folder->path);
    snprintf(folder->token, sizeof folder->token, "%s/token", folder->path);
    *state = folder;
    return 0;
}

static int keys_teardown(void **state)
{
    struct keys_folder *folder = *state;
    unlink(folder->file);
    unlink(folder->token);
    int left = rmdir(folder->path); /* a draft that is left behind makes it fail */
    free(folder);
    return left;
}

static mode_t mode_of(const char *path)
{
    struct stat stat_;
    assert_int_equal(stat(path, &stat_), 0);
    return stat_.st_mode & 07777;
}

/* A file of secrets is for its owner alone, unless its owner says otherwise; then it stays so. */
static void test_a_file_of_keys_is_private_and_replaced_whole(void **state)
{
    const struct keys_folder *folder = *state;
    const struct call make = {{"key", folder->file}, 0, NULL, NULL};
    const struct call bad = {{"key", folder->file}, 1, NULL, "is not JSON"};
    mode_t mask = umask(0);
    check_call(NULL, NULL, &make);
    umask(mask);
    assert_int_equal(mode_of(folder->file), 0600);
    assert_int_equal(chmod(folder->file, 0640), 0);
    check_call(NULL, NULL, &make);
    assert_int_equal(mode_of(folder->file), 0640);
    const struct call print = {{"key", "--public", folder->file}, 0, "\"ES256\"", NULL};
    check_call(NULL, NULL, &print);
    assert_int_equal(truncate(folder->file, 10), 0);
    check_call(NULL, NULL, &bad);
    struct stat after;
    assert_int_equal(stat(folder->file, &after), 0);
    assert_int_equal(after.st_size, 10);
}

static void test_a_token_of_exposed_keys_comes_with_a_warning(void **state)
{
    const struct keys_folder *folder = *state;
    const struct call make = {{"key", folder->file}, 0, NULL, NULL};
    struct call sign = {
        {"token", "--keys", folder->file, "--user", "a", "--expires", "1h"}, 0, "eyJ", NULL};
    check_call(NULL, NULL, &make);
    check_call(NULL, NULL, &sign);
    assert_int_equal(chmod(folder->file, 0644), 0);
    sign.err = "other users can read or change";
    check_call(NULL, NULL, &sign);
}

/* Answers one HTTP request with an empty list, and keeps what was asked. */
static void answer_once(int listener, char *request, size_t room)
{
    static const char answer[] =
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n[]";
    int connection = accept(listener, NULL, NULL);
    assert_true(connection >= 0);
    size_t size = 0;
    request[0] = '\0';
    while (strstr(request, "\r\n\r\n") == NULL) {
        ssize_t taken = read(connection, request + size, room - 1 - size);
        assert_true(taken > 0);
        request[size += (size_t)taken] = '\0';
    }
    assert_int_equal(write(connection, answer, sizeof answer - 1), sizeof answer - 1);
    close(connection);
}

static int listen_anywhere(char url[64])
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    snprintf(url, 64, "ws://127.0.0.1:%d/ws", ntohs(address.sin_port));
    return listener;
}

/* A server that sends a client elsewhere gets neither the hello nor the token to go there. */
static void test_a_redirect_is_not_followed(void **state)
{
    const struct keys_folder *folder = *state;
    char url[64], elsewhere[64], request[4096] = "", answer[256];
    int listener = listen_anywhere(url), other = listen_anywhere(elsewhere);
    FILE *file = fopen(folder->token, "w");
    assert_non_null(file);
    fputs("secret", file);
    fclose(file);
    const char *const arguments[] = {"who", "x", "--token-file", folder->token, "--server",
                                     url,   NULL};
    struct test_child child;
    struct test_output output;
    test_ctl_start(&child, NULL, arguments);
    int connection = accept(listener, NULL, NULL);
    assert_true(read(connection, request, sizeof request - 1) > 0);
    int size = snprintf(answer, sizeof answer,
                        "HTTP/1.1 302 Found\r\nLocation: http%s\r\nContent-Length: 0\r\n\r\n",
                        elsewhere + strlen("ws"));
    assert_int_equal(write(connection, answer, (size_t)size), size);
    assert_int_equal(fcntl(other, F_SETFL, O_NONBLOCK), 0);
    test_child_finish(&child, NULL, &output);
    assert_int_equal(accept(other, NULL, NULL), -1);
    assert_int_not_equal(output.code, 0);
    test_output_finish(&output);
    close(connection);
    close(listener);
    close(other);
}

/* The longest token there is; what follows its line is none of it. */
static void test_the_token_of_a_file_goes_into_the_header(void **state)
{
    const struct keys_folder *folder = *state;
    char url[64], request[2 * GZ_TOKEN_BYTES_MAX], header[GZ_TOKEN_BYTES_MAX + 64];
    int listener = listen_anywhere(url);
    FILE *file = fopen(folder->token, "w");
    assert_non_null(file);
    fprintf(file, "%0*d\r\nmore\n", GZ_TOKEN_BYTES_MAX, 7);
    fclose(file);
    const char *const arguments[] = {"ls", "--json", "--token-file", folder->token, "--server",
                                     url,  NULL};
    struct test_child child;
    struct test_output output;
    test_ctl_start(&child, NULL, arguments);
    answer_once(listener, request, sizeof request);
    test_child_finish(&child, NULL, &output);
    close(listener);
    assert_int_equal(output.code, 0);
    test_output_finish(&output);
    snprintf(header, sizeof header, "uthorization: Bearer %0*d\r\n", GZ_TOKEN_BYTES_MAX, 7);
    assert_non_null(strstr(request, header));
    char *line_end = strstr(request, "\r\n");
    *line_end = '\0';
    assert_string_equal(request, "GET /scenes HTTP/1.1");
}

TEST(test_solve_answers_good_lines_and_names_bad_ones)
{
    check_solve(NULL);
}

static void test_solve_answers_the_same_through_a_daemon(void **state)
{
    struct stage *stage = *state;
    check_solve(&stage->daemon);
}

/* Three degrees from the line of sight, where a person's drag has a gentler law: a replayed one has
 * the exact law in both places. */
static void test_solve_of_a_steep_axis_is_the_same_bits_through_a_daemon(void **state)
{
    struct stage *stage = *state;
    static const char input[] =
        "{\"id\":1,\"tool\":\"translate_axis\",\"handle\":\"z\",\"space\":\"local\",\"viewport\":["
        "1000,1000],"
        "\"view\":[1,0,0,0,0,1,0,0,0,0,1,0,0.1,0.2,-10,1],\"proj\":[1,0,0,0,0,1,0,0,0,0,-1,-1,0,0,-"
        "0.2,0],"
        "\"object\":{\"position\":[0.5,0,0],\"rotation\":[0,0.01,0,1],\"scale\":[1,2,1]},\"gizmo\":"
        "{\"px\":100},"
        "\"start\":[532,493],\"path\":[[532,493],[540,490],[580,470],[529,493]]}\n";
    struct test_output here, there;
    test_ctl(&here, NULL, input, (const char *const[]){"solve", NULL});
    test_ctl(&there, NULL, input,
             (const char *const[]){"solve", "--server", stage->daemon.url, NULL});
    assert_int_equal(here.code, 0);
    assert_string_equal(here.err, "");
    /* A replay sees the axes alone; the daemon's gizmo has its centre handle there. */
    assert_non_null(strstr(here.out, "\"grab\":\"ok\""));
    assert_non_null(strstr(there.out, "\"grab\":\"wrong:tv\""));
    assert_string_equal(strstr(here.out, "\"r\":"), strstr(there.out, "\"r\":"));
    assert_string_equal(there.err, "");
    test_output_finish(&here);
    test_output_finish(&there);
}

/* ---- with a daemon ---- */

static const char arm_gltf[] =
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":["
    "{\"name\":\"base\",\"children\":[1,2],\"translation\":[0,1,0]},"
    "{\"name\":\"link\",\"rotation\":[0,0.70710678118654752,0,0.70710678118654752]},"
    "{\"name\":\"link\",\"scale\":[2,2,2]}]}";

static void write_arm(const struct test_daemon *daemon, char *path, size_t size)
{
    snprintf(path, size, "%s/arm.gltf", daemon->directory);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(arm_gltf, 1, sizeof arm_gltf - 1, file), sizeof arm_gltf - 1);
    fclose(file);
}

static void test_import_names_the_format_of_a_file_that_is_no_gltf(void **state)
{
    struct stage *stage = *state;
    char path[128];
    snprintf(path, sizeof path, "%s/part.glb", stage->daemon.directory);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("# a cube\nv 0 0 0\nv 1 0 0\nf 1 2 1\n", file);
    fclose(file);
    check_call(&stage->daemon, NULL,
               &(struct call){{"import", path, "part"}, 1, NULL, "an OBJ file"});
    check_call(&stage->daemon, NULL, &(struct call){{"ls"}, 0, NULL, NULL});
}

/* The edit is told in three parts. */
static void test_history_of_an_edit_of_many_nodes_is_one_line(void **state)
{
    struct stage *stage = *state;
    struct test_output output;
    char path[128];
    snprintf(path, sizeof path, "%s/many.gltf", stage->daemon.directory);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0", file);
    for (int i = 1; i < 2500; i++) fprintf(file, ",%d", i);
    fputs("]}],\"nodes\":[{}", file);
    for (int i = 1; i < 2500; i++) fputs(",{}", file);
    fputs("]}", file);
    fclose(file);
    const struct test_daemon *daemon = &stage->daemon;
    const struct call history = {{"history", "many", "--json"}, 0, NULL, NULL};
    check_call(daemon, NULL, &(struct call){{"import", path, "many"}, 0, "2500 nodes", NULL});
    check_call(daemon, NULL, &(struct call){{"history", "many"}, 0, " 2500 nodes\n", NULL});
    test_ctl(&output, daemon, NULL, history.arguments);
    assert_int_equal(count_lines(output.out), 1);
    check_has(&history, "stdout", output.out, ",1000,1001,");
    check_has(&history, "stdout", output.out, ",2499,2500]");
    check_has(&history, "stdout", output.out, "{\"id\":2500,");
    test_output_finish(&output);
}

static void test_a_scenes_life_on_the_command_line(void **state)
{
    struct stage *stage = *state;
    char file[128], out[128], db[128];
    write_arm(&stage->daemon, file, sizeof file);
    snprintf(out, sizeof out, "%s/out.gltf", stage->daemon.directory);
    snprintf(db, sizeof db, "%s/copy.db", stage->daemon.directory);
    const struct call calls[] = {
        {{"ls"}, 0, NULL, NULL},
        {{"ls", "arm"}, 1, NULL, "unknown_scene"},
        {{"import", file, "arm"}, 0, "arm: 3 nodes\n", NULL},
        {{"import", file, "arm"}, 1, NULL, "arm"},
        {{"import", file, "arm", "--replace", "--user", "anna"}, 0, "arm: 3 nodes\n", NULL},
        {{"ls"}, 0, "arm ", NULL},
        {{"ls", "--json"}, 0, "\"name\":\"arm\"", NULL},
        {{"ls", "arm"}, 0, "base  ", NULL},
        {{"ls", "arm"}, 0, "t (0, 1, 0) m  r (0, 0, 0) deg  s (1, 1, 1)", NULL},
        {{"ls", "arm"}, 0, "r (0, 90, 0) deg", NULL},
        {{"ls", "arm", "--json"}, 0, "\"name\":\"base\"", NULL},
        {{"set", "arm", "base", "--t", "-1,0.5,2", "--user", "anna"},
         0,
         "t (-1, 0.5, 2) m  edit ",
         NULL},
        {{"set", "arm", "base", "--euler", "0,30,0", "--user", "anna"},
         0,
         "r (0, 30, 0) deg  edit ",
         NULL},
        {{"set", "arm", "base", "--euler", "10,20,30", "--order", "ZYX", "--key", "k1", "--user",
          "anna"},
         0,
         "edit ",
         NULL},
        {{"set", "arm", "link", "--t", "1,1,1"}, 1, NULL, "several nodes are named \"link\""},
        {{"set", "arm", "wrench", "--t", "1,1,1"},
         1,
         NULL,
         "no node has the name or id \"wrench\""},
        {{"set", "arm", "base", "--s", "0,1,1"}, 1, NULL, "(bad_value)"},
        {{"set", "arm", "base", "--name", "foot", "--user", "anna"}, 0, "name foot", NULL},
        {{"undo", "arm", "--user", "anna"}, 0, "edit ", NULL},
        {{"redo", "arm", "--user", "anna", "--json"}, 0, "{\"op\":\"ok\",\"edit\":", NULL},
        {{"undo", "arm", "--user", "nobody"}, 1, NULL, "(bad_state)"},
        {{"drag", "arm", "--node", "foot", "--handle", "ty", "--from", "960,540", "--to", "960,440",
          "--hz", "0", "--user", "bert"},
         0,
         "  ty  t (-1, 0.5, 2) -> (-1, ",
         NULL},
        {{"drag", "arm", "--node", "foot", "--handle", "ty", "--from", "960,540", "--to", "960,540",
          "--hz", "0"},
         0,
         "nothing changed",
         NULL},
        {{"history", "arm", "--user", "bert"}, 0, "translate ty", NULL},
        {{"history", "arm"}, 0, "edit 1  ", NULL},
        {{"drag", "arm", "--node", "foot", "--handle", "tz", "--value", "-0.25", "--user", "cleo"},
         0,
         "  tz typed -0.25 m  t (",
         NULL},
        {{"drag", "arm", "--node", "foot", "--handle", "tz", "--value", "0"},
         0,
         "nothing changed",
         NULL},
        {{"drag", "arm", "--node", "foot", "--handle", "txy", "--value", "1"},
         1,
         NULL,
         "value: txy takes two numbers"},
        {{"drag", "arm", "--node", "foot", "--handle", "rb", "--value", "1"},
         1,
         NULL,
         "value: rb takes no number"},
        {{"drag", "arm", "--node", "foot", "--handle", "su", "--value", "0"},
         1,
         NULL,
         "value: su cannot be 0"},
        {{"drag", "arm", "--node", "foot", "--handle", "tx", "--value", "1e16"},
         1,
         NULL,
         "value: beyond 1e15"},
        {{"drag", "arm", "--node", "foot", "--handle", "txy", "--value", "1,-2", "--json", "--user",
          "cleo"},
         0,
         "{\"op\":\"ok\",\"edit\":",
         NULL},
        {{"history", "arm", "--user", "cleo", "--limit", "1"},
         0,
         "translate txy typed (1, -2) m  foot",
         NULL},
        {{"history", "arm", "--user", "cleo", "--limit", "1", "--json"},
         0,
         "\"value\":[1.0,-2.0]",
         NULL},
        {{"history", "arm", "--node", "foot"}, 0, "name base -> foot", NULL},
        {{"history", "arm", "--node", "foot"},
         0,
         "set            base #4  t (0, 1, 0) -> (-1, 0.5, 2) m",
         NULL},
        {{"history", "arm", "--node", "foot", "--json"}, 0, "\"name\":\"base\"", NULL},
        {{"history", "arm", "--since", "1h", "--json"}, 0, "\"op\":\"edit\"", NULL},
        {{"history", "arm", "--before", "1970-01-02"}, 0, NULL, NULL},
        {{"at", "arm", "--time", "0s"}, 0, "foot", NULL},
        {{"at", "arm", "--seq", "9000000"}, 1, NULL, "seq"},
        {{"restore", "arm", "--seq", "9000000"}, 1, NULL, "seq"},
        {{"export", "arm", out}, 0, NULL, NULL},
        {{"export", "none", out}, 1, NULL, "unknown_scene"},
        {{"backup", "arm", db}, 0, NULL, NULL},
        {{"check", db}, 0, "nothing is wrong", NULL},
        {{"check", db, "--against", db}, 0, "row by row", NULL},
        {{"set", "--s", "-1,1,1", "arm", "--t", "-1,-2,-3", "foot", "--user", "anna"},
         0,
         "t (-1, -2, -3) m",
         NULL},
        {{"note", "--user", "anna", "arm", "--", "-5 mm"}, 0, "note 1", NULL},
        {{"notes", "arm"}, 0, "-5 mm", NULL},
        {{"watch", "arm", "--count", "1"}, 0, "the scene so far, 3 nodes", NULL},
        {{"watch", "arm", "--count", "1", "--json"}, 0, "{\"op\":\"delta\",\"from\":0,", NULL},
        {{"watch", "arm", "--for", "0.1"}, 0, "the scene so far", NULL},
    };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        check_call(&stage->daemon, NULL, &calls[i]);
    assert_int_equal(access(out, R_OK), 0);
    /* The copy is a scene like any other. */
    char copy[160];
    snprintf(copy, sizeof copy, "%s/copy.db", stage->daemon.data);
    assert_int_equal(rename(db, copy), 0);
    check_call(&stage->daemon, NULL, &(struct call){{"ls", "copy"}, 0, "foot", NULL});
}

static uint64_t seq_of(const struct test_output *output)
{
    const char *seq = strstr(output->out, "seq ");
    assert_non_null(seq);
    return strtoull(seq + 4, NULL, 10);
}

static size_t read_whole(const char *path, char *bytes, size_t max)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, max, file);
    fclose(file);
    return size;
}

static void test_export_after_a_restart_is_what_it_was_before(void **state)
{
    struct stage *stage = *state;
    char file[128], out[2][160], bytes[2][65536];
    size_t sizes[2];
    write_arm(&stage->daemon, file, sizeof file);
    check_call(&stage->daemon, NULL, &(struct call){{"import", file, "arm"}, 0, "3 nodes", NULL});
    check_call(&stage->daemon, NULL,
               &(struct call){{"set", "arm", "1", "--t", "1,2,3"}, 0, "base #1", NULL});
    for (int i = 0; i < 2; i++) {
        snprintf(out[i], sizeof out[i], "%s/out%d.gltf", stage->daemon.data, i);
        check_call(&stage->daemon, NULL, &(struct call){{"export", "arm", out[i]}, 0, NULL, NULL});
        sizes[i] = read_whole(out[i], bytes[i], sizeof bytes[i]);
        test_daemon_kill(&stage->daemon);
        test_daemon_start(&stage->daemon, NULL, NULL);
    }
    assert_true(sizes[0] > 0);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], sizes[0]);
}

static void assert_same_listing(const struct test_daemon *daemon, const char *scene,
                                const char *other)
{
    struct test_output a, b;
    test_ctl(&a, daemon, NULL, (const char *const[]){"ls", scene, "--json", NULL});
    test_ctl(&b, daemon, NULL, (const char *const[]){"ls", other, "--json", NULL});
    assert_int_equal(a.code, 0);
    assert_true(count_lines(a.out) > 0);
    assert_string_equal(a.out, b.out);
    test_output_finish(&a);
    test_output_finish(&b);
}

/* Of a scene that was made of either kind. */
static void test_export_by_suffix_is_of_that_kind_and_comes_back_the_same(void **state)
{
    static const struct {
        const char *scene, *again, *suffix, *begins;
    } rows[] = {
        {"arm", "arm-glb", ".glb", "glTF"},
        {"arm", "arm-gltf", ".gltf", "{"},
        {"robot", "robot-glb", ".GLB", "glTF"},
        {"robot", "robot-gltf", ".gltf", "{"},
    };
    static const char robot[] = GZ_SOURCE_DIR "/server/exchange/sample/robot-arm.glb";
    struct stage *stage = *state;
    const struct test_daemon *daemon = &stage->daemon;
    char file[128], bytes[8];
    write_arm(daemon, file, sizeof file);
    check_call(daemon, NULL, &(struct call){{"import", file, "arm"}, 0, "arm: 3 nodes\n", NULL});
    check_call(daemon, NULL,
               &(struct call){{"import", robot, "robot"}, 0, "robot: 16 nodes\n", NULL});
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(file, sizeof file, "%s/out%zu%s", daemon->directory, i, rows[i].suffix);
        check_call(daemon, NULL, &(struct call){{"export", rows[i].scene, file}, 0, NULL, NULL});
        assert_int_equal(read_whole(file, bytes, sizeof bytes), sizeof bytes);
        assert_memory_equal(bytes, rows[i].begins, strlen(rows[i].begins));
        check_call(daemon, NULL, &(struct call){{"import", file, rows[i].again}, 0, "nodes", NULL});
        assert_same_listing(daemon, rows[i].scene, rows[i].again);
    }
}

static void test_export_says_which_skin_it_left_out(void **state)
{
    static const char rig[] = "{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[0]}],"
                              "\"skins\":[{\"name\":\"Armature\",\"joints\":[1,2]}],"
                              "\"nodes\":[{\"name\":\"body\",\"skin\":0,\"children\":[1]},{"
                              "\"name\":\"hip\",\"children\":[2]},{\"name\":\"knee\"}]}";
    const struct test_daemon *daemon = &((struct stage *)*state)->daemon;
    char file[128];
    struct test_output output;
    snprintf(file, sizeof file, "%s/rig.gltf", daemon->directory);
    FILE *stream = fopen(file, "w");
    assert_true(stream != NULL && fputs(rig, stream) >= 0 && fclose(stream) == 0);
    check_call(daemon, NULL, &(struct call){{"import", file, "rig"}, 0, "rig: 3 nodes\n", NULL});
    for (int broken = 0; broken < 2; broken++) {
        if (broken)
            check_call(daemon, NULL,
                       &(struct call){{"set", "rig", "knee", "--parent", "0"}, 0, "edit ", NULL});
        test_ctl(&output, daemon, NULL, (const char *const[]){"export", "rig", file, NULL});
        assert_int_equal(output.code, 0);
        assert_string_equal(
            output.err,
            broken ? "gizmoctl export: warning: left out skin 0 (Armature): the joints no longer "
                     "have a common root in the scene\n"
                   : "");
        test_output_finish(&output);
    }
}

static void test_scenes_are_renamed_and_deleted(void **state)
{
    struct stage *stage = *state;
    char file[128];
    write_arm(&stage->daemon, file, sizeof file);
    const struct call calls[] = {
        {{"import", file, "arm"}, 0, "3 nodes", NULL},
        {{"import", file, "other"}, 0, "3 nodes", NULL},
        {{"set", "arm", "base", "--t", "1,2,3", "--user", "anna"}, 0, "edit 2", NULL},
        {{"mv", "arm", "other"}, 1, NULL, "(conflict)"},
        {{"mv", "none", "limb"}, 1, NULL, "(unknown_scene)"},
        {{"mv", "arm", "limb", "--user", "anna"}, 0, NULL, NULL},
        {{"ls", "arm"}, 1, NULL, "(unknown_scene)"},
        {{"history", "limb", "--user", "anna"}, 0, "t (0, 1, 0) -> (1, 2, 3) m", NULL},
        {{"rm", "arm"}, 1, NULL, "(unknown_scene)"},
        {{"rm", "limb"}, 0, NULL, NULL},
        {{"ls", "limb"}, 1, NULL, "(unknown_scene)"},
        {{"ls", "other"}, 0, "3 nodes", NULL},
        {{"rm", "other"}, 0, NULL, NULL},
        {{"ls"}, 0, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        check_call(&stage->daemon, NULL, &calls[i]);
}

/* How many times a row of the bench was measured; fails the test if the row is not there. */
static int measured(const char *json, const char *row)
{
    const char *at = strstr(json, row);
    if (at == NULL) fail_msg("no row \"%s\" in %s", row, json);
    at = strstr(at, "\"count\":");
    assert_non_null(at);
    return atoi(at + strlen("\"count\":"));
}

static void test_bench_measures_and_leaves_nothing(void **state)
{
    struct stage *stage = *state;
    const struct test_daemon *daemon = &stage->daemon;
    struct test_output output;
    const char *const bench[] = {"bench",     "speed", "--viewers", "3",
                                 "--seconds", "1",     "--json",    NULL};
    test_ctl(&output, daemon, NULL, bench);
    if (output.code != 0) fail_msg("%s", output.err);
    assert_int_equal(measured(output.out, "a viewer's join, "), 3);
    assert_in_range(measured(output.out, "60 moves a second to 3 viewers"), 1, 3 * 60);
    assert_true(measured(output.out, "a pointer, ") > 0);
    assert_true(measured(output.out, "an edit, 1 at once") > 0);
    test_output_finish(&output);
    const struct call after[] = {
        {{"ls"}, 0, NULL, NULL},
        {{"bench", "speed", "--viewers", "1001"}, 2, NULL, "--viewers"},
        {{"bench"}, 2, NULL, "SCENE is missing"},
    };
    for (size_t i = 0; i < sizeof after / sizeof after[0]; i++) check_call(daemon, NULL, &after[i]);
}

static void test_bench_leaves_a_scene_that_is_there(void **state)
{
    struct stage *stage = *state;
    char file[128];
    write_arm(&stage->daemon, file, sizeof file);
    const struct call calls[] = {
        {{"import", file, "arm"}, 0, "3 nodes", NULL},
        {{"bench", "arm"}, 1, NULL, "(conflict)"},
        {{"ls", "arm"}, 0, "3 nodes", NULL},
    };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        check_call(&stage->daemon, NULL, &calls[i]);
}

static void test_at_and_restore_bring_back_the_past(void **state)
{
    struct stage *stage = *state;
    char file[128], number[32];
    write_arm(&stage->daemon, file, sizeof file);
    struct test_output output;
    check_call(&stage->daemon, NULL, &(struct call){{"import", file, "arm"}, 0, "3 nodes", NULL});
    test_ctl(&output, &stage->daemon, NULL, (const char *const[]){"ls", "arm", NULL});
    assert_string_equal(output.out, "arm  seq 3  3 nodes\n"
                                    "1  base    t (0, 1, 0) m  r (0, 0, 0) deg  s (1, 1, 1)\n"
                                    "  2  link  t (0, 0, 0) m  r (0, 90, 0) deg  s (1, 1, 1)\n"
                                    "  3  link  t (0, 0, 0) m  r (0, 0, 0) deg  s (2, 2, 2)\n");
    test_output_finish(&output);
    test_ctl(&output, &stage->daemon, NULL,
             (const char *const[]){"set", "arm", "base", "--t", "1,0,0", NULL});
    snprintf(number, sizeof number, "%llu", (unsigned long long)seq_of(&output));
    test_output_finish(&output);
    const struct call calls[] = {
        {{"set", "arm", "base", "--t", "2,0,0"}, 0, "t (2, 0, 0) m", NULL},
        {{"ls", "arm"}, 0, "t (2, 0, 0) m", NULL},
        {{"at", "arm", "--seq", number}, 0, "t (1, 0, 0) m", NULL},
        {{"at", "arm", "--seq", number, "--json"}, 0, "\"t\":[1.0,0.0,0.0]", NULL},
        {{"ls", "arm"}, 0, "t (2, 0, 0) m", NULL},
        {{"restore", "arm", "--seq", number}, 0, "edit ", NULL},
        {{"ls", "arm"}, 0, "t (1, 0, 0) m", NULL},
        {{"history", "arm", "--limit", "1"}, 0, "restore", NULL},
        {{"undo", "arm"}, 0, "edit ", NULL},
        {{"ls", "arm"}, 0, "t (2, 0, 0) m", NULL},
        {{"checkpoints", "arm"}, 0, NULL, NULL},
        {{"checkpoint", "arm", "one metre", "--seq", number, "--user", "ann"},
         0,
         "checkpoint one metre  seq 4\n",
         NULL},
        {{"checkpoint", "arm", "one metre"},
         1,
         NULL,
         "one metre is taken, by ann for seq 4 (conflict)"},
        {{"checkpoint", "arm", "4"}, 1, NULL, "checkpoint.name: "},
        {{"checkpoint", "arm", "oops", "--json"},
         0,
         "{\"op\":\"ok\",\"name\":\"oops\",\"seq\":7}\n",
         NULL},
        {{"checkpoint", "arm", "oops", "--gone"}, 0, "gone: checkpoint oops  seq 7\n", NULL},
        {{"checkpoint", "arm", "oops", "--gone"}, 1, NULL, "there is no checkpoint called oops"},
        {{"at", "arm", "--seq", "two metres"}, 1, NULL, "there is no checkpoint called two metres"},
    };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        check_call(&stage->daemon, NULL, &calls[i]);
    test_daemon_kill(&stage->daemon);
    test_daemon_start(&stage->daemon, NULL, NULL);
    const struct call later[] = {
        {{"checkpoints", "arm"}, 0, "one metre  seq 4         ann  20", NULL},
        {{"checkpoints", "arm", "--json"},
         0,
         "{\"name\":\"one metre\",\"seq\":4,\"user\":\"ann\",\"made\":1",
         NULL},
        {{"at", "arm", "--seq", "one metre"}, 0, "arm  seq 4  3 nodes\n", NULL},
        {{"restore", "arm", "--seq", "one metre"}, 0, "edit ", NULL},
        {{"ls", "arm"}, 0, "t (1, 0, 0) m", NULL},
    };
    for (size_t i = 0; i < sizeof later / sizeof later[0]; i++)
        check_call(&stage->daemon, NULL, &later[i]);
}

/* Edits of others are an admin's business, and on an open server only who was named by option can
 * be one, and only who asks. */
static void test_revert_of_anothers_edit_by_a_named_admin(void **state)
{
    struct stage *stage = *state;
    char file[128];
    write_arm(&stage->daemon, file, sizeof file);
    const struct call as_editor[] = {
        {{"import", file, "arm"}, 0, "3 nodes", NULL},
        {{"set", "arm", "base", "--t", "1,0,0", "--user", "bob"}, 0, "edit 2", NULL},
        {{"set", "arm", "base", "--name", "foot", "--user", "cara"}, 0, "edit 3", NULL},
        {{"revert", "arm", "2", "--user", "ada", "--admin"},
         1,
         NULL,
         "role: the most that you may be in this scene is editor"},
        {{"revert", "arm", "2", "--user", "cara"},
         1,
         NULL,
         "edit: edit 2 is bob's: to revert it takes an admin (forbidden)"},
        {{"revert", "arm", "1"}, 1, NULL, "edit: edit 1 is an import"},
        {{"revert", "arm", "99", "--user", "cara"}, 1, NULL, "edit: there is no edit 99"},
    };
    for (size_t i = 0; i < sizeof as_editor / sizeof as_editor[0]; i++)
        check_call(&stage->daemon, NULL, &as_editor[i]);
    test_daemon_kill(&stage->daemon);
    test_daemon_start(&stage->daemon, "--admin", "ada");
    const struct call as_admin[] = {
        {{"revert", "arm", "2", "--user", "bea", "--admin"},
         1,
         NULL,
         "role: the most that you may be in this scene is editor"},
        {{"revert", "arm", "2", "--user", "ada"}, 1, NULL, "to revert it takes an admin"},
        {{"revert", "arm", "2", "--user", "ada", "--admin"},
         1,
         NULL,
         "revert: cara changed node 1 (foot) since (edit 3) (conflict)"},
        {{"revert", "arm", "2", "--user", "ada", "--admin", "--force"}, 0, "edit 4  seq 6\n", NULL},
        {{"ls", "arm"}, 0, "1  foot    t (0, 1, 0) m", NULL},
        {{"undo", "arm", "--user", "bob"}, 1, NULL, "there is nothing to undo"},
        {{"revert", "arm", "2", "--user", "ada", "--admin"},
         1,
         NULL,
         "edit 2 is taken back already, by ada (edit 4)"},
    };
    for (size_t i = 0; i < sizeof as_admin / sizeof as_admin[0]; i++)
        check_call(&stage->daemon, NULL, &as_admin[i]);
    test_daemon_kill(&stage->daemon);
    test_daemon_start(&stage->daemon, NULL, NULL);
    const struct call later[] = {
        {{"undo", "arm", "--user", "bob"}, 1, NULL, "there is nothing to undo"},
        {{"undo", "arm", "--user", "ada"}, 0, "edit 5", NULL},
        {{"ls", "arm"}, 0, "t (1, 0, 0) m", NULL},
        {{"undo", "arm", "--user", "bob", "--force"}, 0, "edit 6", NULL},
        {{"ls", "arm"}, 0, "t (0, 1, 0) m", NULL},
    };
    for (size_t i = 0; i < sizeof later / sizeof later[0]; i++)
        check_call(&stage->daemon, NULL, &later[i]);
}

/* The list is kept with the scene; who is given a role has it over a restart, and nobody else. */
static void test_access_is_given_listed_and_taken_by_admins(void **state)
{
    struct stage *stage = *state;
    char file[128];
    write_arm(&stage->daemon, file, sizeof file);
    test_daemon_kill(&stage->daemon);
    test_daemon_start(&stage->daemon, "--admin", "ada");
    const struct call given[] = {
        {{"import", file, "arm"}, 0, "3 nodes", NULL},
        {{"access", "arm", "--user", "bea"}, 1, NULL, "role: the most that you may be in this"},
        {{"access", "arm", "--user", "ada"}, 0, NULL, NULL},
        {{"access", "arm", "be?", "--role", "admin", "--user", "ada"}, 0, "be?  admin\n", NULL},
        {{"access", "arm", "*@example.com", "--role", "viewer", "--user", "bea", "--json"},
         0,
         "{\"op\":\"ok\",\"user\":\"*@example.com\",\"role\":\"viewer\"}\n",
         NULL},
        {{"link", "arm", "--user", "ada"}, 1, NULL, "this server has no key to sign with"},
        {{"link", "arm", "--role", "admin", "--expires", "1d", "--user", "ada"},
         1,
         NULL,
         "link.role: a link makes nobody an admin"},
        {{"access", "arm", "x", "--gone", "--user", "ada"}, 1, NULL, "x has no access here"},
        {{"access", "arm", "be?", "--gone", "--user", "bea"}, 1, NULL, "let another admin do it"},
    };
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++)
        check_call(&stage->daemon, NULL, &given[i]);
    test_daemon_kill(&stage->daemon);
    test_daemon_start(&stage->daemon, "--admin", "ada");
    const struct call kept[] = {
        {{"access", "arm", "--user", "bea"}, 0, "*@example.com  viewer  bea  20", NULL},
        {{"access", "arm", "--user", "bea"}, 0, "be?            admin   ada  20", NULL},
        {{"access", "arm", "--user", "bea", "--json"},
         0,
         "{\"user\":\"be?\",\"role\":\"admin\",\"by\":\"ada\",\"made\":",
         NULL},
        {{"access", "arm", "be?", "--gone", "--user", "ada"}, 0, "be?  gone\n", NULL},
        {{"access", "arm", "--user", "bea"}, 1, NULL, "role: the most that you may be in this"},
    };
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        check_call(&stage->daemon, NULL, &kept[i]);
}

/* The next line that has this in it; others are passed over. */
static void await_line(struct test_child *child, const char *part)
{
    for (bool found = false; !found;) {
        char *line = test_child_line(child);
        found = strstr(line, part) != NULL;
        free(line);
    }
}

static void test_watch_tells_drags_and_comes_back_after_a_crash(void **state)
{
    struct stage *stage = *state;
    struct gz_client *client = stage_join(stage, "arm", "anna");
    stage_create(client, "hand", 0, (gz_vec3){0, 0, 0});
    struct test_child child;
    test_ctl_start(&child, &stage->daemon,
                   (const char *const[]){"watch", "arm", "--for", "60", NULL});
    await_line(&child, "the scene so far, 1 nodes");
    check_call(&stage->daemon, NULL,
               &(struct call){{"drag", "arm", "--node", "hand", "--handle", "tx", "--from",
                               "960,540", "--to", "1060,540", "--steps", "5", "--user", "bert"},
                              0,
                              "edit ",
                              NULL});
    await_line(&child, "hand #");
    await_line(&child, "translate tx  hand #");
    check_call(&stage->daemon, NULL,
               &(struct call){{"drag", "arm", "--node", "hand", "--handle", "rx", "--value", "30"},
                              0,
                              "rx typed 30 deg",
                              NULL});
    await_line(&child, "rotate rx typed 30 deg  hand #");
    test_daemon_kill(&stage->daemon);
    await_line(&child, "connection lost");
    test_daemon_start(&stage->daemon, NULL, NULL);
    await_line(&child, "reconnected, nothing missed");
    check_call(&stage->daemon, NULL,
               &(struct call){{"set", "arm", "hand", "--t", "0,7,0"}, 0, "edit ", NULL});
    await_line(&child, "t (0, 7, 0) m");
    kill(child.pid, SIGINT);
    struct test_output output;
    test_child_finish(&child, NULL, &output);
    assert_string_equal(output.err, "");
    test_output_finish(&output);
}

static void test_watch_ends_with_its_scene(void **state)
{
    struct stage *stage = *state;
    stage_create(stage_join(stage, "arm", "anna"), "hand", 0, (gz_vec3){0, 0, 0});
    struct test_child child;
    test_ctl_start(&child, &stage->daemon,
                   (const char *const[]){"watch", "arm", "--for", "60", NULL});
    await_line(&child, "the scene so far, 1 nodes");
    check_call(&stage->daemon, NULL, &(struct call){{"rm", "arm"}, 0, "", NULL});
    struct test_output output;
    test_child_finish(&child, NULL, &output);
    assert_int_equal(output.code, 1);
    assert_non_null(strstr(output.err, "deleted"));
    assert_null(strstr(output.out, "trying again"));
    test_output_finish(&output);
}

/* ---- others in the same scene ---- */

static void test_who_is_in_the_way_is_said_by_name(void **state)
{
    struct stage *stage = *state;
    struct gz_client *anna = stage_join(stage, "arm", "anna");
    uint64_t base = stage_create(anna, "base", 0, (gz_vec3){0, 0, 0}),
             hand = stage_create(anna, "hand", base, (gz_vec3){0, 1, 0});
    assert_int_equal(hand, 2);
    stage_ask(anna, message_camera((gz_vec3){0, 0, 10}, (gz_vec3){0, 0, 0}));
    stage_ask(anna, message_grab(&hand, GZ_TX, 960, 540));
    const struct call held[] = {
        {{"set", "arm", "hand", "--t", "1,1,1"},
         1,
         NULL,
         "node 2 (hand) is held by anna (locked)\n"},
        {{"drag", "arm", "--node", "hand", "--handle", "tx", "--value", "1"},
         1,
         NULL,
         "node 2 (hand) is held by anna (locked)\n"},
    };
    for (size_t i = 0; i < sizeof held / sizeof held[0]; i++)
        check_call(&stage->daemon, NULL, &held[i]);
    stage_ask(anna, message_pointer(GZ_PHASE_CANCEL, 960, 540));
    const struct call changed[] = {
        {{"set", "arm", "hand", "--t", "1,1,1", "--user", "bert"}, 0, "hand #2", NULL},
        {{"set", "arm", "hand", "--t", "2,2,2", "--user", "cleo"}, 0, "hand #2", NULL},
        {{"undo", "arm", "--user", "bert"},
         1,
         NULL,
         "undo: cleo changed node 2 (hand) since (edit "},
        {{"undo", "arm", "--user", "bert"}, 1, NULL, " (conflict)\n"},
    };
    for (size_t i = 0; i < sizeof changed / sizeof changed[0]; i++)
        check_call(&stage->daemon, NULL, &changed[i]);
}

static void test_who_says_what_others_do_and_not_itself(void **state)
{
    struct stage *stage = *state;
    struct gz_client *anna = stage_join(stage, "arm", "anna"),
                     *bert = stage_join(stage, "arm", "bert");
    uint64_t id = stage_create(anna, "hand", 0, (gz_vec3){0, 0, 0});
    struct gz_message tool = {
        .op = GZ_OP_TOOL, .has = GZ_HAS_TOOL_MODE, .tool.mode = GZ_MODE_ROTATE};
    stage_ask(anna, tool);
    stage_ask(anna, message_camera((gz_vec3){600, 500, 900}, (gz_vec3){0, 0, 0}));
    stage_ask(anna, message_grab(&id, GZ_TX, 960, 540));
    stage_ask(bert, (struct gz_message){.op = GZ_OP_PING});
    struct test_output output;
    test_ctl(&output, &stage->daemon, NULL,
             (const char *const[]){"who", "arm", "--user", "cleo", NULL});
    assert_int_equal(output.code, 0);
    assert_int_equal(count_lines(output.out), 2);
    assert_null(strstr(output.out, "cleo"));
    assert_non_null(strstr(output.out, "anna          editor  #"));
    assert_non_null(
        strstr(output.out, "  rotate     1 selected  holds hand #1  looks from (600, 500, 900)\n"));
    assert_non_null(strstr(output.out, "\nbert          editor  #"));
    test_output_finish(&output);
    check_call(&stage->daemon, NULL,
               &(struct call){{"who", "arm", "--json"}, 0, "\"locks\":[1]", NULL});
    check_call(&stage->daemon, NULL,
               &(struct call){{"who", "arm", "--json"}, 0, "\"tool\":\"rotate\"", NULL});
}

/* ---- notes ---- */

/* The lines of `notes`, with the times, which begin with a year, taken out. */
static void check_notes(const struct test_daemon *daemon, const char *option, const char *expected)
{
    struct test_output output;
    test_ctl(&output, daemon, NULL, (const char *const[]){"notes", "arm", option, NULL});
    assert_string_equal(output.err, "");
    for (char *time; (time = strstr(output.out, "  20")) != NULL;)
        memmove(time, time + 21, strlen(time + 21) + 1); /* "  2026-11-20 14:34:39" */
    assert_string_equal(output.out, expected);
    test_output_finish(&output);
}

static void test_notes_are_left_answered_dealt_with_and_deleted(void **state)
{
    struct stage *stage = *state;
    char file[128];
    write_arm(&stage->daemon, file, sizeof file);
    const struct call made[] = {
        {{"import", file, "arm"}, 0, "3 nodes", NULL},
        {{"notes", "arm"}, 0, NULL, NULL},
        {{"note", "arm", "too long?", "--node", "base", "--at", "0,0.5,-1", "--user", "anna"},
         0,
         "note 1\n",
         NULL},
        {{"note", "arm", "the whole\nof it", "--user", "bert", "--key", "k1"}, 0, "note 2\n", NULL},
        {{"note", "arm", "the whole\nof it", "--user", "bert", "--key", "k1"}, 0, "note 2\n", NULL},
        {{"note", "arm", "by 2 mm", "--reply", "1", "--user", "bert"}, 0, "note 3\n", NULL},
        {{"note", "arm", "here", "--reply", "1", "--node", "2", "--user", "cl\033eo", "--json"},
         0,
         "{\"op\":\"ok\",\"note\":4}\n",
         NULL},
        {{"note", "arm", "a", "--node", "elbow"}, 1, NULL, "no node has the name or id \"elbow\""},
        {{"note", "arm", "--done", "99"}, 1, NULL, "there is no note 99 (bad_value)"},
        {{"note", "arm", "a", "--reply", "99"}, 1, NULL, "there is no note 99 (bad_value)"},
        {{"note", "arm", "--gone", "1", "--user", "bert"}, 1, NULL, "(forbidden)"},
    };
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        check_call(&stage->daemon, NULL, &made[i]);
    check_notes(&stage->daemon, NULL,
                "1    anna   base #1 at (0, 0.5, -1)  open  too long?\n"
                "  3  bert                            open  by 2 mm\n"
                "  4  cl?eo  link #2                  open  here\n"
                "2    bert                            open  the whole\n"
                "                                                                of it\n");
    const struct call changed[] = {
        {{"note", "arm", "--done", "1", "--user", "bert"}, 0, "note 1  done\n", NULL},
        {{"note", "arm", "--done", "2"}, 0, "note 2  done\n", NULL},
        {{"note", "arm", "--open", "2"}, 0, "note 2  open\n", NULL},
        {{"note", "arm", "all of it", "--edit", "2", "--at", "1,2,3", "--user", "bert"},
         0,
         "note 2  changed\n",
         NULL},
        {{"note", "arm", "--gone", "4", "--user", "cl\033eo"}, 0, "note 4  gone\n", NULL},
    };
    for (size_t i = 0; i < sizeof changed / sizeof changed[0]; i++)
        check_call(&stage->daemon, NULL, &changed[i]);
    check_notes(&stage->daemon, NULL, "2  bert  at (1, 2, 3)  open  all of it\n");
    test_daemon_kill(&stage->daemon);
    test_daemon_start(&stage->daemon, NULL, NULL);
    check_notes(&stage->daemon, "--all",
                "1    anna  base #1 at (0, 0.5, -1)  done  too long?\n"
                "  3  bert                           open  by 2 mm\n"
                "2    bert  at (1, 2, 3)             open  all of it\n");
    check_call(
        &stage->daemon, NULL,
        &(struct call){
            {"notes", "arm", "--json"},
            0,
            "{\"id\":2,\"user\":\"bert\",\"text\":\"all of it\",\"point\":[1.0,2.0,3.0],\"made\":",
            NULL});
}

/* Eight megabytes of them come in many messages; one that is missing would be missing in the
 * list. */
static void test_notes_are_all_listed_however_many_there_are(void **state)
{
    struct stage *stage = *state;
    enum { NOTES = 600 };
    struct gz_client *anna = stage_join(stage, "arm", "anna");
    char text[GZ_NOTE_BYTES_MAX + 1];
    memset(text, 'x', GZ_NOTE_BYTES_MAX);
    text[GZ_NOTE_BYTES_MAX] = '\0';
    struct gz_message note = {
        .op = GZ_OP_NOTE, .has = GZ_HAS_NOTE_TEXT, .note.text = gz_client_text(text)};
    struct gz_error error = {0};
    for (int i = 0; i < NOTES - 1; i++)
        stage_check(gz_client_send(anna, &note, NULL, &error), &error, "note");
    assert_int_equal(stage_ask(anna, note)->ok.note, NOTES);
    struct test_output output;
    test_ctl(&output, &stage->daemon, NULL, (const char *const[]){"notes", "arm", NULL});
    assert_string_equal(output.err, "");
    assert_int_equal(count_lines(output.out), NOTES);
    test_output_finish(&output);
}

static void test_watch_prints_notes_as_they_come(void **state)
{
    struct stage *stage = *state;
    struct gz_client *client = stage_join(stage, "arm", "anna");
    stage_create(client, "hand", 0, (gz_vec3){0, 0, 0});
    check_call(&stage->daemon, NULL,
               &(struct call){{"note", "arm", "first", "--user", "anna"}, 0, "note 1", NULL});
    struct test_child child;
    test_ctl_start(&child, &stage->daemon,
                   (const char *const[]){"watch", "arm", "--for", "60", NULL});
    await_line(&child, "note 1  open  first  by anna");
    const struct call calls[] = {
        {{"note", "arm", "second", "--reply", "1", "--node", "hand", "--user", "bert"},
         0,
         "note 2",
         NULL},
        {{"note", "arm", "--done", "1"}, 0, "note 1  done", NULL},
        {{"note", "arm", "--gone", "2", "--user", "bert"}, 0, "note 2  gone", NULL},
    };
    for (size_t i = 0; i < 3; i++) check_call(&stage->daemon, NULL, &calls[i]);
    await_line(&child, "note 2  open  hand #1  answers 1  second  by bert");
    await_line(&child, "note 1  done  first  by anna");
    await_line(&child, "note 2  gone");
    kill(child.pid, SIGINT);
    struct test_output output;
    test_child_finish(&child, NULL, &output);
    test_output_finish(&output);
}

static void test_watch_prints_checkpoints_as_they_come(void **state)
{
    struct stage *stage = *state;
    struct gz_client *client = stage_join(stage, "arm", "anna");
    stage_create(client, "hand", 0, (gz_vec3){0, 0, 0});
    check_call(&stage->daemon, NULL,
               &(struct call){{"checkpoint", "arm", "old", "--user", "anna"}, 0, "seq 1", NULL});
    struct test_child child;
    test_ctl_start(&child, &stage->daemon,
                   (const char *const[]){"watch", "arm", "--for", "60", NULL});
    await_line(&child, "checkpoint old  seq 1  by anna");
    const struct call calls[] = {
        {{"checkpoint", "arm", "before lunch", "--user", "bert"}, 0, "seq 1", NULL},
        {{"checkpoint", "arm", "old", "--gone", "--user", "bert"}, 0, "gone: checkpoint old", NULL},
        {{"watch", "arm", "--count", "2", "--json"},
         0,
         "{\"op\":\"checkpoints\",\"checkpoints\":[{\"name\":\"before "
         "lunch\",\"seq\":1,\"user\":\"bert\",\"made\":1",
         NULL},
    };
    for (size_t i = 0; i < 3; i++) check_call(&stage->daemon, NULL, &calls[i]);
    await_line(&child, "checkpoint before lunch  seq 1  by bert");
    await_line(&child, "checkpoint old  gone  by bert");
    kill(child.pid, SIGINT);
    struct test_output output;
    test_child_finish(&child, NULL, &output);
    test_output_finish(&output);
}

/* ---- a part of the scene ---- */

static void test_watch_of_a_part_tells_that_part_also_after_a_crash(void **state)
{
    struct stage *stage = *state;
    char file[128];
    write_arm(&stage->daemon, file, sizeof file);
    const struct call first[] = {
        {{"import", file, "arm"}, 0, "3 nodes", NULL},
        {{"set", "arm", "2", "--name", "rod"}, 0, "name rod", NULL},
        {{"watch", "arm", "--subtree", "rod", "--count", "1"},
         0,
         "the part so far, 2 nodes\n",
         NULL},
        {{"watch", "arm", "--subtree", "rod", "--subtree", "#3", "--count", "1"},
         0,
         "the part so far, 3 nodes",
         NULL},
        {{"watch", "arm", "--subtree", "elbow"}, 1, NULL, "no node has the name or id \"elbow\""},
        {{"watch", "arm", "--box", "1,2,1,-1,0.5,-1", "--count", "1"},
         0,
         "the part so far, 3 nodes\n",
         NULL},
        {{"watch", "arm", "--box", "9,9,9,8,8,8", "--count", "1"},
         0,
         "the part so far, 0 nodes\n",
         NULL},
    };
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
        check_call(&stage->daemon, NULL, &first[i]);
    struct test_child child;
    test_ctl_start(
        &child, &stage->daemon,
        (const char *const[]){"watch", "arm", "--box", "8,8,8,9,9,9", "--for", "60", NULL});
    await_line(&child, "the part so far, 0 nodes");
    check_call(&stage->daemon, NULL,
               &(struct call){{"set", "arm", "base", "--t", "8.5,8.5,8.5"}, 0, "edit", NULL});
    await_line(&child, "name base"); /* told whole */
    check_call(&stage->daemon, NULL,
               &(struct call){{"set", "arm", "base", "--t", "0,0,0"}, 0, "edit", NULL});
    await_line(&child, "gone");
    test_daemon_kill(&stage->daemon);
    await_line(&child, "connection lost");
    test_daemon_start(&stage->daemon, NULL, NULL);
    await_line(&child, "the part so far, 0 nodes");
    kill(child.pid, SIGINT);
    struct test_output output;
    test_child_finish(&child, NULL, &output);
    assert_string_equal(output.err, "");
    test_output_finish(&output);
}

int main(void)
{
#define STAGED(test) cmocka_unit_test_setup_teardown(test, stage_setup, stage_teardown)
#define KEYED(test) cmocka_unit_test_setup_teardown(test, keys_setup, keys_teardown)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_command_lines_exit_2_with_a_line_that_names_it),
        cmocka_unit_test(test_failures_at_run_time_exit_1_with_a_line),
        cmocka_unit_test(test_help_of_each_command_names_its_options),
        KEYED(test_a_file_of_keys_is_private_and_replaced_whole),
        KEYED(test_a_redirect_is_not_followed),
        KEYED(test_a_token_of_exposed_keys_comes_with_a_warning),
        KEYED(test_the_token_of_a_file_goes_into_the_header),
        cmocka_unit_test(test_solve_answers_good_lines_and_names_bad_ones),
        STAGED(test_solve_answers_the_same_through_a_daemon),
        STAGED(test_solve_of_a_steep_axis_is_the_same_bits_through_a_daemon),
        STAGED(test_import_names_the_format_of_a_file_that_is_no_gltf),
        STAGED(test_history_of_an_edit_of_many_nodes_is_one_line),
        STAGED(test_a_scenes_life_on_the_command_line),
        STAGED(test_export_by_suffix_is_of_that_kind_and_comes_back_the_same),
        STAGED(test_export_says_which_skin_it_left_out),
        STAGED(test_scenes_are_renamed_and_deleted),
        STAGED(test_export_after_a_restart_is_what_it_was_before),
        STAGED(test_bench_measures_and_leaves_nothing),
        STAGED(test_bench_leaves_a_scene_that_is_there),
        STAGED(test_at_and_restore_bring_back_the_past),
        STAGED(test_who_is_in_the_way_is_said_by_name),
        STAGED(test_who_says_what_others_do_and_not_itself),
        STAGED(test_notes_are_left_answered_dealt_with_and_deleted),
        STAGED(test_notes_are_all_listed_however_many_there_are),
        STAGED(test_watch_prints_notes_as_they_come),
        STAGED(test_watch_prints_checkpoints_as_they_come),
        STAGED(test_watch_of_a_part_tells_that_part_also_after_a_crash),
        STAGED(test_revert_of_anothers_edit_by_a_named_admin),
        STAGED(test_access_is_given_listed_and_taken_by_admins),
        STAGED(test_watch_tells_drags_and_comes_back_after_a_crash),
        STAGED(test_watch_ends_with_its_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
