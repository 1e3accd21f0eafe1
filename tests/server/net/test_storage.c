/* A disk that takes no more, by a limit on the size of files, or that has to keep room: what HTTP
 * and sessions say then, and what stays. */
#include "net_fixture.h"

#include <stdlib.h>
#include <sys/resource.h>

#include "server/maxima.h"

/* A file that waits in memory, but is more than the disk takes. */
#define FILE_BYTES_MAX (512 * 1024)
#define LARGE_BYTES GZ_BODY_MEMORY_BYTES

static const char tiny[] = "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]"
                           "}],\"nodes\":[{\"name\":\"base\"}]}";

static struct net_fixture fixture;
static char *large;

static int request(const char *method, const char *path, const char *body, size_t size,
                   struct raw_response *response)
{
    char headers[64] = "";
    if (size > 0) snprintf(headers, sizeof headers, "Content-Length: %zu\r\n", size);
    raw_request(fixture.daemon.port, method, path, headers, body, size, response);
    return response->status;
}

static bool is_there(const char *scene, const char *ending)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s.db%s", fixture.daemon.data, scene, ending);
    return access(path, F_OK) == 0;
}

/* The daemon inherits the limit; the test does not keep it. */
static int start(void **state)
{
    struct rlimit before, small;
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = FILE_BYTES_MAX;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    net_fixture_start(&fixture, NULL, NULL);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    large = malloc(LARGE_BYTES);
    assert_non_null(large);
    memset(large, ' ', LARGE_BYTES);
    memcpy(large, tiny, sizeof tiny - 1);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    net_fixture_stop(&fixture);
    free(large);
    return 0;
}

TEST_BETWEEN(test_import_that_is_not_saved_leaves_no_scene, start, stop)
{
    struct raw_response response;
    assert_int_equal(request("PUT", "/scenes/new", large, LARGE_BYTES, &response), 500);
    assert_non_null(strstr(response.body, "\"code\":\"storage\""));
    net_fixture_assert_unharmed(&fixture);
    static const char *const endings[] = {"", "-wal", "-shm", ".owner"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        assert_false(is_there("new", endings[i]));
    assert_int_equal(request("GET", "/scenes", "", 0, &response), 200);
    assert_null(strstr(response.body, "\"new\""));
    assert_int_equal(request("GET", "/readyz", "", 0, &response), 200);
    /* The name is free. */
    assert_int_equal(request("PUT", "/scenes/new", tiny, sizeof tiny - 1, &response), 201);
}

TEST_BETWEEN(test_replacement_that_is_not_saved_leaves_the_scene, start, stop)
{
    struct raw_response response;
    assert_int_equal(request("PUT", "/scenes/old", tiny, sizeof tiny - 1, &response), 201);
    assert_int_equal(request("PUT", "/scenes/old?replace", large, LARGE_BYTES, &response), 500);
    assert_non_null(strstr(response.body, "\"code\":\"storage\""));
    assert_int_equal(request("GET", "/scenes/old/asset", "", 0, &response), 200);
    assert_string_equal(response.body, tiny);
    /* Once a commit is taken again it is well; fault_disk sees what it says before that. */
    assert_int_equal(request("PUT", "/scenes/old?replace", tiny, sizeof tiny - 1, &response), 200);
    assert_int_equal(request("GET", "/readyz", "", 0, &response), 200);
    net_fixture_assert_unharmed(&fixture);
}

/* ---- a disk that has to keep room ---- */

#define NO_DISK_HAS "--keep-free=1000000000"

static int start_without_room(void **state)
{
    *state = &fixture;
    net_fixture_start(&fixture, NULL, NULL);
    net_fixture_create_nodes(fixture.witness, 1);
    close(fixture.witness);
    test_daemon_end(&fixture.daemon);
    test_daemon_start(&fixture.daemon, NO_DISK_HAS, NULL);
    fixture.witness = net_fixture_join(&fixture, WITNESS_SCENE, "witness");
    return 0;
}

static enum gz_status answer_to(struct gz_message message)
{
    bool is_fatal;
    message.has |= GZ_HAS_RID;
    message.rid = 7;
    assert_true(raw_send_message(fixture.witness, &message));
    enum gz_status status = raw_read_error(fixture.witness, &is_fatal);
    assert_false(is_fatal);
    return status;
}

TEST_BETWEEN(test_edits_of_every_kind_are_refused_and_viewing_goes_on, start_without_room,
             net_fixture_end)
{
    const struct gz_create_node node = {.trs = {.r = {0, 0, 0, 1}, .s = {1, 1, 1}}};
    const uint64_t one = 1;
    struct gz_message note = {.op = GZ_OP_NOTE, .has = GZ_HAS_NOTE_TEXT, .note.text = {"x", 1}};
    struct gz_message grab = {.op = GZ_OP_GRAB, .has = GZ_HAS_POINTER_NODES | GZ_HAS_POINTER_VALUE};
    grab.pointer = (struct gz_pointer_message){
        .phase = GZ_PHASE_DOWN, .handle = GZ_TX, .nodes = {&one, 1}, .value = {{1}, 1}};
    const struct gz_message edits[] = {
        {.op = GZ_OP_CREATE, .create = {&node, 1}},
        {.op = GZ_OP_DELETE, .remove = {&one, 1}},
        {.op = GZ_OP_UNDO},
        {.op = GZ_OP_CHECKPOINT, .checkpoint.name = {"x", 1}},
        note,
        grab,
    };
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++)
        assert_int_equal(answer_to(edits[i]), GZ_STORAGE);
    net_fixture_assert_unharmed(&fixture);
    int viewer = net_fixture_join(&fixture, WITNESS_SCENE, "viewer");
    close(viewer);
}

TEST_BETWEEN(test_http_refuses_what_is_new_and_says_that_it_is_short_of_disk, start_without_room,
             net_fixture_end)
{
    struct raw_response response;
    assert_int_equal(request("PUT", "/scenes/new", tiny, sizeof tiny - 1, &response), 507);
    assert_non_null(strstr(response.body, "the server's disk has less than 1000000000 MB"));
    assert_false(is_there("new", ""));
    assert_int_equal(request("GET", "/scenes/witness/export", "", 0, &response), 200);
    assert_int_equal(request("GET", "/scenes/witness/backup", "", 0, &response), 507);
    assert_non_null(strstr(response.body, "would have less than 1000000000 MB"));
    assert_int_equal(request("GET", "/healthz", "", 0, &response), 200);
    assert_non_null(strstr(response.body, "ok, but the server's disk has less than"));
    assert_int_equal(request("GET", "/readyz", "", 0, &response), 503);
    assert_non_null(strstr(response.body, "the server's disk has less than"));
    assert_int_equal(request("GET", "/metrics", "", 0, &response), 200);
    assert_non_null(strstr(response.body, "\ngizmod_disk_short 1\n"));
    assert_non_null(strstr(response.body, "\ngizmod_disk_free_bytes "));
}
