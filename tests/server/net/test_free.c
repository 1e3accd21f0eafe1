/* What large requests leave, memory and files, is freed by workers: in a turn of the loop everybody
 * would wait for it. Counted by support/turn_preload.c, which the daemon loads. */
#include <signal.h>
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
    test_daemon_start(&stage->fixture.daemon, "--silence-seconds",
                      "3600"); /* a slow disk ends nobody */
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

TEST(test_workers_free)
{
    static const char *const parts[] = {"export", "export.glb", "backup", "asset"};
    struct stage stage;
    size_t size;
    char path[64], *asset = make_asset(&size);
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

/* Bytes that the daemon has written. */
static long count_written(const struct stage *stage)
{
    char path[64], line[128];
    long written = -1;
    snprintf(path, sizeof path, "/proc/%d/io", (int)stage->fixture.daemon.pid);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) (void)sscanf(line, "wchar: %ld", &written);
    fclose(file);
    return written;
}

/* The daemon stands still while clients ask and go. */
static void ask_and_go(const struct stage *stage, const char *request)
{
    assert_int_equal(kill(stage->fixture.daemon.pid, SIGSTOP), 0);
    for (int i = 0; i < 8; i++) {
        int socket = raw_connect(stage->fixture.daemon.port);
        assert_true(raw_send_text(socket, request));
        close(socket);
    }
    assert_int_equal(kill(stage->fixture.daemon.pid, SIGCONT), 0);
}

TEST(test_nothing_is_made_for_clients_that_have_gone)
{
    struct stage stage;
    struct raw_response response;
    size_t size;
    char *asset = make_asset(&size);
    open_stage(&stage);
    request(&stage, "PUT", "/scenes/large", asset, size);
    raw_request(stage.fixture.daemon.port, "GET", "/scenes/large/backup", "", NULL, 0, &response);
    assert_int_equal(response.status, 200);
    const size_t backup_size = response.body_size;
    long before = count_written(&stage);
    ask_and_go(&stage, "GET /scenes/large/backup HTTP/1.1\r\nHost: localhost\r\n\r\n");
    /* Answered after those that came before. */
    raw_request(stage.fixture.daemon.port, "GET", "/scenes/large/asset", "", NULL, 0, &response);
    assert_int_equal(response.status, 200);
    /* The scene's own log is written into its file, at any time, and has hardly more bytes. */
    assert_in_range(count_written(&stage) - before, 0, 2 * backup_size);
    close_stage(&stage);
    free(asset);
}
