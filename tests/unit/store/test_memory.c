/* SQLite gets no memory, from each of its allocations on: a batch is committed whole or refused
 * whole, and is taken at once when there is memory again. */
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "unit/store/scene_file.h"

#define FAILURES_MAX 2000

static sqlite3_mem_methods usual;
static atomic_long left; /* allocations that still go well; negative: all do */

static bool is_refused(void)
{
    long now = atomic_load(&left);
    if (now > 0) atomic_store(&left, now - 1);
    return now == 0;
}

static void *handle_malloc(int size)
{
    return is_refused() ? NULL : usual.xMalloc(size);
}

static void *handle_realloc(void *memory, int size)
{
    return is_refused() ? NULL : usual.xRealloc(memory, size);
}

/* Before SQLite is used for the first time. */
static void take_over_memory(void)
{
    atomic_store(&left, -1);
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &usual), SQLITE_OK);
    sqlite3_mem_methods ours = usual;
    ours.xMalloc = handle_malloc;
    ours.xRealloc = handle_realloc;
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_MALLOC, &ours), SQLITE_OK);
}

/* Large enough that its pages have to be got. */
static struct gz_batch *large_batch(struct model *model)
{
    struct gz_batch *batch = model_batch(model);
    uint8_t *asset = gz_arena_take(&batch->arena, 1, 40000);
    assert_non_null(asset);
    batch->asset = asset;
    batch->asset_size = 40000;
    return batch;
}

TEST_IN_DIRECTORY(test_commit_without_memory_is_whole_or_nothing_and_taken_later)
{
    const char *path = in_directory(directory, "a.db");
    struct gz_scene_state state;
    struct gz_store *store = open_scene(path, true, START_TIME, &state);
    struct model *model = model_create(5);
    gz_scene_state_finish(&state);
    long refused = 0, taken = 0;
    for (long n = 0; n < FAILURES_MAX && taken < 5; n++) {
        enum gz_status status;
        struct gz_error error = {0};
        struct gz_batch *batch = large_batch(model);
        int64_t before = ask(path, "SELECT seq FROM scene");
        atomic_store(&left, n);
        gz_store_submit(store, batch);
        wait_for(store, &status, &error);
        atomic_store(&left, -1);
        taken = status == GZ_OK ? taken + 1 : 0;
        if (status != GZ_OK) {
            assert_int_equal(status, GZ_STORAGE);
            assert_int_equal(ask(path, "SELECT seq FROM scene"), before);
            gz_store_submit(store, batch);
            wait_for(store, &status, &error);
            if (status != GZ_OK) fail_msg("after allocation %ld: %s", n, error.message);
            refused++;
        }
        gz_batch_destroy(batch);
    }
    assert_true(refused > 3);
    assert_int_equal(taken, 5);
    gz_store_close(store);
    assert_int_equal(ask(path, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
    model_destroy(model);
}

int main(void)
{
    take_over_memory();
    return test_run(NULL, NULL);
}
