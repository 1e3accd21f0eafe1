/* Files of the web folder: which can be had and which not, and what the headers say so that a
 * browser asks for little. */
#include "net_fixture.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

static struct net_fixture fixture;
static char web[64]; /* holds `root`, which is served, and what is not to be had */

static int ask(const char *method, const char *path, const char *headers,
               struct raw_response *response)
{
    raw_request(fixture.daemon.port, method, path, headers, "", 0, response);
    return response->status;
}

static int get(const char *path, const char *headers, struct raw_response *response)
{
    return ask("GET", path, headers, response);
}

static void write_file(const char *name, const char *content)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", web, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(content, file) >= 0);
    fclose(file);
}

static void set_modified(const char *name, time_t seconds)
{
    char path[128];
    struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
    snprintf(path, sizeof path, "%s/%s", web, name);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

TEST(test_web_folder_table)
{
    static const struct {
        const char *path;
        int status;
        const char *body, *type;
    } rows[] = {
        {"/", 200, "<p>index", "text/html"},
        {"/index.html", 200, "<p>index", "text/html"},
        {"/sub", 200, "<p>sub", "text/html"},
        {"/sub/", 200, "<p>sub", "text/html"},
        {"/sub/../app.js", 200, "app()", "text/javascript"},
        {"/app.js?v=1", 200, "app()", "text/javascript"},
        {"/a%20b.txt", 200, "blank", "text/plain"},
        {"/inside", 200, "app()", "text/javascript"},
        {"/missing.js", 404, "\"code\":\"unknown_op\"", "application/json"},
        {"/outside", 404, "\"code\":\"unknown_op\"", "application/json"},
        {"/pipe", 404, "\"code\":\"unknown_op\"", "application/json"},
        {"/../secret", 404, "\"code\":\"unknown_op\"", "application/json"},
        {"/..%2fsecret", 404, "\"code\":\"unknown_op\"", "application/json"},
        {"/sub/%2e%2e/%2e%2e/secret", 404, "\"code\":\"unknown_op\"", "application/json"},
        {"/sub/..%2f..%2fsecret", 404, "\"code\":\"unknown_op\"", "application/json"},
        {"/%00app.js", 400, "\"code\":\"bad_value\"", "application/json"},
        {"//etc/passwd", 404, "\"code\":\"unknown_op\"", "application/json"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct raw_response response;
        char type[64];
        int status = get(rows[i].path, "", &response);
        snprintf(type, sizeof type, "content-type: %s", rows[i].type);
        if (status != rows[i].status || strstr(response.body, rows[i].body) == NULL ||
            strcasestr(response.head, type) == NULL) {
            fail_msg("%s: %d %s%s", rows[i].path, status, response.head, response.body);
        }
    }
    net_fixture_assert_unharmed(&fixture);
}

/* The line of a header, without its end; empty where there is none. */
static void find_header(const struct raw_response *response, const char *name, char *value,
                        size_t size)
{
    char start[64];
    snprintf(start, sizeof start, "\r\n%s: ", name);
    const char *at = strcasestr(response->head, start);
    if (at != NULL) at += strlen(start);
    snprintf(value, size, "%.*s", at != NULL ? (int)strcspn(at, "\r") : 0, at != NULL ? at : "");
}

static void assert_header(const char *path, const struct raw_response *response, const char *name,
                          const char *expected)
{
    char value[512];
    find_header(response, name, value, sizeof value);
    if (strcmp(value, expected) != 0)
        fail_msg("%s: %s is \"%s\", not \"%s\"", path, name, value, expected);
}

#define ASK_AGAIN "no-cache"
#define FOREVER "public, max-age=31536000, immutable"

TEST(test_web_caching_table)
{
    static const struct {
        const char *path, *accept;
        const char *body, *caching, *encoding, *vary;
    } rows[] = {
        {"/", "", "<p>index", ASK_AGAIN, "", ""},
        {"/app.js", "", "app()", ASK_AGAIN, "", "Accept-Encoding"},
        {"/app.js", "Accept-Encoding: gzip, deflate, br\r\n", "packed app", ASK_AGAIN, "gzip",
         "Accept-Encoding"},
        {"/app.js", "Accept-Encoding: br\r\n", "app()", ASK_AGAIN, "", "Accept-Encoding"},
        {"/app.js", "Accept-Encoding: gzip;q=0\r\n", "app()", ASK_AGAIN, "", "Accept-Encoding"},
        {"/inside", "Accept-Encoding: gzip\r\n", "packed app", ASK_AGAIN, "gzip",
         "Accept-Encoding"},
        {"/index.html", "Accept-Encoding: gzip\r\n", "<p>index", ASK_AGAIN, "", ""},
        {"/aged.js", "Accept-Encoding: gzip\r\n", "young", ASK_AGAIN, "",
         ""}, /* its copy is of an earlier file */
        {"/pointed.js", "Accept-Encoding: gzip\r\n", "pointed", ASK_AGAIN, "",
         ""}, /* its copy leads elsewhere */
        {"/main-ABCDEFG7.js", "", "main", FOREVER, "", ""},
        {"/main-ABCDEFG7.js.map", "", "{}", FOREVER, "", ""},
        {"/a-b-ABCDEFG7.css", "", "css", FOREVER, "", ""},
        {"/main-ABCDEFG.js", "", "short", ASK_AGAIN, "", ""},
        {"/report-20261120.txt", "", "date", ASK_AGAIN, "", ""},
        {"/dir-ABCDEFG7.d", "", "<p>dir", ASK_AGAIN, "", ""}, /* a folder, whose index may change */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct raw_response response;
        assert_int_equal(get(rows[i].path, rows[i].accept, &response), 200);
        assert_string_equal(response.body, rows[i].body);
        assert_header(rows[i].path, &response, "cache-control", rows[i].caching);
        assert_header(rows[i].path, &response, "content-encoding", rows[i].encoding);
        assert_header(rows[i].path, &response, "vary", rows[i].vary);
    }
}

TEST(test_web_types_are_those_of_the_file_that_was_packed)
{
    struct raw_response response;
    get("/app.js", "Accept-Encoding: gzip\r\n", &response);
    assert_header("/app.js", &response, "content-type", "text/javascript; charset=utf-8");
    assert_header("/app.js", &response, "content-length", "10");
}

static void get_tag(const char *path, const char *accept, char *tag, size_t size)
{
    struct raw_response response;
    assert_int_equal(get(path, accept, &response), 200);
    find_header(&response, "etag", tag, size);
    assert_true(strlen(tag) > 2 && tag[0] == '"' && tag[strlen(tag) - 1] == '"');
}

static int get_unless(const char *path, const char *accept, const char *form, const char *tag)
{
    struct raw_response response;
    char headers[256], list[160];
    snprintf(list, sizeof list, form, tag);
    snprintf(headers, sizeof headers, "%sIf-None-Match: %s\r\n", accept, list);
    int status = get(path, headers, &response);
    if (status == 304) {
        assert_int_equal(response.body_size, 0);
        assert_header(path, &response, "content-length", "");
        assert_header(path, &response, "etag", tag);
    }
    return status;
}

TEST(test_web_file_that_is_known_is_not_sent)
{
    static const struct {
        const char *form; /* of an If-None-Match */
        int status;
    } rows[] = {
        {"%s", 304}, {"W/%s", 304},  {"\"x\", %s", 304}, {"%s,\"x\"", 304}, {"*", 304},
        {"x", 200},  {"\"x\"", 200}, {"%sx", 304},       {"\"%s\"", 200},
    };
    char tag[96];
    get_tag("/index.html", "", tag, sizeof tag);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int status = get_unless("/index.html", "", rows[i].form, tag);
        if (status != rows[i].status) fail_msg("%s: %d", rows[i].form, status);
    }
    net_fixture_assert_unharmed(&fixture);
}

/* Also where it has as many bytes and the time that the old one had: builds and packages set it. */
TEST(test_web_file_that_changed_is_sent)
{
    char tag[96], tag_packed[96], other[96];
    write_file("root/page.html", "one");
    write_file("root/page.html.gz", "ONE");
    set_modified("root/page.html", 1);
    set_modified("root/page.html.gz", 1);
    get_tag("/page.html", "", tag, sizeof tag);
    get_tag("/page.html", "Accept-Encoding: gzip\r\n", tag_packed, sizeof tag_packed);
    assert_string_not_equal(tag, tag_packed);
    assert_int_equal(get_unless("/page.html", "", "%s", tag), 304);
    assert_int_equal(get_unless("/page.html", "Accept-Encoding: gzip\r\n", "%s", tag_packed), 304);
    assert_int_equal(get_unless("/page.html", "Accept-Encoding: gzip\r\n", "%s", tag), 200);
    usleep(20000); /* the clock of file systems ticks slowly */
    write_file("root/page.html", "two");
    set_modified("root/page.html", 1);
    get_tag("/page.html", "", other, sizeof other);
    assert_string_not_equal(tag, other);
    assert_int_equal(get_unless("/page.html", "", "%s", tag), 200);
}

TEST(test_web_connection_is_used_again_after_304)
{
    char tag[96], text[256];
    struct raw_response response;
    get_tag("/", "", tag, sizeof tag);
    int socket = raw_connect(fixture.daemon.port);
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text,
                 "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nIf-None-Match: %s\r\n\r\n", tag);
        assert_true(raw_send_text(socket, text));
        raw_read_response(socket, &response);
        assert_int_equal(response.status, 304);
        assert_true(raw_send_text(socket, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"));
        raw_read_response(socket, &response);
        assert_string_equal(response.body, "<p>index");
    }
    close(socket);
}

TEST(test_web_head_is_get_without_a_body)
{
    struct raw_response head, whole;
    char tag[96];
    assert_int_equal(ask("HEAD", "/", "", &head), 200);
    assert_int_equal(head.body_size, 0);
    get("/", "", &whole);
    assert_string_equal(head.head, whole.head);
    get_tag("/", "", tag, sizeof tag);
    char known[160];
    snprintf(known, sizeof known, "If-None-Match: %s\r\n", tag);
    assert_int_equal(ask("HEAD", "/", known, &head), 304);
    assert_int_equal(ask("HEAD", "/nothing", "", &head), 404);
}

/* What a page may do is said of everything of the folder, also of what is not there; of nothing
 * else. */
TEST(test_web_pages_are_told_what_they_may_do)
{
    static const struct {
        const char *path;
        bool is_page;
    } rows[] = {{"/", true},
                {"/app.js", true},
                {"/nothing", true},
                {"/scenes", false},
                {"/metrics", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct raw_response response;
        char policy[512];
        get(rows[i].path, "", &response);
        assert_header(rows[i].path, &response, "x-content-type-options", "nosniff");
        assert_header(rows[i].path, &response, "referrer-policy",
                      rows[i].is_page ? "no-referrer" : "");
        find_header(&response, "content-security-policy", policy, sizeof policy);
        assert_int_equal(rows[i].is_page, policy[0] != '\0');
        assert_header(rows[i].path, &response, "strict-transport-security", "");
        if (!rows[i].is_page) continue;
        assert_header(rows[i].path, &response, "permissions-policy",
                      "camera=(), display-capture=(), geolocation=(), microphone=(), midi=(), "
                      "payment=(), usb=()");
        assert_non_null(strstr(policy, "default-src 'self';"));
        assert_non_null(strstr(policy, "script-src 'self' 'wasm-unsafe-eval';"));
        assert_non_null(strstr(policy, "connect-src 'self' blob: data:;"));
        assert_non_null(strstr(policy, "form-action 'self';"));
        assert_non_null(strstr(policy, "frame-ancestors 'self'"));
        assert_null(strstr(policy, "unsafe-inline"));
    }
}

/* ---- the folder ---- */

static void link_file(const char *target, const char *name)
{
    char path[160];
    snprintf(path, sizeof path, "%s/root/%s", web, name);
    assert_int_equal(symlink(target, path), 0);
}

static void make_folder(const char *name)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", web, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

static void make_pipe(const char *name)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", web, name);
    assert_int_equal(mkfifo(path, 0600), 0);
}

static const struct {
    const char *name, *content;
} files[] = {
    {"secret", "secret"},
    {"root/index.html", "<p>index"},
    {"root/app.js", "app()"},
    {"root/app.js.gz", "packed app"},
    {"root/aged.js", "young"},
    {"root/aged.js.gz", "old"},
    {"root/pointed.js", "pointed"},
    {"root/a b.txt", "blank"},
    {"root/main-ABCDEFG7.js", "main"},
    {"root/main-ABCDEFG7.js.map", "{}"},
    {"root/a-b-ABCDEFG7.css", "css"},
    {"root/main-ABCDEFG.js", "short"},
    {"root/report-20261120.txt", "date"},
    {"root/sub/index.html", "<p>sub"},
    {"root/dir-ABCDEFG7.d/index.html", "<p>dir"},
};

static void make_web_folder(void)
{
    char secret[160];
    snprintf(web, sizeof web, "/tmp/gizmod-web-XXXXXX");
    assert_non_null(mkdtemp(web));
    make_folder("root");
    make_folder("root/sub");
    make_folder("root/dir-ABCDEFG7.d");
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        write_file(files[i].name, files[i].content);
    set_modified("root/aged.js.gz", 1);
    snprintf(secret, sizeof secret, "%s/secret", web);
    link_file(secret, "outside");
    link_file(secret, "pointed.js.gz");
    link_file("app.js", "inside");
    make_pipe("root/pipe");
}

static void remove_web_folder(void)
{
    static const char *const others[] = {"root/outside", "root/pointed.js.gz",  "root/inside",
                                         "root/pipe",    "root/page.html",      "root/page.html.gz",
                                         "root/sub",     "root/dir-ABCDEFG7.d", "root"};
    char path[160];
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", web, files[i].name);
        remove(path);
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", web, others[i]);
        remove(path);
    }
    remove(web);
}

static int start(void **state)
{
    char option[128];
    (void)state;
    make_web_folder();
    snprintf(option, sizeof option, "--web=%s/root", web);
    net_fixture_start(&fixture, option, NULL);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    net_fixture_stop(&fixture);
    remove_web_folder();
    return 0;
}

int main(void)
{
    return test_run(start, stop);
}
