/* What room there is for triangles beside those of other scenes, and when those of a scene that was
 * opened are made. */
#include "conn/clock.h"
#include "data_folder.h"
#include "host/triangles.h"
#include "server/maxima.h"
#include "solver/surface.h"

enum { SCENES = 3 };

struct stage {
    struct data_folder folder;
    struct gz_open_scene *open[SCENES];
};

static int start(void **state)
{
    static const char *const names[SCENES] = {"a", "b", "c"};
    struct stage *stage = calloc(1, sizeof *stage);
    assert_non_null(stage);
    data_folder_init(&stage->folder);
    for (int i = 0; i < SCENES; i++) stage->open[i] = data_folder_open(&stage->folder, names[i]);
    *state = stage;
    return 0;
}

static int stop(void **state)
{
    struct stage *stage = *state;
    data_folder_finish(&stage->folder);
    free(stage);
    return 0;
}

static void handle_done(void *context, enum gz_status status, const char *message)
{
    (void)context, (void)status, (void)message;
}

/* An import whose triangles would take so many bytes, not stored yet; whether they are kept. */
static bool begin_import(struct stage *stage, int scene, size_t bytes)
{
    struct gz_open_scene *open = stage->open[scene];
    struct gz_surfaces *surfaces = calloc(1, sizeof *surfaces);
    assert_non_null(surfaces);
    surfaces->bytes = bytes;
    surfaces = gz_triangles_admit(&stage->folder.scenes, open, true, surfaces, GZ_OK);
    const struct gz_core_import_node node = {-1, {.name = "node", .trs = gz_trs_identity}};
    struct gz_core_import import = {.user = "ann",
                                    .nodes = &node,
                                    .count = 1,
                                    .asset = (const uint8_t *)"glTF",
                                    .asset_size = 4,
                                    .surfaces = surfaces,
                                    .done = handle_done};
    struct gz_error error;
    if (gz_core_import(open->net.core, &import, gz_clock_now(), &error) != GZ_OK)
        fail_msg("%s", error.message);
    return surfaces != NULL;
}

static bool import(struct stage *stage, int scene, size_t bytes)
{
    bool is_kept = begin_import(stage, scene, bytes);
    data_folder_settle(&stage->folder);
    return is_kept;
}

TEST_BETWEEN(test_all_scenes_share_the_room, start, stop)
{
    const size_t part = GZ_SURFACE_BYTES_MAX / 5 * 2;
    struct stage *stage = *state;
    assert_true(import(stage, 0, part));
    assert_true(import(stage, 1, part));
    assert_false(import(stage, 2, part));
    assert_true(import(stage, 2, GZ_SURFACE_BYTES_MAX - 2 * part));
}

TEST_BETWEEN(test_what_an_import_replaces_is_not_in_its_way, start, stop)
{
    const size_t part = GZ_SURFACE_BYTES_MAX / 5 * 2;
    struct stage *stage = *state;
    assert_true(import(stage, 0, part));
    assert_true(import(stage, 1, part));
    for (int i = 0; i < 5; i++) assert_true(import(stage, 0, part));
    assert_true(import(stage, 0, GZ_SURFACE_BYTES_MAX - part));
    assert_false(import(stage, 1, part + 1));
}

/* Those that imports replaced which are not stored yet are there all the same. */
TEST_BETWEEN(test_imports_that_wait_do_not_pile_up, start, stop)
{
    const size_t part = GZ_SURFACE_BYTES_MAX / 5 * 2;
    struct stage *stage = *state;
    assert_true(import(stage, 0, part));
    assert_true(begin_import(stage, 0, part));
    assert_true(begin_import(stage, 0, part));
    assert_false(begin_import(stage, 0, part));
    data_folder_settle(&stage->folder);
    assert_true(import(stage, 0, part));
}

/* With a file whose triangles are to be made. */
static void reopen(struct stage *stage, int scene)
{
    static const char *const names[SCENES] = {"a", "b", "c"};
    assert_true(import(stage, scene, 1));
    data_folder_close(&stage->folder, stage->open[scene]);
    stage->open[scene] = data_folder_open(&stage->folder, names[scene]);
}

/* The files have no real glTF in them: each that is read is a line in the log. */
TEST_BETWEEN(test_scenes_that_are_opened_wait_for_each_other, start, stop)
{
    struct stage *stage = *state;
    const struct gz_job_queue *lane = &stage->folder.jobs.lanes[GZ_LANE_TRIANGLES];
    for (int i = 0; i < SCENES; i++) reopen(stage, i);
    for (int i = 0; i < SCENES; i++) {
        gz_triangles_make(&stage->folder.scenes, stage->open[i]);
        assert_int_equal(lane->at_workers, 1);
    }
    gz_jobs_cancel(&stage->folder.jobs, GZ_LANE_TRIANGLES, "b");
    data_folder_await_jobs(&stage->folder);
    assert_int_equal(data_folder_logged(&stage->folder, "a: picked by bounds"), 1);
    assert_int_equal(data_folder_logged(&stage->folder, "b: picked by bounds"), 0);
    assert_int_equal(data_folder_logged(&stage->folder, "c: picked by bounds"), 1);
}

/* They are made for the scene as it was then: not for another one of its name. */
TEST_BETWEEN(test_scene_that_was_closed_meanwhile_gets_none, start, stop)
{
    struct stage *stage = *state;
    reopen(stage, 0);
    gz_triangles_make(&stage->folder.scenes, stage->open[0]);
    gz_scenes_hide(stage->open[0]);
    gz_scenes_drop(stage->open[0]);
    stage->open[0] = NULL;
    data_folder_await_jobs(&stage->folder);
    assert_int_equal(data_folder_logged(&stage->folder, "picked by bounds"), 0);
}
