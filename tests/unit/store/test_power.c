/* Power cuts: at a random call the disk stops, and of what was not synced each sector is kept or
 * lost on its own. The only allowed outcomes: the file opens, holds every edit that was
 * acknowledged, and perhaps the one that was under way, whole. */
#include "support/chance.h"
#include "unit/store/scene_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/ship.h"
#include "support/power_vfs.h"

#define CUTS 300
/* Calls within which a round is cut: an opening takes some ten, a commit two or three, a checkpoint
 * at the end ten. */
#define CALLS 60
#define ROUNDS_PER_FILE 30
/* Cuts while the log is copied, the calls within which they come, and the commits of a round. */
#define COPY_CUTS 8
#define COPY_CALLS 30000
#define ASSETS 24
#define ASSET_BYTES (1024 * 1024)

/* Commits until the power goes, or for a while; how many edits were acknowledged in all. */
static uint64_t work(struct gz_store *store, struct numbered numbered, uint64_t commits)
{
    uint64_t acknowledged = numbered.edits;
    bool is_end = false;
    for (enum gz_status status = GZ_OK; commits > 0 && status == GZ_OK;
         commits--, is_end = !is_end) {
        gz_store_submit(store, numbered_batch(&numbered, is_end));
        gz_batch_destroy(wait_for(store, &status, NULL));
        if (status == GZ_OK && is_end) acknowledged = numbered.edits;
    }
    return acknowledged;
}

static uint64_t lose_power(const char *path, struct numbered numbered, uint64_t *random)
{
    struct gz_store *store;
    struct gz_scene_state state;
    struct gz_error error = {0};
    struct gz_store_options options = {.path = path, .create = true, .time = START_TIME};
    uint64_t acknowledged = numbered.edits;
    vouch_for(path);
    power_vfs_promise(chance_below(random, 2) == 0);
    power_vfs_cut_at(1 + (int)chance_below(random, CALLS));
    if (gz_store_open(&store, &options, &state, &error) == GZ_OK) {
        assert_int_equal(gz_store_start(store, &error), GZ_OK);
        acknowledged = work(store, numbered, chance_below(random, 20));
        gz_store_close(store);
        gz_scene_state_finish(&state);
    } else {
        assert_true(power_vfs_is_cut());
    }
    power_vfs_settle(chance_below(random, UINT64_C(1) << 31),
                     chance_below(random, 2) == 0 ? 512 : 4096);
    return acknowledged;
}

static void verify(const char *path, uint64_t acknowledged, struct numbered *numbered)
{
    struct gz_scene_state state;
    struct gz_store *store = open_scene(path, true, START_TIME, &state);
    assert_numbered(&state, acknowledged, numbered);
    gz_scene_state_finish(&state);
    gz_store_close(store);
    assert_int_equal(ask(path, "SELECT count(*) FROM edits"), numbered->edits);
    assert_int_equal(ask(path, "SELECT count(*) FROM changes"), numbered->edits * NUMBERED_NODES);
    assert_int_equal(ask(path, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
    power_vfs_settle(0, 512);
}

TEST_IN_DIRECTORY(test_acknowledged_edits_survive_power_cuts)
{
    uint64_t random = chance_seed(1);
    int cuts = (int)chance_count(CUTS);
    print_message("GIZMOD_SEED=%llu\n", (unsigned long long)random);
    char path[512] = "";
    struct numbered numbered = {0};
    for (int round = 0; round < cuts; round++) {
        if (round % ROUNDS_PER_FILE == 0) {
            char name[32];
            snprintf(name, sizeof name, "p%d.db", round);
            snprintf(path, sizeof path, "%s", in_directory(directory, name));
            numbered = (struct numbered){0};
        }
        uint64_t acknowledged = lose_power(path, numbered, &random);
        verify(path, acknowledged, &numbered);
    }
}

static struct gz_batch *batch_of_asset(uint64_t seq)
{
    struct gz_batch *batch = gz_batch_create();
    uint8_t *asset = gz_arena_take(&batch->arena, 1, ASSET_BYTES);
    assert_non_null(asset);
    memset(asset, (int)seq, ASSET_BYTES);
    batch->seq = seq;
    add_asset(batch, seq, seq, asset, ASSET_BYTES);
    return batch;
}

/* Commits until the power goes, or so often that the log was copied twice; the last seq that was
 * acknowledged. */
static uint64_t write_assets(struct gz_store *store, uint64_t seq)
{
    enum gz_status status = GZ_OK;
    for (uint64_t last = seq + ASSETS; status == GZ_OK && seq < last; seq += status == GZ_OK) {
        gz_store_submit(store, batch_of_asset(seq + 1));
        gz_batch_destroy(wait_for(store, &status, NULL));
    }
    return seq;
}

/* The log is copied into the file by a thread of its own while commits go on. */
TEST_IN_DIRECTORY(test_a_log_that_is_copied_survives_power_cuts)
{
    uint64_t random = chance_seed(1), acknowledged = 0;
    print_message("GIZMOD_SEED=%llu\n", (unsigned long long)random);
    const char *path = in_directory(directory, "l.db");
    power_vfs_promise(true);
    for (int round = 0; round < COPY_CUTS; round++) {
        struct gz_store *store = open_only(path, true, START_TIME + round);
        power_vfs_cut_at(1 + (int)chance_below(&random, COPY_CALLS));
        acknowledged = write_assets(store, acknowledged);
        gz_store_close(store);
        power_vfs_settle(chance_below(&random, UINT64_C(1) << 31), 512);
        const uint64_t seq = (uint64_t)ask(path, "SELECT seq FROM scene");
        assert_in_range(seq, acknowledged, acknowledged + 1);
        assert_int_equal(ask(path, "SELECT count(*) FROM assets"), seq);
        assert_int_equal(ask(path, "SELECT quick_check = 'ok' FROM pragma_quick_check"), 1);
        power_vfs_settle(0, 512);
        acknowledged = seq;
    }
}

/* A file that was just installed has no write-ahead log: where it gets one, a crash leaves a
 * journal that is to be rolled back, or nobody could tell its place any more. */
TEST_IN_DIRECTORY(test_place_survives_power_cuts)
{
    const char *path = in_directory(directory, "p.db"), *copy = in_directory(directory, "c.db");
    bool is_cut = true;
    power_vfs_promise(false);
    for (int cut = 1; is_cut; cut++) {
        struct gz_applier *applier;
        struct gz_place place;
        struct gz_error error;
        make_empty_scene(copy);
        assert_int_equal(gz_store_install(path, copy, &error), GZ_OK);
        power_vfs_cut_at(cut);
        if (gz_applier_open(&applier, path, &error) == GZ_OK) gz_applier_close(applier);
        is_cut = power_vfs_is_cut();
        power_vfs_settle((uint64_t)cut, 512);
        if (gz_store_place(path, &place, &error) != GZ_OK)
            fail_msg("cut at call %d: %s", cut, error.message);
        power_vfs_settle(0, 512);
    }
}

int main(void)
{
    power_vfs_register();
    return test_run(NULL, NULL);
}
