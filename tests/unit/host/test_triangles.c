/* What room there is for triangles beside those of other scenes, and whose turn it is to have
 * theirs made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/triangles.h"
#include "server/maxima.h"
#include "solver/surface.h"
#include "unit/core/saying.h"

enum { SCENES = 3 };

struct daemon {
    struct host hosts[SCENES];
    struct gz_scenes scenes;
    struct gz_open_scene open[SCENES];
};

static void start(struct daemon *daemon)
{
    daemon->scenes = (struct gz_scenes){.closing = true}; /* what is released is freed at once */
    for (int i = 0; i < SCENES; i++) {
        host_init(&daemon->hosts[i]);
        daemon->open[i] = (struct gz_open_scene){.scenes = &daemon->scenes,
                                                 .name = "scene",
                                                 .net.core = daemon->hosts[i].core,
                                                 .next = daemon->scenes.open};
        daemon->scenes.open = &daemon->open[i];
    }
}

static void finish(struct daemon *daemon)
{
    for (int i = 0; i < SCENES; i++) host_finish(&daemon->hosts[i]);
}

static void handle_done(void *context, enum gz_status status, const char *message)
{
    (void)context, (void)status, (void)message;
}

/* An import whose triangles would take so many bytes; whether they are kept. */
static bool import(struct daemon *daemon, int scene, size_t bytes)
{
    struct host *host = &daemon->hosts[scene];
    struct gz_surfaces *surfaces = calloc(1, sizeof *surfaces);
    assert_non_null(surfaces);
    surfaces->bytes = bytes;
    surfaces = gz_surfaces_admit(&daemon->open[scene], surfaces, GZ_OK);
    struct gz_core_import import = {.user = "ann",
                                    .asset = (const uint8_t *)"glTF",
                                    .asset_size = 4,
                                    .surfaces = surfaces,
                                    .done = handle_done};
    struct gz_error error;
    if (gz_core_import(host->core, &import, host->now, &error) != GZ_OK)
        fail_msg("%s", error.message);
    host_turn(host);
    return surfaces != NULL;
}

static void test_all_scenes_share_the_room(void **state)
{
    const size_t part = GZ_SURFACE_BYTES_MAX / 5 * 2;
    struct daemon daemon;
    (void)state;
    start(&daemon);
    assert_true(import(&daemon, 0, part));
    assert_true(import(&daemon, 1, part));
    assert_false(import(&daemon, 2, part));
    assert_true(import(&daemon, 2, GZ_SURFACE_BYTES_MAX - 2 * part));
    finish(&daemon);
}

static void test_what_an_import_replaces_is_not_in_its_way(void **state)
{
    const size_t part = GZ_SURFACE_BYTES_MAX / 5 * 2;
    struct daemon daemon;
    (void)state;
    start(&daemon);
    assert_true(import(&daemon, 0, part));
    assert_true(import(&daemon, 1, part));
    for (int i = 0; i < 5; i++) assert_true(import(&daemon, 0, part));
    assert_true(import(&daemon, 0, GZ_SURFACE_BYTES_MAX - part));
    assert_false(import(&daemon, 1, part + 1));
    finish(&daemon);
}

/* Those that imports replaced which are not stored yet are there all the same. */
static void test_imports_that_wait_do_not_pile_up(void **state)
{
    const size_t part = GZ_SURFACE_BYTES_MAX / 5 * 2;
    struct daemon daemon;
    (void)state;
    start(&daemon);
    assert_true(import(&daemon, 0, part));
    daemon.hosts[0].disk = DISK_WAITS;
    assert_true(import(&daemon, 0, part));
    assert_true(import(&daemon, 0, part));
    assert_false(import(&daemon, 0, part));
    host_settle(&daemon.hosts[0], true);
    finish(&daemon);
}

/* The workers have other things to do, which people wait for. The files are not there: of each that
 * is looked for a line is logged. */
static void test_scenes_that_are_opened_wait_for_each_other(void **state)
{
    struct daemon daemon;
    uv_loop_t loop;
    char *lines = NULL;
    size_t size = 0;
    const struct gz_log log = {.level = GZ_WARN, .stream = open_memstream(&lines, &size)};
    (void)state;
    start(&daemon);
    assert_int_equal(uv_loop_init(&loop), 0);
    daemon.scenes.loop = &loop;
    daemon.scenes.log = &log;
    for (int i = 0; i < SCENES; i++) {
        assert_true(import(&daemon, i, 1));
        daemon.open[i].path = (char *)(uintptr_t) "nowhere/at-all.db";
        gz_surfaces_begin(&daemon.open[i]);
        assert_int_equal(loop.active_reqs.count, 1);
    }
    gz_surfaces_cancel(&daemon.open[1]);
    gz_surfaces_cancel(&daemon.open[0]); /* that one is on its way */
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(fclose(log.stream), 0);
    assert_non_null(strchr(lines, '\n'));
    assert_ptr_equal(strchr(lines, '\n'), lines + size - 1); /* one line */
    free(lines);
    for (int i = 0; i < SCENES; i++) assert_null(daemon.open[i].surfaces_job);
    assert_null(daemon.scenes.surfaces_jobs);
    assert_int_equal(uv_loop_close(&loop), 0);
    finish(&daemon);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_scenes_share_the_room),
        cmocka_unit_test(test_what_an_import_replaces_is_not_in_its_way),
        cmocka_unit_test(test_imports_that_wait_do_not_pile_up),
        cmocka_unit_test(test_scenes_that_are_opened_wait_for_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
