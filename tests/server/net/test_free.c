/* What large requests leave, memory and files, is freed by workers: in a turn of the loop everybody
 * would wait for it. Counted by support/turn_preload.c, which the daemon loads. */
#include <stdlib.h>
#include <sys/mman.h>

#include "net_fixture.h"
#include "server/maxima.h"
#include "support/turn_preload.h"

#define NODES 30000
/* In a turn: an answer that is small enough for the loop. */
#define FREED_BYTES_MAX GZ_BODY_MEMORY_BYTES

struct stage {
    struct net_fixture fixture;
    struct turn_page *page;
};

static char *make_asset(size_t *size)
{
    char *asset;
    FILE *file = open_memstream(&asset, size);
    assert_non_null(file);
    fputs("{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{"
          "\"children\":[",
          file);
    for (int i = 1; i < NODES; i++) fprintf(file, "%s%d", i > 1 ? "," : "", i);
    fputs("]}", file);
    for (int i = 1; i < NODES; i++)
        fprintf(file, ",{\"name\":\"part %d\",\"translation\":[%d,0,0]}", i, i);
    fputs("]}", file);
    fclose(file);
    assert_true(*size > FREED_BYTES_MAX);
    return asset;
}

static void open_stage(struct stage *stage)
{
    test_daemon_init(&stage->fixture.daemon);
    stage->page = turn_page_open(&stage->fixture.daemon);
    test_daemon_start(&stage->fixture.daemon, NULL, NULL);
    stage->fixture.witness = net_fixture_join(&stage->fixture, WITNESS_SCENE, "witness");
}

static void close_stage(struct stage *stage)
{
    net_fixture_stop(&stage->fixture);
    munmap(stage->page, sizeof *stage->page);
}

/* Fails if the request, its answer and the end of its connection made a turn free too much. */
static void request(struct stage *stage, const char *method, const char *path, const char *body,
                    size_t size)
{
    struct raw_response response;
    char length[64] = "";
    if (size > 0) snprintf(length, sizeof length, "Content-Length: %zu\r\n", size);
    atomic_store(&stage->page->freed_bytes, 0);
    raw_request(stage->fixture.daemon.port, method, path, length, body, size, &response);
    assert_int_equal(response.status / 100, 2);
    net_fixture_assert_unharmed(&stage->fixture); /* the loop has gone on */
    net_fixture_assert_unharmed(&stage->fixture);
    uint64_t freed = atomic_load(&stage->page->freed_bytes);
    assert_in_range(freed, 1, FREED_BYTES_MAX);
}

static void test_workers_free(void **state)
{
    static const char *const parts[] = {"export", "export.glb", "backup", "asset"};
    struct stage stage;
    size_t size;
    char path[64], *asset = make_asset(&size);
    (void)state;
    open_stage(&stage);
    for (int i = 0; i < 2; i++) request(&stage, "PUT", "/scenes/large?replace", asset, size);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        snprintf(path, sizeof path, "/scenes/large/%s", parts[i]);
        request(&stage, "GET", path, NULL, 0);
    }
    request(&stage, "DELETE", "/scenes/large", NULL, 0);
    close_stage(&stage);
    free(asset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_workers_free)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
