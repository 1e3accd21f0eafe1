/* HTTP beside the wire: paths, methods, bodies; what comes back and what is left behind. */
#include "net_fixture.h"
#include "server/maxima.h"

#include <stdlib.h>
#include <sys/socket.h>

static struct net_fixture fixture; /* behind a proxy */
static struct net_fixture direct;  /* without one */

/* A scene of two nodes, the second under the first. */
static const char tiny[] =
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":["
    "{\"name\":\"base \\\"b\\\"\",\"children\":[1]},{\"name\":\"arm\",\"translation\":[1,2,3]}]}";

static int request(const char *method, const char *path, const char *headers, const char *body,
                   struct raw_response *response)
{
    char all[512];
    snprintf(all, sizeof all, "Content-Length: %zu\r\n%s", strlen(body), headers);
    raw_request(fixture.daemon.port, method, path, body[0] != '\0' ? all : headers, body,
                strlen(body), response);
    return response->status;
}

static bool is_there(const char *scene)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s.db", fixture.daemon.data, scene);
    return access(path, F_OK) == 0;
}

TEST(test_http_table)
{
    static const struct {
        const char *method, *path, *headers, *body;
        int status;
        const char *said; /* in the body */
    } rows[] = {
        {"GET", "/healthz", "", "", 200, "ok"},
        {"GET", "/readyz", "", "", 200, "ready"},
        {"PUT", "/readyz", "", "", 405, "\"code\":\"unknown_op\""},
        {"GET", "/scenes", "", "", 200,
         "{\"name\":\"witness\",\"nodes\":0,\"seq\":0,\"users\":1,\"open\":true,\"changed\":1"},
        {"GET", "/scenes/", "", "", 200, "witness"},
        {"GET", "/scenes?x=1", "", "", 200, "witness"},
        {"GET", "/metrics", "", "", 200, "gizmod_scene_users{scene=\"witness\"} 1"},
        {"GET", "/nothing", "", "", 404, "\"code\":\"unknown_op\""},
        {"GET", "/scenes/witness/nothing", "", "", 404, "\"code\":\"unknown_op\""},
        {"GET", "/scenes/witness/asset", "", "", 404, "\"code\":\"bad_state\""},
        {"GET", "/scenes/nowhere/asset", "", "", 404, "\"code\":\"unknown_scene\""},
        {"GET", "/scenes/nowhere/export", "", "", 404, "\"code\":\"unknown_scene\""},
        {"GET", "/scenes/nowhere/backup", "", "", 404, "\"code\":\"unknown_scene\""},
        {"GET", "/scenes/Nowhere/asset", "", "", 400, "\"code\":\"bad_value\""},
        {"GET", "/scenes/..%2f..%2fetc/asset", "", "", 404, "\"code\":\"unknown_op\""},
        {"GET", "/scenes/%2e%2e/asset", "", "", 404, "\"code\":"},
        {"GET", "/scenes//asset", "", "", 404, "\"code\":\"unknown_op\""},
        {"GET", "/scenes/witness%2Fexport", "", "", 404, "\"code\":\"unknown_op\""},
        {"GET", "//scenes", "", "", 404, "\"code\":\"unknown_op\""},
        {"GET", "/x/../scenes", "", "", 404, "\"code\":\"unknown_op\""},
        {"GET", "/scenes/witness", "", "", 405, "\"code\":\"unknown_op\""},
        {"PUT", "/scenes", "", tiny, 405, "\"code\":\"unknown_op\""},
        {"PUT", "/healthz", "", tiny, 405, "\"code\":\"unknown_op\""},
        {"PUT", "/scenes/witness/asset", "", tiny, 405, "\"code\":\"unknown_op\""},
        {"POST", "/scenes/x", "", "", 405, "\"code\":\"unknown_op\""},
        {"OPTIONS", "/scenes/x", "", "", 405, "\"code\":\"unknown_op\""},
        {"GET", "/scenes", "", "body", 400, "\"code\":\"bad_message\""},
        {"POST", "/scenes/x", "", "body", 405, "\"code\":\"unknown_op\""},
        {"GET", "/scenes/witness/assets", "", "", 200, "[]"},
        {"PUT", "/scenes/x", "", "", 411, "\"code\":\"bad_message\""},
        {"PUT", "/scenes/x", "Content-Length: 0\r\n", "", 400, "\"code\":\"bad_message\""},
        {"PUT", "/scenes/x", "Content-Length: -1\r\n", "", 400, "\"code\":\"bad_message\""},
        {"PUT", "/scenes/x", "Content-Length: 1x\r\n", "", 400, "\"code\":\"bad_message\""},
        {"PUT", "/scenes/x", "Content-Length: 999999999999\r\n", "", 413, "\"code\":\"too_large\""},
        {"PUT", "/scenes/x", "Transfer-Encoding: chunked\r\n", "", 411, "\"code\":\"bad_message\""},
        {"PUT", "/scenes/X", "", tiny, 400, "\"code\":\"bad_value\""},
        {"PUT", "/scenes/x", "", "# made by hand\n\nv 0 0 0\n", 400,
         "looks like an OBJ file; gizmod imports glTF 2.0"},
        {"PUT", "/scenes/x", "", "mtllib a.mtl\r\nv 0 0 0\r\n", 400, "looks like an OBJ file"},
        {"PUT", "/scenes/x", "", "solid cube\nfacet normal 0 0 1\n", 400, "looks like an STL file"},
        {"PUT", "/scenes/x", "", "Kaydara FBX Binary  ", 400, "looks like an FBX file"},
        {"PUT", "/scenes/x", "", "; FBX 7.4.0 project file\n", 400, "looks like an FBX file"},
        {"PUT", "/scenes/x", "", "#usda 1.0\n", 400, "looks like a USD file"},
        {"PUT", "/scenes/x", "", "PXR-USDC", 400, "looks like a USD file"},
        {"PUT", "/scenes/x", "", "PK\003\004", 400,
         "looks like a ZIP archive (as .zip, .usdz and .3mf files are)"},
        {"PUT", "/scenes/x", "", "ply\nformat ascii 1.0\n", 400, "looks like a PLY file"},
        {"PUT", "/scenes/x", "", "ply\r\nformat ascii 1.0\r\n", 400, "looks like a PLY file"},
        {"PUT", "/scenes/x", "", "BLENDER-v306", 400, "looks like a Blender file"},
        {"PUT", "/scenes/x", "", "ISO-10303-21;\nHEADER;\n", 400, "looks like a STEP file"},
        {"PUT", "/scenes/x", "", "\037\213\010", 400, "looks like a gzip archive"},
        {"PUT", "/scenes/x", "", "<?xml version='1.0'?><COLLADA>", 400,
         "looks like a COLLADA file"},
        {"PUT", "/scenes/x", "", "# of no known kind\n", 400, "JSON line 1, column 1"},
        {"PUT", "/scenes/x", "", "#", 400, "JSON line 1, column 1"},
        {"PUT", "/scenes/x.db", "", tiny, 400, "\"code\":\"bad_value\""},
        {"PUT", "/scenes/x?user=", "", tiny, 400, "\"code\":\"bad_value\""},
        {"PUT", "/scenes/x?user=%ff", "", tiny, 400, "\"code\":\"bad_value\""},
        {"PUT", "/scenes/witness", "", tiny, 409, "\"code\":\"conflict\""},
        {"PUT", "/scenes/x", "Origin: http://evil.example\r\n", tiny, 403,
         "\"code\":\"forbidden\""},
        {"PUT", "/scenes/x", "Origin: null\r\n", tiny, 403, "pages from a file or a sandbox"},
        {"GET", "/scenes", "Origin: http://evil.example\r\n", "", 403, "\"code\":\"forbidden\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct raw_response response;
        int status =
            request(rows[i].method, rows[i].path, rows[i].headers, rows[i].body, &response);
        if (status != rows[i].status || strstr(response.body, rows[i].said) == NULL) {
            fail_msg("row %zu: %s %s: %d %s", i, rows[i].method, rows[i].path, status,
                     response.body);
        }
        net_fixture_assert_unharmed(&fixture);
    }
    assert_false(is_there("x"));
}

TEST(test_http_by_a_foreign_name_is_refused)
{
    struct raw_response response;
    int socket = raw_connect(fixture.daemon.port);
    assert_true(raw_send_text(socket, "GET /scenes HTTP/1.1\r\nHost: evil.example\r\n\r\n"));
    raw_read_response(socket, &response);
    assert_int_equal(response.status, 403);
    close(socket);
}

/* Headers by which a proxy could see the end of a request elsewhere: they are refused, and what
 * follows them is no request of its own. */
TEST(test_http_request_without_a_clear_end_is_the_last)
{
    if (direct.daemon.tls) skip(); /* its certificate is of another authority */
    static const struct {
        const char *method, *headers;
        int code;
    } rows[] = {
        {"GET", "Content-Length: 3\r\nContent-Length: 3\r\n", 400},
        {"PUT", "Content-Length: 3\r\nContent-Length: 5\r\n", 400},
        {"PUT", "Content-Length: 3, 3\r\n", 400},
        {"PUT", "Content-Length: +3\r\n", 400},
        {"GET", "Content-Length: 0x3\r\n", 400},
        {"GET", "Content-Length:\r\n", 400},
        {"GET", "Content-Length: \r\n", 400},
        {"GET", "Content-Length:\r\n 3\r\n", 400},
        {"PUT", "Content-Length: 18446744073709551619\r\n", 400},
        {"GET", "Content-Length: 18446744073709551619\r\n", 400},
        {"GET", "Content-Length : 3\r\n", 400},
        {"GET", "Content-Length\t: 3\r\n", 400},
        {"GET", "Transfer-Encoding : chunked\r\n", 400},
        {"GET", "Transfer-Encoding\t: chunked\r\n", 400},
        {"GET", "Transfer-Encoding: chunked\r\n", 411},
        {"GET", "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", 411},
        {"PUT", "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", 411},
        {"GET", "Transfer-Encoding:\r\n", 411},
        {"GET", "Transfer-Encoding: \r\n", 411},
        {"GET", "Transfer-Encoding:\r\n chunked\r\n", 400},
        {"DELETE", "Content-Length: 3\r\n", 400},
        /* No line is lost behind a name with which one of a known header begins. */
        {"GET", "X-A: b\r\nContent-Length: 3\r\n", 400},
        {"GET", "X-A: b\r\nTransfer-Encoding: chunked\r\n", 411},
        /* A proxy may see the end elsewhere. */
        {"GET", "X-Forwarded-For: 192.0.2.1\r\n", 405},
        {"GET", "X-F: b\r\nX-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: http\r\n", 405},
        {"GET", "X-Forwarded-Host: a\r\n", 405},
        {"GET", "Forwarded: for=192.0.2.1\r\n", 405},
        {"GET", "Via: 1.1 a\r\n", 405},
        {"GET", "X-Real-IP: 192.0.2.1\r\n", 405},
        {"GET", "Connection: close\r\n", 405},
        {"GET", "Connection: x, Close\r\n", 405},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[1024];
        struct raw_response response;
        int socket = raw_connect(direct.daemon.port);
        snprintf(text, sizeof text,
                 "%s /scenes/none HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n"
                 "0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
                 rows[i].method, rows[i].headers);
        assert_true(raw_send_text(socket, text));
        raw_read_response(socket, &response);
        if (response.status != rows[i].code) fail_msg("row %zu: %d", i, response.status);
        raw_read_response(socket, &response);
        if (response.status != 0) fail_msg("row %zu: a second answer, %d", i, response.status);
        close(socket);
    }
}

TEST(test_http_allowed_page_may_read)
{
    struct raw_response response;
    request("GET", "/scenes", "Origin: https://editor.example\r\n", "", &response);
    assert_non_null(
        strcasestr(response.head, "access-control-allow-origin: https://editor.example\r\n"));
    request("GET", "/scenes", "Origin: https://evil.example\r\n", "", &response);
    assert_null(strcasestr(response.head, "access-control-allow-origin"));
}

/* Whether this is a line of the header. */
static bool has_line(const struct raw_response *response, const char *line)
{
    const char *at = strcasestr(response->head, line);
    return at != NULL && at[-1] == '\n' && at[strlen(line)] == '\r';
}

TEST(test_http_preflight_table)
{
    static const struct {
        const char *path, *origin;
        int status;
        const char *methods;
    } rows[] = {
        {"/scenes/tiny", "https://editor.example", 204, "PUT, PATCH, DELETE"},
        {"/scenes/tiny/asset", "https://editor.example", 204, "GET, HEAD"},
        {"/scenes/tiny/export", "https://editor.example", 204, "GET, HEAD"},
        {"/scenes", "https://editor.example", 204, "GET, HEAD"},
        {"/scenes/tiny", "https://evil.example", 403, NULL},
        {"/scenes/tiny", "https://editor.example.evil.example", 403, NULL},
        {"/scenes/tiny", "null", 403, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct raw_response response;
        char headers[256], line[128];
        snprintf(headers, sizeof headers,
                 "Origin: %s\r\nAccess-Control-Request-Method: PUT\r\n"
                 "Access-Control-Request-Headers: content-type\r\n",
                 rows[i].origin);
        if (request("OPTIONS", rows[i].path, headers, "", &response) != rows[i].status)
            fail_msg("%s from %s: %s", rows[i].path, rows[i].origin, response.head);
        assert_true(has_line(&response, "vary: Origin"));
        if (rows[i].methods == NULL) {
            assert_null(strcasestr(response.head, "access-control-allow"));
            continue;
        }
        assert_true(has_line(&response, "access-control-allow-origin: https://editor.example"));
        snprintf(line, sizeof line, "access-control-allow-methods: %s", rows[i].methods);
        assert_true(has_line(&response, line));
        assert_non_null(
            strcasestr(response.head, "access-control-allow-headers: Authorization, Content-Type"));
        assert_null(strcasestr(response.head, "content-length"));
        assert_int_equal(response.body_size, 0);
    }
    assert_false(is_there("tiny"));
}

/* All of it as a browser does it. */
TEST(test_http_allowed_page_imports_and_reads)
{
    static const char ask[] =
        "OPTIONS /scenes/paged HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: https://editor.example\r\n"
        "Access-Control-Request-Method: PUT\r\n\r\n";
    struct raw_response response;
    char put[256];
    int socket = raw_connect(fixture.daemon.port);
    assert_true(raw_send_text(socket, ask));
    raw_read_response(socket, &response);
    assert_int_equal(response.status, 204);
    close(socket);
    socket = raw_connect(fixture.daemon.port);
    snprintf(put, sizeof put,
             "PUT /scenes/paged HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: https://editor.example\r\n"
             "Content-Type: model/gltf+json\r\nContent-Length: %zu\r\n\r\n",
             sizeof tiny - 1);
    assert_true(raw_send_text(socket, put) && raw_send_text(socket, tiny));
    raw_read_response(socket, &response);
    assert_int_equal(response.status, 201);
    assert_true(has_line(&response, "access-control-allow-origin: https://editor.example"));
    close(socket);
    static const char *const paths[] = {"/scenes/paged/asset", "/scenes/paged/export", "/scenes",
                                        "/scenes/no/asset"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        request("GET", paths[i], "Origin: https://editor.example\r\n", "", &response);
        assert_true(has_line(&response, "access-control-allow-origin: https://editor.example"));
        assert_true(has_line(&response, "vary: Origin"));
        /* A cache must not give this one to a page. */
        request("GET", paths[i], "", "", &response);
        assert_null(strcasestr(response.head, "access-control"));
        assert_true(has_line(&response, "vary: Origin"));
    }
}

TEST(test_import_makes_replaces_and_gives_back)
{
    struct raw_response response;
    assert_int_equal(request("PUT", "/scenes/tiny?user=Ann%C3%A9", "", tiny, &response), 201);
    assert_non_null(strstr(response.body, "\"scene\":\"tiny\",\"nodes\":2,"));
    assert_true(is_there("tiny"));
    assert_int_equal(request("GET", "/scenes/tiny/asset", "", "", &response), 200);
    assert_string_equal(response.body, tiny);
    assert_non_null(strcasestr(response.head, "content-type: model/gltf+json\r\n"));
    assert_int_equal(request("PUT", "/scenes/tiny", "", tiny, &response), 409);
    assert_int_equal(request("PUT", "/scenes/tiny?replace&user=anna", "", tiny, &response), 200);
    assert_int_equal(request("GET", "/scenes/tiny/export", "", "", &response), 200);
    assert_non_null(strstr(response.body, "base \\\"b\\\""));
    assert_int_equal(request("GET", "/scenes/tiny/backup", "", "", &response), 200);
    assert_memory_equal(response.body, "SQLite format 3", 16);
    assert_int_equal(request("HEAD", "/scenes", "", "", &response), 200);
    assert_int_equal(response.body_size, 0);
}

static void copy_etag(const struct raw_response *response, char *tag, size_t size)
{
    const char *at = strcasestr(response->head, "\r\netag: ");
    assert_non_null(at);
    snprintf(tag, size, "%.*s", (int)strcspn(at + 8, "\r"), at + 8);
}

TEST(test_asset_that_is_known_is_not_sent)
{
    static const char empty[] = "{\"asset\":{\"version\":\"2.0\"}}";
    struct raw_response response;
    char tag[96], headers[160], length[64];
    assert_int_equal(request("PUT", "/scenes/known", "", tiny, &response), 201);
    assert_int_equal(request("GET", "/scenes/known/asset", "", "", &response), 200);
    snprintf(length, sizeof length, "\r\ncontent-length: %zu\r\n", sizeof tiny - 1);
    assert_non_null(strcasestr(response.head, length));
    copy_etag(&response, tag, sizeof tag);
    snprintf(headers, sizeof headers, "If-None-Match: \"other\", %s\r\n", tag);
    assert_int_equal(request("GET", "/scenes/known/asset", headers, "", &response), 304);
    assert_int_equal(response.body_size, 0);
    /* The same bytes again are the same file. */
    assert_int_equal(request("PUT", "/scenes/known?replace", "", tiny, &response), 200);
    assert_int_equal(request("GET", "/scenes/known/asset", headers, "", &response), 304);
    assert_int_equal(request("PUT", "/scenes/known?replace", "", empty, &response), 200);
    assert_int_equal(request("GET", "/scenes/known/asset", headers, "", &response), 200);
    assert_string_equal(response.body, empty);
    assert_int_equal(request("GET", "/scenes/known/export", headers, "", &response), 200);
    assert_null(strcasestr(response.head, "\r\netag:"));
}

TEST(test_list_says_what_is_open)
{
    struct raw_response response;
    struct test_output output;
    char path[256];
    snprintf(path, sizeof path, "%s/copied.db", fixture.daemon.data);
    test_ctl(&output, &fixture.daemon, NULL,
             (const char *const[]){"backup", "witness", path, NULL});
    assert_int_equal(output.code, 0);
    test_output_finish(&output);
    request("GET", "/scenes", "", "", &response);
    assert_non_null(strstr(
        response.body, "{\"name\":\"copied\",\"nodes\":0,\"seq\":0,\"users\":0,\"open\":false,"));
    int editor = net_fixture_join(&fixture, "copied", "anna");
    request("GET", "/scenes", "", "", &response);
    assert_non_null(strstr(
        response.body, "{\"name\":\"copied\",\"nodes\":0,\"seq\":0,\"users\":1,\"open\":true,"));
    close(editor);
}

TEST(test_errors_are_counted_by_their_code)
{
    static const uint8_t unknown[] = {0x81, 0xA2, 'o', 'p', 0xA4, 'f', 'r', 'o', 'b'};
    struct raw_response response;
    bool fatal;
    int port = fixture.daemon.port;
    long unknown_before = net_fixture_errors(port, "unknown_op"),
         state_before = net_fixture_errors(port, "bad_state");
    assert_int_equal(request("GET", "/nothing", "", "", &response), 404);
    int editor = net_fixture_join(&fixture, "counted", "anna");
    assert_true(raw_send_frame(editor, RAW_FIN | RAW_BINARY, true, unknown, sizeof unknown));
    assert_int_equal(raw_read_error(editor, &fatal), GZ_UNKNOWN_OP);
    close(editor);
    int stranger = raw_open(port); /* says no hello */
    assert_true(raw_send_message(stranger, &(struct gz_message){.op = GZ_OP_PING}));
    assert_int_equal(raw_read_error(stranger, &fatal), GZ_BAD_STATE);
    close(stranger);
    assert_int_equal(net_fixture_errors(port, "unknown_op"), unknown_before + 2);
    assert_int_equal(net_fixture_errors(port, "bad_state"), state_before + 1);
    assert_int_equal(net_fixture_errors(port, "internal"), 0);
}

TEST(test_import_that_fails_leaves_nothing)
{
    static const char *const files[] = {
        "no glTF",
        "{}",
        "{\"asset\":{\"version\":\"1.0\"}}",
        "{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[0]}],\"nodes\":{}}",
        "{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"translation\":"
        "[NaN,0,0]}]}",
        "glTF\x02",
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct raw_response response;
        int status = request("PUT", "/scenes/broken", "", files[i], &response);
        if (status != 400 || strstr(response.body, "\"message\":") == NULL) {
            fail_msg("file %zu: %d %s", i, status, response.body);
        }
        assert_false(is_there("broken"));
        net_fixture_assert_unharmed(&fixture);
    }
    /* A scene that is there stays as it is. */
    struct raw_response response;
    assert_int_equal(request("PUT", "/scenes/kept", "", tiny, &response), 201);
    assert_int_equal(request("PUT", "/scenes/kept?replace", "", files[0], &response), 400);
    assert_int_equal(request("GET", "/scenes/kept/asset", "", "", &response), 200);
    assert_string_equal(response.body, tiny);
}

/* It is refused for good, and not for the moment. */
TEST(test_import_of_too_many_nodes_is_too_large)
{
    static const char begin[] = "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{}";
    struct raw_response response;
    const size_t size = sizeof begin + (size_t)GZ_NODES_MAX * strlen(",{}") + sizeof "]}";
    char *file = malloc(size), *at;
    assert_non_null(file);
    at = stpcpy(file, begin);
    for (int i = 0; i < GZ_NODES_MAX; i++) at = stpcpy(at, ",{}");
    stpcpy(at, "]}");
    assert_int_equal(request("PUT", "/scenes/broken", "", file, &response), 413);
    free(file);
    assert_non_null(strstr(response.body, "\"code\":\"too_many\""));
    assert_null(strcasestr(response.head, "\r\nretry-after: "));
    assert_false(is_there("broken"));
}

/* A scene of one triangle. */
static const char triangle[] =
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
    "\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\","
    "\"min\":[0,0,0],\"max\":[1,1,0]}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],"
    "\"buffers\":[{\"byteLength\":36,\"uri\":\"data:application/octet-stream;base64,"
    "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}]}";

/* The scene is made while the file is on its way, so that the file is refused after all of it was
 * read, its triangles too. */
TEST(test_import_that_comes_second_is_refused)
{
    struct raw_response response;
    char head[160], line[25];
    int socket = raw_connect(fixture.daemon.port);
    snprintf(head, sizeof head,
             "PUT /scenes/second HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %zu\r\n"
             "Expect: 100-continue\r\n\r\n",
             sizeof triangle - 1);
    assert_true(raw_send_text(socket, head));
    assert_int_equal(recv(socket, line, sizeof line, MSG_WAITALL), sizeof line);
    assert_int_equal(request("PUT", "/scenes/second", "", tiny, &response), 201);
    assert_true(raw_send_text(socket, triangle));
    raw_read_response(socket, &response);
    assert_int_equal(response.status, 409);
    close(socket);
    net_fixture_assert_unharmed(&fixture);
    assert_int_equal(request("GET", "/scenes/second/asset", "", "", &response), 200);
    assert_string_equal(response.body, tiny);
    assert_int_equal(request("PUT", "/scenes/second?replace", "", triangle, &response), 200);
}

TEST(test_import_broken_off_leaves_nothing)
{
    for (size_t i = 0; i < 2 * GZ_HTTP_UPLOADS_MAX; i++) {
        int socket = raw_connect(fixture.daemon.port);
        assert_true(raw_send_text(
            socket,
            "PUT /scenes/half HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n{"));
        close(socket);
    }
    net_fixture_assert_unharmed(&fixture);
    assert_false(is_there("half"));
    struct raw_response response;
    int status = 503; /* until the server has heard of all ends */
    for (int i = 0; i < 6000 && status == 503; i++) {
        status = request("PUT", "/scenes/whole", "", tiny, &response);
        if (status == 503) usleep(10000);
    }
    assert_int_equal(status, 201);
}

TEST(test_imports_at_once_are_bounded)
{
    int sockets[GZ_HTTP_UPLOADS_MAX];
    struct raw_response response;
    for (size_t i = 0; i < GZ_HTTP_UPLOADS_MAX; i++) {
        sockets[i] = raw_connect(fixture.daemon.port);
        assert_true(raw_send_text(
            sockets[i], "PUT /scenes/many HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n"
                        "Expect: 100-continue\r\n\r\n"));
        char line[26];
        assert_int_equal(recv(sockets[i], line, 25, MSG_WAITALL), 25);
        assert_memory_equal(line, "HTTP/1.1 100 Continue\r\n\r\n", 25);
    }
    assert_int_equal(request("PUT", "/scenes/more", "", tiny, &response), 503);
    assert_non_null(strstr(response.body, "\"code\":\"too_many\""));
    assert_non_null(strcasestr(response.head, "\r\nretry-after: "));
    /* Something is left for those who only look. */
    assert_int_equal(request("GET", "/scenes", "", "", &response), 200);
    assert_int_equal(request("GET", "/healthz", "", "", &response), 200);
    for (size_t i = 0; i < GZ_HTTP_UPLOADS_MAX; i++) close(sockets[i]);
    /* The daemon learns of the ends a moment later, and with TLS after the tunnels do. */
    for (int i = 0; i < 1000 && request("PUT", "/scenes/more", "", tiny, &response) == 503; i++)
        usleep(10000);
    assert_int_equal(response.status / 100, 2);
}

/* Begins an upload of a client behind the proxy, which is this program; its status unless it may go
 * on. */
static int begin_upload(int socket, const char *client)
{
    char text[512];
    struct raw_response response;
    snprintf(text, sizeof text,
             "PUT /scenes/begun HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n"
             "X-Forwarded-For: %s\r\nExpect: 100-continue\r\n\r\n",
             client);
    assert_true(raw_send_text(socket, text));
    char line[26] = "";
    assert_int_equal(recv(socket, line, 12, MSG_PEEK | MSG_WAITALL), 12);
    if (strcmp(line, "HTTP/1.1 100") == 0) return 100;
    raw_read_response(socket, &response);
    assert_non_null(strstr(response.body, "from your address"));
    assert_non_null(strcasestr(response.head, "\r\nretry-after: "));
    return response.status;
}

TEST(test_imports_of_an_address_are_bounded)
{
    int sockets[GZ_HTTP_UPLOADS_PER_ADDRESS + 2];
    for (size_t i = 0; i < GZ_HTTP_UPLOADS_PER_ADDRESS; i++) {
        sockets[i] = raw_connect(fixture.daemon.port);
        assert_int_equal(begin_upload(sockets[i], "198.51.100.1"), 100);
    }
    size_t last = GZ_HTTP_UPLOADS_PER_ADDRESS;
    sockets[last] = raw_connect(fixture.daemon.port);
    sockets[last + 1] = raw_connect(fixture.daemon.port);
    assert_int_equal(begin_upload(sockets[last], "198.51.100.1"), 429);
    assert_int_equal(begin_upload(sockets[last + 1], "198.51.100.2"), 100);
    for (size_t i = 0; i < last + 2; i++) close(sockets[i]);
}

static size_t count_unnamed_files(void)
{
    char command[256], line[64];
    snprintf(command, sizeof command, "ls -l /proc/%d/fd | grep -c '%s/.*(deleted)'",
             (int)fixture.daemon.pid, fixture.daemon.data);
    FILE *output = popen(command, "r");
    assert_non_null(output);
    assert_non_null(fgets(line, sizeof line, output));
    pclose(output);
    return strtoul(line, NULL, 10);
}

/* A file of so many bytes, terminated; to be freed. */
static char *make_file(size_t size)
{
    char *file = malloc(size + 1);
    assert_non_null(file);
    memset(file, ' ', size);
    memcpy(file, tiny, sizeof tiny - 1);
    file[size] = '\0';
    return file;
}

/* A body that is large waits in a file, which goes with it: after the import, and if it breaks
 * off. */
TEST(test_large_body_waits_in_a_file)
{
    size_t size = 5 * GZ_BODY_MEMORY_BYTES + 7;
    struct raw_response response;
    char *file = make_file(size), head[256];
    for (int breaks_off = 0; breaks_off < 2; breaks_off++) {
        int socket = raw_connect(fixture.daemon.port);
        snprintf(head, sizeof head,
                 "PUT /scenes/spooled?replace HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                 "Content-Length: %zu\r\n\r\n",
                 size);
        assert_true(raw_send_text(socket, head));
        assert_true(raw_send(socket, file, size - 1));
        for (int i = 0; i < 6000 && count_unnamed_files() == 0; i++) usleep(10000);
        assert_int_equal(count_unnamed_files(), 1);
        if (!breaks_off) {
            assert_true(raw_send(socket, file + size - 1, 1));
            raw_read_response(socket, &response);
            assert_int_equal(response.status, 201);
        }
        close(socket);
        for (int i = 0; i < 6000 && count_unnamed_files() > 0; i++) usleep(10000);
        assert_int_equal(count_unnamed_files(), 0);
    }
    assert_int_equal(request("GET", "/scenes/spooled/asset", "", "", &response), 200);
    assert_int_equal(response.body_size, size);
    assert_memory_equal(response.body, file, sizeof response.body - 1);
    free(file);
}

/* The last bytes fill a part that would be written to the file if more came. */
TEST(test_upload_whose_end_fills_a_part_is_taken)
{
    struct raw_response response;
    for (size_t parts = 1; parts <= 2; parts++) {
        const size_t size = parts * GZ_BODY_MEMORY_BYTES + 1;
        char *file = make_file(size);
        assert_int_equal(request("PUT", "/scenes/filled?replace", "", file, &response),
                         parts == 1 ? 201 : 200);
        assert_int_equal(request("GET", "/scenes/filled/asset", "", "", &response), 200);
        assert_int_equal(response.body_size, size);
        free(file);
    }
}

/* Asks, and leaves the answer where it is; again while there is no place for the request. */
static int ask_lazily(const char *request)
{
    char begin[12] = {0};
    int socket = -1;
    for (int i = 0; i < 1000 && memcmp(begin, "HTTP/1.1 200", sizeof begin) != 0; i++) {
        if (socket >= 0) close(socket);
        socket = raw_connect(fixture.daemon.port);
        assert_true(raw_send_text(socket, request));
        assert_int_equal(recv(socket, begin, sizeof begin, MSG_PEEK | MSG_WAITALL), sizeof begin);
        if (memcmp(begin, "HTTP/1.1 200", sizeof begin) != 0) print_message("%.12s\n", begin);
    }
    return socket;
}

/* Large requests have taken all places, and take their time. */
TEST(test_list_and_delete_have_places_of_their_own)
{
    enum { LAZY = GZ_HTTP_JOBS_MAX - GZ_HTTP_UPLOADS_MAX, BYTES = 4 << 20 };
    int uploads[GZ_HTTP_UPLOADS_MAX], lazy[LAZY];
    struct raw_response response;
    char *file = make_file(BYTES);
    assert_int_equal(request("PUT", "/scenes/heavy", "", file, &response), 201);
    for (int i = 0; i < LAZY; i++)
        lazy[i] = ask_lazily("GET /scenes/heavy/asset HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    for (int i = 0; i < GZ_HTTP_UPLOADS_MAX; i++) {
        uploads[i] = raw_connect(fixture.daemon.port);
        assert_int_equal(begin_upload(uploads[i], "127.0.0.1"), 100);
    }
    assert_int_equal(request("GET", "/scenes/heavy/asset", "", "", &response), 503);
    assert_int_equal(request("GET", "/scenes", "", "", &response), 200);
    assert_int_equal(request("DELETE", "/scenes/heavy", "", "", &response), 204);
    for (int i = 0; i < GZ_HTTP_UPLOADS_MAX; i++) close(uploads[i]);
    for (int i = 0; i < LAZY; i++) close(lazy[i]);
    free(file);
}

/* So does an answer that is large, until it is sent. */
TEST(test_large_answer_waits_in_a_file)
{
    size_t size = GZ_HTTP_ANSWER_MEMORY_BYTES + 7;
    struct raw_response response;
    char *file = make_file(size);
    assert_int_equal(request("PUT", "/scenes/huge", "", file, &response), 201);
    /* The body of the request is in a file, too, until the scene is stored. */
    for (int i = 0; i < 6000 && count_unnamed_files() > 0; i++) usleep(10000);
    int lazy = ask_lazily("GET /scenes/huge/asset HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    for (int i = 0; i < 6000 && count_unnamed_files() == 0; i++) usleep(10000);
    assert_int_equal(count_unnamed_files(), 1);
    raw_read_response(lazy, &response);
    assert_int_equal(response.body_size, size);
    close(lazy);
    free(file);
}

static bool is_logged(const char *words)
{
    char line[1024];
    bool is_there = false;
    FILE *log = fopen(fixture.daemon.log, "r");
    assert_non_null(log);
    while (!is_there && fgets(line, sizeof line, log) != NULL)
        is_there = strstr(line, words) != NULL;
    fclose(log);
    return is_there;
}

TEST(test_refusal_is_logged_with_method_and_path)
{
    struct raw_response response;
    request("PUT", "/scenes/UPPER?x=secret", "", tiny, &response);
    assert_true(is_logged(": PUT /scenes/UPPER: bad_value: "));
    assert_false(is_logged("secret"));
    int socket = raw_connect(fixture.daemon.port);
    assert_int_equal(raw_handshake(socket, fixture.daemon.port, "/nowhere?token=secret", ""), 404);
    close(socket);
    assert_true(is_logged(": GET /nowhere: unknown_op: "));
    assert_false(is_logged("secret"));
}

/* Those who send a byte a second lose their places, and one who is only slow does not. */
TEST(test_imports_that_trickle_make_room)
{
    int sockets[GZ_HTTP_UPLOADS_MAX];
    struct raw_response response;
    for (size_t i = 0; i < GZ_HTTP_UPLOADS_MAX; i++) {
        sockets[i] = raw_connect(fixture.daemon.port);
        assert_true(raw_send_text(sockets[i], "PUT /scenes/drip HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                                              "Content-Length: 100000\r\n\r\n{"));
    }
    bool is_in = false;
    for (int second = 0; second < 3 * GZ_HTTP_BODY_SECONDS && !is_in; second++) {
        sleep(1);
        for (size_t i = 0; i < GZ_HTTP_UPLOADS_MAX; i++) (void)raw_send_text(sockets[i], " ");
        is_in = request("PUT", "/scenes/after", "", tiny, &response) == 201;
    }
    assert_true(is_in);
    for (size_t i = 0; i < GZ_HTTP_UPLOADS_MAX; i++) close(sockets[i]);
    net_fixture_renew_witness(&fixture);
    int slow = raw_connect(fixture.daemon.port);
    assert_true(raw_send_text(slow, "PUT /scenes/slow HTTP/1.1\r\nHost: 127.0.0.1\r\n"));
    char length[64];
    snprintf(length, sizeof length, "Content-Length: %zu\r\n\r\n", sizeof tiny - 1);
    assert_true(raw_send_text(slow, length));
    for (size_t sent = 0; sent < sizeof tiny - 1; sent++) {
        assert_true(raw_send(slow, tiny + sent, 1));
        usleep(20000);
    }
    raw_read_response(slow, &response);
    assert_int_equal(response.status, 201);
    close(slow);
}

TEST(test_http_connection_is_used_again)
{
    if (direct.daemon.tls) skip();
    struct raw_response response;
    int socket = raw_connect(direct.daemon.port);
    for (int i = 0; i < 3; i++) {
        assert_true(raw_send_text(socket, "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"));
        raw_read_response(socket, &response);
        assert_int_equal(response.status, 200);
        /* A refusal in between, whose body is not wanted. */
        assert_true(raw_send_text(
            socket,
            "PUT /scenes/witness HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n\r\nhello"));
        raw_read_response(socket, &response);
        assert_int_equal(response.status, 409);
    }
    close(socket);
    /* Two at once. */
    socket = raw_connect(direct.daemon.port);
    assert_true(raw_send_text(socket, "GET /scenes HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
                                      "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"));
    raw_read_response(socket, &response);
    assert_non_null(strstr(response.body, "witness"));
    raw_read_response(socket, &response);
    assert_string_equal(response.body, "ok\n");
    close(socket);
}

TEST(test_large_answer_comes_whole)
{
    struct raw_response response;
    size_t size = 3 * 1024 * 1024;
    char *file = make_file(size);
    assert_int_equal(request("PUT", "/scenes/large", "", file, &response), 201);
    assert_int_equal(request("GET", "/scenes/large/asset", "", "", &response), 200);
    assert_int_equal(response.body_size, size);
    /* One who does not take it does not keep the others waiting. */
    int lazy = raw_connect(fixture.daemon.port);
    assert_true(raw_send_text(lazy, "GET /scenes/large/asset HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"));
    net_fixture_assert_unharmed(&fixture);
    close(lazy);
    free(file);
}

static int start(void **state)
{
    (void)state;
    net_fixture_start(&direct, NULL, NULL);
    net_fixture_start(&fixture, "--trusted-proxy=127.0.0.1",
                      "--allow-origin=https://editor.example");
    return 0;
}

static int stop(void **state)
{
    (void)state;
    net_fixture_stop(&direct);
    net_fixture_stop(&fixture);
    return 0;
}

int main(void)
{
    return test_run(start, stop);
}
