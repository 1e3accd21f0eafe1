/* Who may what on a daemon that asks for tokens: each op and each path by HTTP, tried with each
 * kind of token, good and bad. An op or a path without a row fails. */
#include <ctype.h>
#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>

#include "front/net.h"
#include "net_fixture.h"
#include "server/maxima.h"
#include "support/fault_preload.h"
#include "unit/token/forge.h"

#define SCENE "robot-arm"
#define HIDDEN "hidden"
#define PATIENCE_S 60
#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct test_daemon daemon_;
static char keys_path[128];
static char revoked_path[160];
static struct fault_control *control;

/* ---- tokens ---- */

enum who {
    NOBODY,
    NO_TOKEN_AT_ALL, /* what is sent is none */
    EXPIRED,
    NOT_YET_VALID,
    OTHER_AUDIENCE,
    WRONG_SIGNATURE,
    ALG_NONE,
    FOREIGN_KEY,
    OTHER_SCENE,
    WITHOUT_ROLE,
    VIEWER,
    EDITOR,
    ADMIN,
    GUEST, /* an editor */
    WHO_COUNT
};

/* How far each of them comes. */
enum reach { REFUSED, OUTSIDE, AS_VIEWER, AS_EDITOR, AS_ADMIN };

#define HEAD FORGED_HEAD
static const struct {
    const char *name, *head, *claims; /* %.0f in the claims: the time now */
    enum reach reach;
} people[WHO_COUNT] = {
    [NOBODY] = {"nobody", NULL, NULL, REFUSED},
    [NO_TOKEN_AT_ALL] = {"no token at all", NULL, "letmein", REFUSED},
    [EXPIRED] = {"expired", HEAD, "'sub':'eve','aud':'gizmod','role':'admin','exp':%.0f-90",
                 REFUSED},
    [NOT_YET_VALID] = {"not yet valid", HEAD,
                       "'sub':'eve','aud':'gizmod','role':'admin','exp':%.0f+900,'nbf':%.0f+90",
                       REFUSED},
    [OTHER_AUDIENCE] = {"other audience", HEAD,
                        "'sub':'eve','aud':'payroll','role':'admin','exp':%.0f+900", REFUSED},
    [WRONG_SIGNATURE] = {"wrong signature", HEAD,
                         "'sub':'eve','aud':'gizmod','role':'admin','exp':%.0f+900", REFUSED},
    [ALG_NONE] = {"alg none", "{'alg':'none','kid':'a'}",
                  "'sub':'eve','aud':'gizmod','role':'admin','exp':%.0f+900", REFUSED},
    [FOREIGN_KEY] = {"foreign key", "{'alg':'HS256','kid':'b'}",
                     "'sub':'eve','aud':'gizmod','role':'admin','exp':%.0f+900", REFUSED},
    [OTHER_SCENE] = {"other scene", HEAD,
                     "'sub':'eve','aud':'gizmod','role':'admin','scenes':['robot','x-*'],"
                     "'exp':%.0f+900",
                     OUTSIDE},
    [WITHOUT_ROLE] = {"without a role", HEAD, "'sub':'eve','aud':'gizmod','exp':%.0f+900", OUTSIDE},
    [VIEWER] = {"viewer", HEAD,
                "'sub':'vic','aud':'gizmod','role':'viewer','scenes':['robot-*'],'exp':%.0f+900",
                AS_VIEWER},
    [EDITOR] = {"editor", HEAD,
                "'sub':'ed','aud':['gizmod'],'role':'editor','scenes':['robot-*'],'exp':%.0f+900",
                AS_EDITOR},
    [ADMIN] = {"admin", HEAD, "'sub':'ada','aud':'gizmod','role':'admin','exp':%.0f+900", AS_ADMIN},
    [GUEST] = {"guest", HEAD,
               "'guest':true,'aud':'gizmod','role':'editor','scenes':['robot-arm'],'exp':%.0f+900",
               AS_EDITOR},
};

static char tokens[WHO_COUNT][2048];

static double unix_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Claims with each TIME+N or TIME-N of the template made a number. */
static void write_claims(const char *template, char *claims, size_t size)
{
    size_t used = (size_t)snprintf(claims, size, "{");
    for (const char *at = template; *at != '\0';) {
        int taken = 1, offset = 0;
        if (strncmp(at, "%.0f", 4) == 0 && sscanf(at, "%%.0f%d%n", &offset, &taken) == 1)
            used += (size_t)snprintf(claims + used, size - used, "%.3f", unix_now() + offset);
        else
            used += (size_t)snprintf(claims + used, size - used, "%c", *at);
        at += taken;
        assert_true(used < size);
    }
    snprintf(claims + used, size - used, "}");
}

static const char *sign(const char *head, const char *template, const char *secret)
{
    char claims[1024];
    static struct forged token;
    write_claims(template, claims, sizeof claims);
    token = forged_with(head, strlen(head), claims, strlen(claims), secret, strlen(secret));
    return token.text;
}

static void make_tokens(void)
{
    for (int who = 0; who < WHO_COUNT; who++) {
        const char *text = people[who].claims;
        if (people[who].head != NULL)
            text =
                sign(people[who].head, people[who].claims,
                     who == WRONG_SIGNATURE ? "another secret of 32 bytes, or so" : FORGED_SECRET);
        snprintf(tokens[who], sizeof tokens[who], "%s", text != NULL ? text : "");
    }
}

static void write_keys(const char *json)
{
    FILE *file = fopen(keys_path, "w");
    assert_non_null(file);
    assert_int_equal(chmod(keys_path, 0600), 0);
    fputs(quoted(json), file);
    assert_int_equal(fclose(file), 0);
}

/* ---- WebSocket ---- */

/* Says hello with a token; `then` may follow in the same breath. */
static int say_hello(const char *token, const char *scene, const char *user)
{
    int socket = raw_open(daemon_.port);
    struct gz_message hello = {.op = GZ_OP_HELLO};
    hello.hello =
        (struct gz_hello){.v = 1, .scene = {scene, strlen(scene)}, .user = {user, strlen(user)}};
    if (token != NULL) {
        hello.has |= GZ_HAS_HELLO_TOKEN;
        hello.hello.token = (struct gz_text){token, strlen(token)};
    }
    assert_true(raw_send_message(socket, &hello));
    return socket;
}

static const char *token_of(enum who who)
{
    return who == NOBODY ? NULL : tokens[who];
}

static const enum reach ops[GZ_OP_CLIENT_COUNT] = {
    [GZ_OP_HELLO] = AS_VIEWER,       [GZ_OP_CAMERA] = AS_VIEWER,  [GZ_OP_TOOL] = AS_VIEWER,
    [GZ_OP_SELECT] = AS_VIEWER,      [GZ_OP_POINTER] = AS_VIEWER, [GZ_OP_GRAB] = AS_EDITOR,
    [GZ_OP_WHEEL] = AS_EDITOR,       [GZ_OP_SET] = AS_EDITOR,     [GZ_OP_CREATE] = AS_EDITOR,
    [GZ_OP_DELETE] = AS_EDITOR,      [GZ_OP_PICK] = AS_VIEWER,    [GZ_OP_UNDO] = AS_EDITOR,
    [GZ_OP_REDO] = AS_EDITOR,        [GZ_OP_HISTORY] = AS_VIEWER, [GZ_OP_AT] = AS_VIEWER,
    [GZ_OP_RESTORE] = AS_EDITOR,     [GZ_OP_REVERT] = AS_EDITOR,  [GZ_OP_CHECKPOINT] = AS_EDITOR,
    [GZ_OP_CHECKPOINTS] = AS_VIEWER, [GZ_OP_PATH] = AS_VIEWER,    [GZ_OP_INTEREST] = AS_VIEWER,
    [GZ_OP_NOTE] = AS_EDITOR,        [GZ_OP_TOKEN] = AS_VIEWER,   [GZ_OP_ACCESS] = AS_ADMIN,
    [GZ_OP_ACCESSES] = AS_ADMIN,     [GZ_OP_LINK] = AS_ADMIN,     [GZ_OP_WHO] = AS_VIEWER,
    [GZ_OP_PING] = AS_VIEWER,        [GZ_OP_HOLD] = AS_EDITOR,    [GZ_OP_POSE] = AS_EDITOR,
    [GZ_OP_RELEASE] = AS_EDITOR,     [GZ_OP_CANCEL] = AS_EDITOR,
};

/* One that is well formed; what is in it may be refused for other reasons than rights. */
static struct gz_message message_of(enum gz_op op, enum who who)
{
    static const uint64_t node = 4711;
    static const struct gz_set_node set = {.has = GZ_HAS_SET_NODE_T, .id = 4711};
    static const struct gz_create_node create = {.name = {"new", 3}};
    struct gz_message message = {.op = op, .has = GZ_HAS_RID, .rid = 7};
    switch (op) {
    case GZ_OP_HELLO:
        message.hello =
            (struct gz_hello){.v = 1, .scene = {SCENE, strlen(SCENE)}, .user = {"x", 1}};
        break;
    case GZ_OP_CAMERA:
        for (int i = 0; i < 16; i += 5) message.camera.view[i] = message.camera.proj[i] = 1;
        message.camera.viewport[2] = message.camera.viewport[3] = 100;
        break;
    case GZ_OP_POINTER:
    case GZ_OP_GRAB:
        message.has |= GZ_HAS_POINTER_AT;
        message.pointer.phase = op == GZ_OP_GRAB ? GZ_PHASE_DOWN : GZ_PHASE_HOVER;
        message.pointer.handle = GZ_TX;
        break;
    case GZ_OP_WHEEL: message.wheel.dy = 1; break;
    case GZ_OP_HOLD: message.hold.nodes = (struct gz_ids){&node, 1}; break;
    case GZ_OP_POSE: message.pose = (struct gz_pose_message){.nodes = &set, .count = 1}; break;
    case GZ_OP_SET: message.set = (struct gz_set){&set, 1, 0}; break;
    case GZ_OP_CREATE: message.create = (struct gz_create){&create, 1}; break;
    case GZ_OP_DELETE: message.remove = (struct gz_ids){&node, 1}; break;
    case GZ_OP_PICK: message.has |= GZ_HAS_PICK_AT; break;
    case GZ_OP_AT:
    case GZ_OP_RESTORE: message.has |= GZ_HAS_AT_SEQ; break;
    case GZ_OP_REVERT: message.revert.edit = 4711; break;
    case GZ_OP_CHECKPOINT: message.checkpoint.name = (struct gz_text){"v1", 2}; break;
    case GZ_OP_PATH: message.path.node = node; break;
    case GZ_OP_NOTE:
        message.has |= GZ_HAS_NOTE_TEXT;
        message.note.text = (struct gz_text){"hm", 2};
        break;
    case GZ_OP_TOKEN: message.token = (struct gz_text){tokens[who], strlen(tokens[who])}; break;
    case GZ_OP_ACCESS:
        message.has |= GZ_HAS_ACCESS_ROLE;
        message.access = (struct gz_access){.user = {"new*", 4}, .role = GZ_ROLE_VIEWER};
        break;
    case GZ_OP_LINK: message.link = (struct gz_link){GZ_ROLE_VIEWER, 60}; break;
    default: break;
    }
    return message;
}

/* The code of the answer to the request with rid 7, GZ_OK for ok; `said` is the error's text. */
static enum gz_status read_answer(int socket, char said[GZ_ERROR_BYTES_MAX])
{
    static struct raw_frame frame;
    double until = now_s() + PATIENCE_S;
    while (raw_read_frame(socket, &frame, until - now_s())) {
        size_t offset = 0;
        struct gz_arena arena;
        struct gz_message message;
        struct gz_error error;
        gz_arena_init(&arena, gz_decode_bytes_max(frame.size));
        enum gz_status answer = GZ_STATUS_COUNT;
        while (answer == GZ_STATUS_COUNT && offset < frame.size &&
               gz_decode(GZ_FROM_SERVER, frame.bytes, frame.size, &offset, &arena, &message,
                         &error) == GZ_OK) {
            if (message.op == GZ_OP_OK && message.rid == 7) answer = GZ_OK;
            if (message.op != GZ_OP_ERROR) continue;
            answer = message.error.code;
            snprintf(said, GZ_ERROR_BYTES_MAX, "%.*s", (int)message.error.message.size,
                     message.error.message.bytes);
        }
        gz_arena_finish(&arena);
        if (answer != GZ_STATUS_COUNT) return answer;
    }
    fail_msg("there was no answer");
    return GZ_INTERNAL;
}

static void check_op(enum who who, enum gz_op op)
{
    char said[GZ_ERROR_BYTES_MAX] = "";
    const struct gz_message message = message_of(op, who);
    int socket = say_hello(token_of(who), SCENE, "x");
    (void)raw_send_message(socket, &message);
    enum gz_status status = read_answer(socket, said);
    enum reach reach = people[who].reach;
    if (ops[op] == 0) fail_msg("%s has no row", gz_op_word(op));
    bool as_expected = reach == REFUSED   ? status == GZ_UNAUTHORISED
                       : reach == OUTSIDE ? status == GZ_FORBIDDEN
                       : reach < ops[op]  ? status == GZ_FORBIDDEN
                                          : status != GZ_FORBIDDEN && status != GZ_UNAUTHORISED;
    if (reach == OUTSIDE) assert_string_equal(said, "you have no access to this scene");
    if (!as_expected)
        fail_msg("%s, %s: %s: %s", people[who].name, gz_op_word(op), gz_status_word(status), said);
    int code;
    if (reach <= OUTSIDE) assert_true(raw_is_ended_within(socket, PATIENCE_S, &code));
    close(socket);
}

TEST(test_rights_of_every_op)
{
    for (int who = 0; who < WHO_COUNT; who++)
        for (int op = 0; op < GZ_OP_CLIENT_COUNT; op++) check_op((enum who)who, (enum gz_op)op);
}

/* ---- HTTP ---- */

static const char tiny[] = "{\"asset\":{\"version\":\"2.0\"}}";

/* -1: what is there is no gz_http_what. */
static const struct {
    int what;
    const char *method, *path, *body;
    enum reach least;
} places[] = {
    {-1, "GET", "/healthz", "", REFUSED},
    {-1, "HEAD", "/healthz", "", REFUSED},
    {-1, "GET", "/readyz", "", REFUSED},
    {-1, "GET", "/", "", REFUSED},
    {-1, "GET", "/index.html", "", REFUSED},
    {-1, "GET", "/metrics", "", AS_ADMIN},
    {-1, "GET", "/scenes/" SCENE "/other", "", OUTSIDE},
    {-1, "GET", "/scenes/" SCENE, "", OUTSIDE},
    {-1, "POST", "/scenes/" SCENE, "", OUTSIDE},
    {GZ_HTTP_LIST, "GET", "/scenes", "", OUTSIDE},
    {GZ_HTTP_LIST, "GET", "/scenes/", "", OUTSIDE},
    {GZ_HTTP_LIST, "HEAD", "/scenes", "", OUTSIDE},
    {GZ_HTTP_ASSET, "GET", "/scenes/" SCENE "/asset", "", AS_VIEWER},
    {GZ_HTTP_ASSET, "HEAD", "/scenes/" SCENE "/asset", "", AS_VIEWER},
    {GZ_HTTP_ASSETS, "GET", "/scenes/" SCENE "/assets", "", AS_VIEWER},
    {GZ_HTTP_ADD, "POST", "/scenes/" SCENE "/import", tiny, AS_EDITOR},
    {GZ_HTTP_ADD, "POST", "/scenes/" SCENE "/import?parent=1", tiny, AS_EDITOR},
    {GZ_HTTP_EXPORT, "GET", "/scenes/" SCENE "/export", "", AS_VIEWER},
    {GZ_HTTP_EXPORT_GLB, "GET", "/scenes/" SCENE "/export.glb", "", AS_VIEWER},
    {GZ_HTTP_EXPORT_GLTF, "GET", "/scenes/" SCENE "/export.gltf", "", AS_VIEWER},
    {GZ_HTTP_BACKUP, "GET", "/scenes/" SCENE "/backup", "", AS_EDITOR},
    {GZ_HTTP_NODES, "GET", "/scenes/" SCENE "/nodes", "", AS_VIEWER},
    {GZ_HTTP_NODES, "HEAD", "/scenes/" SCENE "/nodes", "", AS_VIEWER},
    {GZ_HTTP_HISTORY, "GET", "/scenes/" SCENE "/history", "", AS_VIEWER},
    {GZ_HTTP_AT, "GET", "/scenes/" SCENE "/at?seq=0", "", AS_VIEWER},
    {GZ_HTTP_PATH, "GET", "/scenes/" SCENE "/path?node=1", "", AS_VIEWER},
    {GZ_HTTP_EVENTS, "GET", "/scenes/" SCENE "/events", "", AS_VIEWER},
    {GZ_HTTP_EDITS, "POST", "/scenes/" SCENE "/edits", "[{\"op\":\"undo\"}]", AS_EDITOR},
    {GZ_HTTP_IMPORT, "PUT", "/scenes/" SCENE "?replace", tiny, AS_EDITOR},
    {GZ_HTTP_IMPORT, "PUT", "/scenes/" SCENE, tiny, AS_EDITOR},
    {GZ_HTTP_RENAME, "PATCH", "/scenes/" SCENE, "{}", AS_ADMIN},
    {GZ_HTTP_DELETE, "DELETE", "/scenes/" SCENE, "", AS_ADMIN},
};
static_assert(GZ_HTTP_RENAME == 16, "a new kind of request has a row in places[], and is counted");

static int ask(const char *token, const char *method, const char *path, const char *body,
               struct raw_response *response)
{
    char headers[2300] = "", length[40] = "";
    if (*body != '\0') snprintf(length, sizeof length, "Content-Length: %zu\r\n", strlen(body));
    if (token != NULL)
        snprintf(headers, sizeof headers, "Authorization: Bearer %s\r\n%s", token, length);
    else
        snprintf(headers, sizeof headers, "%s", length);
    raw_request(daemon_.port, method, path, headers, body, strlen(body), response);
    return response->status;
}

static void make_scene(const char *path)
{
    struct raw_response response;
    int status = ask(tokens[ADMIN], "PUT", path, tiny, &response);
    if (status != 200 && status != 201) fail_msg("PUT %s: %d %s", path, status, response.body);
}

static bool is_listed(enum who who, const char *scene)
{
    struct raw_response response;
    char quoted_name[80];
    snprintf(quoted_name, sizeof quoted_name, "\"%s\"", scene);
    assert_int_equal(ask(tokens[who], "GET", "/scenes", "", &response), 200);
    return strstr(response.body, quoted_name) != NULL;
}

static void check_place(enum who who, size_t i)
{
    struct raw_response response;
    enum reach reach = people[who].reach, least = places[i].least;
    int status = ask(token_of(who), places[i].method, places[i].path, places[i].body, &response);
    int expected = reach >= least ? 0 : reach == REFUSED ? 401 : 403;
    bool is_right = expected != 0 ? status == expected : status != 401 && status != 403;
    if (!is_right)
        fail_msg("%s, %s %s: %d %s", people[who].name, places[i].method, places[i].path, status,
                 response.body);
    bool asks = strcasestr(response.head, "www-authenticate: Bearer realm=\"gizmod\"\r\n") != NULL;
    assert_int_equal(asks, status == 401);
    bool has_body = strcmp(places[i].method, "HEAD") != 0;
    if (status == 403 && reach == OUTSIDE && places[i].what >= 0 && has_body)
        assert_non_null(strstr(response.body, "you have no access to this scene"));
    if (expected != 0 && least == AS_ADMIN) assert_true(is_listed(ADMIN, SCENE));
}

TEST(test_rights_of_every_place)
{
    for (int who = 0; who < WHO_COUNT; who++) {
        for (size_t i = 0; i < COUNT(places); i++) {
            check_place((enum who)who, i);
            if (places[i].what == GZ_HTTP_DELETE && who == ADMIN) make_scene("/scenes/" SCENE);
        }
    }
}

/* What scrapes the metrics may do nothing else. */
TEST(test_rights_of_a_token_for_the_metrics)
{
    struct raw_response response;
    const char *token = sign(
        HEAD,
        "'sub':'prometheus','aud':'gizmod','role':'viewer','scenes':['/metrics'],'exp':%.0f+60",
        FORGED_SECRET);
    assert_int_equal(ask(token, "GET", "/metrics", "", &response), 200);
    for (size_t i = 0; i < COUNT(places); i++) {
        if (places[i].least < AS_VIEWER || places[i].what < 0) continue;
        assert_int_equal(ask(token, places[i].method, places[i].path, places[i].body, &response),
                         403);
    }
    token = sign(HEAD, "'sub':'prometheus','aud':'gizmod','scenes':['/metrics'],'exp':%.0f+60",
                 FORGED_SECRET);
    assert_int_equal(ask(token, "GET", "/metrics", "", &response), 403); /* it has no role */
}

TEST(test_rights_every_kind_of_request_has_a_row)
{
    for (int what = 0; what <= GZ_HTTP_RENAME; what++) {
        size_t i = 0;
        while (i < COUNT(places) && places[i].what != what) i++;
        if (i == COUNT(places)) fail_msg("gz_http_what %d has no row", what);
    }
}

/* What one may not see looks as if it were not there. */
TEST(test_rights_hidden_scene_is_as_one_that_is_not_there)
{
    static const char *const methods[] = {"GET", "GET", "PUT", "PATCH", "DELETE"};
    static const char *const parts[] = {"/asset", "/backup", "", "", ""};
    static const char *const bodies[] = {"", "", tiny, "{\"name\":\"robot-2\"}", ""};
    const enum who strangers[] = {OTHER_SCENE, WITHOUT_ROLE, VIEWER, EDITOR, GUEST};
    make_scene("/scenes/" HIDDEN "?replace");
    for (size_t who = 0; who < COUNT(strangers); who++) {
        assert_false(is_listed(strangers[who], HIDDEN));
        for (size_t i = 0; i < COUNT(methods); i++) {
            struct raw_response there, missing;
            char path[64], other[64];
            snprintf(path, sizeof path, "/scenes/" HIDDEN "%s", parts[i]);
            snprintf(other, sizeof other, "/scenes/missing%s", parts[i]);
            assert_int_equal(ask(tokens[strangers[who]], methods[i], path, bodies[i], &there), 403);
            assert_int_equal(ask(tokens[strangers[who]], methods[i], other, bodies[i], &missing),
                             403);
            assert_string_equal(there.body, missing.body);
        }
        const char *scenes[] = {HIDDEN, "missing"};
        for (size_t i = 0; i < COUNT(scenes); i++) {
            char said[GZ_ERROR_BYTES_MAX] = "";
            int socket = say_hello(tokens[strangers[who]], scenes[i], "x");
            assert_int_equal(read_answer(socket, said), GZ_FORBIDDEN);
            assert_string_equal(said, "you have no access to this scene");
            close(socket);
        }
    }
    assert_true(is_listed(ADMIN, HIDDEN));
    assert_false(is_listed(ADMIN, "missing"));
}

/* A name that one may not make is not to be had by a rename either. */
TEST(test_rights_rename_goes_by_the_new_name_too)
{
    struct raw_response response;
    const char *token =
        sign(HEAD, "'sub':'ada','aud':'gizmod','role':'admin','scenes':['robot-*'],'exp':%.0f+900",
             FORGED_SECRET);
    assert_int_equal(ask(token, "PATCH", "/scenes/" SCENE, "{\"name\":\"payroll\"}", &response),
                     403);
    assert_int_equal(ask(token, "PATCH", "/scenes/" SCENE, "{\"name\":\"robot-new\"}", &response),
                     200);
    assert_int_equal(
        ask(token, "PATCH", "/scenes/robot-new", "{\"name\":\"" SCENE "\"}", &response), 200);
}

TEST(test_rights_scene_is_made_by_the_token_alone)
{
    struct raw_response response;
    assert_int_equal(ask(tokens[EDITOR], "PUT", "/scenes/robot-made", tiny, &response), 201);
    assert_int_equal(ask(tokens[VIEWER], "PUT", "/scenes/robot-never", tiny, &response), 403);
    assert_int_equal(ask(tokens[EDITOR], "PUT", "/scenes/never", tiny, &response), 403);
    assert_false(is_listed(ADMIN, "robot-never"));
    assert_false(is_listed(ADMIN, "never"));
}

/* ---- a scene's own access ---- */

static void give_access(const char *scene, const char *user, enum gz_role role)
{
    char said[GZ_ERROR_BYTES_MAX] = "";
    struct gz_message message = {.op = GZ_OP_ACCESS, .has = GZ_HAS_RID, .rid = 7};
    message.has |= GZ_HAS_ACCESS_ROLE;
    message.access = (struct gz_access){.user = {user, strlen(user)}, .role = role};
    int socket = say_hello(tokens[ADMIN], scene, "x");
    assert_true(raw_send_message(socket, &message));
    assert_int_equal(read_answer(socket, said), GZ_OK);
    close(socket);
}

TEST(test_rights_by_the_access_of_a_scene)
{
    struct raw_response response;
    make_scene("/scenes/shared");
    assert_int_equal(ask(tokens[WITHOUT_ROLE], "GET", "/scenes/shared/asset", "", &response), 403);
    give_access("shared", "e*e", GZ_ROLE_VIEWER);
    assert_true(is_listed(WITHOUT_ROLE, "shared"));
    assert_int_equal(ask(tokens[WITHOUT_ROLE], "GET", "/scenes/shared/asset", "", &response), 200);
    assert_int_equal(ask(tokens[WITHOUT_ROLE], "GET", "/scenes/shared/export", "", &response), 200);
    assert_int_equal(ask(tokens[WITHOUT_ROLE], "GET", "/scenes/shared/backup", "", &response), 403);
    assert_non_null(strstr(response.body, "your role in this scene is viewer; this needs editor"));
    assert_int_equal(ask(tokens[WITHOUT_ROLE], "PUT", "/scenes/shared?replace", tiny, &response),
                     403);
    assert_int_equal(ask(tokens[WITHOUT_ROLE], "DELETE", "/scenes/shared", "", &response), 403);
    give_access("shared", "e*e", GZ_ROLE_EDITOR);
    assert_int_equal(ask(tokens[WITHOUT_ROLE], "PUT", "/scenes/shared", tiny, &response), 409);
    assert_int_equal(ask(tokens[WITHOUT_ROLE], "PUT", "/scenes/shared?replace", tiny, &response),
                     200);
    /* guests name themselves */
    give_access("shared", "*", GZ_ROLE_EDITOR);
    assert_false(is_listed(GUEST, "shared"));
    assert_int_equal(ask(tokens[GUEST], "GET", "/scenes/shared/asset?user=eve", "", &response),
                     403);
    give_access("shared", "eve", GZ_ROLE_ADMIN);
    assert_int_equal(ask(tokens[WITHOUT_ROLE], "DELETE", "/scenes/shared", "", &response), 204);
    assert_false(is_listed(ADMIN, "shared"));
}

/* ---- before a body comes ---- */

/* The first line of the answer to one that asks whether it may send a large body. */
static const char *ask_first(const char *token, const char *path)
{
    static char head[4096];
    int socket = raw_connect(daemon_.port), size;
    size = snprintf(head, sizeof head,
                    "PUT %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n"
                    "Content-Length: 200000000\r\nExpect: 100-continue\r\n\r\n",
                    path, daemon_.port, token);
    assert_true(raw_send(socket, head, (size_t)size));
    ssize_t taken = recv(socket, head, sizeof head - 1, 0);
    assert_true(taken > 0);
    head[taken] = '\0';
    close(socket);
    head[strcspn(head, "\r")] = '\0';
    return head;
}

static void restart(void)
{
    char option[160];
    snprintf(option, sizeof option, "--keys=%s", keys_path);
    assert_int_equal(test_daemon_stop(&daemon_), 0);
    test_daemon_start(&daemon_, option, NULL);
}

/* Whoever may not is refused before the body, in the same way whether the scene is there or not and
 * is open or not; no place is kept for it. */
TEST(test_rights_come_before_the_body)
{
    const enum who strangers[] = {OTHER_SCENE, WITHOUT_ROLE, GUEST, VIEWER};
    static const char forbidden[] = "HTTP/1.1 403 Forbidden";
    make_scene("/scenes/" HIDDEN "?replace");
    for (int round = 0; round < 2; round++) {
        for (size_t who = 0; who < COUNT(strangers); who++) {
            const char *token = tokens[strangers[who]];
            for (int times = 0; times < 8; times++)
                assert_string_equal(ask_first(token, "/scenes/" HIDDEN "?replace"), forbidden);
            assert_string_equal(ask_first(token, "/scenes/" HIDDEN), forbidden);
            assert_string_equal(ask_first(token, "/scenes/missing"), forbidden);
        }
        restart(); /* closed now */
    }
    assert_string_equal(ask_first(tokens[NO_TOKEN_AT_ALL], "/scenes/x"),
                        "HTTP/1.1 401 Unauthorized");
    assert_string_equal(ask_first(tokens[EDITOR], "/scenes/" SCENE), "HTTP/1.1 409 Conflict");
    assert_string_equal(ask_first(tokens[EDITOR], "/scenes/" SCENE "?replace"),
                        "HTTP/1.1 100 Continue");
}

/* The header of an import by somebody without a role, and some bytes of its body. */
static void send_request_part(int socket, const char *path, size_t size)
{
    char text[4096];
    int used = snprintf(text, sizeof text,
                        "PUT %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n"
                        "Content-Length: %zu\r\n\r\n%.*s",
                        path, daemon_.port, tokens[WITHOUT_ROLE], strlen(tiny), (int)size, tiny);
    assert_true(raw_send(socket, text, (size_t)used));
}

/* While the scene is being opened, for its access, what has come of the body is kept. */
TEST(test_rights_of_a_closed_scene_are_looked_up_before_the_body)
{
    struct raw_response response;
    static const char name[] = "{\"name\":\"robot-2\"}";
    make_scene("/scenes/robot-shut");
    give_access("robot-shut", "eve", GZ_ROLE_ADMIN);
    restart();
    assert_string_equal(ask_first(tokens[WITHOUT_ROLE], "/scenes/robot-shut?replace"),
                        "HTTP/1.1 100 Continue");
    restart();
    assert_int_equal(
        ask(tokens[WITHOUT_ROLE], "PUT", "/scenes/robot-shut?replace", tiny, &response), 200);
    restart();
    assert_int_equal(ask(tokens[WITHOUT_ROLE], "PUT", "/scenes/robot-shut", tiny, &response), 409);
    restart();
    assert_int_equal(ask(tokens[WITHOUT_ROLE], "PATCH", "/scenes/robot-shut", name, &response),
                     403);
    assert_non_null(strstr(response.body, "name: your token does not allow a scene of this name"));
    restart();
    for (size_t cut = 1; cut < strlen(tiny); cut += 12) {
        restart();
        int socket = raw_connect(daemon_.port);
        send_request_part(socket, "/scenes/robot-shut?replace", cut);
        if (cut % 24 == 1)
            usleep(50000); /* it is decided before the rest comes, or while it does */
        assert_true(raw_send_text(socket, tiny + cut));
        raw_read_response(socket, &response);
        if (response.status != 200) fail_msg("cut at %zu: %d", cut, response.status);
        close(socket);
    }
    /* clients that leave meanwhile keep no place */
    restart();
    for (int i = 0; i < 2 * GZ_HTTP_UPLOADS_MAX; i++) {
        int socket = raw_connect(daemon_.port);
        send_request_part(socket, "/scenes/robot-shut?replace", 1);
        close(socket);
    }
    double until = now_s() + PATIENCE_S;
    while (ask(tokens[WITHOUT_ROLE], "PUT", "/scenes/robot-shut?replace", tiny, &response) != 200)
        if (now_s() > until) fail_msg("%s", response.body);
    assert_int_equal(ask(tokens[WITHOUT_ROLE], "DELETE", "/scenes/robot-shut", "", &response), 204);
}

/* ---- a right that is taken away while a file is read ---- */

static const char *log_text(void)
{
    static char text[1 << 20];
    FILE *file = fopen(daemon_.log, "r");
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = '\0';
    return text;
}

static void send_request(int socket, const char *token, const char *line, const char *body)
{
    char text[4096];
    int size = snprintf(text, sizeof text,
                        "%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n"
                        "Content-Length: %zu\r\n\r\n%s",
                        line, daemon_.port, token, strlen(body), body);
    assert_true(raw_send(socket, text, (size_t)size));
}

static void send_get(int socket, const char *token, const char *path)
{
    char text[4096];
    int size = snprintf(text, sizeof text,
                        "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n\r\n",
                        path, daemon_.port, token);
    assert_true(raw_send(socket, text, (size_t)size));
}

static void take_access(const char *scene, const char *user)
{
    char said[GZ_ERROR_BYTES_MAX] = "";
    struct gz_message message = {.op = GZ_OP_ACCESS, .has = GZ_HAS_RID, .rid = 7};
    message.access = (struct gz_access){.user = {user, strlen(user)}, .gone = true};
    int socket = say_hello(tokens[ADMIN], scene, "x");
    assert_true(raw_send_message(socket, &message));
    assert_int_equal(read_answer(socket, said), GZ_OK);
    close(socket);
}

static size_t count_in_log(const char *words)
{
    size_t count = 0;
    for (const char *at = log_text(); (at = strstr(at, words)) != NULL; at++) count++;
    return count;
}

/* Backups of two scenes by two users keep both workers of such requests busy, because the disk
 * hangs: the file that comes after them waits. Whatever is done meanwhile, its user has lost the
 * right once it is read. */
static void check_late(void (*meanwhile)(void))
{
    int backups[2], import;
    struct raw_response response;
    make_scene("/scenes/taken");
    make_scene("/scenes/robot-held");
    give_access("taken", "eve", GZ_ROLE_EDITOR);
    fault_disk_arm(control, 1u << FAULT_DISK_OPEN, FAULT_EFFECT_HANG, 0);
    for (int i = 0; i < 2; i++) {
        backups[i] = raw_connect(daemon_.port);
        send_get(backups[i], tokens[i == 0 ? ADMIN : EDITOR],
                 i == 0 ? "/scenes/" SCENE "/backup" : "/scenes/robot-held/backup");
    }
    assert_true(fault_disk_await(control));
    size_t before = count_in_log("HTTP PUT taken by eve");
    import = raw_connect(daemon_.port);
    send_request(import, tokens[WITHOUT_ROLE], "PUT /scenes/taken?replace", tiny);
    double until = now_s() + PATIENCE_S;
    while (count_in_log("HTTP PUT taken by eve") == before) assert_true(now_s() < until);
    meanwhile();
    assert_true(fault_disk_heal(control));
    raw_read_response(import, &response);
    if (response.status != 403) fail_msg("%d %s", response.status, response.body);
    assert_non_null(strstr(response.body, "you have no access to this scene"));
    for (int i = 0; i < 2; i++) close(backups[i]);
    close(import);
    assert_int_equal(ask(tokens[ADMIN], "DELETE", "/scenes/taken", "", &response), 204);
    assert_int_equal(ask(tokens[ADMIN], "DELETE", "/scenes/robot-held", "", &response), 204);
}

static void take_right(void)
{
    take_access("taken", "eve");
}

TEST(test_rights_taken_away_while_a_file_is_read_count)
{
    check_late(take_right);
}

/* The right was enough when the body began. */
TEST(test_rights_taken_away_while_a_body_comes_count)
{
    static const struct {
        const char *line, *body;
        enum gz_role role;
    } requests[] = {{"PUT /scenes/taken?replace", tiny, GZ_ROLE_EDITOR},
                    {"PATCH /scenes/taken", "{\"name\": \"robot-new\"}", GZ_ROLE_ADMIN}};
    static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        char head[4096], said[sizeof go_on] = "";
        struct raw_response response;
        make_scene("/scenes/taken");
        give_access("taken", "eve", requests[i].role);
        int socket = raw_connect(daemon_.port);
        snprintf(head, sizeof head,
                 "%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n"
                 "Expect: 100-continue\r\nContent-Length: %zu\r\n\r\n",
                 requests[i].line, daemon_.port, tokens[WITHOUT_ROLE], strlen(requests[i].body));
        assert_true(raw_send_text(socket, head));
        assert_int_equal(recv(socket, said, sizeof go_on - 1, MSG_WAITALL), sizeof go_on - 1);
        assert_string_equal(said, go_on);
        take_access("taken", "eve");
        assert_true(raw_send_text(socket, requests[i].body));
        raw_read_response(socket, &response);
        if (response.status != 403) fail_msg("%d %s", response.status, response.body);
        assert_non_null(strstr(response.body, "you have no access to this scene"));
        close(socket);
        assert_int_equal(ask(tokens[ADMIN], "DELETE", "/scenes/taken", "", &response), 204);
    }
}

/* ---- who one is ---- */

static void assert_user(const char *token, const char *said_user, const char *user)
{
    static struct raw_frame frame;
    struct gz_arena arena;
    struct gz_message message;
    gz_arena_init(&arena, 0);
    int socket = say_hello(token, SCENE, said_user);
    assert_true(raw_read_message(socket, GZ_OP_PRESENCE, &frame, &arena, &message));
    bool found = false;
    for (size_t i = 0; i < message.presence.count; i++) {
        struct gz_text is = message.presence.users[i].user;
        found = found || (is.size == strlen(user) && memcmp(is.bytes, user, is.size) == 0);
    }
    if (!found) fail_msg("%s is not here", user);
    gz_arena_finish(&arena);
    close(socket);
}

TEST(test_rights_user_is_the_token_s)
{
    char longest[GZ_USER_BYTES_MAX + 1], said[GZ_ERROR_BYTES_MAX] = "";
    assert_user(tokens[EDITOR], "ada", "ed");
    assert_user(tokens[GUEST], "Kim", "Kim (guest)");
    assert_user(tokens[GUEST], "ada", "ada (guest)");
    memset(longest, 'k', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    int socket = say_hello(tokens[GUEST], SCENE, longest);
    assert_int_equal(read_answer(socket, said), GZ_BAD_VALUE);
    assert_string_equal(said, "user: the name of a guest must have 1 to 56 bytes");
    close(socket);
}

/* Neither a guest's name nor a token's can hide what it says, or turn its direction. */
TEST(test_rights_names_show_what_they_are)
{
    static const char *const names[] = {"a\nb",
                                        "a\x1b[2J",
                                        "\x7f",
                                        "a\xc2\x85",
                                        "ad\xe2\x80\xaa",
                                        "ad\xe2\x80\xae"
                                        "a",
                                        "\xe2\x81\xa6x",
                                        "x\xe2\x81\xa9"};
    for (size_t i = 0; i < COUNT(names); i++) {
        char said[GZ_ERROR_BYTES_MAX] = "";
        int socket = say_hello(tokens[GUEST], SCENE, names[i]);
        assert_int_equal(read_answer(socket, said), GZ_BAD_VALUE);
        assert_string_equal(said, "user: contains an invisible character");
        close(socket);
    }
    assert_user(tokens[GUEST], "Zo\xc3\xab \xe2\x80\x93 \xd7\xa9", /* Hebrew needs no controls */
                "Zo\xc3\xab \xe2\x80\x93 \xd7\xa9 (guest)");
}

/* Each try at a token costs a connection. */
TEST(test_rights_a_refused_token_ends_the_connection)
{
    static const enum who tries[] = {NO_TOKEN_AT_ALL, WRONG_SIGNATURE, EXPIRED};
    for (size_t i = 0; i < COUNT(tries); i++) {
        struct raw_response response;
        int socket = raw_connect(daemon_.port);
        send_get(socket, tokens[tries[i]], "/scenes");
        raw_read_response(socket, &response);
        assert_int_equal(response.status, 401);
        assert_non_null(strcasestr(response.head, "connection: close"));
        assert_true(raw_is_closed_within(socket, PATIENCE_S));
        close(socket);
    }
}

TEST(test_rights_only_bearer_is_taken)
{
    static const char *const values[] = {"Basic YWRhOmFkYQ==", "Bearer", "Bearer ", "token",
                                         "Bearer a b",         ""};
    for (size_t i = 0; i < COUNT(values); i++) {
        struct raw_response response;
        char headers[128];
        snprintf(headers, sizeof headers, "Authorization: %s\r\n", values[i]);
        raw_request(daemon_.port, "GET", "/scenes", headers, "", 0, &response);
        if (response.status != 401) fail_msg("%s: %d", values[i], response.status);
    }
    struct raw_response response;
    char path[2200], headers[2200];
    snprintf(path, sizeof path, "/scenes?token=%.400s", tokens[ADMIN]);
    raw_request(daemon_.port, "GET", path, "", "", 0, &response);
    assert_int_equal(response.status, 401);
    snprintf(headers, sizeof headers, "authorization: bearer %s\r\n", tokens[ADMIN]);
    raw_request(daemon_.port, "GET", "/scenes", headers, "", 0, &response);
    assert_int_equal(response.status, 200);
}

/* ---- time ---- */

static const struct gz_message *await(int socket, enum gz_op op, struct gz_arena *arena)
{
    static struct raw_frame frame;
    static struct gz_message message;
    return raw_read_message(socket, op, &frame, arena, &message) ? &message : NULL;
}

TEST(test_rights_end_with_the_token)
{
    struct gz_arena arena;
    gz_arena_init(&arena, 0);
    const char *token =
        sign(HEAD, "'sub':'ed','aud':'gizmod','role':'editor','exp':%.0f+2", FORGED_SECRET);
    int socket = say_hello(token, SCENE, "x");
    int renewed = say_hello(token, SCENE, "x");
    struct gz_message message = message_of(GZ_OP_TOKEN, EDITOR);
    message.has = 0;
    assert_true(raw_send_message(renewed, &message));
    const struct gz_message *bye = await(socket, GZ_OP_BYE, &arena);
    assert_non_null(bye);
    assert_true(bye->bye.fatal && bye->bye.code == GZ_UNAUTHORISED);
    int code;
    assert_true(raw_is_ended_within(socket, PATIENCE_S, &code));
    assert_true(raw_answers(renewed));
    close(socket);
    close(renewed);
    gz_arena_finish(&arena);
}

static void run_sql(const char *scene, const char *format, ...)
{
    char path[256], sql[512];
    sqlite3 *db = NULL;
    va_list values;
    va_start(values, format);
    vsnprintf(sql, sizeof sql, format, values);
    va_end(values);
    snprintf(path, sizeof path, "%s/%s.db", daemon_.data, scene);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) fail_msg("%s", sqlite3_errmsg(db));
    sqlite3_close(db);
}

/* A file from a machine whose clock was far ahead: its times stay so, and lock nobody out. */
TEST(test_rights_end_by_the_clock_and_not_by_the_times_of_a_scene)
{
    struct gz_arena arena;
    gz_arena_init(&arena, 0);
    run_sql(SCENE, "VACUUM INTO '%s/robot-future.db'", daemon_.data);
    run_sql("robot-future", "UPDATE scene SET time = 1e11"); /* the year 5138 */
    int socket = say_hello(tokens[EDITOR], "robot-future", "x");
    assert_non_null(await(socket, GZ_OP_WELCOME, &arena));
    struct gz_message message = message_of(GZ_OP_TOKEN, EDITOR);
    assert_true(raw_send_message(socket, &message));
    assert_non_null(await(socket, GZ_OP_OK, &arena));
    int late = say_hello(tokens[EXPIRED], "robot-future", "x");
    assert_non_null(await(late, GZ_OP_ERROR, &arena));
    close(late);
    close(socket);
    gz_arena_finish(&arena);
}

static size_t count_said(const char *words)
{
    size_t count = 0;
    for (const char *at = log_text(); (at = strstr(at, words)) != NULL; at++) count++;
    return count;
}

/* Has the files read again, and returns once the log says these words once more. */
static void reload_and_wait(const char *words)
{
    const double until = now_s() + PATIENCE_S;
    const size_t before = count_said(words);
    assert_int_equal(kill(daemon_.pid, SIGHUP), 0);
    while (count_said(words) == before) {
        if (now_s() > until) fail_msg("the log does not say %s", words);
        usleep(1000);
    }
}

static void wait_for_log(const char *words)
{
    double until = now_s() + PATIENCE_S;
    while (strstr(log_text(), words) == NULL) {
        if (now_s() > until) fail_msg("the log does not say %s", words);
        usleep(10000);
    }
}

static void write_revoked(const char *text)
{
    FILE *file = fopen(revoked_path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* Who has the token is told so at once, in words, and comes in no more; nobody else notices. A file
 * that is wrong takes nothing back. */
TEST(test_rights_of_a_revoked_token_end)
{
    static const struct {
        const char *claims, *line;
        bool is_revoked;
    } rows[] = {
        {"'sub':'rea','jti':'t1','aud':'gizmod','role':'editor','exp':%.0f+900", "jti t1", true},
        {"'sub':'rea','jti':'t2','aud':'gizmod','role':'editor','exp':%.0f+900", "jti t1", false},
        {"'sub':'rea','aud':'gizmod','role':'editor','exp':%.0f+900", "jti t1", false},
        {"'sub':'rea','iat':99,'aud':'gizmod','role':'editor','exp':%.0f+900", "user 100 rea",
         true},
        {"'sub':'rea','iat':100,'aud':'gizmod','role':'editor','exp':%.0f+900", "user 100 rea",
         false},
        {"'sub':'rea','aud':'gizmod','role':'editor','exp':%.0f+900",
         "user 1970-01-01T00:01:40Z rea", true},
        {"'sub':'reb','aud':'gizmod','role':'editor','exp':%.0f+900", "user 100 rea", false},
        {"'guest':true,'jti':'t3','aud':'gizmod','role':'editor','exp':%.0f+900", "jti t3", true},
        {"'guest':true,'jti':'t4','aud':'gizmod','role':'editor','exp':%.0f+900",
         "user 100 x (guest)", false},
    };
    struct raw_response response;
    int beside = say_hello(tokens[VIEWER], SCENE, "x");
    assert_true(raw_answers(beside));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char token[1024], said[GZ_ERROR_BYTES_MAX] = "", done[64];
        struct gz_arena arena;
        gz_arena_init(&arena, 0);
        write_revoked("");
        snprintf(done, sizeof done, "revoked tokens: read again");
        reload_and_wait(done);
        snprintf(token, sizeof token, "%s", sign(HEAD, rows[i].claims, FORGED_SECRET));
        int socket = say_hello(token, SCENE, "x");
        assert_true(raw_answers(socket));
        write_revoked(rows[i].line);
        reload_and_wait(done);
        if (rows[i].is_revoked) {
            const struct gz_message *bye = await(socket, GZ_OP_BYE, &arena);
            assert_non_null(bye);
            assert_true(bye->bye.fatal && bye->bye.code == GZ_UNAUTHORISED);
            assert_memory_equal(bye->bye.reason.bytes, "the token was revoked", 21);
            int again = say_hello(token, SCENE, "x");
            assert_int_equal(read_answer(again, said), GZ_UNAUTHORISED);
            assert_string_equal(said, "token: it was revoked");
            close(again);
            write_revoked("jti\n");
            reload_and_wait("the earlier revoked tokens stay in force");
        } else if (!raw_answers(socket)) {
            fail_msg("row %zu: it was ended", i);
        }
        const int expected = rows[i].is_revoked ? 401 : 200;
        if (ask(token, "GET", "/scenes", "", &response) != expected)
            fail_msg("row %zu: %d", i, response.status);
        close(socket);
        gz_arena_finish(&arena);
    }
    assert_true(raw_answers(beside));
    close(beside);
    write_revoked("");
}

#define OTHER_SECRET "abcdef0123456789abcdef0123456789"
#define OTHER_KEYS                                                                                 \
    "{'keys':[{'kty':'oct','kid':'n','k':'YWJjZGVmMDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODk'}]}"
#define VIEWERS 200

/* New keys: whoever is here stays, the old key lets nobody in any more. A file that is wrong
 * changes nothing. */
TEST(test_rights_keys_are_read_again)
{
    int viewers[VIEWERS];
    char said[GZ_ERROR_BYTES_MAX] = "";
    struct raw_response response;
    for (size_t i = 0; i < VIEWERS; i++) {
        viewers[i] = say_hello(tokens[VIEWER], SCENE, "x");
        assert_true(raw_answers(viewers[i]));
    }
    write_keys("{'keys':[{'kty':'oct','kid':'n','k':'c2hvcnQ'}]}");
    kill(daemon_.pid, SIGHUP);
    wait_for_log("the earlier keys stay in force");
    assert_int_equal(ask(tokens[VIEWER], "GET", "/scenes", "", &response), 200);
    write_keys(OTHER_KEYS);
    kill(daemon_.pid, SIGHUP);
    wait_for_log("keys: read again");
    int socket = say_hello(tokens[VIEWER], SCENE, "x");
    assert_int_equal(read_answer(socket, said), GZ_UNAUTHORISED);
    close(socket);
    assert_int_equal(ask(tokens[VIEWER], "GET", "/scenes", "", &response), 401);
    const char *token =
        sign("{'alg':'HS256','kid':'n'}",
             "'sub':'vic','aud':'gizmod','role':'viewer','exp':%.0f+900", OTHER_SECRET);
    assert_int_equal(ask(token, "GET", "/scenes", "", &response), 200);
    for (size_t i = 0; i < VIEWERS; i++) {
        assert_true(raw_answers(viewers[i]));
        close(viewers[i]);
    }
    write_keys(FORGED_KEYS);
    kill(daemon_.pid, SIGHUP);
    double until = now_s() + PATIENCE_S;
    while (ask(tokens[ADMIN], "GET", "/scenes", "", &response) != 200) assert_true(now_s() < until);
}

/* ---- other programs ---- */

static const struct {
    enum who who;
    const char *words[5];
    int code;
    const char *said; /* on stdout where it succeeds, else on stderr */
} commands[] = {
    {NOBODY,
     {"ls"},
     4,
     "token: missing; ask the operator of this server for a token or a link "
     "(unauthorised)\ngive a token with --token-file FILE or in GIZMOD_TOKEN\n"},
    {NOBODY, {"ls", SCENE}, 4, "(unauthorised)\ngive a token with"},
    {EXPIRED, {"ls"}, 4, "token: it has expired (unauthorised)\nask the server's operator for"},
    {EXPIRED, {"watch", SCENE}, 4, "token: it has expired (unauthorised)\nask the server's"},
    {ALG_NONE,
     {"ls", SCENE},
     4,
     "token: the signature is not by a key of this server (unauthorised)"},
    {OTHER_SCENE, {"ls", SCENE}, 4, "you have no access to this scene (forbidden)"},
    {OTHER_SCENE, {"rm", SCENE}, 4, "you have no access to this scene (forbidden)"},
    {VIEWER, {"ls"}, 0, SCENE},
    {VIEWER, {"ls", SCENE}, 0, SCENE},
    {VIEWER, {"undo", SCENE}, 4, "your highest role in this scene is viewer (forbidden)"},
    {VIEWER, {"backup", SCENE, "/nonexistent/x.db"}, 1, "backup"},
    {EDITOR, {"note", SCENE, "hello"}, 0, ""},
    {EDITOR, {"rm", SCENE}, 4, "your role in this scene is editor; this needs admin (forbidden)"},
    {EDITOR, {"access", SCENE}, 4, "your highest role in this scene is editor (forbidden)"},
    {GUEST, {"who", SCENE}, 0, ""},
    {ADMIN, {"access", SCENE}, 0, ""},
    {EDITOR, {"link", SCENE}, 4, "your highest role in this scene is editor (forbidden)"},
    {ADMIN, {"link", SCENE}, 0, "/?scene=" SCENE "#token=ey"},
};

/* gizmoctl with this token, or with none. */
static void run_ctl(const char *token, const char *const *words, struct test_output *output)
{
    const char *arguments[8] = {NULL};
    char path[128];
    size_t count = 0;
    while (words[count] != NULL) {
        arguments[count] = words[count];
        count++;
    }
    snprintf(path, sizeof path, "%s/token", daemon_.directory);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(token != NULL ? token : "", file);
    fclose(file);
    if (token != NULL) {
        arguments[count] = "--token-file";
        arguments[count + 1] = path;
    }
    test_ctl(output, &daemon_, NULL, arguments);
    unlink(path);
}

TEST(test_rights_of_gizmoctl)
{
    for (size_t i = 0; i < COUNT(commands); i++) {
        struct test_output output;
        run_ctl(token_of(commands[i].who), commands[i].words, &output);
        const char *said = output.code == 0 ? output.out : output.err;
        if (output.code != commands[i].code || strstr(said, commands[i].said) == NULL)
            fail_msg("row %zu: %s: %d %s%s", i, commands[i].words[0], output.code, output.out,
                     output.err);
        free(output.out);
        free(output.err);
    }
}

/* A command that runs longer than its token: it ends, and does not try for ever. */
TEST(test_rights_of_gizmoctl_end_with_the_token)
{
    struct test_output output;
    const char *const words[] = {"watch", SCENE, NULL};
    run_ctl(sign(HEAD, "'sub':'vic','aud':'gizmod','role':'viewer','exp':%.0f+2", FORGED_SECRET),
            words, &output);
    assert_int_equal(output.code, 4);
    assert_null(strstr(output.out, "trying again"));
    assert_non_null(strstr(output.err, "the token has expired (unauthorised)"));
    free(output.out);
    free(output.err);
}

static void assert_says(const char *command, const char *words)
{
    char line[4096] = "";
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t size = fread(line, 1, sizeof line - 1, pipe);
    line[size] = '\0';
    pclose(pipe);
    if (strstr(line, words) == NULL) fail_msg("%s", line);
}

TEST(test_rights_of_curl_and_python)
{
    char command[4096];
    setenv("TOKEN", tokens[VIEWER], 1);
    snprintf(command, sizeof command,
             "curl -sS -w '%%{http_code}' -H \"Authorization: Bearer $TOKEN\" "
             "http://127.0.0.1:%d/scenes",
             daemon_.port);
    assert_says(command, "]\n200");
    snprintf(command, sizeof command,
             "curl -sS -w '%%{http_code}' -X DELETE -H \"Authorization: Bearer $TOKEN\" "
             "http://127.0.0.1:%d/scenes/" SCENE,
             daemon_.port);
    assert_says(command, "this needs admin\"}\n403");
    snprintf(command, sizeof command,
             "python3 -c 'import os, urllib.request as r; "
             "print(r.urlopen(r.Request(\"http://127.0.0.1:%d/scenes/" SCENE "/asset\", "
             "headers={\"Authorization\": \"Bearer \" + os.environ[\"TOKEN\"]})).status)'",
             daemon_.port);
    assert_says(command, "200");
    unsetenv("TOKEN");
}

/* The log says who did what, and by what token nobody learns from it. Last: it reads what all
 * others have left. */
TEST(test_rights_log_says_who_and_no_token)
{
    const char *log = log_text();
    for (int who = 0; who < WHO_COUNT; who++) {
        const char *end = strrchr(tokens[who], '.');
        if (end != NULL && strlen(end) > 8) assert_null(strstr(log, end + 1));
    }
    assert_null(strstr(log, FORGED_SECRET));
    assert_non_null(strstr(log, "HTTP DELETE " SCENE " by ada from 127.0.0.1"));
    assert_non_null(strstr(log, "HTTP PUT " SCENE " by ed from 127.0.0.1"));
    assert_non_null(strstr(log, "HTTP PUT " SCENE " by somebody (guest) from 127.0.0.1"));
    assert_non_null(strstr(log, "x (guest) joined " SCENE " as editor"));
}

/* ---- the beginning and the end ---- */

static int start(void **state)
{
    char option[160];
    static const char *options[] = {"--revoked", revoked_path, NULL};
    (void)state;
    test_daemon_init(&daemon_);
    snprintf(revoked_path, sizeof revoked_path, "%s/revoked", daemon_.directory);
    write_revoked("# nobody\n");
    daemon_.options = options;
    snprintf(keys_path, sizeof keys_path, "%s/keys.json", daemon_.directory);
    write_keys(FORGED_KEYS);
    make_tokens();
    control = fault_control_init(&daemon_);
    snprintf(option, sizeof option, "--keys=%s", keys_path);
    test_daemon_start(&daemon_, option, NULL);
    make_scene("/scenes/" SCENE);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    test_daemon_end(&daemon_);
    fault_control_finish(control);
    test_daemon_finish(&daemon_);
    return 0;
}

int main(void)
{
    return test_run(start, stop);
}
