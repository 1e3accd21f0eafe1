/* relay_fixture.c - two members of a cluster without a database. See relay_fixture.h. */
#include "relay_fixture.h"

#include <stdlib.h>

struct test_daemon authority, front;

/* ---- members ---- */

void print_member_url(const struct test_daemon *member, char url[128])
{
    snprintf(url, 128, "http%s://127.0.0.1:%d", member->tls ? "s" : "", member->port);
}

/* A member that says of all scenes that they are at `url`; NULL: it has them itself. */
void start_member(struct test_daemon *member, const char *url, const char *secret,
                  const char *option)
{
    setenv("GIZMOD", GZ_MEMBER_PATH, 1);
    setenv("GIZMOD_TEST_SECRET", secret, 1);
    if (url != NULL)
        setenv("GIZMOD_TEST_ELSEWHERE", url, 1);
    else
        unsetenv("GIZMOD_TEST_ELSEWHERE");
    test_daemon_start(member, option, NULL);
}

/* Members share a folder for certificates, so that they trust one authority. */
void init_beside(struct test_daemon *member, const char *name)
{
    *member = authority;
    member->pid = member->port = 0;
    snprintf(member->data, sizeof member->data, "%s/%s", authority.directory, name);
    snprintf(member->log, sizeof member->log, "%s/%s.log", authority.directory, name);
}

void start_front(struct test_daemon *member, const char *name, const char *secret,
                 const char *option)
{
    char url[128];
    print_member_url(&authority, url);
    init_beside(member, name);
    start_member(member, url, secret, option);
}

bool is_logged(const struct test_daemon *member, const char *words)
{
    char line[1024];
    bool is_there = false;
    FILE *log = fopen(member->log, "r");
    while (log != NULL && !is_there && fgets(line, sizeof line, log) != NULL)
        is_there = strstr(line, words) != NULL;
    if (log != NULL) fclose(log);
    return is_there;
}

long count(const struct test_daemon *member, const char *row)
{
    struct raw_response response;
    raw_request(member->port, "GET", "/metrics", "", "", 0, &response);
    const char *at = strstr(response.body, row);
    if (at == NULL) fail_msg("no %s in /metrics", row);
    return strtol(at + strlen(row), NULL, 10);
}

int request(int port, const char *method, const char *path, const char *headers, const char *body,
            struct raw_response *response)
{
    char all[512];
    snprintf(all, sizeof all, "Content-Length: %zu\r\n%s", strlen(body), headers);
    raw_request(port, method, path, *body != '\0' ? all : headers, body, strlen(body), response);
    return response->status;
}

void expect_export(const char *scene, const char *words)
{
    char path[128];
    struct raw_response response = {.body = ""};
    snprintf(path, sizeof path, "/scenes/%s/export.gltf", scene);
    for (int i = 0; i < 6000 && strstr(response.body, words) == NULL; i++) {
        if (i > 0) usleep(10000);
        assert_int_equal(request(front.port, "GET", path, "", "", &response), 200);
    }
    assert_non_null(strstr(response.body, words));
}

int join(const struct test_daemon *member, const char *scene, const char *user)
{
    int socket = raw_open(member->port);
    assert_true(raw_send_hello(socket, scene, user));
    assert_true(raw_answers(socket));
    return socket;
}

/* Reads on until `bye` comes, and the connection ends. What may be tried again, and when. */
double read_bye(int socket)
{
    struct raw_frame *frame = malloc(sizeof *frame);
    struct gz_message bye;
    struct gz_arena arena;
    int code;
    assert_non_null(frame);
    gz_arena_init(&arena, 0);
    assert_true(raw_read_message(socket, GZ_OP_BYE, frame, &arena, &bye));
    assert_true(bye.has & GZ_HAS_BYE_RETRY_S);
    assert_false(bye.bye.fatal);
    double retry_s = bye.bye.retry_s;
    assert_true(raw_is_ended_within(socket, 60, &code));
    assert_int_equal(code, 1001);
    close(socket);
    gz_arena_finish(&arena);
    free(frame);
    return retry_s;
}

/* ---- all of it ---- */

int relay_fixture_start(void **state)
{
    (void)state;
    test_daemon_init(&authority);
    start_member(&authority, NULL, SECRET, NULL);
    start_front(&front, "front", SECRET, NULL);
    return 0;
}

int relay_fixture_stop(void **state)
{
    (void)state;
    test_daemon_end(&front);
    if (authority.pid != 0) test_daemon_end(&authority); /* a test that failed may have killed it */
    test_daemon_finish(&authority);
    return 0;
}
