/* A backup taken while sixteen people drag is a whole scene: nothing in it is wrong, and the
 * daemon opens it as one whose drags were cut off where they had come to. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "stage.h"

#define PEOPLE 16
#define BACKUPS 5
#define MOVES_EACH 12

static void drag_on(struct gz_client *people[PEOPLE], int *step)
{
    for (int move = 0; move < MOVES_EACH; move++, ++*step) {
        for (size_t i = 0; i < PEOPLE; i++) {
            double turn = 0.05 * *step + (double)i;
            struct gz_error error = {0};
            struct gz_message message =
                message_pointer(GZ_PHASE_MOVE, 640 + 150 * sin(turn), 360 + 90 * cos(turn));
            stage_check(gz_client_send(people[i], &message, NULL, &error), &error, "move");
            (void)gz_client_next(people[i], 0);
        }
    }
}

static void begin(struct stage *stage, struct gz_client *people[PEOPLE], uint64_t ids[PEOPLE])
{
    for (size_t i = 0; i < PEOPLE; i++) {
        char name[16];
        snprintf(name, sizeof name, "user%zu", i);
        people[i] = stage_join(stage, "arm", name);
        ids[i] = stage_create(people[i], name, 0, (gz_vec3){0.1 * (double)i, 0, 0});
        stage_ask(people[i], message_camera((gz_vec3){2, 3, 8}, (gz_vec3){0, 0, 0}));
        stage_ask(people[i], message_grab(&ids[i], GZ_TV, 640, 360));
    }
}

/* Until somebody's drag is in the file. */
static void await_saved_drag(struct gz_client *client, uint64_t id, double x)
{
    uint64_t seq = 0;
    for (;;) {
        if (node_in(client, id)->trs.t.x != x) seq = gz_mirror_seq(gz_client_mirror(client));
        if (seq != 0 && gz_client_saved(client) >= seq) break;
        if (gz_client_next(client, STAGE_SECONDS) == NULL)
            fail_msg("not saved: %s", gz_client_reason(client));
    }
}

static void expect(const struct stage *stage, const char *const *arguments, const char *words)
{
    struct test_output output;
    test_ctl(&output, &stage->daemon, NULL, arguments);
    if (output.code != 0 || strstr(output.out, words) == NULL)
        fail_msg("gizmoctl %s: %d, %s%s", arguments[0], output.code, output.out, output.err);
    test_output_finish(&output);
}

static void expect_failure(const struct stage *stage, const char *const *arguments, int code,
                           const char *words)
{
    struct test_output output;
    test_ctl(&output, &stage->daemon, NULL, arguments);
    if (output.code != code || strstr(output.err, words) == NULL)
        fail_msg("gizmoctl %s: %d, %s%s", arguments[0], output.code, output.out, output.err);
    test_output_finish(&output);
}

/* All scenes in one call while somebody works, then one of them back, live; and what is refused. */
TEST_ON_STAGE(test_backup_of_all_scenes_and_one_of_them_back)
{
    struct stage *stage = *state;
    char folder[128], file[160], wal[192], name[16];
    const char *data = stage->daemon.data;
    struct gz_client *people[5];
    snprintf(folder, sizeof folder, "%s/backups", stage->daemon.directory);
    for (int i = 0; i < 5; i++) {
        snprintf(name, sizeof name, "all%d", i);
        people[i] = stage_join(stage, name, "ann");
        for (int k = 0; k <= i; k++) (void)stage_create(people[i], "part", 0, (gz_vec3){k, 0, 0});
    }
    const char *const all[] = {"backup", "--all", folder, NULL};
    expect(stage, all, "5 of 5 scenes are in ");
    (void)stage_create(people[3], "late", 0, (gz_vec3){9, 0, 0});
    expect(stage, all, "5 of 5 scenes are in "); /* again, in place of the first */
    snprintf(file, sizeof file, "%s/all3.db", folder);
    expect(stage, (const char *const[]){"check", file, NULL}, "5 nodes");
    const char *const back[] = {"restore-backup", file, "all3", "--data", data, NULL};
    expect_failure(stage, back, 6, "all3.db"); /* there is one, which is in use */
    expect(stage, (const char *const[]){"rm", "all3", "--user", "ann", NULL}, "");
    expect(stage, back, "");
    expect(stage, (const char *const[]){"ls", "all3", NULL}, "5 nodes");
    (void)stage_create(stage_join(stage, "all3", "ben"), "more", 0, (gz_vec3){0, 0, 0});
    /* Not whole, not alone, nowhere. */
    snprintf(wal, sizeof wal, "%s-wal", file);
    FILE *log = fopen(wal, "w");
    assert_non_null(log);
    fclose(log);
    const char *const other[] = {"restore-backup", file, "other", "--data", data, NULL};
    expect_failure(stage, other, 6, "all3.db-wal is beside it");
    unlink(wal);
    expect_failure(
        stage,
        (const char *const[]){"restore-backup", "/etc/passwd", "other", "--data", data, NULL}, 1,
        "not a database");
    expect_failure(
        stage, (const char *const[]){"restore-backup", file, "other", "--data", "/nowhere", NULL},
        1, "/nowhere: No such file");
    expect_failure(stage, (const char *const[]){"backup", "--all", "/nowhere/x", NULL}, 1,
                   "/nowhere/x: No such file");
    expect(stage, other, "");
    expect(stage, (const char *const[]){"ls", "other", NULL}, "5 nodes");
}

TEST_ON_STAGE(test_backup_under_sixteen_drags_is_a_whole_scene)
{
    struct stage *stage = *state;
    struct gz_client *people[PEOPLE];
    uint64_t ids[PEOPLE];
    int step = 0;
    begin(stage, people, ids);
    stage_ask(people[PEOPLE - 1], message_pointer(GZ_PHASE_MOVE, 700, 300));
    await_saved_drag(people[PEOPLE - 1], ids[PEOPLE - 1], 0.1 * (PEOPLE - 1));
    for (int i = 0; i < BACKUPS; i++) {
        char file[160], copy[160], scene[16];
        struct test_child child;
        struct test_output output;
        snprintf(file, sizeof file, "%s/backup.db", stage->daemon.directory);
        snprintf(scene, sizeof scene, "copy%d", i);
        snprintf(copy, sizeof copy, "%s/%s.db", stage->daemon.data, scene);
        test_ctl_start(&child, &stage->daemon, (const char *const[]){"backup", "arm", file, NULL});
        drag_on(people, &step);
        test_child_finish(&child, NULL, &output);
        if (output.code != 0) fail_msg("backup: %s", output.err);
        test_output_finish(&output);
        expect(stage, (const char *const[]){"check", file, NULL}, "nothing is wrong");
        assert_int_equal(rename(file, copy), 0);
        expect(stage, (const char *const[]){"ls", scene, NULL}, "16 nodes");
        expect(stage,
               (const char *const[]){"history", scene, "--user", "user15", "--limit", "1", NULL},
               "translate tv");
    }
    for (size_t i = 0; i < PEOPLE; i++)
        stage_ask(people[i], message_pointer(GZ_PHASE_UP, 640, 360));
}
