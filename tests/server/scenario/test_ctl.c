/* gizmoctl as a person uses it: what it prints, what it exits with, one line where something is
 * wrong. */
#include <fcntl.h>
#include <jansson.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/limits.h"
#include "server/maxima.h"
#include "stage.h"

#define ARGUMENTS_MAX 16

/* One call of it: exit code, and what its output and errors have in them. NULL: nothing at all. */
struct call {
    const char *arguments[ARGUMENTS_MAX];
    int code;
    const char *out, *err;
};

/* Calls that succeed, that fail with the code of their error, and that are wrong: first what they
 * say, then the arguments. */
#define ANY_FAILURE (-1)
#define SAYS(words, ...)                                                                           \
    {                                                                                              \
        {__VA_ARGS__}, 0, words, NULL                                                              \
    }
#define FAILS(words, ...)                                                                          \
    {                                                                                              \
        {__VA_ARGS__}, ANY_FAILURE, NULL, words                                                    \
    }
#define WRONG(words, ...)                                                                          \
    {                                                                                              \
        {__VA_ARGS__}, 2, NULL, words                                                              \
    }

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

/* The exit code of an error, by the word in parentheses at the end of its line; without a word 1,
 * or 3 if it was the connection. */
static int code_of(const char *said)
{
    static const struct {
        const char *word;
        int code;
    } rows[] = {
        {"(unauthorised)\n", 4},  {"(forbidden)\n", 4},
        {"(unknown_scene)\n", 5}, {"(unknown_node)\n", 5},
        {"(conflict)\n", 6},      {"(locked)\n", 6},
        {"(bad_state)\n", 6},     {"(bad_value)\n", 7},
        {"(bad_message)\n", 7},   {"(unknown_handle)\n", 7},
        {"(unknown_op)\n", 7},    {"(too_large)\n", 7},
        {"(too_many)\n", 7},      {"(version)\n", 7},
        {"(rate_limited)\n", 8},  {"\"code\":\"bad_value\"", 7},
        {"(storage)\n", 8},       {"no server answers", 3},
        {"connect to ws://", 3},  {"the cluster's database: ", 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strstr(said, rows[i].word) != NULL) return rows[i].code;
    return 1;
}

static void check_call(const struct test_daemon *daemon, const struct call *call)
{
    struct test_output output;
    test_ctl(&output, daemon, NULL, call->arguments);
    check_has(call, "stderr", output.err, call->err);
    check_has(call, "stdout", output.out, call->out);
    const int code = call->code == ANY_FAILURE ? code_of(output.err) : call->code;
    if (output.code != code) fail_msg("%d and not %d: %s", output.code, code, output.err);
    if (code != 0) assert_int_equal(count_lines(output.err), 1);
    test_output_finish(&output);
}

static void check_calls(const struct test_daemon *daemon, const struct call *calls, size_t count)
{
    for (size_t i = 0; i < count; i++) check_call(daemon, &calls[i]);
}
#define CHECK(daemon, ...) check_call(daemon, &(struct call)__VA_ARGS__)
#define CHECK_CALLS(daemon, calls) check_calls(daemon, calls, sizeof(calls) / sizeof(calls)[0])

/* ---- without a daemon ---- */

TEST(test_wrong_command_lines_exit_2_with_a_line_that_names_it)
{
    static const struct call calls[] = {
        WRONG("a command is missing", NULL),
        WRONG("unknown command fly", "fly"),
        WRONG("unknown option --fly", "--fly"),
        WRONG("unknown option --fly", "ls", "--fly"),
        WRONG("unknown option --jso", "ls", "--jso"),
        WRONG("unknown option -l", "ls", "-l"),
        WRONG("--t: \"-1,-2\" is not X,Y,Z", "set", "--t", "-1,-2", "engine", "--s", "-1,1,1", "1"),
        WRONG("--t: \"-1,-2\" is not X,Y,Z", "set", "--t=-1,-2", "engine", "1"),
        WRONG("\"--json\" is not a scene name", "ls", "--", "--json"),
        WRONG("--steps: \"1000001\" is not a whole number from 0 to 1000000", "drag", "engine",
              "--steps", "1000001"),
        WRONG("--json takes no value", "ls", "engine", "--json=yes"),
        WRONG("--server needs a value", "ls", "engine", "--server"),
        WRONG("--user may be given only once", "ls", "engine", "--user", "a", "--user", "b"),
        WRONG("\"Engine\" is not a scene name", "ls", "Engine"),
        WRONG("\"_engine\" is not a scene name", "ls", "_engine"),
        WRONG("unexpected operand \"more\"", "ls", "engine", "more"),
        WRONG("SCENE is missing", "import", "a.glb"),
        WRONG("FILE is missing", "import"),
        WRONG("SCENE: \"b\" is one too many beside --into", "import", "a.glb", "b", "--into", "c"),
        WRONG("--parent needs --into", "import", "a.glb", "b", "--parent", "7"),
        WRONG("--into adds to a scene, and --replace replaces it", "import", "a.glb", "--into", "c",
              "--replace"),
        WRONG("FILE is missing", "export", "engine"),
        WRONG("\"a.obj\" must end in .glb or .gltf", "export", "engine", "a.obj"),
        WRONG("must end in", "export", "engine", "glb"),
        WRONG("SCENE is missing", "rm"),
        WRONG("NEW-SCENE is missing", "mv", "engine"),
        WRONG("\"Motor\" is not a scene name", "mv", "engine", "Motor"),
        WRONG("FILE.db is missing", "backup", "engine"),
        WRONG("SCENE is missing", "backup"),
        WRONG("--all: goes without SCENE", "backup", "engine", "--all", "/nowhere"),
        WRONG("SCENE is missing", "restore-backup", "a.db", "--data", "/nowhere"),
        WRONG("--data is missing", "restore-backup", "a.db", "engine"),
        WRONG("\"En\" is not a scene name", "restore-backup", "a.db", "En", "--data", "/nowhere"),
        WRONG("FILE.db is missing", "check"),
        WRONG("--count: \"-1\"", "watch", "engine", "--count", "-1"),
        WRONG("--for: \"soon\" is not a number", "watch", "engine", "--for", "soon"),
        WRONG("--node is missing", "drag", "engine", "--handle", "tx", "--from", "1,2", "--to",
              "3,4"),
        WRONG("--handle: \"tw\" is not one of tx", "drag", "engine", "--node", "1", "--handle",
              "tw"),
        WRONG("--from: \"1;2\" is not X,Y", "drag", "engine", "--node", "1", "--handle", "tx",
              "--from", "1;2"),
        WRONG("--node is missing", "drag", "engine", "--handle", "tx", "--value", "1"),
        WRONG("--from is missing", "drag", "engine", "--node", "1", "--handle", "tx", "--to",
              "3,4"),
        WRONG("--value: \"1 m\" is not V[,V]", "drag", "engine", "--node", "1", "--handle", "tx",
              "--value", "1 m"),
        WRONG("--value: \"1,2,3\"", "drag", "engine", "--node", "1", "--handle", "tx", "--value",
              "1,2,3"),
        WRONG("--value: \"1,\"", "drag", "engine", "--node", "1", "--handle", "tx", "--value",
              "1,"),
        WRONG("--value: \"nan\"", "drag", "engine", "--node", "1", "--handle", "tx", "--value",
              "nan"),
        WRONG("--value and --to", "drag", "engine", "--node", "1", "--handle", "tx", "--value", "1",
              "--to", "3,4"),
        WRONG("--value and --hz", "drag", "engine", "--node", "1", "--handle", "tx", "--value", "1",
              "--hz", "5"),
        WRONG("--to: \"3,inf\"", "drag", "engine", "--node", "1", "--handle", "tx", "--from", "1,2",
              "--to", "3,inf"),
        WRONG("EYE and TARGET", "drag", "engine", "--node", "1", "--handle", "tx", "--from", "1,2",
              "--to", "3,4", "--look", "0,0,1"),
        WRONG("same point", "drag", "engine", "--node", "1", "--handle", "tx", "--from", "1,2",
              "--to", "3,4", "--look", "0,0,1", "0,0,1"),
        WRONG("--viewport: \"12\"", "drag", "engine", "--node", "1", "--handle", "tx", "--from",
              "1,2", "--to", "3,4", "--viewport", "12"),
        WRONG("--fovy: 180", "drag", "engine", "--node", "1", "--handle", "tx", "--from", "1,2",
              "--to", "3,4", "--fovy", "180"),
        WRONG("--hz: -5", "drag", "engine", "--node", "1", "--handle", "tx", "--from", "1,2",
              "--to", "3,4", "--hz", "-5"),
        WRONG("NODE is missing", "set", "engine"),
        WRONG("nothing to set", "set", "engine", "1"),
        WRONG("--t: \"1,2\" is not X,Y,Z", "set", "engine", "1", "--t", "1,2"),
        WRONG("--t: \"1,2,nan\"", "set", "engine", "1", "--t", "1,2,nan"),
        WRONG("--r and --euler", "set", "engine", "1", "--r", "0,0,0,1", "--euler", "1,2,3"),
        WRONG("--order: \"XXY\"", "set", "engine", "1", "--euler", "1,2,3", "--order", "XXY"),
        WRONG("--order", "set", "engine", "1", "--s", "1,1,1", "--order", "XYZ"),
        WRONG("NAME is missing", "create", "engine"),
        WRONG("--r and --euler", "create", "engine", "a", "--r", "0,0,0,1", "--euler", "1,2,3"),
        WRONG("--bounds: \"1,2,3\"", "create", "engine", "a", "--bounds", "1,2,3"),
        WRONG("unexpected operand \"b\"", "create", "engine", "a", "b"),
        WRONG("NODE is missing", "delete", "engine"),
        WRONG("--since: \"lunch\" is not a time", "history", "engine", "--since", "lunch"),
        WRONG("--limit: \"1001\" is not a whole number from 1 to 1000", "history", "engine",
              "--limit", "1001"),
        WRONG("give one of --seq N|NAME and --time T", "at", "engine"),
        WRONG("give one of --seq N|NAME and --time T", "at", "engine", "--seq", "1", "--time", "2"),
        WRONG("--seq N|NAME is missing", "restore", "engine"),
        WRONG("--seq: \"9007199254740992\" is neither", "restore", "engine", "--seq",
              "9007199254740992"),
        WRONG("EDIT is missing", "revert", "engine"),
        WRONG("EDIT: \"last\" is not the number of an edit", "revert", "engine", "last"),
        WRONG("NAME is missing", "checkpoint", "engine"),
        WRONG("USERS is missing", "access", "engine", "--gone"),
        WRONG("USERS: needs --role ROLE or --gone", "access", "engine", "ann"),
        WRONG("--role and --gone: give only one of them", "access", "engine", "ann", "--role",
              "viewer", "--gone"),
        WRONG("--seq and --gone: give only one of them", "checkpoint", "engine", "a", "--seq", "1",
              "--gone"),
        WRONG("unexpected operand", "solve", "engine"),
        WRONG("--box: \"1,2,3\" is not X0,Y0,Z0,X1,Y1,Z1", "watch", "engine", "--box", "1,2,3"),
        WRONG("--subtree and --box", "watch", "engine", "--box", "0,0,0,1,1,1", "--subtree", "2"),
        WRONG("--subtree needs a value", "watch", "engine", "--subtree"),
        WRONG("SCENE is missing", "who"),
        WRONG("unexpected operand \"more\"", "notes", "engine", "more"),
        WRONG("TEXT is missing", "note", "engine"),
        WRONG("--at: \"1,2\" is not X,Y,Z", "note", "engine", "a", "--at", "1,2"),
        WRONG("--reply: \"first\" is not a whole number", "note", "engine", "a", "--reply",
              "first"),
        WRONG("--done, --open and --gone: give only one of them", "note", "engine", "--done", "1",
              "--gone", "1"),
        WRONG("it cannot be used with --done", "note", "engine", "--done", "1", "--reply", "2"),
        WRONG("--done takes no TEXT", "note", "engine", "a", "--done", "1"),
        WRONG("--gone takes no TEXT, --node or --at", "note", "engine", "--gone", "1", "--node",
              "1"),
        WRONG("--edit: nothing to change", "note", "engine", "--edit", "1"),
        WRONG("unknown option --token ", "ls", "--token", "secret"),
        WRONG("--token-file: /nowhere: No such file", "ls", "--token-file", "/nowhere"),
        WRONG("/dev/null: the first line is empty", "ls", "--token-file", "/dev/null"),
        WRONG("/dev/zero: the first line is empty", "ls", "--token-file", "/dev/zero"),
        WRONG("--keys is missing", "token", "--user", "a", "--expires", "1h"),
        WRONG("--user is missing", "token", "--keys", "k", "--expires", "1h"),
        WRONG("--expires is missing", "token", "--keys", "k", "--user", "a"),
        WRONG("--expires: \"8\" is not a length of time (30s, 10m, 8h, 7d)", "token", "--keys", "k",
              "--guest", "--expires", "8"),
        WRONG("--role: must be viewer or editor for a guest", "token", "--keys", "k", "--guest",
              "--expires", "1h", "--role", "admin"),
        WRONG("--expires: must be above 0", "token", "--keys", "k", "--user", "a", "--expires",
              "0s"),
        WRONG("--user: must have 1 to 64 bytes", "token", "--keys", "k", "--user", "", "--expires",
              "1h"),
        WRONG("--role: \"root\" is not one of viewer editor admin", "token", "--keys", "k",
              "--user", "a", "--expires", "1h", "--role", "root"),
        WRONG("--scene: must have 1 to 64 bytes", "token", "--keys", "k", "--user", "a",
              "--expires", "1h", "--scene", ""),
        WRONG("FILE is missing", "key"),
        WRONG("--algorithm and --public: give only one", "key", "--public", "--algorithm", "ES256",
              "k"),
    };
    CHECK_CALLS(NULL, calls);
}

TEST(test_failures_at_run_time_exit_by_their_kind_with_a_line)
{
    static const struct call calls[] = {
        FAILS("ws://127.0.0.1:1/ws", "ls", "--server", "ws://127.0.0.1:1/ws"),
        FAILS("cannot connect to ws://127.0.0.1:1/ws", "ls", "engine", "--server",
              "ws://127.0.0.1:1/ws"),
        FAILS("does not begin with ws://", "ls", "engine", "--server", "ftp://127.0.0.1/ws"),
        FAILS("the cluster's database: ", "cluster", "postgresql://127.0.0.1:1/x"),
        FAILS("the cluster's database: ", "cluster", "init", "postgresql://127.0.0.1:1/x"),
        FAILS("the cluster's database: ", "move", "postgresql://127.0.0.1:1/x", "a", "b"),
        FAILS("port", "ls", "engine", "--server", "ws://127.0.0.1:99999/ws"),
        FAILS("does not end in /ws", "ls", "engine", "--server", "ws://127.0.0.1:1/elsewhere"),
        FAILS("No such file", "import", "/nowhere/a.glb", "engine"),
        FAILS("a.db: No such file or directory (unknown_scene)", "check", "/nowhere/a.db"),
        FAILS("file is not a database", "check", "/etc/passwd"),
        FAILS("not a database", "check", "/etc/passwd", "--against", "/nowhere/a.db"),
        FAILS("/nowhere/a.db.part", "backup", "engine", "/nowhere/a.db"),
        FAILS("/etc/passwd exists already; to replace it, use --replace (conflict)", "backup",
              "engine", "/etc/passwd"),
        FAILS("/nowhere/k.part: No such file", "key", "/nowhere/k"),
        FAILS("/nowhere/k: No such file", "key", "--public", "/nowhere/k"),
        FAILS("\"none\" is not one of HS256", "key", "--algorithm", "none", "/nowhere/k"),
        FAILS("/etc/passwd: is not JSON: line 1", "key", "/etc/passwd"),
        FAILS("/etc/passwd: is not JSON: line 1", "token", "--keys", "/etc/passwd", "--user", "a",
              "--expires", "1h"),
    };
    CHECK_CALLS(NULL, calls);
}

/* Errors as JSON: one object on stderr with its code, and the exit code of its kind. */
static void check_json_error(const struct test_daemon *daemon, const char *const *arguments,
                             int code, const char *begins, const char *says)
{
    struct test_output output;
    test_ctl(&output, daemon, NULL, arguments);
    json_t *error = json_loads(output.err, 0, NULL);
    assert_string_equal(output.out, "");
    if (error == NULL || output.code != code || strstr(output.err, begins) != output.err ||
        strstr(output.err, says) == NULL || count_lines(output.err) != 1)
        fail_msg("gizmoctl %s: %d: %s", arguments[0], output.code, output.err);
    json_decref(error);
    test_output_finish(&output);
}

#define ERROR_OF(code) "{\"op\":\"error\",\"code\":\"" code "\",\"message\":\""

TEST(test_errors_are_json_if_asked_for)
{
    static const struct {
        const char *arguments[ARGUMENTS_MAX];
        int code;
        const char *begins, *says;
    } rows[] = {
        {{"--json"}, 2, ERROR_OF("usage"), "unknown option --json"},
        {{"fly", "--json"}, 2, ERROR_OF("usage"), "unknown command fly"},
        {{"ls", "--json", "--fly"}, 2, ERROR_OF("usage"), "--fly"},
        {{"ls", "--fly", "--json"}, 2, ERROR_OF("usage"), "--fly"},
        {{"ls", "A\"\xff\n", "--json"}, 2, ERROR_OF("usage"), "\"\\\"A\\\"??\\\" is"},
        {{"rm", "--json"}, 2, ERROR_OF("usage"), "SCENE is missing"},
        {{"ls", "--json", "--server", "ws://127.0.0.1:1/ws"}, 3, ERROR_OF("unreachable"), "1/ws"},
        {{"set", "a", "1", "--s", "1,1,1", "--json", "--server", "ws://127.0.0.1:1/ws"},
         3,
         ERROR_OF("unreachable"),
         "1/ws"},
        {{"ls", "--json", "--server", "ftp://x"}, 7, ERROR_OF("bad_value"), "ws://"},
        {{"check", "/nowhere/a.db", "--json"}, 5, ERROR_OF("unknown_scene"), "No such file"},
        {{"check", "/etc/passwd", "--json"}, 1, ERROR_OF("internal"), "not a database"},
        {{"import", "/nowhere/a.glb", "a", "--json"}, 1, ERROR_OF("internal"), "No such file"},
        {{"backup", "a", "/etc/passwd", "--json"}, 6, ERROR_OF("conflict"), "exists already"},
        {{"key", "/etc/passwd", "--json"}, 7, ERROR_OF("bad_value"), "is not JSON"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_json_error(NULL, rows[i].arguments, rows[i].code, rows[i].begins, rows[i].says);
}

TEST(test_help_of_each_command_names_its_options)
{
    static const struct call calls[] = {
        SAYS("restore SCENE", "--help"),
        SAYS("  6  something is in the way: conflict, locked, bad_state\n", "--help"),
        SAYS(".SH EXIT STATUS\n.TP\n\\fB0\\fR\nsuccess\n", "--man"),
        SAYS("FILE [SCENE]", "import", "--help"),
        SAYS("SCENE FILE", "export", "--help"),
        SAYS("This is final: gizmoctl backup SCENE FILE.db keeps a copy", "rm", "--help"),
        SAYS("SCENE NEW-SCENE", "mv", "--help"),
        SAYS("--json", "watch", "--help"),
        SAYS("[SCENE]", "ls", "--help"),
        SAYS("--look EYE TARGET", "drag", "--help"),
        SAYS("in degrees", "set", "--help"),
        SAYS("--since T", "history", "--help"),
        SAYS("--time T", "at", "--help"),
        SAYS("--seq N", "restore", "--help"),
        SAYS("FILE.db", "backup", "--help"),
        SAYS("--server URL", "solve", "--help"),
        SAYS("role, colour, tool", "who", "--help"),
        SAYS("--box X0,Y0,Z0,X1,Y1,Z1", "watch", "--help"),
        SAYS("--against FILE.db", "check", "--help"),
        SAYS("SCENE [TEXT]", "note", "--help"),
        SAYS("--all", "notes", "--help"),
        SAYS("--force", "undo", "--help"),
        SAYS("--expires TIME", "token", "--help"),
        SAYS("--public", "key", "--help"),
        SAYS("--viewers N", "bench", "--help"),
        SAYS("degrees about rx ry rz rv", "drag", "--help"),
    };
    CHECK_CALLS(NULL, calls);
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
TEST_BETWEEN(test_a_file_of_keys_is_private_and_replaced_whole, keys_setup, keys_teardown)
{
    const struct keys_folder *folder = *state;
    const struct call make = SAYS(NULL, "key", folder->file);
    const struct call bad = FAILS("is not JSON", "key", folder->file);
    mode_t mask = umask(0);
    check_call(NULL, &make);
    umask(mask);
    assert_int_equal(mode_of(folder->file), 0600);
    assert_int_equal(chmod(folder->file, 0640), 0);
    check_call(NULL, &make);
    assert_int_equal(mode_of(folder->file), 0640);
    const struct call print = SAYS("\"ES256\"", "key", "--public", folder->file);
    check_call(NULL, &print);
    assert_int_equal(truncate(folder->file, 10), 0);
    check_call(NULL, &bad);
    struct stat after;
    assert_int_equal(stat(folder->file, &after), 0);
    assert_int_equal(after.st_size, 10);
}

TEST_BETWEEN(test_a_token_of_exposed_keys_comes_with_a_warning, keys_setup, keys_teardown)
{
    const struct keys_folder *folder = *state;
    const struct call make = SAYS(NULL, "key", folder->file);
    struct call sign =
        SAYS("eyJ", "token", "--keys", folder->file, "--user", "a", "--expires", "1h");
    check_call(NULL, &make);
    check_call(NULL, &sign);
    assert_int_equal(chmod(folder->file, 0644), 0);
    sign.err = "other users can read or change";
    check_call(NULL, &sign);
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
TEST_BETWEEN(test_a_redirect_is_not_followed, keys_setup, keys_teardown)
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
    int size = snprintf(answer, sizeof answer,
                        "HTTP/1.1 302 Found\r\nLocation: http%s\r\nContent-Length: 0\r\n\r\n",
                        elsewhere + strlen("ws"));
    int connection = accept(listener, NULL, NULL);
    assert_true(read(connection, request, sizeof request - 1) > 0);
    assert_int_equal(write(connection, answer, (size_t)size), size);
    close(connection);
    assert_int_equal(fcntl(other, F_SETFL, O_NONBLOCK), 0);
    test_child_finish(&child, NULL, &output);
    assert_int_equal(accept(other, NULL, NULL), -1);
    assert_int_not_equal(output.code, 0);
    test_output_finish(&output);
    close(listener);
    close(other);
}

/* The longest token there is; what follows its line is none of it. */
TEST_BETWEEN(test_the_token_of_a_file_goes_into_the_header, keys_setup, keys_teardown)
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

/* A side is named as such whatever the tool, and the tool whatever the handle. */
TEST(test_solve_says_that_a_drag_has_no_bounds)
{
    static const char *const words[][2] = {
        {"bounds", "bxp"}, {"bounds", "bppp"}, {"bounds", "x"}, {"scale_axis", "bzn"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char input[640];
        snprintf(
            input, sizeof input,
            "{\"id\":1,\"tool\":\"%s\",\"handle\":\"%s\",\"space\":\"local\",\"viewport\":["
            "1000,1000],\"view\":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,-10,1],\"proj\":[1,0,0,0,0,1,0,0,"
            "0,0,-1,-1,0,0,-0.2,0],\"object\":{\"position\":[0,0,0],\"rotation\":[0,0,0,1],"
            "\"scale\":[1,1,1]},\"gizmo\":{\"px\":100},\"start\":[532,493],\"path\":["
            "[540,490]]}\n",
            words[i][0], words[i][1]);
        struct test_output output;
        test_ctl(&output, NULL, input, (const char *const[]){"solve", NULL});
        assert_int_not_equal(output.code, 0);
        assert_string_equal(output.out, "");
        assert_non_null(strstr(output.err, words[i][1]));
        assert_non_null(strstr(output.err, "is a side of bounds, and a drag here has none"));
        test_output_finish(&output);
    }
}

TEST_ON_STAGE(test_solve_answers_the_same_through_a_daemon)
{
    struct stage *stage = *state;
    check_solve(&stage->daemon);
}

/* Three degrees from the line of sight, where a person's drag has a gentler law: a replayed one has
 * the exact law in both places. */
TEST_ON_STAGE(test_solve_of_a_steep_axis_is_the_same_bits_through_a_daemon)
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

TEST_ON_STAGE(test_import_names_the_format_of_a_file_that_is_no_gltf)
{
    struct stage *stage = *state;
    char path[128];
    snprintf(path, sizeof path, "%s/part.glb", stage->daemon.directory);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("# a cube\nv 0 0 0\nv 1 0 0\nf 1 2 1\n", file);
    fclose(file);
    CHECK(&stage->daemon, FAILS("an OBJ file", "import", path, "part"));
    CHECK(&stage->daemon, SAYS(NULL, "ls"));
}

/* What of a file cannot be used is told, and the rest is there. */
TEST_ON_STAGE(test_import_says_what_it_could_not_use)
{
    static const char text[] =
        "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"name\":\"hidden\",\"scale\":[0,0,0]},"
        "{\"matrix\":[1,0,0,0,0.5,1,0,0,0,0,1,0,0,0,0,1]},{\"rotation\":[0,0,0,0]}],"
        "\"images\":[{\"uri\":\"none.png\"}]}";
    struct stage *stage = *state;
    char path[128], out[128];
    struct test_output output;
    snprintf(path, sizeof path, "%s/odd.gltf", stage->daemon.directory);
    snprintf(out, sizeof out, "%s/odd-out.gltf", stage->daemon.directory);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    test_ctl(&output, &stage->daemon, NULL, (const char *const[]){"import", path, "odd", NULL});
    assert_string_equal(output.out, "odd: 3 nodes\n");
    assert_int_equal(output.code, 0);
    const struct call call = SAYS(NULL, "import");
    check_has(&call, "stderr", output.err,
              "import: warning: images[0].uri: there is no file none.png in its folder or below\n");
    check_has(&call, "stderr", output.err, "warning: nodes[2].rotation: is zero");
    check_has(&call, "stderr", output.err, "warning: a matrix shears");
    assert_int_equal(count_lines(output.err), 3); /* the server says the picture too */
    test_output_finish(&output);
    CHECK(&stage->daemon, SAYS("s (0, 0, 0)", "ls", "odd"));
    CHECK(&stage->daemon, SAYS(NULL, "export", "odd", out));
    file = fopen(out, "r");
    assert_non_null(file);
    char back[sizeof text + 1];
    assert_int_equal(fread(back, 1, sizeof back, file), sizeof text - 1);
    assert_memory_equal(back, text, sizeof text - 1);
    fclose(file);
}

/* The first node is called 7, the second 0, the third #1, the fifth and sixth 12, the seventh
 * "id:1", the eighth 8. */
TEST_ON_STAGE(test_a_word_for_two_nodes_is_asked_back)
{
    struct stage *stage = *state;
    char path[128];
    snprintf(path, sizeof path, "%s/words.gltf", stage->daemon.directory);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"name\":\"7\"},{\"name\":\"0\"},"
          "{\"name\":\"#1\"},{\"name\":\"007\"},{\"name\":\"12\"},{\"name\":\"12\"},"
          "{\"name\":\"id:1\"},{\"name\":\"8\"}]}",
          file);
    fclose(file);
    const struct call calls[] = {
        SAYS("8 nodes", "import", path, "words"),
        FAILS("\"7\" is the name of node 1 and the id of node 7; say which one is meant: id:NUMBER "
              "or name:TEXT (bad_value)",
              "set", "words", "7", "--t", "5,5,5"),
        SAYS("id:1 #7  t (1, 0, 0)", "set", "words", "id:7", "--t", "1,0,0"),
        SAYS("7 #1  t (2, 0, 0)", "set", "words", "name:7", "--t", "2,0,0"),
        FAILS("\"#1\" is the name of node 3 and the id of node 1", "set", "words", "#1", "--t",
              "5,5,5"),
        SAYS("7 #1  t (3, 0, 0)", "set", "words", "id:1", "--t", "3,0,0"),
        SAYS("8 nodes added", "import", path, "--into", "words", "--parent", "name:#1"),
        SAYS("8 nodes added", "import", path, "--into", "words"),
        FAILS("\"7\" is the name of node 1", "import", path, "--into", "words", "--parent", "7"),
        FAILS("unknown_node", "import", path, "--into", "words", "--parent", "id:99"),
        FAILS("unknown_scene", "import", path, "--into", "nowhere"),
        SAYS("edit ", "undo", "words"),
        SAYS("edit ", "undo", "words"),
        SAYS("id:1 #7  t (4, 0, 0)", "set", "words", "name:id:1", "--t", "4,0,0"),
        SAYS("007 #4  t (5, 0, 0)", "set", "words", "007", "--t", "5,0,0"),
        FAILS("no node has the name or id \"05\"", "set", "words", "05", "--t", "5,5,5"),
        FAILS("several nodes are named \"12\"; give one of their ids: 5, 6", "set", "words", "12",
              "--t", "5,5,5"),
        SAYS("8 #8  t (6, 0, 0)", "set", "words", "8", "--t", "6,0,0"), /* both are one node */
        SAYS("12 #5  t (7, 0, 0)", "set", "words", "5", "--t", "7,0,0"),
        FAILS("\"0\" is the name of node 2 and means the root", "set", "words", "8", "--parent",
              "0"),
        SAYS("under 0 #2", "set", "words", "8", "--parent", "name:0"),
        SAYS("edit ", "set", "words", "8", "--parent", "id:0"),
        SAYS("edit ", "set", "words", "name:0", "--t", "1,2,0"),
        SAYS("under 0 #2  t (5, -2, 0) m", "set", "words", "8", "--parent", "name:0", "--keep"),
        WRONG("--keep: needs --parent", "set", "words", "8", "--keep"),
        WRONG("--keep: takes the place of", "set", "words", "8", "--parent", "0", "--keep", "--s",
              "1,1,1"),
        FAILS("set.nodes[0].parent: node 2 would be below itself", "set", "words", "name:0",
              "--parent", "8", "--keep"),
        SAYS("t (6, 0, 0) m", "set", "words", "8", "--parent", "id:0", "--keep"),
        FAILS("is the name of node 1 and the id of node 7", "drag", "words", "--node", "7",
              "--handle", "tx", "--value", "1"),
        FAILS("is the name of node 1 and the id of node 7", "note", "words", "here", "--node", "7"),
        FAILS("is the name of node 1 and the id of node 7", "history", "words", "--node", "7"),
        FAILS("is the name of node 1 and the id of node 7", "watch", "words", "--subtree", "7"),
        SAYS(NULL, "history", "words", "--node", "id:99"), /* it may have been deleted */
        FAILS("digits alone", "checkpoint", "words", "12"),
    };
    CHECK_CALLS(&stage->daemon, calls);
}

/* The nodes of the cases as a glTF file. */
static void write_named(const char *path, const json_t *nodes)
{
    json_t *list = json_array();
    size_t i;
    json_t *node;
    json_array_foreach(nodes, i, node)
    {
        json_array_append_new(list, json_pack("{sO}", "name", json_array_get(node, 0)));
        json_int_t parent = json_integer_value(json_array_get(node, 1));
        if (parent == 0) continue;
        json_t *above = json_array_get(list, (size_t)parent - 1);
        if (json_object_get(above, "children") == NULL)
            json_object_set_new(above, "children", json_array());
        json_array_append_new(json_object_get(above, "children"), json_integer((json_int_t)i));
    }
    json_t *file = json_pack("{s{ss}so}", "asset", "version", "2.0", "nodes", list);
    assert_int_equal(json_dump_file(file, path, 0), 0);
    json_decref(file);
}

/* A word of the cases means these nodes: the only one is taken, several are all told. */
static void check_word(const struct test_daemon *daemon, const char *word, const json_t *ids)
{
    struct test_output output;
    test_ctl(&output, daemon, NULL,
             (const char *const[]){"set", "named", word, "--s", "1,1,1", NULL});
    const size_t count = json_array_size(ids);
    if ((output.code == 0) != (count == 1) ||
        (count == 0 && strstr(output.err, "no node ") == NULL))
        fail_msg("\"%s\" means %zu nodes: %s%s", word, count, output.out, output.err);
    for (size_t i = 0; i < count; i++) {
        char one[32];
        const long long id = json_integer_value(json_array_get(ids, i));
        (void)snprintf(one, sizeof one, count == 1 ? " #%lld  s (1, 1, 1)" : " %lld", id);
        if (strstr(count == 1 ? output.out : output.err, one) == NULL)
            fail_msg("\"%s\" means node %lld: %s%s", word, id, output.out, output.err);
    }
    test_output_finish(&output);
}

TEST_ON_STAGE(test_words_mean_the_nodes_of_the_shared_cases)
{
    struct stage *stage = *state;
    char path[128];
    json_t *cases = json_load_file(GZ_TEST_DATA "/words/cases.json", 0, NULL), *word;
    size_t i;
    assert_non_null(cases);
    snprintf(path, sizeof path, "%s/named.gltf", stage->daemon.directory);
    write_named(path, json_object_get(cases, "nodes"));
    const struct call calls[] = {SAYS("23 nodes", "import", path, "named")};
    CHECK_CALLS(&stage->daemon, calls);
    json_array_foreach(json_object_get(cases, "words"), i, word)
    {
        check_word(&stage->daemon, json_string_value(json_array_get(word, 0)),
                   json_array_get(word, 1));
    }
    json_decref(cases);
}

/* The edit is told in three parts. */
TEST_ON_STAGE(test_history_of_an_edit_of_many_nodes_is_one_line)
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
    const struct call history = SAYS(NULL, "history", "many", "--json");
    CHECK(daemon, SAYS("2500 nodes", "import", path, "many"));
    CHECK(daemon, SAYS(" 2500 nodes\n", "history", "many"));
    test_ctl(&output, daemon, NULL, history.arguments);
    assert_int_equal(count_lines(output.out), 1);
    check_has(&history, "stdout", output.out, ",1000,1001,");
    check_has(&history, "stdout", output.out, ",2499,2500]");
    check_has(&history, "stdout", output.out, "{\"id\":2500,");
    test_output_finish(&output);
}

TEST_ON_STAGE(test_a_scenes_life_on_the_command_line)
{
    struct stage *stage = *state;
    char file[128], out[128], db[128];
    write_arm(&stage->daemon, file, sizeof file);
    snprintf(out, sizeof out, "%s/out.gltf", stage->daemon.directory);
    snprintf(db, sizeof db, "%s/copy.db", stage->daemon.directory);
    const struct call calls[] = {
        SAYS(NULL, "ls"),
        FAILS("unknown_scene", "ls", "arm"),
        SAYS("arm: 3 nodes\n", "import", file, "arm"),
        FAILS("arm", "import", file, "arm"),
        SAYS("arm: 3 nodes\n", "import", file, "arm", "--replace", "--user", "anna"),
        SAYS("arm ", "ls"),
        SAYS("\"name\":\"arm\"", "ls", "--json"),
        SAYS("base  ", "ls", "arm"),
        SAYS("t (0, 1, 0) m  r (0, 0, 0) deg  s (1, 1, 1)", "ls", "arm"),
        SAYS("r (0, 90, 0) deg", "ls", "arm"),
        SAYS("\"name\":\"base\"", "ls", "arm", "--json"),
        SAYS("t (-1, 0.5, 2) m  edit ", "set", "arm", "base", "--t", "-1,0.5,2", "--user", "anna"),
        SAYS("r (0, 30, 0) deg  edit ", "set", "arm", "base", "--euler", "0,30,0", "--user",
             "anna"),
        SAYS("edit ", "set", "arm", "base", "--euler", "10,20,30", "--order", "ZYX", "--key", "k1",
             "--user", "anna"),
        FAILS("several nodes are named \"link\"", "set", "arm", "link", "--t", "1,1,1"),
        FAILS("no node has the name or id \"wrench\"", "set", "arm", "wrench", "--t", "1,1,1"),
        FAILS("a scale nearer to 0 than 1e-15 (bad_value)", "set", "arm", "base", "--s",
              "1e-16,1,1"),
        SAYS("name foot", "set", "arm", "base", "--name", "foot", "--user", "anna"),
        SAYS("edit ", "undo", "arm", "--user", "anna"),
        SAYS("{\"op\":\"ok\",\"edit\":", "redo", "arm", "--user", "anna", "--json"),
        FAILS("(bad_state)", "undo", "arm", "--user", "nobody"),
        SAYS("  ty  t (-1, 0.5, 2) -> (-1, ", "drag", "arm", "--node", "foot", "--handle", "ty",
             "--from", "960,540", "--to", "960,440", "--hz", "0", "--user", "bert"),
        SAYS("nothing changed", "drag", "arm", "--node", "foot", "--handle", "ty", "--from",
             "960,540", "--to", "960,540", "--hz", "0"),
        SAYS("translate ty", "history", "arm", "--user", "bert"),
        SAYS("edit 1  ", "history", "arm"),
        SAYS("  tz typed -0.25 m  t (", "drag", "arm", "--node", "foot", "--handle", "tz",
             "--value", "-0.25", "--user", "cleo"),
        SAYS("nothing changed", "drag", "arm", "--node", "foot", "--handle", "tz", "--value", "0"),
        FAILS("value: txy takes two numbers", "drag", "arm", "--node", "foot", "--handle", "txy",
              "--value", "1"),
        FAILS("value: rb takes no number", "drag", "arm", "--node", "foot", "--handle", "rb",
              "--value", "1"),
        FAILS("value: su cannot take the value 0", "drag", "arm", "--node", "foot", "--handle",
              "su", "--value", "0"),
        FAILS("value: beyond 1e15", "drag", "arm", "--node", "foot", "--handle", "tx", "--value",
              "1e16"),
        SAYS("{\"op\":\"ok\",\"edit\":", "drag", "arm", "--node", "foot", "--handle", "txy",
             "--value", "1,-2", "--json", "--user", "cleo"),
        SAYS("translate txy typed (1, -2) m  foot", "history", "arm", "--user", "cleo", "--limit",
             "1"),
        SAYS("\"value\":[1.0,-2.0]", "history", "arm", "--user", "cleo", "--limit", "1", "--json"),
        SAYS("name base -> foot", "history", "arm", "--node", "foot"),
        SAYS("set            base #4  t (0, 1, 0) -> (-1, 0.5, 2) m", "history", "arm", "--node",
             "foot"),
        SAYS("\"name\":\"base\"", "history", "arm", "--node", "foot", "--json"),
        SAYS("\"op\":\"edit\"", "history", "arm", "--since", "1h", "--json"),
        SAYS(NULL, "history", "arm", "--before", "1970-01-02"),
        SAYS("foot", "at", "arm", "--time", "0s"),
        FAILS("seq", "at", "arm", "--seq", "9000000"),
        FAILS("seq", "restore", "arm", "--seq", "9000000"),
        SAYS(NULL, "export", "arm", out),
        FAILS("unknown_scene", "export", "none", out),
        SAYS(NULL, "backup", "arm", db),
        FAILS("copy.db exists already; to replace it, use --replace", "backup", "arm", db),
        SAYS(NULL, "backup", "arm", db, "--replace"),
        SAYS("SQLite format 3", "backup", "arm", "-"),
        FAILS("(unknown_scene)", "backup", "none", "-"),
        SAYS("nothing is wrong", "check", db),
        SAYS("row by row", "check", db, "--against", db),
        SAYS("t (-1, -2, -3) m", "set", "--s", "-1,1,1", "arm", "--t", "-1,-2,-3", "foot", "--user",
             "anna"),
        SAYS("s (0, 0, 0)", "set", "arm", "foot", "--s", "0,0,0", "--user", "anna"),
        SAYS("s (0, 0, 0)", "ls", "arm"),
        SAYS("s (-1, 1, 1) -> (0, 0, 0)", "history", "arm", "--user", "anna", "--limit", "1"),
        SAYS("s (2, 1, 1)", "set", "arm", "foot", "--s", "2,1,1", "--user", "anna"),
        SAYS("s (0, 0, 0) -> (2, 1, 1)", "history", "arm", "--user", "anna", "--limit", "1"),
        SAYS("edit ", "undo", "arm", "--user", "anna"),
        SAYS("s (0, 0, 0)", "ls", "arm"),
        SAYS("edit ", "undo", "arm", "--user", "anna"),
        SAYS("note 1", "note", "--user", "anna", "arm", "--", "-5 mm"),
        SAYS("-5 mm", "notes", "arm"),
        SAYS("the scene so far, 3 nodes", "watch", "arm", "--count", "1"),
        SAYS("{\"op\":\"delta\",\"from\":0,", "watch", "arm", "--count", "1", "--json"),
        SAYS("the scene so far", "watch", "arm", "--count", "1"),
        SAYS("", "watch", "arm", "--for", "0.1"),
    };
    CHECK_CALLS(&stage->daemon, calls);
    assert_int_equal(access(out, R_OK), 0);
    /* The copy is a scene like any other. */
    char copy[160];
    snprintf(copy, sizeof copy, "%s/copy.db", stage->daemon.data);
    assert_int_equal(rename(db, copy), 0);
    CHECK(&stage->daemon, SAYS("foot", "ls", "copy"));
}

TEST_ON_STAGE(test_nodes_are_made_copied_and_deleted)
{
    struct stage *stage = *state;
    const struct call calls[] = {
        FAILS("(unknown_scene)", "create", "arm", "base"),
        SAYS("base #1  edit 1  seq 1\n", "create", "arm", "base", "--new-scene", "--t", "0,1,0",
             "--bounds", "-1,-1,-1,1,1,1"),
        SAYS("hand #2  edit 2  seq 2\n", "create", "arm", "hand", "--parent", "base", "--euler",
             "0,90,0", "--new-scene", "--key", "k1"),
        SAYS("{\"op\":\"ok\",\"edit\":2,\"seq\":2,\"ids\":[2]}\n", "create", "arm", "hand",
             "--parent", "base", "--euler", "0,90,0", "--key", "k1", "--json"),
        SAYS("hand #3  edit 3", "create", "arm", "--copy", "hand", "--s", "2,2,2"),
        SAYS("  3  hand  t (0, 0, 0) m  r (0, 90, 0) deg  s (2, 2, 2)", "ls", "arm"),
        SAYS("1  base    t (0, 1, 0) m  r (0, 0, 0) deg  s (1, 1, 1)  bounds (-1, 0, -1) to (1, 2, "
             "1)",
             "ls", "arm"),
        SAYS("{\"op\":\"ok\",\"edit\":4,\"seq\":4,\"ids\":[4]}\n", "create", "arm", "finger",
             "--parent", "id:2", "--json"),
        FAILS("several nodes are named \"hand\"; give one of their ids: 2, 3", "delete", "arm",
              "hand"),
        FAILS("no node has the name or id \"elbow\" (unknown_node)", "delete", "arm", "2", "elbow"),
        FAILS("(unknown_node)", "delete", "arm", "99"),
        FAILS("(unknown_node)", "create", "arm", "a", "--parent", "99"),
        FAILS("(unknown_node)", "create", "arm", "--copy", "99"),
        FAILS("(bad_value)", "delete", "arm", "2", "2"),
        FAILS("(bad_value)", "create", "arm", "a", "--s", "1e-16,1,1"),
        FAILS("(bad_value)", "create", "arm", "a", "--bounds", "1,1,1,0,0,0"),
        SAYS("arm  seq 4  4 nodes\n", "ls", "arm"),
        SAYS("edit 5  seq ", "delete", "arm", "2", "id:3", "--key", "k2"),
        SAYS("edit 5  seq ", "delete", "arm", "2", "id:3", "--key", "k2"),
        SAYS("  1 nodes\n", "ls", "arm"),
        SAYS("edit 6", "undo", "arm"),
        SAYS("  4 nodes\n", "ls", "arm"),
        SAYS("{\"op\":\"ok\",\"edit\":7,\"seq\":", "delete", "arm", "base", "--json"),
        SAYS("  0 nodes\n", "ls", "arm"),
    };
    CHECK_CALLS(&stage->daemon, calls);
}

/* What a shell asks for: names where the line wants a scene, of the server that the line names. */
TEST_ON_STAGE(test_names_of_scenes_are_completed)
{
    struct stage *stage = *state;
    static const char nowhere[] = "ws://127.0.0.1:1/ws";
    const char *const url = stage->daemon.url;
    const struct call calls[] = {
        SAYS("base", "create", "arm", "base", "--new-scene"),
        SAYS("base", "create", "armature", "base", "--new-scene"),
        SAYS("base", "create", "engine", "base", "--new-scene"),
        SAYS("arm\narmature\nengine\n", "--complete", "ls", ""),
        SAYS("arm\narmature\n", "--complete", "set", "--t", "1,2,3", "ar"),
        SAYS("engine\n", "--complete", "import", "a.glb", "e"),
        SAYS("engine\n", "--complete", "move", "uri", "e"),
        SAYS("engine\n", "--complete", "solve", "--scene", "e"),
        SAYS("--scene=engine\n", "--complete", "solve", "--scene=e"),
        SAYS("engine\n", "--complete", "ls", "--server", url, "--json", "e"),
        SAYS(NULL, "--complete", "ls", "--server", nowhere, "e"),
        SAYS(NULL, "--complete", "ls", "--server", "nonsense", "e"),
        SAYS(NULL, "--complete", "ls", "--server", "e"),
        SAYS(NULL, "--complete", "ls", "engine", "e"),
        SAYS(NULL, "--complete", "mv", "engine", "e"),
        SAYS(NULL, "--complete", "export", "engine", "e"),
        SAYS(NULL, "--complete", "fly", "e"),
        SAYS("engine\n", "--complete", "rm", "--", "e"),
    };
    CHECK_CALLS(&stage->daemon, calls);
}

/* What it printed is JSON, line by line. */
static void check_json_lines(const struct call *call, const struct test_output *output)
{
    for (char *line = output->out, *end; *line != '\0'; line = end + 1) {
        end = strchr(line, '\n');
        assert_non_null(end);
        json_t *json = json_loadb(line, (size_t)(end - line), 0, NULL);
        if (!json_is_object(json)) fail_msg("gizmoctl %s: %s", call->arguments[0], output->out);
        json_decref(json);
    }
    assert_true(output->out[0] != '\0');
}

/* Also of commands that otherwise say nothing, or something for people alone. */
TEST_ON_STAGE(test_every_command_answers_in_json)
{
    struct stage *stage = *state;
    char file[128], out[128], db[128], keys[128];
    write_arm(&stage->daemon, file, sizeof file);
    snprintf(out, sizeof out, "%s/out.gltf", stage->daemon.directory);
    snprintf(db, sizeof db, "%s/copy.db", stage->daemon.directory);
    snprintf(keys, sizeof keys, "%s/keys.json", stage->daemon.directory);
    const struct call calls[] = {
        SAYS("\"op\":\"ok\"", "import", file, "arm", "--json"),
        SAYS("{\"op\":\"ok\"}\n", "export", "arm", out, "--json"),
        SAYS("{\"op\":\"ok\"}\n", "backup", "arm", db, "--json"),
        SAYS("\"nodes\":3,\"edits\":1,\"seq\":3,\"faults\":0,", "check", db, "--json"),
        SAYS("{\"op\":\"ok\"}\n", "check", db, "--against", db, "--json"),
        SAYS("{\"op\":\"ok\"}\n", "mv", "arm", "leg", "--json"),
        SAYS("{\"name\":\"leg\"", "ls", "--json"),
        SAYS("\"edit\":2", "set", "leg", "1", "--t", "1,2,3", "--json"),
        SAYS("\"note\":1", "note", "leg", "a", "--json"),
        SAYS("{\"op\":\"ok\"}\n", "rm", "leg", "--json"),
        SAYS("{\"op\":\"ok\"}\n", "key", keys, "--json"),
        SAYS("{\"op\":\"ok\",\"token\":\"ey", "token", "--keys", keys, "--user", "ann", "--expires",
             "1h", "--json"),
    };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        struct test_output output;
        test_ctl(&output, &stage->daemon, NULL, calls[i].arguments);
        check_has(&calls[i], "stderr", output.err, NULL);
        check_has(&calls[i], "stdout", output.out, calls[i].out);
        check_json_lines(&calls[i], &output);
        test_output_finish(&output);
    }
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

TEST_ON_STAGE(test_export_after_a_restart_is_what_it_was_before)
{
    struct stage *stage = *state;
    char file[128], out[2][160], bytes[2][65536];
    size_t sizes[2];
    write_arm(&stage->daemon, file, sizeof file);
    CHECK(&stage->daemon, SAYS("3 nodes", "import", file, "arm"));
    CHECK(&stage->daemon, SAYS("base #1", "set", "arm", "1", "--t", "1,2,3"));
    for (int i = 0; i < 2; i++) {
        snprintf(out[i], sizeof out[i], "%s/out%d.gltf", stage->daemon.data, i);
        CHECK(&stage->daemon, SAYS(NULL, "export", "arm", out[i]));
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
TEST_ON_STAGE(test_export_by_suffix_is_of_that_kind_and_comes_back_the_same)
{
    static const struct {
        const char *scene, *again, *suffix, *begins;
    } rows[] = {
        {"arm", "arm-glb", ".glb", "glTF"},
        {"arm", "arm-gltf", ".gltf", "{"},
        {"robot", "robot-glb", ".GLB", "glTF"},
        {"robot", "robot-gltf", ".gltf", "{"},
    };
    static const char robot[] = GZ_SOURCE_DIR "/server/gltf/sample/robot-arm.glb";
    struct stage *stage = *state;
    const struct test_daemon *daemon = &stage->daemon;
    char file[128], bytes[8];
    write_arm(daemon, file, sizeof file);
    CHECK(daemon, SAYS("arm: 3 nodes\n", "import", file, "arm"));
    CHECK(daemon, SAYS("robot: 16 nodes\n", "import", robot, "robot"));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(file, sizeof file, "%s/out%zu%s", daemon->directory, i, rows[i].suffix);
        CHECK(daemon, SAYS(NULL, "export", rows[i].scene, file));
        assert_int_equal(read_whole(file, bytes, sizeof bytes), sizeof bytes);
        assert_memory_equal(bytes, rows[i].begins, strlen(rows[i].begins));
        CHECK(daemon, SAYS("nodes", "import", file, rows[i].again));
        assert_same_listing(daemon, rows[i].scene, rows[i].again);
    }
}

/* Whether the export has the ids of all nodes that `ls` tells of, each once; and how many. */
static size_t count_exported_ids(const struct test_daemon *daemon, const char *scene,
                                 const char *exported)
{
    struct test_output listed;
    size_t count = 0;
    test_ctl(&listed, daemon, NULL, (const char *const[]){"ls", scene, "--json", NULL});
    for (const char *at = listed.out; (at = strstr(at, "\"id\":")) != NULL; at++, count++) {
        char id[48];
        snprintf(id, sizeof id, "\"gizmod_id\":%llu}", strtoull(at + 5, NULL, 10));
        const char *place = strstr(exported, id);
        if (place == NULL || strstr(place + 1, id) != NULL) fail_msg("%s: not once", id);
    }
    test_output_finish(&listed);
    return count;
}

TEST_ON_STAGE(test_export_with_ids_names_nodes_that_have_no_name)
{
    static const char bare[] = "{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[1,0]}],"
                               "\"nodes\":[{\"children\":[2]},{},{\"extras\":{\"a\":1}}]}";
    const struct test_daemon *daemon = &((struct stage *)*state)->daemon;
    char file[128], out[160], bytes[4096];
    snprintf(file, sizeof file, "%s/bare.gltf", daemon->directory);
    snprintf(out, sizeof out, "%s/ids.gltf", daemon->directory);
    FILE *stream = fopen(file, "w");
    assert_true(stream != NULL && fputs(bare, stream) >= 0 && fclose(stream) == 0);
    CHECK(daemon, SAYS("bare: 3 nodes\n", "import", file, "bare"));
    for (int ids = 0; ids < 2; ids++) {
        const char *flag = ids ? "--ids" : NULL;
        CHECK(daemon, SAYS(NULL, "export", "bare", out, flag));
        bytes[read_whole(out, bytes, sizeof bytes - 1)] = '\0';
        if (ids)
            assert_int_equal(count_exported_ids(daemon, "bare", bytes), 3);
        else
            assert_string_equal(bytes, bare);
    }
}

TEST_ON_STAGE(test_export_says_which_skin_it_left_out)
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
    CHECK(daemon, SAYS("rig: 3 nodes\n", "import", file, "rig"));
    for (int broken = 0; broken < 2; broken++) {
        if (broken) CHECK(daemon, SAYS("edit ", "set", "rig", "knee", "--parent", "0"));
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

TEST_ON_STAGE(test_scenes_are_renamed_and_deleted)
{
    struct stage *stage = *state;
    char file[128];
    write_arm(&stage->daemon, file, sizeof file);
    const struct call calls[] = {
        SAYS("3 nodes", "import", file, "arm"),
        SAYS("3 nodes", "import", file, "other"),
        SAYS("edit 2", "set", "arm", "base", "--t", "1,2,3", "--user", "anna"),
        FAILS("(conflict)", "mv", "arm", "other"),
        FAILS("(unknown_scene)", "mv", "none", "limb"),
        SAYS(NULL, "mv", "arm", "limb", "--user", "anna"),
        FAILS("(unknown_scene)", "ls", "arm"),
        SAYS("t (0, 1, 0) -> (1, 2, 3) m", "history", "limb", "--user", "anna"),
        FAILS("(unknown_scene)", "rm", "arm"),
        SAYS(NULL, "rm", "limb"),
        FAILS("(unknown_scene)", "ls", "limb"),
        SAYS("3 nodes", "ls", "other"),
        SAYS(NULL, "rm", "other"),
        SAYS(NULL, "ls"),
    };
    CHECK_CALLS(&stage->daemon, calls);
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

/* As Ctrl-C does. */
static void interrupt(struct test_child *child, struct test_output *output)
{
    assert_true(child->pid > 0);
    kill(child->pid, SIGINT);
    test_child_finish(child, NULL, output);
}

static void end_watch(struct test_child *child)
{
    struct test_output output;
    interrupt(child, &output);
    assert_string_equal(output.err, "");
    test_output_finish(&output);
}

static void start_watch(struct test_child *child, const struct stage *stage)
{
    test_ctl_start(child, &stage->daemon,
                   (const char *const[]){"watch", "arm", "--for", "60", NULL});
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

TEST_ON_STAGE(test_bench_measures_and_leaves_nothing)
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
        SAYS(NULL, "ls"),
        WRONG("--viewers", "bench", "speed", "--viewers", "1001"),
        WRONG("SCENE is missing", "bench"),
    };
    CHECK_CALLS(daemon, after);
}

TEST_ON_STAGE(test_bench_leaves_a_scene_that_is_there)
{
    struct stage *stage = *state;
    char file[128];
    write_arm(&stage->daemon, file, sizeof file);
    const struct call calls[] = {
        SAYS("3 nodes", "import", file, "arm"),
        FAILS("(conflict)", "bench", "arm"),
        SAYS("3 nodes", "ls", "arm"),
    };
    CHECK_CALLS(&stage->daemon, calls);
}

TEST_ON_STAGE(test_bench_leaves_nothing_when_it_is_interrupted)
{
    struct stage *stage = *state;
    struct test_child child;
    struct test_output output;
    test_ctl_start(&child, &stage->daemon,
                   (const char *const[]){"bench", "speed", "--seconds", "60", NULL});
    await_line(&child, "p50");
    interrupt(&child, &output);
    assert_string_equal(output.err, "gizmoctl bench: interrupted\n");
    assert_int_equal(output.code, 1);
    test_output_finish(&output);
    CHECK(&stage->daemon, SAYS(NULL, "ls"));
}

TEST_ON_STAGE(test_bench_sends_no_more_than_a_slow_server_takes)
{
    struct stage *stage = *state;
    test_daemon_kill(&stage->daemon);
    test_daemon_start(&stage->daemon, "--messages-per-s", "40");
    CHECK(&stage->daemon, SAYS("36 moves a second to 1 viewers", "bench", "speed", "--viewers", "1",
                               "--seconds", "2"));
}

/* An editor may make a scene, and an admin delete it. */
TEST_ON_STAGE(test_bench_says_when_its_scene_stays)
{
    struct stage *stage = *state;
    char keys[128], token[128];
    struct test_output made;
    snprintf(keys, sizeof keys, "%s/keys", stage->daemon.directory);
    snprintf(token, sizeof token, "%s/token", stage->daemon.directory);
    CHECK(NULL, SAYS(NULL, "key", keys));
    test_ctl(&made, NULL, NULL,
             (const char *const[]){"token", "--keys", keys, "--user", "ann", "--role", "editor",
                                   "--expires", "1h", NULL});
    FILE *file = fopen(token, "w");
    assert_non_null(file);
    fputs(made.out, file);
    fclose(file);
    test_output_finish(&made);
    test_daemon_kill(&stage->daemon);
    test_daemon_start(&stage->daemon, "--keys", keys);
    check_call(&stage->daemon,
               &(struct call){
                   {"bench", "speed", "--viewers", "0", "--seconds", "1", "--token-file", token},
                   4,
                   "an edit, 1 at once",
                   "the scene speed stays: your role in this scene is editor"});
}

TEST_ON_STAGE(test_at_and_restore_bring_back_the_past)
{
    struct stage *stage = *state;
    char file[128], number[32];
    write_arm(&stage->daemon, file, sizeof file);
    struct test_output output;
    CHECK(&stage->daemon, SAYS("3 nodes", "import", file, "arm"));
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
        SAYS("t (2, 0, 0) m", "set", "arm", "base", "--t", "2,0,0"),
        SAYS("t (2, 0, 0) m", "ls", "arm"),
        SAYS("t (1, 0, 0) m", "at", "arm", "--seq", number),
        SAYS("\"t\":[1.0,0.0,0.0]", "at", "arm", "--seq", number, "--json"),
        SAYS("t (2, 0, 0) m", "ls", "arm"),
        SAYS("edit ", "restore", "arm", "--seq", number),
        SAYS("t (1, 0, 0) m", "ls", "arm"),
        SAYS("restore", "history", "arm", "--limit", "1"),
        SAYS("edit ", "undo", "arm"),
        SAYS("t (2, 0, 0) m", "ls", "arm"),
        SAYS(NULL, "checkpoints", "arm"),
        SAYS("checkpoint one metre  seq 4\n", "checkpoint", "arm", "one metre", "--seq", number,
             "--user", "ann"),
        FAILS("one metre is taken: ann gave it to seq 4 (conflict)", "checkpoint", "arm",
              "one metre"),
        FAILS("checkpoint.name: ", "checkpoint", "arm", "4"),
        SAYS("{\"op\":\"ok\",\"name\":\"oops\",\"seq\":7}\n", "checkpoint", "arm", "oops",
             "--json"),
        SAYS("gone: checkpoint oops  seq 7\n", "checkpoint", "arm", "oops", "--gone"),
        FAILS("there is no checkpoint called oops", "checkpoint", "arm", "oops", "--gone"),
        FAILS("there is no checkpoint called two metres", "at", "arm", "--seq", "two metres"),
    };
    CHECK_CALLS(&stage->daemon, calls);
    test_daemon_kill(&stage->daemon);
    test_daemon_start(&stage->daemon, NULL, NULL);
    const struct call later[] = {
        SAYS("one metre  seq 4         ann  20", "checkpoints", "arm"),
        SAYS("{\"name\":\"one metre\",\"seq\":4,\"user\":\"ann\",\"made\":1", "checkpoints", "arm",
             "--json"),
        SAYS("arm  seq 4  3 nodes\n", "at", "arm", "--seq", "one metre"),
        SAYS("edit ", "restore", "arm", "--seq", "one metre"),
        SAYS("t (1, 0, 0) m", "ls", "arm"),
    };
    CHECK_CALLS(&stage->daemon, later);
}

/* Edits of others are an admin's business, and on an open server only who was named by option can
 * be one, and only who asks. */
TEST_ON_STAGE(test_revert_of_anothers_edit_by_a_named_admin)
{
    struct stage *stage = *state;
    char file[128];
    write_arm(&stage->daemon, file, sizeof file);
    const struct call as_editor[] = {
        SAYS("3 nodes", "import", file, "arm"),
        SAYS("edit 2", "set", "arm", "base", "--t", "1,0,0", "--user", "bob"),
        SAYS("edit 3", "set", "arm", "base", "--name", "foot", "--user", "cara"),
        FAILS("role: your highest role in this scene is editor", "revert", "arm", "2", "--user",
              "ada", "--admin"),
        FAILS("edit: edit 2 is bob's: only an admin may revert it (forbidden)", "revert", "arm",
              "2", "--user", "cara"),
        FAILS("edit: edit 1 is an import", "revert", "arm", "1"),
        FAILS("edit: there is no edit 99", "revert", "arm", "99", "--user", "cara"),
    };
    CHECK_CALLS(&stage->daemon, as_editor);
    test_daemon_kill(&stage->daemon);
    test_daemon_start(&stage->daemon, "--admin", "ada");
    const struct call as_admin[] = {
        FAILS("role: your highest role in this scene is editor", "revert", "arm", "2", "--user",
              "bea", "--admin"),
        FAILS("only an admin may revert it", "revert", "arm", "2", "--user", "ada"),
        FAILS("revert: cara changed node 1 (foot) since (edit 3) (conflict)", "revert", "arm", "2",
              "--user", "ada", "--admin"),
        SAYS("edit 4  seq 6\n", "revert", "arm", "2", "--user", "ada", "--admin", "--force"),
        SAYS("1  foot    t (0, 1, 0) m", "ls", "arm"),
        FAILS("there is nothing to undo", "undo", "arm", "--user", "bob"),
        FAILS("edit 2 was reverted already, by ada (edit 4)", "revert", "arm", "2", "--user", "ada",
              "--admin"),
    };
    CHECK_CALLS(&stage->daemon, as_admin);
    test_daemon_kill(&stage->daemon);
    test_daemon_start(&stage->daemon, NULL, NULL);
    const struct call later[] = {
        FAILS("there is nothing to undo", "undo", "arm", "--user", "bob"),
        SAYS("edit 5", "undo", "arm", "--user", "ada"),
        SAYS("t (1, 0, 0) m", "ls", "arm"),
        SAYS("edit 6", "undo", "arm", "--user", "bob", "--force"),
        SAYS("t (0, 1, 0) m", "ls", "arm"),
    };
    CHECK_CALLS(&stage->daemon, later);
}

/* The list is kept with the scene; who is given a role has it over a restart, and nobody else. */
TEST_ON_STAGE(test_access_is_given_listed_and_taken_by_admins)
{
    struct stage *stage = *state;
    char file[128];
    write_arm(&stage->daemon, file, sizeof file);
    test_daemon_kill(&stage->daemon);
    test_daemon_start(&stage->daemon, "--admin", "ada");
    const struct call given[] = {
        SAYS("3 nodes", "import", file, "arm"),
        FAILS("role: your highest role in this", "access", "arm", "--user", "bea"),
        SAYS(NULL, "access", "arm", "--user", "ada"),
        SAYS("be?  admin\n", "access", "arm", "be?", "--role", "admin", "--user", "ada"),
        SAYS("{\"op\":\"ok\",\"user\":\"*@example.com\",\"role\":\"viewer\"}\n", "access", "arm",
             "*@example.com", "--role", "viewer", "--user", "bea", "--json"),
        FAILS("this server has no key to sign a link with", "link", "arm", "--user", "ada"),
        FAILS("link.role: a link can give viewer or editor, not admin", "link", "arm", "--role",
              "admin", "--expires", "1d", "--user", "ada"),
        FAILS("the pattern x has no access", "access", "arm", "x", "--gone", "--user", "ada"),
        FAILS("ask another admin to do it", "access", "arm", "be?", "--gone", "--user", "bea"),
    };
    CHECK_CALLS(&stage->daemon, given);
    test_daemon_kill(&stage->daemon);
    test_daemon_start(&stage->daemon, "--admin", "ada");
    const struct call kept[] = {
        SAYS("*@example.com  viewer  bea  20", "access", "arm", "--user", "bea"),
        SAYS("be?            admin   ada  20", "access", "arm", "--user", "bea"),
        SAYS("{\"user\":\"be?\",\"role\":\"admin\",\"by\":\"ada\",\"made\":", "access", "arm",
             "--user", "bea", "--json"),
        SAYS("be?  gone\n", "access", "arm", "be?", "--gone", "--user", "ada"),
        FAILS("role: your highest role in this", "access", "arm", "--user", "bea"),
    };
    CHECK_CALLS(&stage->daemon, kept);
}

TEST_ON_STAGE(test_watch_tells_drags_and_comes_back_after_a_crash)
{
    struct stage *stage = *state;
    struct gz_client *client = stage_join(stage, "arm", "anna");
    stage_create(client, "hand", 0, (gz_vec3){0, 0, 0});
    struct test_child child;
    start_watch(&child, stage);
    await_line(&child, "the scene so far, 1 nodes");
    /* The second change is by the same session, of which the delta says nothing. */
    for (int y = 1; y <= 2; y++) {
        stage_ask(client, message_set_t(&(struct gz_set_node){
                              .id = 1, .has = GZ_HAS_SET_NODE_T, .trs.t = {0, y, 0}}));
        await_line(&child, y == 1 ? "t (0, 1, 0) m  by anna" : "t (0, 2, 0) m  by anna");
    }
    CHECK(&stage->daemon, SAYS("edit ", "drag", "arm", "--node", "hand", "--handle", "tx", "--from",
                               "960,540", "--to", "1060,540", "--steps", "5", "--user", "bert"));
    await_line(&child, "hand #");
    await_line(&child, "translate tx  hand #");
    CHECK(&stage->daemon, SAYS("rx typed 30 deg", "drag", "arm", "--node", "hand", "--handle", "rx",
                               "--value", "30"));
    await_line(&child, "rotate rx typed 30 deg  hand #");
    test_daemon_kill(&stage->daemon);
    await_line(&child, "connection lost");
    test_daemon_start(&stage->daemon, NULL, NULL);
    await_line(&child, "reconnected, nothing missed");
    CHECK(&stage->daemon, SAYS("edit ", "set", "arm", "hand", "--t", "0,7,0"));
    await_line(&child, "t (0, 7, 0) m");
    end_watch(&child);
}

TEST_ON_STAGE(test_watch_ends_with_its_scene)
{
    struct stage *stage = *state;
    stage_create(stage_join(stage, "arm", "anna"), "hand", 0, (gz_vec3){0, 0, 0});
    struct test_child child;
    start_watch(&child, stage);
    await_line(&child, "the scene so far, 1 nodes");
    CHECK(&stage->daemon, SAYS("", "rm", "arm"));
    struct test_output output;
    test_child_finish(&child, NULL, &output);
    assert_int_equal(output.code, 5);
    assert_non_null(strstr(output.err, "deleted"));
    assert_null(strstr(output.out, "trying again"));
    test_output_finish(&output);
}

/* ---- others in the same scene ---- */

TEST_ON_STAGE(test_who_is_in_the_way_is_said_by_name)
{
    struct stage *stage = *state;
    struct gz_client *anna = stage_join(stage, "arm", "anna");
    uint64_t base = stage_create(anna, "base", 0, (gz_vec3){0, 0, 0}),
             hand = stage_create(anna, "hand", base, (gz_vec3){0, 1, 0});
    assert_int_equal(hand, 2);
    stage_ask(anna, message_camera((gz_vec3){0, 0, 10}, (gz_vec3){0, 0, 0}));
    stage_ask(anna, message_grab(&hand, GZ_TX, 960, 540));
    const struct call held[] = {
        FAILS("node 2 (hand) is held by anna (locked)\n", "set", "arm", "hand", "--t", "1,1,1"),
        FAILS("node 2 (hand) is held by anna (locked)\n", "drag", "arm", "--node", "hand",
              "--handle", "tx", "--value", "1"),
    };
    CHECK_CALLS(&stage->daemon, held);
    stage_ask(anna, message_pointer(GZ_PHASE_CANCEL, 960, 540));
    const struct call changed[] = {
        SAYS("hand #2", "set", "arm", "hand", "--t", "1,1,1", "--user", "bert"),
        SAYS("hand #2", "set", "arm", "hand", "--t", "2,2,2", "--user", "cleo"),
        FAILS("undo: cleo changed node 2 (hand) since (edit ", "undo", "arm", "--user", "bert"),
        FAILS(" (conflict)\n", "undo", "arm", "--user", "bert"),
    };
    CHECK_CALLS(&stage->daemon, changed);
}

TEST_ON_STAGE(test_who_says_what_others_do_and_not_itself)
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
    CHECK(&stage->daemon, SAYS("\"locks\":[1]", "who", "arm", "--json"));
    CHECK(&stage->daemon, SAYS("\"tool\":\"rotate\"", "who", "arm", "--json"));
}

/* Of whom nothing but a number is told, unlike of the first few. */
TEST_ON_STAGE(test_who_lists_those_who_only_watch)
{
    struct stage *stage = *state;
    struct test_output output;
    for (int i = 0; i <= GZ_PRESENCE_FEW; i++) {
        char user[16];
        snprintf(user, sizeof user, "user %d", i);
        stage_join(stage, "arm", user);
    }
    test_ctl(&output, &stage->daemon, NULL,
             (const char *const[]){"who", "arm", "--user", "cleo", NULL});
    assert_int_equal(output.code, 0);
    assert_int_equal(count_lines(output.out), GZ_PRESENCE_FEW + 1);
    const char *last = strstr(output.out, "\nuser 12       editor  #");
    assert_non_null(last);
    assert_non_null(strstr(last, "  only watches\n"));
    assert_null(strstr(last, "selected"));
    test_output_finish(&output);
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

TEST_ON_STAGE(test_notes_are_left_answered_dealt_with_and_deleted)
{
    struct stage *stage = *state;
    char file[128];
    write_arm(&stage->daemon, file, sizeof file);
    const struct call made[] = {
        SAYS("3 nodes", "import", file, "arm"),
        SAYS(NULL, "notes", "arm"),
        SAYS("note 1\n", "note", "arm", "too long?", "--node", "base", "--at", "0,0.5,-1", "--user",
             "anna"),
        SAYS("note 2\n", "note", "arm", "the whole\nof it", "--user", "bert", "--key", "k1"),
        SAYS("note 2\n", "note", "arm", "the whole\nof it", "--user", "bert", "--key", "k1"),
        SAYS("note 3\n", "note", "arm", "by 2 mm", "--reply", "1", "--user", "bert"),
        SAYS("{\"op\":\"ok\",\"note\":4}\n", "note", "arm", "here", "--reply", "1", "--node", "2",
             "--user", "cl\033eo", "--json"),
        FAILS("no node has the name or id \"elbow\"", "note", "arm", "a", "--node", "elbow"),
        FAILS("there is no note 99 (bad_value)", "note", "arm", "--done", "99"),
        FAILS("there is no note 99 (bad_value)", "note", "arm", "a", "--reply", "99"),
        FAILS("(forbidden)", "note", "arm", "--gone", "1", "--user", "bert"),
    };
    CHECK_CALLS(&stage->daemon, made);
    check_notes(&stage->daemon, NULL,
                "1    anna   base #1 at (0, 0.5, -1)  open  too long?\n"
                "  3  bert                            open  by 2 mm\n"
                "  4  cl?eo  link #2                  open  here\n"
                "2    bert                            open  the whole\n"
                "                                                                of it\n");
    const struct call changed[] = {
        SAYS("note 1  done\n", "note", "arm", "--done", "1", "--user", "bert"),
        SAYS("note 2  done\n", "note", "arm", "--done", "2"),
        SAYS("note 2  open\n", "note", "arm", "--open", "2"),
        SAYS("note 2  changed\n", "note", "arm", "all of it", "--edit", "2", "--at", "1,2,3",
             "--user", "bert"),
        SAYS("note 4  gone\n", "note", "arm", "--gone", "4", "--user", "cl\033eo"),
    };
    CHECK_CALLS(&stage->daemon, changed);
    check_notes(&stage->daemon, NULL, "2  bert  at (1, 2, 3)  open  all of it\n");
    test_daemon_kill(&stage->daemon);
    test_daemon_start(&stage->daemon, NULL, NULL);
    check_notes(&stage->daemon, "--all",
                "1    anna  base #1 at (0, 0.5, -1)  done  too long?\n"
                "  3  bert                           open  by 2 mm\n"
                "2    bert  at (1, 2, 3)             open  all of it\n");
    CHECK(
        &stage->daemon,
        SAYS("{\"id\":2,\"user\":\"bert\",\"text\":\"all of it\",\"point\":[1.0,2.0,3.0],\"made\":",
             "notes", "arm", "--json"));
}

/* Eight megabytes of them come in many messages; one that is missing would be missing in the
 * list. */
TEST_ON_STAGE(test_notes_are_all_listed_however_many_there_are)
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

TEST_ON_STAGE(test_watch_prints_notes_as_they_come)
{
    struct stage *stage = *state;
    struct gz_client *client = stage_join(stage, "arm", "anna");
    stage_create(client, "hand", 0, (gz_vec3){0, 0, 0});
    CHECK(&stage->daemon, SAYS("note 1", "note", "arm", "first", "--user", "anna"));
    struct test_child child;
    start_watch(&child, stage);
    await_line(&child, "note 1  open  first  by anna");
    const struct call calls[] = {
        SAYS("note 2", "note", "arm", "second", "--reply", "1", "--node", "hand", "--user", "bert"),
        SAYS("note 1  done", "note", "arm", "--done", "1"),
        SAYS("note 2  gone", "note", "arm", "--gone", "2", "--user", "bert"),
    };
    CHECK_CALLS(&stage->daemon, calls);
    await_line(&child, "note 2  open  hand #1  answers 1  second  by bert");
    await_line(&child, "note 1  done  first  by anna");
    await_line(&child, "note 2  gone");
    end_watch(&child);
}

TEST_ON_STAGE(test_watch_prints_checkpoints_as_they_come)
{
    struct stage *stage = *state;
    struct gz_client *client = stage_join(stage, "arm", "anna");
    stage_create(client, "hand", 0, (gz_vec3){0, 0, 0});
    CHECK(&stage->daemon, SAYS("seq 1", "checkpoint", "arm", "old", "--user", "anna"));
    struct test_child child;
    start_watch(&child, stage);
    await_line(&child, "checkpoint old  seq 1  by anna");
    const struct call calls[] = {
        SAYS("seq 1", "checkpoint", "arm", "before lunch", "--user", "bert"),
        SAYS("gone: checkpoint old", "checkpoint", "arm", "old", "--gone", "--user", "bert"),
        SAYS("{\"op\":\"checkpoints\",\"checkpoints\":[{\"name\":\"before "
             "lunch\",\"seq\":1,\"user\":\"bert\",\"made\":1",
             "watch", "arm", "--count", "2", "--json"),
    };
    CHECK_CALLS(&stage->daemon, calls);
    await_line(&child, "checkpoint before lunch  seq 1  by bert");
    await_line(&child, "checkpoint old  gone  by bert");
    end_watch(&child);
}

/* ---- events ---- */

TEST_ON_STAGE(test_watch_of_events_has_no_nodes)
{
    struct stage *stage = *state;
    struct gz_client *client = stage_join(stage, "arm", "anna");
    stage_create(client, "hand", 0, (gz_vec3){0, 0, 0});
    struct test_child child;
    struct test_output output;
    test_ctl_start(
        &child, &stage->daemon,
        (const char *const[]){"watch", "arm", "--events", "--json", "--for", "60", NULL});
    await_line(&child, "{\"op\":\"welcome\",\"scene\":\"arm\",\"epoch\":");
    const struct call calls[] = {
        SAYS("edit 2", "set", "arm", "hand", "--t", "1,2,3"),
        SAYS("note 1", "note", "arm", "first", "--user", "anna"),
        SAYS("seq 2", "checkpoint", "arm", "one"),
        SAYS("gone", "checkpoint", "arm", "one", "--gone"),
        SAYS("gone", "note", "arm", "--gone", "1", "--user", "anna"),
        SAYS("edit 3", "delete", "arm", "hand"),
        SAYS("seq 3  what is done from now on\n", "watch", "arm", "--events", "--count", "1"),
        WRONG("--events: cannot be used with", "watch", "arm", "--events", "--box", "0,0,0,1,1,1"),
        WRONG("--since: needs --json", "watch", "arm", "--since", "1"),
        FAILS("--since: 99 is beyond the scene's seq, 3", "watch", "arm", "--json", "--since",
              "99"),
    };
    CHECK_CALLS(&stage->daemon, calls);
    static const char *const lines[] = {
        "{\"op\":\"edit\",\"id\":2,",
        "{\"op\":\"notes\",\"notes\":[{\"id\":1,",
        "{\"op\":\"checkpoints\",\"checkpoints\":[{\"name\":\"one\",\"seq\":2,",
        "{\"op\":\"checkpoints\",\"checkpoints\":[{\"name\":\"one\",\"seq\":2,",
        "{\"op\":\"notes\",\"notes\":[],\"gone\":[1]}",
        "{\"op\":\"edit\",\"id\":3,"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char *line = test_child_line(&child);
        if (strstr(line, lines[i]) != line) fail_msg("%zu: no %s in %s", i, lines[i], line);
        free(line);
    }
    interrupt(&child, &output);
    assert_string_equal(output.out, "");
    test_output_finish(&output);
}

/* The number of the edit in this line; 0 if it tells of none. */
static uint64_t edit_of(const char *line)
{
    static const char begins[] = "{\"op\":\"edit\",\"id\":";
    return strstr(line, begins) == line ? strtoull(line + sizeof begins - 1, NULL, 10) : 0;
}

/* Reads on until the edit `last`: of those from `next` on, each comes once, in order. */
static void await_edits(struct test_child *child, uint64_t next, uint64_t last)
{
    while (next <= last) {
        char *line = test_child_line(child);
        const uint64_t edit = edit_of(line);
        if (edit != 0 && edit != next++) fail_msg("%s: it is not edit %d", line, (int)next - 1);
        free(line);
    }
}

/* Edits are made all the time: before it comes, while it asks for the history, and while it is away
 * because the daemon was killed. There are more than a page of the history has. */
TEST_ON_STAGE(test_watch_since_a_seq_misses_no_edit)
{
    enum { EDITS = 1200, MORE = 400 };
    struct stage *stage = *state;
    char *input = calloc(EDITS, 64), *at = input;
    struct test_child writer, watcher;
    struct test_output output;
    stage_create(stage_join(stage, "arm", "anna"), "hand", 0, (gz_vec3){0, 0, 0});
    for (int i = 1; i <= EDITS; i++)
        at += snprintf(at, 64, "{\"op\":\"set\",\"nodes\":[{\"id\":1,\"t\":[%d,0,0]}]}\n", i);
    test_ctl(&output, &stage->daemon, input, (const char *const[]){"edit", "arm", NULL});
    test_output_finish(&output);
    test_ctl_start(&writer, &stage->daemon, (const char *const[]){"edit", "arm", NULL});
    at = input;
    for (int i = 0; i < MORE; i++) at = strchr(at, '\n') + 1;
    assert_int_equal(write(writer.input, input, (size_t)(at - input)), at - input);
    free(test_child_line(&writer));
    test_ctl_start(
        &watcher, &stage->daemon,
        (const char *const[]){"watch", "arm", "--events", "--json", "--since", "5", NULL});
    await_edits(&watcher, 6, 1 + EDITS + MORE);
    test_child_finish(&writer, NULL, &output);
    assert_int_equal(output.code, 0);
    test_output_finish(&output);
    test_daemon_kill(&stage->daemon);
    test_daemon_start(&stage->daemon, NULL, NULL);
    test_ctl(&output, &stage->daemon, input, (const char *const[]){"edit", "arm", NULL});
    test_output_finish(&output);
    await_edits(&watcher, 2 + EDITS + MORE, 1 + 2 * EDITS + MORE);
    interrupt(&watcher, &output);
    assert_string_equal(output.err, "");
    test_output_finish(&output);
    free(input);
}

/* ---- a part of the scene ---- */

TEST_ON_STAGE(test_watch_of_a_part_tells_that_part_also_after_a_crash)
{
    struct stage *stage = *state;
    char file[128];
    write_arm(&stage->daemon, file, sizeof file);
    const struct call first[] = {
        SAYS("3 nodes", "import", file, "arm"),
        SAYS("name rod", "set", "arm", "2", "--name", "rod"),
        SAYS("the part so far, 2 nodes\n", "watch", "arm", "--subtree", "rod", "--count", "1"),
        SAYS("the part so far, 3 nodes", "watch", "arm", "--subtree", "rod", "--subtree", "#3",
             "--count", "1"),
        FAILS("no node has the name or id \"elbow\"", "watch", "arm", "--subtree", "elbow"),
        SAYS("the part so far, 3 nodes\n", "watch", "arm", "--box", "1,2,1,-1,0.5,-1", "--count",
             "1"),
        SAYS("the part so far, 0 nodes\n", "watch", "arm", "--box", "9,9,9,8,8,8", "--count", "1"),
    };
    CHECK_CALLS(&stage->daemon, first);
    struct test_child child;
    test_ctl_start(
        &child, &stage->daemon,
        (const char *const[]){"watch", "arm", "--box", "8,8,8,9,9,9", "--for", "60", NULL});
    await_line(&child, "the part so far, 0 nodes");
    CHECK(&stage->daemon, SAYS("edit", "set", "arm", "base", "--t", "8.5,8.5,8.5"));
    await_line(&child, "name base"); /* told whole */
    CHECK(&stage->daemon, SAYS("edit", "set", "arm", "base", "--t", "0,0,0"));
    await_line(&child, "gone");
    test_daemon_kill(&stage->daemon);
    await_line(&child, "connection lost");
    test_daemon_start(&stage->daemon, NULL, NULL);
    await_line(&child, "the part so far, 0 nodes");
    end_watch(&child);
}
