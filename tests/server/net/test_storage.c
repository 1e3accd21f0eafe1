/* A disk that takes no more, by a limit on the size of files: what HTTP says then, and what
 * stays. */
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

TEST(test_import_that_is_not_saved_leaves_no_scene)
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
    assert_int_equal(request("GET", "/healthz", "", 0, &response), 200);
    /* The name is free. */
    assert_int_equal(request("PUT", "/scenes/new", tiny, sizeof tiny - 1, &response), 201);
}

TEST(test_replacement_that_is_not_saved_leaves_the_scene)
{
    struct raw_response response;
    assert_int_equal(request("PUT", "/scenes/old", tiny, sizeof tiny - 1, &response), 201);
    assert_int_equal(request("PUT", "/scenes/old?replace", large, LARGE_BYTES, &response), 500);
    assert_non_null(strstr(response.body, "\"code\":\"storage\""));
    assert_int_equal(request("GET", "/scenes/old/asset", "", 0, &response), 200);
    assert_string_equal(response.body, tiny);
    /* It says that it is unwell, until a commit is taken again. */
    assert_int_equal(request("GET", "/healthz", "", 0, &response), 503);
    assert_non_null(strstr(response.body, "\"code\":\"storage\""));
    assert_int_equal(request("PUT", "/scenes/old?replace", tiny, sizeof tiny - 1, &response), 200);
    assert_int_equal(request("GET", "/healthz", "", 0, &response), 200);
    net_fixture_assert_unharmed(&fixture);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_import_that_is_not_saved_leaves_no_scene),
        cmocka_unit_test(test_replacement_that_is_not_saved_leaves_the_scene),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
